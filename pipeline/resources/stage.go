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

// StageCheck is the only stage of Check.
const StageCheck Stage = "check"

// Progress says how much of its work a stage has done.
type Progress struct {
	Done, Total int64  // for the search: Done is the number of steps, and Total is 0
	Unit        string // what Done and Total count, if there is a Total; empty: rows
	Live        int64  // for the search: records that later steps may still divide; 0: not known
}
