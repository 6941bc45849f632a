package resources

// Stage names a part of a run.
type Stage string

// The stages, in order.
const (
	StagePlan     Stage = "plan"
	StageCompress Stage = "compress"
	StageSearch   Stage = "search"
	StageMask     Stage = "mask"
	StageVerify   Stage = "verify"
	StagePublish  Stage = "publish"
)

// StageCheck is all that Check does.
const StageCheck Stage = "check"

// Progress counts what a stage has done of what it has to do.
type Progress struct {
	Done, Total int64 // rows; in search: performed steps, Total 0
	Live        int64 // in search: records that later steps may still tell apart; 0: not known
}
