package forecast

import (
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/risk"
)

// Excerpt holds some rows of some columns as hashes of their values. The hashes depend on the
// values alone, so that what is counted with them does, too.
type Excerpt struct {
	Rows    int64
	columns []hashed
	ends    []int64 // of batches, of which each is of rows that follow each other
}

// hashed is one column of an excerpt.
type hashed struct {
	risk.Hashes
	rows []uint64
}

// NewExcerpt returns an empty one with room for so many rows.
func NewExcerpt(columns int, rows int64) *Excerpt {
	e := &Excerpt{columns: make([]hashed, columns)}
	for i := range e.columns {
		e.columns[i].rows = make([]uint64, 0, rows)
	}
	return e
}

// Add adds the rows of a batch, whose columns are coded.
func (e *Excerpt) Add(b *formats.Batch) {
	e.Rows += int64(b.Rows)
	e.ends = append(e.ends, e.Rows)
	for i, column := range b.Columns {
		e.columns[i].add(column)
	}
}

func (h *hashed) add(column *formats.Column) {
	byCode := h.Learn(column.Values)
	for _, code := range column.Codes {
		h.rows = append(h.rows, byCode[code])
	}
}

// Values returns what is seen of the values of a column, nulls left out.
func (e *Excerpt) Values(column int) Sighting {
	values, ends := make([]uint64, 0, e.Rows), make([]int64, 0, len(e.ends))
	row := int64(0)
	for _, end := range e.ends {
		for ; row < end; row++ {
			if h := e.columns[column].rows[row]; h != risk.Null {
				values = append(values, h)
			}
		}
		ends = append(ends, int64(len(values)))
	}
	return See(values, ends)
}

// Frequent returns how many values of a column at least a number of the rows have.
func (e *Excerpt) Frequent(column int, least uint64) *int64 {
	values, frequent := slices.Clone(e.columns[column].rows), int64(0)
	slices.Sort(values)
	eachRun(values, func(n int) {
		if uint64(n) >= least {
			frequent++
		}
	})
	return &frequent
}

// Tuples returns what is seen of the tuples of some columns.
func (e *Excerpt) Tuples(columns []int) Sighting { return See(e.tuples(columns), e.ends) }

// Figures tells how well the rows hide each other in some columns.
func (e *Excerpt) Figures(columns []int, k int) *risk.Figures {
	return risk.FiguresOf(e.tuples(columns), k)
}

// Tells reports whether a column tells another one, as risk.Report.Determines has it: it determines that, which has several
// values, and by no accident, since its own have several rows.
func (e *Excerpt) Tells(column, other int) bool {
	distinct := func(column int) int64 { return e.Figures([]int{column}, 1).Classes }
	return e.Determines(column, other) && distinct(other) > 1 && distinct(column)*risk.LeastRows <= e.Rows
}

// tuples returns the hashes of the rows' tuples of some columns.
func (e *Excerpt) tuples(columns []int) []uint64 {
	tuples := make([]uint64, e.Rows)
	for _, column := range columns {
		for row, h := range e.columns[column].rows {
			tuples[row] = risk.Join(tuples[row], h)
		}
	}
	return tuples
}

// Determines reports whether rows with the same value of one column have the same of another.
func (e *Excerpt) Determines(column, other int) bool {
	goes := make(map[uint64]uint64)
	others := e.columns[other].rows
	for row, h := range e.columns[column].rows {
		if with, ok := goes[h]; ok && with != others[row] {
			return false
		}
		goes[h] = others[row]
	}
	return true
}

// Sighting is what an excerpt shows of values or tuples.
type Sighting struct {
	Rows     int64
	Distinct int64
	Once     int64 // distinct ones that one row has
	Twice    int64 // that two rows have
	Local    int64 // that are in one place alone, at least, and nowhere else
}

// See counts values of rows in several places, which end at ends. It sorts the values.
func See(values []uint64, ends []int64) Sighting {
	inPlaces, at := int64(0), int64(0)
	for _, end := range ends {
		place := values[at:end]
		slices.Sort(place)
		eachRun(place, func(int) { inPlaces++ })
		at = end
	}
	slices.Sort(values)
	s := Sighting{Rows: int64(len(values))}
	eachRun(values, func(n int) {
		s.Distinct++
		switch n {
		case 1:
			s.Once++
		case 2:
			s.Twice++
		}
	})
	if s.Local = s.Once; len(ends) >= leastPlaces {
		s.Local = max(s.Once, 2*s.Distinct-inPlaces) // a value that is in several places is counted in each
	}
	return s
}

// leastPlaces is how many places it takes to tell which values are in one alone.
const leastPlaces = 8

// eachRun calls f with how often each of some values occurs that are in order.
func eachRun(values []uint64, f func(n int)) {
	for i := 0; i < len(values); {
		first := i
		for i++; i < len(values) && values[i] == values[first]; i++ {
		}
		f(i - first)
	}
}

// Extrapolate returns how many distinct ones so many rows have.
//
// At most: a next row is new with a probability of Once/Rows (Good 1953), and the more rows were
// seen the smaller is that. Where rows with a value follow each other, those that are in one place
// alone count as seen once. At least: those never seen number Once²/(2 Twice) or more (Chao 1984),
// of which the remaining rows meet their part (Colwell and others 2012).
func (s Sighting) Extrapolate(rows int64) Range {
	left := float64(max(rows-s.Rows, 0))
	if left == 0 || s.Local == 0 {
		return Exactly(s.Distinct)
	}
	seen, once := float64(s.Distinct), float64(s.Once)
	discovery := float64(s.Local) / float64(s.Rows)
	unseen := once * (once - 1) / 2
	if s.Twice > 0 {
		unseen = once * once / (2 * float64(s.Twice))
	}
	met := 0.0
	if unseen > 0 {
		met = -unseen * math.Expm1(left*math.Log1p(-once/(float64(s.Rows)*unseen+once)))
	}
	return Range{toInt(seen + met), toInt(seen + left*discovery)}.within(Range{s.Distinct, rows})
}
