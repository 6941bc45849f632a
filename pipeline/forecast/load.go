package forecast

import "github.com/kcut/kcut/spill"

// Load is what a run has to do.
type Load struct {
	Rows      int64
	Columns   []Column   // that are counted: masked, and the class
	Groupings []Grouping // whose tuples are counted
	Masked    int        // number of masked columns
	Kept      int64      // bytes of kept columns, as they are stored; the whole input's when unknown
	Parsed    bool       // the input is text: values are parsed
	Memory    int64      // the budget
	Threads   int
	TopDown   bool // the search is tdr's or tds's
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
		table := float64(8*g.words + 4)
		held := Range{g.Tuples.AtLeast, min(multiply(g.Tuples.AtMost, int64(l.Threads)), max(l.Rows, g.Tuples.AtMost))}
		// Records are held up to three times until equal ones are merged, and once more as
		// the table is made of them.
		need = need.plus(held.times(record, 3*record)).plus(g.Tuples.times(table, table))
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
	return disk
}

// OutputDisk returns the disk space to reserve for the release, in bytes: kept columns are
// copied, and a label takes a byte or less.
func (l *Load) OutputDisk() int64 {
	return add(l.Kept, multiply(l.Rows, int64(l.Masked))) + footerBytes
}

// footerBytes is what the metadata of a release takes, but for very large cuts.
const footerBytes = 64 << 10

// What was measured, in nanoseconds of processor time (docs/performance.md).
const (
	readCell    = 9
	parseCell   = 60
	maskCell    = 7
	verifyCell  = 3
	copyByte    = 2
	searchTuple = 260 // with eight to fourteen columns, of which each meets several steps
	spillTuple  = 830
)

// slack is how far machines, disks and data lie apart from those of the measurement.
const (
	fastest = 0.5
	slowest = 4
)

// Seconds returns how long a run takes, about.
func (l *Load) Seconds() Seconds {
	cells := float64(l.Rows) * float64(len(l.Columns))
	masked := float64(l.Rows) * float64(l.Masked)
	streamed := cells*readCell + masked*(maskCell+verifyCell) + float64(l.Kept)*copyByte
	if l.Parsed {
		streamed += 2 * cells * parseCell
	}
	took := func(spills bool, tuples, perTuple float64) float64 {
		streamed := streamed
		if spills {
			streamed, perTuple = streamed+cells*readCell, perTuple*spillTuple/searchTuple
		}
		return streamed/float64(l.Threads) + tuples*perTuple
	}
	var tuples Range
	for _, g := range l.Groupings {
		tuples = tuples.plus(g.Tuples)
	}
	slowTuple := 4.0 * searchTuple
	if l.TopDown {
		slowTuple = searchTuple
	}
	spills := l.Spills()
	low := took(spills == Yes, float64(tuples.AtLeast), searchTuple)
	high := took(spills != No, float64(tuples.AtMost), slowTuple)
	return Seconds{low * fastest / 1e9, high*slowest/1e9 + 1}
}
