// Package job is what a run is asked to do: what it reads, what must hold in its release, how
// every column is masked, and where the release goes.
//
//	a program ─────────────────────────────▶ Job ─Resolve─▶ Job
//	text ─▶ YAML ─overrides─▶ nodes by path ─▶ Job ─Resolve─▶ Job
//
// One table of fields defines a job: a row says where the value lies in a Job and what it may be.
// Reading, checks, defaults, flags and environment variables, printing, the JSON Schema and the
// reference in docs/job-file.md all come from it. A new key is a row and a field.
//
// Contract: a Job that was resolved without an error holds together, as far as that can be
// known without the input. What is wrong comes back as one *Error, all of it at once, each
// problem with its place: in the file, or the path of the key in a Job that a program filled in.
// No file is opened but the job file and the taxonomy files that its columns need. Where a value
// came from is kept beside the Job, and nothing depends on it but what is shown to people.
//
// Not promised: that the job fits its input; whether columns exist and their types allow
// their masks and bounds is known only with the input's schema.
package job

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Job is a whole run: what to read, what must hold, how to mask, where to write. Load reads one
// from a file; a program may as well fill one in, where what it leaves out has its zero value:
//
//	people := &job.Job{
//		Input:   []string{"people.parquet"},
//		Output:  job.Output{Path: "release.parquet"},
//		Class:   "income",
//		Sets:    []job.Set{{Columns: []string{"age", "zip"}, K: 50}},
//		Columns: []job.Column{
//			{Name: "age", Mask: job.MaskDiscretize},
//			{Name: "zip", Mask: job.MaskGeneralize, Taxonomy: job.Taxonomy{Prefix: []int{5, 3, 1}}},
//			{Name: "income", Mask: job.MaskKeep},
//		},
//	}
//	people, err := people.Resolve()
//
// Resolve checks a job and gives what was left out its default. Load does so, too.
type Job struct {
	Input   []string // files, directories, globs; at least one, or InputCounts
	Output  Output
	Class   string // empty: none
	Sets    []Set  // at least one
	Entity  string // the column that tells of whom a record is: k counts these; empty: k counts records
	Count   string // the column that says how many records a row of the input stands for; empty: one
	Columns []Column

	InputCounts []string // tables of the input's counts, each a file, a directory or a glob: a run reads them instead, and writes a cut; nil: none

	Sensitive []Sensitive // what must hold of kept columns in every equivalence class

	InputMissing   string              // InputRetry: try again later; else it is an error
	MissingColumns string              // MissingNull: a column is null in files of the input that lack it; else that is an error
	Unlisted       string              // UnlistedError, UnlistedDrop or UnlistedKeep
	TaxonomyFile   string              // YAML file of named trees; empty: none
	Taxonomies     map[string]Taxonomy // named taxonomies; nil with a TaxonomyFile

	Algorithm Algorithm
	Objective string  // of auto: one of the Objective constants
	Score     string  // of top-down algorithms: "tdr", "tds" or "infogain"
	MaxSteps  *int    // nil: no limit
	Balance   float64 // of top-down algorithms: how much a column's specializations so far count against the next one; 0: not at all
	Order     string  // of the release's rows: OrderReleased or OrderInput

	MaxSuppressed Quota  // of top-down algorithms: records that may be taken away so that the others meet the sets
	Suppressed    string // what becomes of these: "mark" or SuppressedDrop

	MaxUnique *Share // of the rows, or of the entities: how many may be alone on the labels of all masked columns; nil: 1%

	Previous    string // an earlier release, or a file with its cut, that the cut must not be finer than; empty: none
	AllowNewCut bool   // publish all the same, with a note

	Limits Limits
	CSV    CSV

	File    string  // path of the job file; empty: of no file
	origins origins // where values came from
}

// Output says what to write.
type Output struct {
	Path         string   // a directory of part files when it ends in "/"
	Compression  string   // "zstd", "snappy", "gzip" or "none"
	Level        int      // of compression; 0: its own default
	RowGroupRows int      // 0: the usual number, fewer where rows are large
	PartitionBy  []string // masked columns whose labels are folders of the directory, and not in the files
}

// Set is one quasi-identifier set.
type Set struct {
	Columns []string // at least one, each once; AllColumns alone, which Resolve replaces
	K       int      // at least 1; 0: not asked for, with AlgorithmIACc
}

// Sensitive is what must hold of a kept column's values among the records of every equivalence class
// of every set. At least one of its measures is asked for.
type Sensitive struct {
	Column        string
	L             int          // different values, at least 2; 0: not asked for
	Nulls         string       // NullsCount: the null is one of them
	EntropyL      float64      // entropy as of so many values of equal frequency, above 1; 0: not asked for
	MaxConfidence float64      // the most that one value may have, as a share; 0: not asked for
	Confidences   []Confidence // the same of some values alone, instead
	T             *float64     // how far shares may be from those of the whole table; nil: not asked for
}

// Confidence is the most that a value may have of an equivalence class, as a share above 0 and below 1.
type Confidence struct {
	Value string // as text
	Most  float64
}

// Quota is a number of records, or a share of them.
type Quota struct {
	Records uint64
	Percent float64 // when not 0
}

// Of returns the quota of so many records.
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

// MarshalText returns what UnmarshalText reads.
func (q Quota) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads a number of records, or a share of them as "0.5%".
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

// DefaultMaxUnique is the share of the rows that may be alone on all labels when a job says nothing.
const DefaultMaxUnique Share = 0.01

// AllColumns stands in a Set for all masked columns of the job, as "columns: all" does in a job file.
const AllColumns = "\x00all"

// NoHeader and HasHeader stand in CSV.Header for names, as "header: false" and "header: true" do in a job file.
const (
	NoHeader  = "\x00false"
	HasHeader = "\x00true"
)

// Share is a part of a whole, from 0 to 1.
type Share float64

// String returns the text of a share, as UnmarshalText reads it: 0.35 is "35%".
func (s Share) String() string { return strconv.FormatFloat(100*float64(s), 'f', -1, 64) + "%" }

// MarshalText returns what UnmarshalText reads.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a share as "35%".
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

// Algorithm is a search and its options. Those that it has no use for have zero values.
type Algorithm struct {
	Name string // one of the Algorithm constants

	Seed                 int
	Bins                 int
	Loss                 string   // "information" or LossWeighted
	MinObjects           int      // 0: the largest k
	Prune                string   // "none" or PrunePessimistic
	Leftover             string   // "drop" or LeftoverRecruit
	Small                string   // "drop" or SmallTopUp
	MaxDivergence        *float64 // nil: the default
	MaxInformationChange *float64 // nil: the default
	Partitioning         string   // "strict" or PartitioningRelaxed
	Categories           string   // "hierarchy" or CategoriesOrdered
}

// Column says what happens to one input column.
type Column struct {
	Name     string
	Mask     string   // MaskGeneralize, MaskDiscretize, MaskSuppress, MaskKeep, MaskPseudonym or MaskDrop
	Bounds   Bounds   // discretize
	Round    string   // discretize: a number or a unit of time whose multiples bounds are; empty: any value
	Taxonomy Taxonomy // generalize: a name, a tree or a generator; zero: the one of the column's name
	AtMost   string   // generalize: the finest level, in steps from the root; discretize: the least width, as "30" or "30d"; empty: any
	AtLeast  string   // as AtMost, the coarsest level or the greatest width that the column may be released with; empty: any
	Weight   float64  // masked: what scores of its specializations are multiplied by; 0: 1
	Unknown  string   // generalize: UnknownError or UnknownRoot
	Render   string   // discretize: RenderLabel, RenderBounds, RenderMidpoint or RenderInterval
	Type     string   // of a CSV column, as "integer", "decimal(10,2)" or "date(MM/DD/YYYY)"; empty: inferred
	Rename   int      // position, from 1 on, of the CSV column that has this name instead of the header's; 0: none

	Identifying string // keep, pseudonym: IdentifyingAccepted when it may be released although it tells rows apart

	KeyFile string // pseudonym: the file that holds the key; empty: KeyEnv
	KeyEnv  string // pseudonym: the environment variable that holds the key; empty: KeyFile
}

// Bounds are the declared ends of a discretized column, as text; empty is open. Whether
// they fit the column, and each other, is known only with the column's type.
type Bounds struct{ Lower, Upper string }

// Limits bound what a run uses. Zero values mean that nothing was declared.
type Limits struct {
	Memory   int64 // bytes
	Threads  int
	SpillDir string
	Time     string // that choosing an algorithm may take, as it is predicted: "90s"; empty: any
}

// CSV says how to read CSV input.
type CSV struct {
	Delimiter byte     // 0: found in the lines
	Header    []string // names of columns of a file without a header; NoHeader or HasHeader alone; nil: HasHeader
	Quote     byte     // 0: '"'
	Escape    byte     // 0: none, quotes are doubled
	Encoding  string   // as formats.EncodingLatin1; empty: UTF-8, or what a byte order mark says
	Nulls     []string // texts that stand for null
	Decimal   byte     // the sign in front of a number's fraction; 0: '.', or ',' where Thousands is '.'
	Thousands byte     // between groups of three digits; 0: none
}

// Values of enumerated fields: the options of algorithms have a default, too, that no code names.
const (
	InputRetry  = "retry"
	MissingNull = "null"

	MaskGeneralize = "generalize"
	MaskDiscretize = "discretize"
	MaskSuppress   = "suppress"
	MaskKeep       = "keep"
	MaskPseudonym  = "pseudonym"
	MaskDrop       = "drop"

	UnlistedError = "error"
	UnlistedDrop  = "drop"
	UnlistedKeep  = "keep"

	OrderReleased = "released"
	OrderInput    = "input"

	UnknownError = "error"
	UnknownRoot  = "root"

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
	SuppressedDrop      = "drop"
	NullsCount          = "count"
)

// countColumn is the column of counts in tables of counts, where the job names none.
const countColumn = "kcut_count"

// CountColumn returns the column that says how many records a row of the input, or of its counts, stands for; empty: one.
func (j *Job) CountColumn() string {
	if j.Count == "" && len(j.InputCounts) > 0 {
		return countColumn
	}
	return j.Count
}

// Reads returns the files, directories and globs that a run reads: its counts, or else its input.
func (j *Job) Reads() []string {
	if len(j.InputCounts) > 0 {
		return j.InputCounts
	}
	return j.Input
}

// Uncounted reports whether a column is of no matter for the search, and so need not be in tables of counts.
func (j *Job) Uncounted(name string) bool {
	spec := j.Column(name)
	return len(j.InputCounts) > 0 && spec != nil && !spec.masked() && name != j.Class && name != j.Entity &&
		!slices.ContainsFunc(j.Sensitive, func(s Sensitive) bool { return s.Column == name })
}

// OfRows returns the job as it reads its input, and no counts of that; itself if it names none.
func (j *Job) OfRows() (*Job, error) {
	if len(j.InputCounts) == 0 {
		return j, nil
	}
	if len(j.Input) == 0 {
		return nil, j.LocatedKey("input_counts", "name the input, too, as --input does, or use kcut sql", errors.New("this takes rows, and the job has counts of them alone"))
	}
	rows := *j
	rows.InputCounts, rows.Count = nil, ""
	return &rows, nil
}

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

// FinestLevel returns the finest level that labels of a generalized column have, in steps from the root; 0: any.
func (c *Column) FinestLevel() int { return c.level(c.AtMost) }

// CoarsestLevel returns the coarsest level that labels of a generalized column may have, in steps from the root; 0: any.
func (c *Column) CoarsestLevel() int { return c.level(c.AtLeast) }

func (c *Column) level(limit string) int {
	if c.Mask != MaskGeneralize {
		return 0
	}
	level, _ := strconv.Atoi(limit) // Resolve has asked
	return level
}

// Keeps reports whether rows that differ in the column differ in the release: it is kept, as it is or as pseudonyms.
func (c *Column) Keeps() bool { return c.Mask == MaskKeep || c.Mask == MaskPseudonym }

// Released returns the names of the columns that the column is released as.
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
