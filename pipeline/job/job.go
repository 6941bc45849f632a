// Package job describes a run: its input, the requirements on its release, the mask of every
// column, and the place of the release.
//
//	a program's Job ─────────▶ nodes ─┬─decode, defaults─▶ Job ─rules─▶ Job
//	text ─▶ nodes ─overrides─▶ nodes ─┘
//
// The structs of a job define its file: a field's tags say which key it is and which values it may
// have, and keys.txt explains it in words. Decoding, checks, defaults, flags and environment
// variables, printing, the JSON Schema and the reference in docs/job-file.md all use these
// definitions. A new key is a field and a line of keys.txt.
//
// Contract: a Job that was resolved without an error is consistent, as far as that can be known
// without the input. All problems are reported together as one *Error, each with its place: in the
// file, or the path of the key in a Job that a program filled in. The package opens only the job
// file and the taxonomy files that its columns need. The Job records the origins of values, which
// are only shown to people.
//
// Not promised: that the job fits its input. Only the input's schema shows whether columns exist
// and their types allow their masks and bounds.
package job

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
)

// Job is a whole run: the input, the requirements, the masks and the output. Load reads a job from
// a file. A program may also fill in a job, in which zero values mean that nothing was set:
//
//	people := &job.Job{
//		Input:   []string{"people.parquet"},
//		Output:  job.Output{Path: "release.parquet"},
//		Class:   "income",
//		Sets:    []job.Set{{Columns: []string{"age", "zip"}, K: 50}},
//		Columns: []job.Column{
//			{Name: "age", Mask: job.MaskDiscretize},
//			{
//				Name: "zip", Mask: job.MaskGeneralize,
//				Taxonomy: job.Taxonomy{Prefix: []int{5, 3, 1}},
//			},
//			{Name: "income", Mask: job.MaskKeep},
//		},
//	}
//	people, err := people.Resolve()
//
// Resolve checks a job and fills in defaults. Load does so, too.
type Job struct {
	Input          []string            `key:"input" is:"paths" opt:"required" or:"input_counts" flag:"input"`
	InputCounts    []string            `key:"input_counts" is:"paths" flag:"input-counts"`
	InputMissing   string              `key:"input_missing" enum:"error|retry"`
	MissingColumns string              `key:"missing_columns" enum:"error|null"`
	Output         Output              `key:"output" opt:"required"`
	Class          string              `key:"class" flag:"class"`
	Sets           []Set               `key:"quasi_identifiers" opt:"required" item:"set" example:"- {columns: [age, sex], k: 50}"`
	Entity         string              `key:"entity" for:"tdr|tds|kactus|iack|mondrian|infogain-mondrian|guided|auto" opt:"protects"`
	Count          string              `key:"count"`
	Weight         string              `key:"weight_of_row"`
	Household      string              `key:"household"`
	Sensitive      []Sensitive         `key:"sensitive" for:"tdr|tds|kactus|mondrian|infogain-mondrian|guided|auto" opt:"protects" item:"sensitive column" example:"- {column: diagnosis, l: 3}"`
	Population     Population          `key:"population"`
	Columns        []Column            `key:"columns" opt:"required" example:"age: discretize"`
	Unlisted       string              `key:"unlisted" default:"error" enum:"error|drop|keep"`
	TaxonomyFile   string              `key:"taxonomies" is:"taxonomies"` // YAML file of named trees
	Taxonomies     map[string]Taxonomy `key:"taxonomies" is:"taxonomies"` // instead of a file
	Algorithm      Algorithm           `key:"algorithm"`
	Objective      string              `key:"objective" for:"auto|infogain-mondrian" enum:"classification|queries|balanced" flag:"objective"`
	Score          string              `key:"score" enum:"tdr|tds|infogain" flag:"score"`
	Balance        float64             `key:"balance" range:"[0,10]" for:"tdr|tds"`
	MaxSteps       *int                `key:"max_steps" range:"[0,)" flag:"max-steps"` // nil: no limit
	MaxSuppressed  Quota               `key:"max_suppressed" for:"!bottom-up"`
	Suppressed     string              `key:"suppressed" default:"mark" enum:"mark|drop" for:"tdr|tds|auto"`
	MaxUnique      *Share              `key:"max_unique" default:"1%" flag:"max-unique"` // nil: 1%
	MaxRisk        MaxRisk             `key:"max_risk"`
	Order          string              `key:"order" default:"released" enum:"released|input" flag:"order"`
	Labels         string              `key:"labels" default:"range" enum:"range|plain"`
	Previous       string              `key:"previous" is:"path" flag:"previous"`
	AllowNewCut    bool                `key:"allow_new_cut" flag:"allow-new-cut"`
	Limits         Limits              `key:"limits"`
	CSV            CSV                 `key:"csv"`

	File    string  // path of the job file; empty: there is none
	origins origins // the origins of values
}

// Output is the place and the form of the release.
type Output struct {
	Path         string   `key:"path" is:"path" opt:"required|bare" flag:"output"`
	Compression  string   `key:"compression" default:"zstd" enum:"zstd|snappy|gzip|none" flag:"compression"`
	Level        int      `key:"level" range:"[1,22]"`
	RowGroupRows int      `key:"row_group_rows" range:"[1,2147483648]"`
	PartitionBy  []string `key:"partition_by"`
}

// Set is one quasi-identifier set, or with Subsets all sets of that number of columns: EverySet
// returns these. Its columns may be AllColumns alone, which Resolve replaces.
type Set struct {
	Columns []string `key:"columns" is:"columns" opt:"required" or:"subsets"`
	Subsets int      `key:"subsets" range:"[1,)"` // 0: the set is Columns
	Of      []string `key:"of" is:"columns"`
	K       int      `key:"k" range:"[1,)" opt:"required" but:"iacc" flag:"k"` // 0: none, with AlgorithmIACc

	// limits on the people of the population in every class; 0: none
	KMap        int    `key:"k_map" range:"[1,)" for:"tdr|tds" opt:"protects"`
	MinPresence Share  `key:"min_presence" for:"tdr|tds" opt:"protects"`
	MaxPresence *Share `key:"max_presence" for:"tdr|tds" opt:"protects"`
}

// Population is the people from whom the table's are drawn.
type Population struct {
	Input []string `key:"input" is:"paths" opt:"bare"`
	Count string   `key:"count"`
	Size  int      `key:"size" range:"[1,)"` // 0: unknown
}

// MaxRisk is the largest risk of rows for somebody who knows a set.
type MaxRisk struct {
	Average Share `key:"average" flag:"max-average-risk"` // 0: any
}

// Quota is a number of records, or a share of them.
type Quota struct {
	Records uint64
	Percent float64 // used if not 0
}

// Of returns the quota of the given number of records.
func (q Quota) Of(records int64) uint64 {
	if q.Percent > 0 {
		return uint64(q.Percent / 100 * float64(records))
	}
	return q.Records
}

// String returns the text of a quota, as UnmarshalText reads it.
func (q Quota) String() string {
	if q.Percent > 0 {
		return strconv.FormatFloat(q.Percent, 'f', -1, 64) + "%"
	}
	return strconv.FormatUint(q.Records, 10)
}

// MarshalText returns the text that UnmarshalText reads.
func (q Quota) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads a number of records, or a share of them such as "0.5%".
func (q *Quota) UnmarshalText(text []byte) (err error) {
	*q = Quota{}
	if !regexp.MustCompile(quotaPattern).Match(text) {
		return errors.New("no number of records, and no share of them")
	}
	if share, isShare := strings.CutSuffix(string(text), "%"); isShare {
		q.Percent, err = strconv.ParseFloat(share, 64)
		if q.Percent > 100 {
			err = errors.New("more than all records")
		}
		return err
	}
	q.Records, err = strconv.ParseUint(string(text), 10, 64)
	return err
}

// quotaPattern matches quotas.
const quotaPattern = `^([0-9]+|[0-9]+(\.[0-9]+)?%)$`

// AllColumns in a Set means all masked columns of the job, like "columns: all" in a job file.
const AllColumns = "\x00all"

// NoHeader and HasHeader in CSV.Header replace names, like "header: false" and "header: true" in a
// job file.
const (
	NoHeader  = "\x00false"
	HasHeader = "\x00true"
)

// Share is a part of a whole, from 0 to 1.
type Share float64

// String returns the text of a share, as UnmarshalText reads it: 0.35 is "35%".
func (s Share) String() string { return strconv.FormatFloat(100*float64(s), 'f', -1, 64) + "%" }

// MarshalText returns the text that UnmarshalText reads.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a share such as "35%".
func (s *Share) UnmarshalText(text []byte) error {
	if !regexp.MustCompile(sharePattern).Match(text) {
		return errors.New("no share from 0% to 100%")
	}
	percent, err := strconv.ParseFloat(string(text[:len(text)-1]), 64)
	*s = Share(percent / 100)
	return err
}

// sharePattern matches shares.
const sharePattern = `^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)%$`

// Algorithm is a search and its options. Options that the search does not use are zero.
type Algorithm struct {
	Name string `key:"name" default:"tdr" enum:"tdr|tds|bottom-up|kactus|iack|iacc|mondrian|infogain-mondrian|guided|auto" opt:"bare" flag:"algorithm"`

	Seed                 int      `key:"seed" range:"[0,)" default:"0" for:"kactus|mondrian"`
	Bins                 int      `key:"bins" range:"[2,65536]" default:"16" for:"bottom-up|iack|iacc"`
	Loss                 string   `key:"loss" default:"information" enum:"information|weighted" for:"bottom-up"`
	MinObjects           int      `key:"min_objects" range:"[1,2147483648]" for:"kactus"` // 0: the largest k
	Prune                string   `key:"prune" default:"none" enum:"none|pessimistic" for:"kactus"`
	Leftover             string   `key:"leftover" default:"drop" enum:"drop|recruit" for:"kactus"`
	Small                string   `key:"small" default:"drop" enum:"drop|topup" for:"iack"`
	MaxDivergence        *float64 `key:"max_divergence" range:"[0,1]" default:"0.1" for:"iacc"`
	MaxInformationChange *float64 `key:"max_information_change" range:"[0,1]" default:"0.1" for:"iacc"`
	Partitioning         string   `key:"partitioning" default:"strict" enum:"strict|relaxed" for:"mondrian"`
	Categories           string   `key:"categories" default:"hierarchy" enum:"hierarchy|ordered" for:"mondrian"`
	Sets                 string   `key:"sets" default:"united" enum:"united|apart" for:"mondrian|infogain-mondrian"`
	Cuts                 string   `key:"cuts" default:"widest" enum:"widest|tightest" for:"mondrian"`
	First                []string `key:"first" for:"mondrian"`
	RegionLabels         string   `key:"region_labels" enum:"path|tight" for:"mondrian|infogain-mondrian|auto"`
}

// Column says how one input column is treated.
type Column struct {
	Name        string
	Mask        string   `key:"mask" enum:"generalize|discretize|suppress|keep|pseudonym|replace|drop" opt:"required|bare"`
	Bounds      Bounds   `key:"bounds" masks:"discretize"`
	Round       string   `key:"round" is:"step" masks:"discretize"`
	AtMost      string   `key:"at_most" is:"limit" masks:"generalize|discretize"`
	AtLeast     string   `key:"at_least" is:"limit" masks:"generalize|discretize" for:"tdr|tds|bottom-up"`
	Weight      float64  `key:"weight" range:"(0,)" masks:"generalize|discretize|suppress" for:"tdr|tds"` // 0: 1
	Taxonomy    Taxonomy `key:"taxonomy" masks:"generalize"`                                              // zero: the taxonomy with the column's name
	Order       []string `key:"order" is:"values" masks:"suppress"`
	Unknown     string   `key:"unknown" default:"error" enum:"error|root" masks:"generalize"`
	Render      string   `key:"render" default:"label" enum:"label|bounds|interval" masks:"discretize"`
	Identifying string   `key:"identifying" enum:"accepted" masks:"keep|pseudonym|replace"`
	With        string   `key:"with" enum:"name|street|city|phone|email" masks:"pseudonym|replace"`
	KeyFile     string   `key:"key_file" is:"path" opt:"local" masks:"pseudonym|replace"`
	KeyEnv      string   `key:"key_env" masks:"pseudonym|replace"`
	Type        string   `key:"type" is:"type"`
	Rename      int      `key:"rename" range:"[1,65536]"`
}

// Bounds are the declared ends of a discretized column, as texts; empty: open. Only the column's
// type shows whether they fit the column and each other.
type Bounds struct{ Lower, Upper string }

// Limits bound the resources of a run. Zero values mean that no limit was set.
type Limits struct {
	Memory   int64  `key:"memory" flag:"memory"` // bytes
	Threads  int    `key:"threads" range:"[1,1024]" flag:"threads"`
	SpillDir string `key:"spill_dir" is:"path" opt:"local" flag:"spill-dir"`
	Time     string `key:"time" is:"time" for:"auto" flag:"time"`
}

// CSV says how to read CSV input. Its header may be NoHeader or HasHeader alone; nil means
// HasHeader.
type CSV struct {
	Delimiter byte     `key:"delimiter"`
	Header    []string `key:"header" is:"header"`
	Quote     byte     `key:"quote"`
	Escape    byte     `key:"escape"`
	Encoding  string   `key:"encoding" enum:"utf-8|utf-16|latin-1|windows-1252"`
	Nulls     []string `key:"nulls" opt:"empty"`
	Decimal   byte     `key:"decimal" enum:".|,"`
	Thousands byte     `key:"thousands" enum:".|,|'| "`
}

// Values of enumerated fields. Some options of algorithms have a default that no code names.
const (
	InputRetry  = "retry"
	MissingNull = "null"

	MaskGeneralize = "generalize"
	MaskDiscretize = "discretize"
	MaskSuppress   = "suppress"
	MaskKeep       = "keep"
	MaskPseudonym  = "pseudonym"
	MaskReplace    = "replace" // resolved: MaskPseudonym, which has a form in With
	MaskDrop       = "drop"

	UnlistedDrop = "drop"
	UnlistedKeep = "keep"

	OrderReleased = "released"
	OrderInput    = "input"

	LabelsPlain = "plain"

	UnknownRoot = "root"

	IdentifyingAccepted = "accepted"

	RenderLabel    = "label"
	RenderBounds   = "bounds"
	RenderInterval = "interval"

	AlgorithmTDR              = "tdr"
	AlgorithmTDS              = "tds"
	AlgorithmBottomUp         = "bottom-up"
	AlgorithmKACTUS           = "kactus"
	AlgorithmIACk             = "iack"
	AlgorithmIACc             = "iacc"
	AlgorithmMondrian         = "mondrian"
	AlgorithmInfoGainMondrian = "infogain-mondrian"
	AlgorithmGuided           = "guided"
	AlgorithmAuto             = "auto"

	ObjectiveClassification = "classification"
	ObjectiveQueries        = "queries"
	ObjectiveBalanced       = "balanced"

	LossWeighted        = "weighted"
	PrunePessimistic    = "pessimistic"
	LeftoverRecruit     = "recruit"
	SmallTopUp          = "topup"
	PartitioningRelaxed = "relaxed"
	CategoriesOrdered   = "ordered"
	SetsApart           = "apart"
	CutsTightest        = "tightest"
	RegionLabelsPath    = "path"
	RegionLabelsTight   = "tight"
	SuppressedDrop      = "drop"
	NullsCount          = "count"
)

// countColumn is the column of counts in tables of counts if the job names none.
const countColumn = "kcut_count"

// CountColumn returns the column with the number of records that a row of the input, or of its
// counts, stands for; empty: one record each.
func (j *Job) CountColumn() string {
	if j.Count == "" && len(j.InputCounts) > 0 {
		return countColumn
	}
	return j.Count
}

// ReadsDropped reports whether a run reads a column that it drops.
func (j *Job) ReadsDropped(column string) bool {
	return column != "" && slices.Contains([]string{j.Entity, j.Weight, j.Household}, column)
}

// Reads returns the files, directories and globs that a run reads: its tables of counts, or else
// its input.
func (j *Job) Reads() []string {
	if len(j.InputCounts) > 0 {
		return j.InputCounts
	}
	return j.Input
}

// Uncounted reports whether the search does not use a column, so that tables of counts need not
// have it.
func (j *Job) Uncounted(name string) bool {
	spec := j.Column(name)
	return len(j.InputCounts) > 0 && spec != nil && !spec.Masked() && name != j.Class &&
		name != j.Entity &&
		!slices.ContainsFunc(j.Sensitive, func(s Sensitive) bool { return s.Column == name })
}

// OfRows returns a job that reads the input instead of its counts. It returns the same job if that
// has no counts.
func (j *Job) OfRows() (*Job, error) {
	if len(j.InputCounts) == 0 {
		return j, nil
	}
	if len(j.Input) == 0 {
		return nil, j.LocatedKey("input_counts",
			"name the input, too, as --input does, or use kcut sql",
			errors.New("this takes rows, and the job has counts of them alone"))
	}
	rows := *j
	rows.InputCounts, rows.Count = nil, ""
	return &rows, nil
}

// Column returns the entry of a column, or nil.
func (j *Job) Column(name string) *Column {
	for i := range j.Columns {
		if j.Columns[i].Name == name {
			return &j.Columns[i]
		}
	}
	return nil
}

// labels are the masks that replace values by labels, with the kind of the labels. Code that
// counts, searches, masks or verifies asks for the kind, so that several masks may share one.
var labels = map[string]engine.Mask{
	MaskGeneralize: engine.Generalize,
	MaskDiscretize: engine.Discretize,
	MaskSuppress:   engine.Suppress,
}

// InOrder returns a comparison of values: first those of a list, in its order, then all others,
// bytewise.
func InOrder(list []string) func(a, b string) int {
	places := make(map[string]int, len(list))
	for at, value := range list {
		places[value] = at - len(list)
	}
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(places[a], places[b]), cmp.Compare(a, b))
	}
}

// Gives reports whether a mask replaces values by labels of a kind.
func Gives(mask string, kind engine.Mask) bool {
	is, labeled := labels[mask]
	return labeled && is == kind
}

// Is reports whether the column's values are replaced by labels of a kind.
func (c *Column) Is(kind engine.Mask) bool { return Gives(c.Mask, kind) }

// Masked reports whether the column's values are replaced by labels, not kept or dropped.
func (c *Column) Masked() bool {
	_, labeled := labels[c.Mask]
	return labeled
}

// FinestLevel returns the finest allowed level of a generalized column's labels, in steps from the
// root; 0: any.
func (c *Column) FinestLevel() int { return c.level(c.AtMost) }

// CoarsestLevel returns the coarsest allowed level of a generalized column's labels, in steps from
// the root; 0: any.
func (c *Column) CoarsestLevel() int { return c.level(c.AtLeast) }

func (c *Column) level(limit string) int {
	if !c.Is(engine.Generalize) {
		return 0
	}
	level, _ := strconv.Atoi(limit) // Resolve has checked it
	return level
}

// Keeps reports whether the column is kept, unchanged or as pseudonyms: rows that differ in it also
// differ in the release.
func (c *Column) Keeps() bool { return c.Mask == MaskKeep || c.Mask == MaskPseudonym }

// Released returns the names of the columns that the column becomes in a release.
func (c *Column) Released() []string {
	switch {
	case c.Mask == MaskDrop:
		return nil
	case c.Render == RenderBounds:
		return []string{c.Name + "_lower", c.Name + "_upper"}
	}
	return []string{c.Name}
}

func (j *Job) columnNames() []string {
	names := make([]string, len(j.Columns))
	for i := range j.Columns {
		names[i] = j.Columns[i].Name
	}
	return names
}
