package jobfile

import (
	"slices"

	"github.com/kcut/kcut/formats"
)

// Job is a whole run: what to read, what must hold, how to mask, where to write. Load
// makes one. Paths are as they can be opened: relative ones of the job file have its folder
// in front. What was absent has its default, or the zero value where that is said.
type Job struct {
	File    string   // path of the job file
	Input   []string // files, directories, globs
	Output  Output
	Class   string // empty: none
	Sets    []Set  // at least one
	Columns []Column

	Unlisted     string                     // UnlistedError, UnlistedDrop or UnlistedKeep
	TaxonomyFile string                     // YAML file of named trees; empty: none
	Taxonomies   map[string]*TaxonomySource // named taxonomies; nil with a TaxonomyFile

	Algorithm Algorithm
	Score     string // of top-down algorithms: "tdr", "tds" or "infogain"
	MaxSteps  *int   // nil: no limit
	Limits    Limits
	CSV       CSV

	source document // where every value came from
}

// Output says what to write.
type Output struct {
	Path         string // a directory of part files when it ends in "/"
	Compression  string // "zstd", "snappy", "gzip" or "none"
	Level        int    // of compression; 0: its own default
	RowGroupRows int    // 0: those of the input where they are of a size to follow
}

// Set is one quasi-identifier set.
type Set struct {
	Columns []string // at least one, each once
	K       int      // at least 1; 0: not asked for, with AlgorithmIACc
}

// Algorithm is a search and its options. Those that it has no use for have zero values.
type Algorithm struct {
	Name string // one of the Algorithm constants

	Seed                 uint64
	Bins                 int
	Loss                 string // LossInformation or LossWeighted
	MinObjects           int    // 0: the largest k
	Prune                string // PruneNone or PrunePessimistic
	Leftover             string // LeftoverDrop or LeftoverRecruit
	Small                string // SmallDrop or SmallTopUp
	MaxDivergence        float64
	MaxInformationChange float64
	Partitioning         string // PartitioningStrict or PartitioningRelaxed
	Categories           string // CategoriesHierarchy or CategoriesOrdered
}

// Column says what happens to one input column.
type Column struct {
	Name     string
	Mask     string          // MaskGeneralize, MaskDiscretize, MaskSuppress, MaskKeep or MaskDrop
	Bounds   Bounds          // discretize
	Taxonomy *TaxonomySource // generalize; else nil
	Unknown  string          // generalize: UnknownError or UnknownRoot
	Render   string          // discretize: RenderLabel, RenderBounds or RenderMidpoint
	Type     *formats.Type   // declared type of a CSV column; nil: inferred
}

// Bounds are the declared ends of a discretized column, as text; empty is open. Whether
// they fit the column, and each other, is known only with the column's type.
type Bounds struct{ Lower, Upper string }

// Limits bound what a run uses. Zero values mean that nothing was declared.
type Limits struct {
	Memory   int64 // bytes
	Threads  int
	SpillDir string
}

// CSV says how to read CSV input.
type CSV struct {
	Delimiter byte // 0: found in the header
}

// Values of enumerated fields.
const (
	MaskGeneralize = "generalize"
	MaskDiscretize = "discretize"
	MaskSuppress   = "suppress"
	MaskKeep       = "keep"
	MaskDrop       = "drop"

	UnlistedError = "error"
	UnlistedDrop  = "drop"
	UnlistedKeep  = "keep"

	UnknownError = "error"
	UnknownRoot  = "root"

	RenderLabel    = "label"
	RenderBounds   = "bounds"
	RenderMidpoint = "midpoint"

	AlgorithmTDR              = "tdr"
	AlgorithmTDS              = "tds"
	AlgorithmBottomUp         = "bottom-up"
	AlgorithmKACTUS           = "kactus"
	AlgorithmIACk             = "iack"
	AlgorithmIACc             = "iacc"
	AlgorithmMondrian         = "mondrian"
	AlgorithmInfoGainMondrian = "infogain-mondrian"

	LossInformation = "information"
	LossWeighted    = "weighted"

	PruneNone        = "none"
	PrunePessimistic = "pessimistic"

	LeftoverDrop    = "drop"
	LeftoverRecruit = "recruit"

	SmallDrop  = "drop"
	SmallTopUp = "topup"

	PartitioningStrict  = "strict"
	PartitioningRelaxed = "relaxed"

	CategoriesHierarchy = "hierarchy"
	CategoriesOrdered   = "ordered"
)

// Column returns the named column's spec, or nil.
func (j *Job) Column(name string) *Column {
	for i := range j.Columns {
		if j.Columns[i].Name == name {
			return &j.Columns[i]
		}
	}
	return nil
}

// masked reports whether the column's values are masked, not kept or dropped.
func (c *Column) masked() bool {
	return c.Mask == MaskGeneralize || c.Mask == MaskDiscretize || c.Mask == MaskSuppress
}

func (j *Job) columnNames() []string {
	names := make([]string, len(j.Columns))
	for i := range j.Columns {
		names[i] = j.Columns[i].Name
	}
	return names
}

func (j *Job) inSet(name string) bool {
	return slices.ContainsFunc(j.Sets, func(s Set) bool { return slices.Contains(s.Columns, name) })
}
