package forecast

import "math"

// Seconds are seconds of the clock on a machine that does nothing else. All threads help at best,
// and half of them at worst. The processor seconds of two threads together are within the same
// bounds.
type Seconds struct {
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
}

// Measured times, in nanoseconds of processor time (docs/performance.md).
const (
	start       = 150e6 // the start of the process, and the files that every release needs
	readCell    = 15
	maskCell    = 10
	verifyCell  = 5
	copyByte    = 2
	parseByte   = 25   // a byte of text, which is read twice
	entityRow   = 900  // counting a row for its entity
	value       = 2500 // a value of a column, including its position in the order of values
	searchTuple = 900  // a tuple of 8 to 14 columns; several steps divide its records
	spillTuple  = 1800
	column      = 500e3 // a column that is read: its pages, its cut, and its recount
	step        = 65e3  // a step: its label in the cut and in pages, and the records it divides
	disclosure  = 11e3  // a step that separates the records of a value
	stepOfClass = 5e3   // the additional time of a disclosure if there is a class
	inspection  = 9.5e3 // the inspection of a step
	outliers    = 100e3 // an inspected step that is no disclosure, if records may be suppressed
	stepOfSet   = 30    // the part of a step for each set
	recount     = 1000  // counting a tuple for the first steps, until they fit
	treeTuple   = 90    // a tuple that models are fitted to, for each tree
	massTuple   = 70    // a tuple, for each masked column, class above two and cut of two trees
)

// mostFitted is about the largest number of tuples that models are fitted to.
const mostFitted = 1 << 16

// Other machines, disks and data make a run faster or slower than the measurement, by these
// factors.
const (
	fastest = 0.4
	slowest = 2.5
)

// Seconds returns about how long a run takes.
func (l *Load) Seconds() Seconds {
	slowTuple := 2.0 * searchTuple
	if l.TopDown {
		slowTuple = searchTuple
	}
	spills, threads := l.Spills(), float64(l.Threads)
	low := l.nanoseconds(least, threads, spills == Yes, searchTuple)
	high := l.nanoseconds(most, max(1, threads/2), spills != No, slowTuple)
	return Seconds{low * fastest / 1e9, high * slowest / 1e9}
}

// end returns one end of a range.
type end func(r Range) int64

func least(r Range) int64 { return r.AtLeast }
func most(r Range) int64  { return r.AtMost }

// nanoseconds returns the time of a run, with all numbers at one end of their ranges. The threads
// share the work for rows. The search takes perTuple nanoseconds for each tuple.
func (l *Load) nanoseconds(at end, threads float64, spills bool, perTuple float64) float64 {
	cells, masked := float64(l.Rows)*float64(len(l.Columns)), float64(l.Rows)*float64(l.Masked)
	streamed := cells*readCell + masked*(maskCell+verifyCell) +
		float64(l.Kept)*copyByte + float64(l.Text)*parseByte
	if l.Entities {
		streamed += float64(l.Rows) * entityRow
	}
	if spills {
		streamed, perTuple = streamed+cells*readCell, perTuple*spillTuple/searchTuple
	}
	values, tuples := 0.0, 0.0
	for _, c := range l.Columns {
		values += float64(at(c.Distinct))
	}
	for _, g := range l.Groupings {
		tuples += float64(at(g.Tuples))
	}
	return start + streamed/threads + values*value + tuples*perTuple + float64(l.Read)*column +
		l.stepNanoseconds(at) + l.modelNanoseconds(tuples)
}

// stepNanoseconds returns the time of the steps of a search from the top, including the time for
// counting records again.
func (l *Load) stepNanoseconds(at end) (took float64) {
	steps := 0.0
	for i := range l.Labels {
		each, disclosed := float64(step+stepOfSet*l.Sets), l.Labels[i].Disclosed
		if disclosed {
			each += disclosure - step
		}
		if l.Inspects {
			each += inspection
		}
		switch {
		case disclosed && l.Classes:
			each += stepOfClass
		case !disclosed && l.Inspects && l.Recounts:
			each += outliers
		}
		labels := float64(l.labels(i).AtMost)
		steps, took = steps+labels, took+labels*each
	}
	if steps > 0 {
		took *= float64(at(l.steps())) / steps
	}
	if last := len(l.Groupings) - 1; l.TopDown && l.Recounts && last >= 0 {
		took += recount * float64(at(l.Groupings[last].Tuples))
	}
	return took
}

// modelNanoseconds returns the time for fitting models to tuples and for the search that they
// guide. Each cut halves a part.
func (l *Load) modelNanoseconds(tuples float64) float64 {
	g := &l.Guided
	if g.Trees == 0 {
		return 0
	}
	masses := float64(l.Masked) * float64(max(0, g.Classes-2)) * math.Log2(tuples+1)
	fitting := min(tuples, mostFitted) * float64(g.Trees) * treeTuple
	return fitting/float64(l.Threads) + tuples*masses*massTuple
}

// steps returns the number of steps of a search from the top. Each step makes one more label. A
// search on all rows takes at least as many steps as a search on a part of them.
func (l *Load) steps() (steps Range) {
	for i := range l.Labels {
		steps = steps.plus(l.labels(i))
	}
	if t := l.Tried; t != nil && l.TopDown {
		tried := Range{int64(t.Steps), math.MaxInt64}
		if t.Rows == l.Rows {
			tried.AtMost = tried.AtLeast
		}
		steps = steps.within(tried)
	}
	if l.MaxSteps != nil {
		steps = steps.within(Range{0, int64(*l.MaxSteps)})
	}
	return steps
}

// labels returns how many labels the steps make of a masked column. There is at most one label for
// each value, and each label needs at least Least records. If nothing else determines whether
// values are disclosed, there is at least one label for each value with Least records.
func (l *Load) labels(column int) (labels Range) {
	of := &l.Labels[column]
	if !l.TopDown {
		return labels
	}
	labels.AtMost = min(l.Columns[column].Distinct.AtMost, l.Rows/int64(max(1, of.Least)))
	if !of.Disclosed {
		labels.AtMost = min(labels.AtMost, of.Most)
		return labels
	}
	if of.Frequent != nil {
		labels.AtMost = min(labels.AtMost, of.Frequent.AtMost)
		if of.Alone && !l.Classes && !l.Inspects && !l.Recounts {
			// The last value may stay with the rare values to hide them.
			labels.AtLeast = max(0, min(labels.AtMost, of.Frequent.AtLeast)-1)
		}
	}
	return labels
}

// Labels describes the labels that steps may make of a column.
type Labels struct {
	Least     uint64 // the smallest number of records of a label
	Most      int64  // the largest number of labels; not used if Disclosed
	Disclosed bool   // labels are single values
	Alone     bool   // the column's sets have no other column
	Frequent  *Range // the number of values with at least Least records; nil: not known
}
