package forecast

import "math"

// Seconds are those of the clock, on a machine that has nothing else to do: all threads help at
// best, and half of them at worst. Those of two processors together lie there, too.
type Seconds struct {
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
}

// What was measured, in nanoseconds of processor time (docs/performance.md).
const (
	start       = 150e6 // of the process, and of the files that a release is made with
	readCell    = 15
	maskCell    = 10
	verifyCell  = 5
	copyByte    = 2
	parseByte   = 25   // of text, which is read twice
	entityRow   = 900  // that is counted to its entity
	value       = 2500 // of a column, with its place in the order of values
	searchTuple = 900  // with eight to fourteen columns, of which each meets several steps
	spillTuple  = 1800
	column      = 500e3 // that is read: its pages, its cut, and recounting it
	step        = 65e3  // with the label that it makes, in the cut and in the pages, and the records that it divides
	disclosure  = 11e3  // a step that divides off the records of a value
	stepOfClass = 5e3   // of a disclosure, with a class
	inspection  = 9.5e3 // of a step
	outliers    = 100e3 // of an inspected step that is no disclosure, where records may be taken away
	stepOfSet   = 30    // what a step tells of every set
	recount     = 1000  // of a tuple, for the first steps, until these fit
	treeTuple   = 90    // of a tuple that models are fitted to, for every tree
	massTuple   = 70    // of a tuple, a masked column and a class above two, for every cut that it meets in two trees
)

// mostFitted is how many tuples models are fitted to at most, about.
const mostFitted = 1 << 16

// slack is how far machines, disks and data lie apart from those of the measurement.
const (
	fastest = 0.4
	slowest = 2.5
)

// Seconds returns how long a run takes, about.
func (l *Load) Seconds() Seconds {
	slowTuple := 2.0 * searchTuple
	if l.TopDown {
		slowTuple = searchTuple
	}
	spills, threads := l.Spills(), float64(l.Threads)
	low := l.takes(least, threads, spills == Yes, searchTuple)
	high := l.takes(most, max(1, threads/2), spills != No, slowTuple)
	return Seconds{low * fastest / 1e9, high * slowest / 1e9}
}

// end is one of a range.
type end func(r Range) int64

func least(r Range) int64 { return r.AtLeast }
func most(r Range) int64  { return r.AtMost }

// takes returns the time, in nanoseconds, when numbers are at one end, and the threads share what is
// done with every row, and a tuple takes a time.
func (l *Load) takes(at end, threads float64, spills bool, perTuple float64) float64 {
	cells, masked := float64(l.Rows)*float64(len(l.Columns)), float64(l.Rows)*float64(l.Masked)
	streamed := cells*readCell + masked*(maskCell+verifyCell) + float64(l.Kept)*copyByte + float64(l.Text)*parseByte
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
	return start + streamed/threads + values*value + tuples*perTuple + float64(l.Read)*column + l.stepsTake(at) + l.modelsTake(tuples)
}

// stepsTake returns the time, in nanoseconds, of the steps of a search from the top and of counting
// records again.
func (l *Load) stepsTake(at end) (took float64) {
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

// modelsTake returns the time, in nanoseconds, of models of so many tuples and of a search that is
// led by them: cuts halve parts.
func (l *Load) modelsTake(tuples float64) float64 {
	g := &l.Guided
	if g.Trees == 0 {
		return 0
	}
	masses := float64(l.Masked) * float64(max(0, g.Classes-2)) * math.Log2(tuples+1)
	fitting := min(tuples, mostFitted) * float64(g.Trees) * treeTuple
	return fitting/float64(l.Threads) + tuples*masses*massTuple
}

// steps returns how many steps a search from the top takes: each makes another label. Of more rows
// it takes more than of a part of them.
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

// labels returns how many labels steps make of a masked column: at most as many as it has values, and
// such that each can have Least records or more; and at least all values that have these, where
// nothing else decides whether they are disclosed.
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
			labels.AtLeast = max(0, min(labels.AtMost, of.Frequent.AtLeast)-1) // the last one may hide values that are rare
		}
	}
	return labels
}

// Labels says which labels steps may make of a column.
type Labels struct {
	Least     uint64 // records that one has
	Most      int64  // how many there are, unless they are values
	Disclosed bool   // they are values
	Alone     bool   // the column's sets have no other
	Frequent  *Range // how many values have Least records; nil: not known
}
