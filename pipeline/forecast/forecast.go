package forecast

import (
	"math"
	"math/bits"

	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Forecast is what a run would do and take; it is what `kcut plan --json` prints.
type Forecast struct {
	Output string `json:"output"`
	Exists bool   `json:"output_exists"`
	// AlreadyDone is whether it was made by the same job of the same input: a run does nothing,
	// unless it was changed since.
	AlreadyDone bool       `json:"already_done,omitempty"`
	Algorithm   string     `json:"algorithm"`
	Files       int        `json:"files"`
	Bytes       int64      `json:"input_bytes"`
	Rows        int64      `json:"rows"`
	Columns     []Column   `json:"columns"`
	Sets        []Set      `json:"quasi_identifiers"`
	Groupings   []Grouping `json:"distinct_tuples"` // of columns that are counted together
	// Auto are the candidates of algorithm auto, and what choosing takes for each, as limits.time is held against.
	Auto    []Candidate `json:"auto,omitempty"`
	Sampled int64       `json:"sampled_rows"`
	// Steps is how many steps the search makes, of algorithms that search from the top.
	Steps Range `json:"steps,omitzero"`
	// Risk tells of the sampled rows how many are alike on the kept columns, and on the quasi-identifiers before they
	// are masked. Of all rows, shares are at most that.
	Risk *risk.Report `json:"risk,omitempty"`
	// Union tells how well the sampled rows hide each other on the labels of all masked columns
	// that a run of these rows gives them. Of more rows fewer are alone, most of the time.
	Union   *risk.Union `json:"union,omitempty"`
	Threads int         `json:"threads"`
	Memory  Memory      `json:"memory"`
	Disk    Disk        `json:"disk"`
	Seconds Seconds     `json:"seconds"`
	Notices []string    `json:"notices,omitempty"`
}

// Candidate is one that algorithm auto may choose. At least and at most are those of the distinct tuples.
type Candidate struct {
	Algorithm  string  `json:"algorithm"`
	Suppresses bool    `json:"suppresses,omitempty"` // takes away as many records as max_suppressed allows
	Seconds    Seconds `json:"predicted_seconds"`
	LeftOut    string  `json:"left_out,omitempty"` // why it is not judged; one for which there may be no time is not
}

// Set is a quasi-identifier set. With everything at its widest label all rows are alike, so
// that it can be met when there are at least k.
type Set struct {
	Columns   []string `json:"columns"`
	K         int      `json:"k"`
	Reachable bool     `json:"reachable"`
	Redundant bool     `json:"redundant,omitempty"` // others imply it
}

// Memory is in bytes.
type Memory struct {
	Budget   int64   `json:"budget_bytes"`
	Overhead int64   `json:"overhead_bytes"` // that the process may take beyond the budget
	Counting Range   `json:"counting_bytes"` // what counting needs, which may take half of the budget
	Spills   Verdict `json:"spills"`
	Ordering Verdict `json:"ordering_spills,omitempty"` // putting the rows of the release in order; "": they stay in that of the input
}

// Disk is what to reserve, in bytes, and where; nil where the system does not tell what is free.
type Disk struct {
	Output     int64 `json:"output_bytes"`
	Spill      Range `json:"spill_bytes"`
	OutputRoom *Room `json:"output_room,omitempty"`
	SpillRoom  *Room `json:"spill_room,omitempty"`
}

// Room is what a folder's file system has for what is written there.
type Room struct {
	Folder string  `json:"folder"`
	Free   int64   `json:"free_bytes"`
	Enough Verdict `json:"enough"`
}

// NewRoom compares the free bytes of a folder with what has to be written there.
func NewRoom(folder string, free int64, need Range) *Room {
	enough := map[Verdict]Verdict{No: Yes, Maybe: Maybe, Yes: No}[need.above(free)]
	return &Room{folder, free, enough}
}

// Weigh completes a forecast with what a load takes.
func (f *Forecast) Weigh(l *Load) {
	f.Rows, f.Groupings, f.Threads = l.Rows, l.Groupings, l.Threads
	f.Memory.Budget, f.Memory.Counting, f.Memory.Spills = l.Memory, l.InMemory(), l.Spills()
	f.Memory.Ordering = l.Ordering
	f.Disk = Disk{Output: l.OutputDisk(), Spill: l.SpillDisk().orMore(l.Ordered)} // what is counted was removed when rows are put in order
	f.Seconds = l.Seconds()
	if l.TopDown {
		f.Steps = l.steps()
	}
}

// Load is what a run has to do.
type Load struct {
	Rows      int64
	Columns   []Column   // that are counted: masked, and the class
	Groupings []Grouping // whose tuples are counted
	Masked    int        // number of masked columns
	Kept      int64      // bytes of kept columns, as they are stored; the whole input's when unknown
	Text      int64      // bytes of the input that are text, which is parsed
	Read      int        // number of columns that are read
	Memory    int64      // the budget
	Threads   int
	TopDown   bool     // the search is tdr's or tds's
	MaxSteps  *int     // that the job allows; nil: no limit
	Sets      int      // quasi-identifier sets that are searched
	Entities  bool     // k counts them, whose rows are counted first
	Classes   bool     // disclosing a value changes what all others gain
	Inspects  bool     // parts of partitions are looked at for more than their size
	Recounts  bool     // records may be taken away: the last grouping is counted for the first steps, until these fit
	Ordering  Verdict  // whether rows go to disk while they are put in order; "": they are not
	Ordered   Range    // the space that they take there
	Labels    []Labels // of every masked column, the first ones of Columns
	Tried     *Trial   // what the job makes of a part of the rows; nil: not known
	Guided    Guided   // the search is led by models; zero: it is not
}

// Guided is a search that is led by models of the classes.
type Guided struct {
	Classes int64
	Trees   int // of all models
}

// What a distinct value takes while it is counted, in bytes: its entry in a table, and of a
// text that itself, three times.
const (
	wordValue = 160
	textValue = wordValue + 3*64
)

// InMemory returns the bytes that counting needs when nothing goes to disk.
func (l *Load) InMemory() (need Range) {
	for _, c := range l.Columns {
		need = need.plus(c.Distinct.times(wordValue, textValue))
	}
	for _, g := range l.Groupings {
		record := float64(8 * (g.words + 1))
		held := Range{g.Tuples.AtLeast, min(multiply(g.Tuples.AtMost, int64(l.Threads)), max(l.Rows, g.Tuples.AtMost))}
		// Records are held up to three times until equal ones are merged, and once more as
		// the table is made of them.
		need = need.plus(held.times(record, 3*record)).plus(g.Tuples.times(record, record))
	}
	return need
}

// Spills returns whether counting goes to disk.
func (l *Load) Spills() Verdict { return l.InMemory().above(spill.Counts.Part(l.Memory)) }

// SpillDisk returns the disk space to reserve for what is spilled, in bytes: at most twice
// what the masked columns take uncompressed.
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
	disk.AtLeast = max(0, disk.AtLeast-l.Memory) // what fits is not written
	return disk
}

// OutputDisk returns the disk space to reserve for the release, in bytes: kept columns take about
// what they take in the input, and a label takes a byte or less.
func (l *Load) OutputDisk() int64 {
	return add(l.Kept, multiply(l.Rows, int64(l.Masked))) + footerBytes
}

// footerBytes is what the metadata of a release takes, but for very large cuts.
const footerBytes = 64 << 10

// Range is what a number is expected to lie in, both ends included.
type Range struct {
	AtLeast int64 `json:"at_least"`
	AtMost  int64 `json:"at_most"`
}

// Exactly returns the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// within returns the part of a range that lies in another, or the end nearest to it.
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

// times returns the range of a product with numbers that are at least 0.
func (r Range) times(low, high float64) Range {
	return Range{toInt(float64(r.AtLeast) * low), toInt(float64(r.AtMost) * high)}
}

// Verdict is whether something will be.
type Verdict string

// The verdicts.
const (
	No    Verdict = "no"
	Maybe Verdict = "maybe"
	Yes   Verdict = "yes"
)

// above returns whether a number that lies in a range is above another.
func (r Range) above(n int64) Verdict {
	switch {
	case r.AtMost <= n:
		return No
	case r.AtLeast > n:
		return Yes
	}
	return Maybe
}

// See makes the range of a number of values or tuples what an excerpt shows, within the bounds
// that are known.
func (r *Range) See(s Sighting, rows int64) {
	*r = s.Extrapolate(rows).within(Range{s.Distinct, max(s.Distinct, r.AtMost)})
}

// add and multiply stop at the largest number. They take none below 0.
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

// toInt rounds a number that is at least 0.
func toInt(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}

// Column is one column of the input, and what is known of it.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Mask     string `json:"mask"`
	Distinct Range  `json:"distinct_values"` // nulls left out
}

// Grouping is a list of columns whose tuples a run counts together.
type Grouping struct {
	Columns []string `json:"columns"`
	Tuples  Range    `json:"distinct_tuples"`

	words int64 // of a packed tuple
}

// Group bounds the number of tuples of some of the columns, by their values and by the rows.
func Group(columns []Column, of []int, rows int64) Grouping {
	g := Grouping{Tuples: Exactly(min(rows, 1))}
	width := 0
	for _, i := range of {
		c := columns[i]
		g.Columns = append(g.Columns, c.Name)
		values := Range{c.Distinct.AtLeast, add(c.Distinct.AtMost, 1)} // perhaps nulls
		g.Tuples.AtLeast = max(g.Tuples.AtLeast, values.AtLeast)
		g.Tuples.AtMost = min(rows, multiply(g.Tuples.AtMost, values.AtMost))
		width += bits.Len64(uint64(values.AtMost))
	}
	g.words = int64(max(1, (width+63)/64))
	return g
}
