package forecast

import (
	"math"
	"math/bits"

	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Forecast predicts the work of a run and its resources. `kcut plan --json` prints it.
type Forecast struct {
	Output string `json:"output"`
	Exists bool   `json:"output_exists"`
	// AlreadyDone says that the same job made the output of the same input. A run then does
	// nothing, unless somebody has changed the output since.
	AlreadyDone bool       `json:"already_done,omitempty"`
	Algorithm   string     `json:"algorithm"`
	Files       int        `json:"files"`
	Bytes       int64      `json:"input_bytes"`
	Rows        int64      `json:"rows"`
	Columns     []Column   `json:"columns"`
	Sets        []Set      `json:"quasi_identifiers"`
	Groupings   []Grouping `json:"distinct_tuples"` // columns that are counted together
	// Auto has the candidates of algorithm auto, with the time for judging each. The limit for this
	// time is limits.time.
	Auto    []Candidate `json:"auto,omitempty"`
	Sampled int64       `json:"sampled_rows"`
	// Steps is the number of steps of the search, for algorithms that search from the top.
	Steps Range `json:"steps,omitzero"`
	// Risk has the class sizes of the sampled rows: for the kept columns, and for the
	// quasi-identifiers before they are masked. The shares of all rows are at most as large.
	Risk *risk.Report `json:"risk,omitempty"`
	// Union is the disclosure risk of the sampled rows for the labels of all masked columns. The
	// labels come from a run of these rows. With more rows, fewer rows are usually unique.
	Union   *risk.Union `json:"union,omitempty"`
	Threads int         `json:"threads"`
	Memory  Memory      `json:"memory"`
	Disk    Disk        `json:"disk"`
	Seconds Seconds     `json:"seconds"`
	Notices []string    `json:"notices,omitempty"`
}

// Candidate is an algorithm that algorithm auto may choose. The bounds of its time are for the
// bounds of the distinct tuples.
type Candidate struct {
	Algorithm string `json:"algorithm"`
	// Suppresses says that the candidate suppresses as many records as max_suppressed allows.
	Suppresses bool    `json:"suppresses,omitempty"`
	Seconds    Seconds `json:"predicted_seconds"`
	// LeftOut is the reason why auto does not judge the candidate. A candidate for which the time
	// might not suffice is not left out here.
	LeftOut string `json:"left_out,omitempty"`
}

// Set is a quasi-identifier set. If every column has only its widest label, all rows are in one
// class. So k can be reached if there are at least k rows.
type Set struct {
	Columns   []string `json:"columns"`
	K         int      `json:"k"`
	Reachable bool     `json:"reachable"`
	Redundant bool     `json:"redundant,omitempty"` // other sets imply this set
}

// Memory has numbers of bytes.
type Memory struct {
	Budget   int64   `json:"budget_bytes"`
	Overhead int64   `json:"overhead_bytes"` // memory of the process besides the budget
	Counting Range   `json:"counting_bytes"` // need of counting, which may use half of the budget
	Spills   Verdict `json:"spills"`         // whether counting spills
	// Ordering says whether rows spill while they are put in the order of the release. It is empty
	// if they stay in the order of the input.
	Ordering Verdict `json:"ordering_spills,omitempty"`
}

// Disk is the disk space to reserve, in bytes. A room is nil if the system does not report the free
// space of the folder.
type Disk struct {
	Output     int64 `json:"output_bytes"`
	Spill      Range `json:"spill_bytes"`
	OutputRoom *Room `json:"output_room,omitempty"`
	SpillRoom  *Room `json:"spill_room,omitempty"`
}

// Room compares the free space of a folder's file system with the data that is written there.
type Room struct {
	Folder string  `json:"folder"`
	Free   int64   `json:"free_bytes"`
	Enough Verdict `json:"enough"`
}

// NewRoom compares the free bytes of a folder with the bytes that it needs.
func NewRoom(folder string, free int64, need Range) *Room {
	enough := map[Verdict]Verdict{No: Yes, Maybe: Maybe, Yes: No}[need.above(free)]
	return &Room{folder, free, enough}
}

// SetLoad completes a forecast with the resources of a load.
func (f *Forecast) SetLoad(l *Load) {
	f.Rows, f.Groupings, f.Threads = l.Rows, l.Groupings, l.Threads
	f.Memory.Budget, f.Memory.Counting, f.Memory.Spills = l.Memory, l.InMemory(), l.Spills()
	f.Memory.Ordering = l.Ordering
	// Rows are put in order after the spilled counts have been removed.
	f.Disk = Disk{Output: l.OutputDisk(), Spill: l.SpillDisk().orMore(l.Ordered)}
	f.Seconds = l.Seconds()
	if l.TopDown {
		f.Steps = l.steps()
	}
}

// Load is the work of a run.
type Load struct {
	Rows      int64
	Columns   []Column   // the counted columns: first the masked columns, then the class
	Groupings []Grouping // columns whose tuples are counted together
	Masked    int        // number of masked columns
	Kept      int64      // stored bytes of kept columns; if unknown, bytes of the whole input
	Text      int64      // bytes of the input that are text and must be parsed
	Read      int        // number of columns that are read
	Memory    int64      // the budget, in bytes
	Threads   int
	TopDown   bool // the algorithm is tdr or tds
	MaxSteps  *int // the most steps that the job allows; nil: no limit
	Sets      int  // number of quasi-identifier sets that are searched
	Entities  bool // k counts entities; their rows are counted first
	Classes   bool // disclosing a value changes the gains of all other values
	Inspects  bool // a step reads more of a partition than its size
	// Recounts says that records may be suppressed. Then the search counts the last grouping for
	// its first steps, until these fit.
	Recounts bool
	Ordering Verdict  // whether rows spill while they are put in order; "": they are not ordered
	Ordered  Range    // the disk space of these rows
	Labels   []Labels // of every masked column, in the order of Columns
	Tried    *Trial   // the result of running the job on some rows; nil: not known
	Guided   Guided   // the models that guide the search; zero: there are none
}

// Guided describes the models of the classes that guide a search.
type Guided struct {
	Classes int64
	Trees   int // the number of trees of all models
}

// Bytes of a distinct value while it is counted: its entry in a table and, for a text, three copies
// of the text.
const (
	wordValue = 160
	textValue = wordValue + 3*64
)

// InMemory returns the number of bytes that counting needs if nothing is spilled.
func (l *Load) InMemory() (need Range) {
	for _, c := range l.Columns {
		need = need.plus(c.Distinct.times(wordValue, textValue))
	}
	for _, g := range l.Groupings {
		record := float64(8 * (g.words + 1))
		ofThreads := multiply(g.Tuples.AtMost, int64(l.Threads))
		held := Range{g.Tuples.AtLeast, min(ofThreads, max(l.Rows, g.Tuples.AtMost))}
		// There are up to three records of a tuple before equal tuples are merged. The table then
		// has one more copy.
		need = need.plus(held.times(record, 3*record)).plus(g.Tuples.times(record, record))
	}
	return need
}

// Spills returns whether counting spills to disk.
func (l *Load) Spills() Verdict { return l.InMemory().above(spill.Counts.Part(l.Memory)) }

// SpillDisk returns the disk space to reserve for spilled counts, in bytes: at most twice the
// uncompressed size of the masked columns.
func (l *Load) SpillDisk() Range {
	if l.Spills() == No {
		return Range{}
	}
	var disk Range
	for _, g := range l.Groupings {
		disk = disk.plus(g.Tuples.times(8, 2*8*float64(len(g.Columns))))
	}
	for _, c := range l.Columns {
		disk = disk.plus(c.Distinct.times(8, 2*40))
	}
	if l.Spills() == Maybe {
		disk.AtLeast = 0
	}
	disk.AtLeast = max(0, disk.AtLeast-l.Memory) // data that fits the memory is not written
	return disk
}

// OutputDisk returns the disk space to reserve for the release, in bytes. Kept columns take about
// as much space as in the input. A label takes one byte or less.
func (l *Load) OutputDisk() int64 {
	return add(l.Kept, multiply(l.Rows, int64(l.Masked))) + footerBytes
}

// footerBytes is the size of a release's metadata, except for very large cuts.
const footerBytes = 64 << 10

// Range has the bounds between which a number is expected. The number may be equal to a bound.
type Range struct {
	AtLeast int64 `json:"at_least"`
	AtMost  int64 `json:"at_most"`
}

// Exactly returns the range that has only one number.
func Exactly(n int64) Range { return Range{n, n} }

// within returns the part of a range that lies in another range. If the ranges have no common part,
// it returns the end of the other range that is nearest to the range.
func (r Range) within(other Range) Range {
	clamp := func(n int64) int64 { return min(max(n, other.AtLeast), other.AtMost) }
	return Range{clamp(r.AtLeast), clamp(r.AtMost)}
}

// plus returns the range of a sum.
func (r Range) plus(other Range) Range {
	return Range{add(r.AtLeast, other.AtLeast), add(r.AtMost, other.AtMost)}
}

// orMore returns the range of the larger of two numbers.
func (r Range) orMore(other Range) Range {
	return Range{max(r.AtLeast, other.AtLeast), max(r.AtMost, other.AtMost)}
}

// times returns the range of a product with a number from low to high. low is at least 0.
func (r Range) times(low, high float64) Range {
	return Range{toInt(float64(r.AtLeast) * low), toInt(float64(r.AtMost) * high)}
}

// Verdict says whether something will happen.
type Verdict string

// The verdicts.
const (
	No    Verdict = "no"
	Maybe Verdict = "maybe"
	Yes   Verdict = "yes"
)

// above returns whether a number in the range is above n.
func (r Range) above(n int64) Verdict {
	switch {
	case r.AtMost <= n:
		return No
	case r.AtLeast > n:
		return Yes
	}
	return Maybe
}

// Narrow replaces the range of a number of values or tuples with an estimate from a sample. The
// estimate stays within the known bounds.
func (r *Range) Narrow(s Occurrences, rows int64) {
	*r = s.Extrapolate(rows).within(Range{s.Distinct, max(s.Distinct, r.AtMost)})
}

// add and multiply return the largest number if the result would be larger. Their operands are at
// least 0.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func multiply(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// toInt rounds a number, which is at least 0.
func toInt(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}

// Column describes one column of the input.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Mask     string `json:"mask"`
	Distinct Range  `json:"distinct_values"` // without null
}

// Grouping is a list of columns whose tuples a run counts together.
type Grouping struct {
	Columns []string `json:"columns"`
	Tuples  Range    `json:"distinct_tuples"`

	words int64 // 64-bit words of a packed tuple
}

// Group returns the grouping of some columns. The values of the columns and the number of rows give
// the bounds of the number of tuples.
func Group(columns []Column, of []int, rows int64) Grouping {
	g := Grouping{Tuples: Exactly(min(rows, 1))}
	width := 0
	for _, i := range of {
		c := columns[i]
		g.Columns = append(g.Columns, c.Name)
		values := Range{c.Distinct.AtLeast, add(c.Distinct.AtMost, 1)} // with or without a null
		g.Tuples.AtLeast = max(g.Tuples.AtLeast, values.AtLeast)
		g.Tuples.AtMost = min(rows, multiply(g.Tuples.AtMost, values.AtMost))
		width += bits.Len64(uint64(values.AtMost))
	}
	g.words = int64(max(1, (width+63)/64))
	return g
}
