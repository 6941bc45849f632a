package forecast

import (
	"cmp"
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
	return e.see(column, func(h uint64) bool { return h != risk.Null })
}

// see returns what is seen of some values of a column.
func (e *Excerpt) see(column int, wanted func(h uint64) bool) Sighting {
	values, ends := make([]uint64, 0, e.Rows), make([]int64, 0, len(e.ends))
	row := int64(0)
	for _, end := range e.ends {
		for ; row < end; row++ {
			if h := e.columns[column].rows[row]; wanted(h) {
				values = append(values, h)
			}
		}
		ends = append(ends, int64(len(values)))
	}
	return See(values, ends)
}

// Frequent returns how many values of a column, the null among them, at least a number of so many
// rows have: those that have as many here, and such that are as frequent elsewhere.
//
// At most: of the values that have k of all rows a part, which is that of a binomial distribution,
// has t of those that were seen (t is about as many of them as k are of all).
func (e *Excerpt) Frequent(column int, k uint64, rows int64) Range {
	counts := make(map[uint64]uint64)
	for _, h := range e.columns[column].rows {
		counts[h]++
	}
	having := func(t uint64) Range {
		seen := e.see(column, func(h uint64) bool { return counts[h] >= t })
		return seen.Extrapolate(rows * seen.Rows / max(1, e.Rows))
	}
	frequent := having(k)
	if e.Rows == rows {
		return frequent
	}
	share := float64(e.Rows) / float64(rows)
	usual := uint64(float64(k) * share)
	frequent.AtMost = rows
	for _, t := range []uint64{max(1, usual), usual + 1} {
		met := float64(having(t).AtMost) / atLeast(t, k, share)
		frequent.AtMost = min(frequent.AtMost, toInt(met))
	}
	frequent.AtMost = max(frequent.AtLeast, frequent.AtMost)
	return frequent
}

// atLeast returns how probable it is that t or more of k happen that are as probable as share, below 1.
func atLeast(t, k uint64, share float64) float64 {
	factorial := func(n uint64) float64 { log, _ := math.Lgamma(float64(n) + 1); return log }
	fewer := 0.0
	for n := range t {
		log := factorial(k) - factorial(n) - factorial(k-n) + float64(n)*math.Log(share) + float64(k-n)*math.Log1p(-share)
		fewer += math.Exp(log)
	}
	return 1 - fewer
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

// Intervals reports whether the rows with one value of a column are next to each other when all are
// in the order of their numbers, one a row. NaN is a number that is below all others.
func (e *Excerpt) Intervals(numbers []float64, column int) bool {
	order := make([]int, len(numbers))
	for row := range order {
		order[row] = row
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	met, last := make(map[uint64]bool), uint64(0)
	for i, row := range order {
		h := e.columns[column].rows[row]
		if (i == 0 || h != last) && met[h] {
			return false
		}
		met[h], last = true, h
	}
	return true
}

// bins is the number of ranges of numbers that Information tells apart.
const bins = 10

// Information estimates how many nats a column tells of another one, by its values or, if numbers
// are given, one a row, by ranges of these that have about as many rows each.
func (e *Excerpt) Information(column int, numbers []float64, other int) float64 {
	own := e.tuples([]int{column})
	if sorted := slices.Clone(numbers); len(numbers) > 0 {
		slices.Sort(sorted)
		for row, x := range numbers {
			at, _ := slices.BinarySearch(sorted, x)
			own[row] = risk.Scatter(uint64(at * bins / len(sorted)))
		}
	}
	others := e.tuples([]int{other})
	both := make([]uint64, len(own))
	for row := range own {
		both[row] = risk.Join(own[row], others[row])
	}
	return entropy(own) + entropy(others) - entropy(both)
}

// entropy estimates the entropy of some values from a sample, which has less by chance (Miller
// 1955). It sorts them.
func entropy(values []uint64) float64 {
	slices.Sort(values)
	rows, sum, distinct := float64(len(values)), 0.0, 0.0
	eachRun(values, func(_ uint64, n int) {
		sum += float64(n) * math.Log(float64(n))
		distinct++
	})
	return math.Log(rows) - sum/rows + (distinct-1)/(2*rows)
}

// Sighting is what an excerpt shows of values or tuples.
type Sighting struct {
	Rows     int64
	Distinct int64
	Once     int64 // distinct ones that one row has
	Twice    int64 // that two rows have
	Local    int64 // that are in one place alone and nowhere else; of few places, that one row has

	Places   int64 // in which rows are; 0: too few to tell
	InPlaces int64 // distinct ones that are in two places
}

// See counts values of rows in several places, which end at ends. It sorts the values.
func See(values []uint64, ends []int64) Sighting {
	s := Sighting{Rows: int64(len(values))}
	if len(ends) >= leastPlaces {
		s.seePlaces(values, ends)
	}
	slices.Sort(values)
	eachRun(values, func(_ uint64, n int) {
		s.Distinct++
		switch n {
		case 1:
			s.Once++
		case 2:
			s.Twice++
		}
	})
	s.Local = max(s.Local, s.Once)
	return s
}

// seePlaces counts values by the places that they are in.
func (s *Sighting) seePlaces(values []uint64, ends []int64) {
	inPlaces, at := make([]uint64, 0, len(values)), int64(0)
	for _, end := range ends {
		place := values[at:end]
		slices.Sort(place)
		eachRun(place, func(value uint64, _ int) { inPlaces = append(inPlaces, value) })
		if at = end; len(place) > 0 {
			s.Places++
		}
	}
	slices.Sort(inPlaces)
	eachRun(inPlaces, func(_ uint64, n int) {
		switch n {
		case 1:
			s.Local++
		case 2:
			s.InPlaces++
		}
	})
}

// leastPlaces is how many places it takes to tell which values are in one alone.
const leastPlaces = 8

// eachRun calls f with each of some values that are in order, and how often it occurs.
func eachRun(values []uint64, f func(value uint64, n int)) {
	for i := 0; i < len(values); {
		first := i
		for i++; i < len(values) && values[i] == values[first]; i++ {
		}
		f(values[first], i-first)
	}
}

// Extrapolate returns how many distinct ones so many rows have.
//
// At most: a next row is new with a probability of Once/Rows (Good 1953), and the more rows were
// seen the smaller is that. Where rows with a value follow each other, those that are in one place
// alone count as seen once. At least: those never seen number Once²/(2 Twice) or more (Chao 1984),
// of which the remaining rows meet their part (Colwell and others 2012); or the same of places, of
// which there are few (Chao 1987).
func (s Sighting) Extrapolate(rows int64) Range {
	left := float64(max(rows-s.Rows, 0))
	if left == 0 || s.Local == 0 {
		return Exactly(s.Distinct)
	}
	seen, discovery := float64(s.Distinct), float64(s.Local)/float64(s.Rows)
	met := meet(s.Once, s.Twice, s.Rows, left)
	if s.Places > 0 {
		places := float64(s.Places)
		met = max(met, (places-1)/places*meet(s.Local, s.InPlaces, s.Places, left/float64(s.Rows)*places))
	}
	return Range{toInt(seen + met), toInt(seen + left*discovery)}.within(Range{s.Distinct, rows})
}

// meet returns how many distinct ones that never were seen those units meet that are left, when some were
// seen in one of the units, and some in two.
func meet(once, twice, units int64, left float64) float64 {
	one := float64(once)
	unseen := one * (one - 1) / 2
	if twice > 0 {
		unseen = one * one / (2 * float64(twice))
	}
	if unseen <= 0 {
		return 0
	}
	return -unseen * math.Expm1(left*math.Log1p(-one/(float64(units)*unseen+one)))
}
