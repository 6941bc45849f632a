package forecast

import (
	"cmp"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/risk"
)

// Sample has some rows of some columns, as hashes of their values. The hashes depend on the values
// alone. So the counts depend on the values alone, too.
type Sample struct {
	Rows    int64
	columns []hashedColumn
	ends    []int64 // the end of each batch; the rows of a batch are adjacent in the input
}

// hashedColumn is one column of a sample.
type hashedColumn struct {
	risk.Hashes
	rows []uint64
}

// NewSample returns an empty sample with room for the given number of rows.
func NewSample(columns int, rows int64) *Sample {
	s := &Sample{columns: make([]hashedColumn, columns)}
	for i := range s.columns {
		s.columns[i].rows = make([]uint64, 0, rows)
	}
	return s
}

// Add adds the rows of a batch. The columns of the batch are coded.
func (s *Sample) Add(b *formats.Batch) {
	s.Rows += int64(b.Rows)
	s.ends = append(s.ends, s.Rows)
	for i, column := range b.Columns {
		s.columns[i].add(column)
	}
}

func (h *hashedColumn) add(column *formats.Column) {
	byCode := h.Learn(column.Values)
	for _, code := range column.Codes {
		h.rows = append(h.rows, byCode[code])
	}
}

// Values counts the occurrences of the values of a column, without nulls.
func (s *Sample) Values(column int) Occurrences {
	return s.occurrences(column, func(h uint64) bool { return h != risk.Null })
}

// occurrences counts the occurrences of the wanted values of a column.
func (s *Sample) occurrences(column int, wanted func(h uint64) bool) Occurrences {
	values, ends := make([]uint64, 0, s.Rows), make([]int64, 0, len(s.ends))
	row := int64(0)
	for _, end := range s.ends {
		for ; row < end; row++ {
			if h := s.columns[column].rows[row]; wanted(h) {
				values = append(values, h)
			}
		}
		ends = append(ends, int64(len(values)))
	}
	return CountOccurrences(values, ends)
}

// Frequent returns how many values of a column, including the null, occur in at least k of all rows
// of the input, which has the given number of rows. These are the values that occur k times in the
// sample, and values that are rare in the sample and frequent in the other rows.
//
// The upper bound: a value that occurs in k rows of the input has at least t rows in the sample
// with a probability that the binomial distribution gives. Frequent divides the number of values
// with at least t rows in the sample by this probability. The share of t in the sample is about the
// share of k in the input.
func (s *Sample) Frequent(column int, k uint64, rows int64) Range {
	counts := make(map[uint64]uint64)
	for _, h := range s.columns[column].rows {
		counts[h]++
	}
	having := func(t uint64) Range {
		seen := s.occurrences(column, func(h uint64) bool { return counts[h] >= t })
		return seen.Extrapolate(rows * seen.Rows / max(1, s.Rows))
	}
	frequent := having(k)
	if s.Rows == rows {
		return frequent
	}
	share := float64(s.Rows) / float64(rows)
	usual := uint64(float64(k) * share)
	frequent.AtMost = rows
	for _, t := range []uint64{max(1, usual), usual + 1} {
		met := float64(having(t).AtMost) / atLeast(t, k, share)
		frequent.AtMost = min(frequent.AtMost, toInt(met))
	}
	frequent.AtMost = max(frequent.AtLeast, frequent.AtMost)
	return frequent
}

// atLeast returns the probability of t or more successes in k trials. The probability of a success
// is share, which is below 1.
func atLeast(t, k uint64, share float64) float64 {
	logFactorial := func(n uint64) float64 { log, _ := math.Lgamma(float64(n) + 1); return log }
	fewer := 0.0
	for n := range t {
		log := logFactorial(k) - logFactorial(n) - logFactorial(k-n) +
			float64(n)*math.Log(share) + float64(k-n)*math.Log1p(-share)
		fewer += math.Exp(log)
	}
	return 1 - fewer
}

// Tuples counts the occurrences of the tuples of some columns.
func (s *Sample) Tuples(columns []int) Occurrences {
	return CountOccurrences(s.tuples(columns), s.ends)
}

// Pairs returns the number of pairs of rows with the same values of some columns.
func (s *Sample) Pairs(columns []int) (pairs float64) {
	rows := make(map[uint64]float64)
	for _, h := range s.tuples(columns) {
		pairs += rows[h]
		rows[h]++
	}
	return pairs
}

// Figures returns the class sizes of the sampled rows for the values of some columns.
func (s *Sample) Figures(columns []int, k int) *risk.Figures {
	return risk.FiguresOf(s.tuples(columns), k)
}

// FiguresOfPeople returns the class sizes of people, by a column, for the values of another column:
// each counts once for each value.
func (s *Sample) FiguresOfPeople(column, person int) *risk.Figures {
	met := make(map[uint64]bool)
	var values []uint64
	for row, h := range s.columns[column].rows {
		if both := risk.Join(h, s.columns[person].rows[row]); !met[both] {
			met[both] = true
			values = append(values, h)
		}
	}
	return risk.FiguresOf(values, 1)
}

// ReliablyDetermines reports whether a column determines another one, apart from at most one in
// twenty of the rows that do not have the other's most frequent value, and by no chance: the other
// column has several values, those of the column occur in several rows on average, and hardly any
// other order of the other's values would show this. A row with a value of its own shows nothing.
// The rows of a person, by a third column, count once for each value; -1: each row counts. Rows in
// which one of both has no value do not: that nobody answers a question with another answer to one
// before says nothing about answers.
func (s *Sample) ReliablyDetermines(column, other, person int) bool {
	met := make(map[uint64]bool)
	pairs := make(map[[2]uint64]int)
	times, most := make(map[uint64]int), make(map[uint64]int) // of values of the column
	all := 0
	for row, h := range s.columns[column].rows {
		value := s.columns[other].rows[row]
		if h == risk.Null || value == risk.Null {
			continue
		}
		if person >= 0 {
			both := risk.Join(h, s.columns[person].rows[row])
			if met[both] {
				continue
			}
			met[both] = true
		}
		pair := [2]uint64{h, value}
		pairs[pair]++
		most[h] = max(most[h], pairs[pair])
		times[h]++
		all++
	}
	// of each value of the other: the rows that have it, and the values of the column
	rows, values := make(map[uint64]int), make(map[uint64]int)
	shown, apart, usual := 0, 0, 0
	for pair, n := range pairs {
		if times[pair[0]] == 1 {
			continue
		}
		rows[pair[1]] += n
		usual = max(usual, rows[pair[1]])
		if n == most[pair[0]] {
			values[pair[1]]++
		}
	}
	for h, n := range most {
		if times[h] > 1 {
			shown, apart = shown+times[h], apart+times[h]-n
		}
	}
	return len(rows) > 1 && len(most)*risk.LeastRows <= all && apart*mostApart <= shown-usual &&
		orders(rows)-orders(values) >= byChance
}

// mostApart is the part of the rows that may have another value than those with the same value of a
// column that determines it: one in this number.
const mostApart = 20

// orders returns the logarithm to the base 2 of the number of orders of values, each of which
// occurs some times.
func orders(times map[uint64]int) float64 {
	var terms []float64 // sorted, so that their sum depends on no order of the map
	all := 0
	for _, n := range times {
		logarithm, _ := math.Lgamma(float64(n + 1))
		terms = append(terms, logarithm)
		all += n
	}
	slices.Sort(terms)
	sum, _ := math.Lgamma(float64(all + 1))
	for _, term := range terms {
		sum -= term
	}
	return sum / math.Ln2
}

// tuples returns the hashes of the rows' tuples of some columns.
func (s *Sample) tuples(columns []int) []uint64 {
	tuples := make([]uint64, s.Rows)
	for _, column := range columns {
		for row, h := range s.columns[column].rows {
			tuples[row] = risk.Join(tuples[row], h)
		}
	}
	return tuples
}

// Lacking returns the number of rows without a value in any of some columns.
func (s *Sample) Lacking(columns []int) (rows int64) {
	for row := range s.Rows {
		lacks := func(column int) bool { return s.columns[column].rows[row] == risk.Null }
		if !slices.ContainsFunc(columns, func(column int) bool { return !lacks(column) }) {
			rows++
		}
	}
	return rows
}

// AreFree reports whether two columns of two values have more than three pairs of these: no value
// of the one says that of the other.
func (s *Sample) AreFree(column, other int) bool {
	var met [3][2]uint64
	n, others := 0, s.columns[other].rows
	for row, h := range s.columns[column].rows {
		if pair := [2]uint64{h, others[row]}; !slices.Contains(met[:n], pair) {
			if n == len(met) {
				return true
			}
			met[n] = pair
			n++
		}
	}
	return false
}

// Determines reports whether all rows with the same value of one column have the same value of
// another column, apart from a number of rows.
func (s *Sample) Determines(column, other int, apart int64) bool {
	if apart > 0 {
		return s.exceptions(s.columns[column].rows, other, apart) <= apart
	}
	otherByValue := make(map[uint64]uint64)
	others := s.columns[other].rows
	for row, h := range s.columns[column].rows {
		if known, ok := otherByValue[h]; !ok {
			otherByValue[h] = others[row]
		} else if known != others[row] {
			return false
		}
	}
	return true
}

// Exceptions returns the number of rows with another value of a column than most rows with the same
// one of some values, of which each row has one.
func (s *Sample) Exceptions(values []uint64, other int) int64 {
	return s.exceptions(values, other, math.MaxInt64)
}

// exceptions returns the same number, or a lower one above the limit.
func (s *Sample) exceptions(values []uint64, other int, limit int64) (n int64) {
	rows := make(map[[2]uint64]int64)
	most := make(map[uint64]int64)
	others := s.columns[other].rows
	for row, h := range values {
		pair := [2]uint64{h, others[row]}
		if rows[pair]++; rows[pair] > most[h] {
			most[h] = rows[pair]
		} else if n++; n > limit {
			break
		}
	}
	return n
}

// Beyond returns the number of rows with a number further than a limit from that of the first row
// with the same value of a column.
func (s *Sample) Beyond(column int, numbers []float64, limit float64) (n int64) {
	first := make(map[uint64]float64)
	for row, h := range s.columns[column].rows {
		x := numbers[row]
		if known, ok := first[h]; !ok && !math.IsNaN(x) {
			first[h] = x
		} else if math.Abs(x-known) > limit { // not of NaN
			n++
		}
	}
	return n
}

// Changes reports whether a row has another value of a column than the row before.
func (s *Sample) Changes(column, row int) bool {
	return s.columns[column].rows[row] != s.columns[column].rows[row-1]
}

// byChance is the number of bits of a pattern that no chance makes.
const byChance = 40

// PresenceDetermines reports whether all rows in which a column has a value have the same value of
// another one, and more of them than by chance, or all in which it has none, and these are most of
// those with that value. Rows without a value of the other column do not count.
func (s *Sample) PresenceDetermines(column, other int) bool {
	rows, others := s.columns[column].rows, s.columns[other].rows
	for _, present := range []bool{true, false} {
		n, same, first := 0, true, uint64(0)
		for row := 0; row < len(rows) && same; row++ {
			if present != (rows[row] != risk.Null) || others[row] == risk.Null {
				continue
			}
			if n++; n == 1 {
				first = others[row]
			}
			same = others[row] == first
		}
		if !same || n == 0 {
			continue
		}
		with, all := 0, 0
		for _, h := range others {
			if h == first {
				with++
			}
			if h != risk.Null {
				all++
			}
		}
		if (present || 2*n >= with) &&
			float64(n)*math.Log2(float64(all)/float64(with)) >= byChance {
			return true
		}
	}
	return false
}

// Copies reports whether a column has the value of another one wherever it has one, apart from a
// number of rows.
func (s *Sample) Copies(column, other int, apart int64) bool {
	others := s.columns[other].rows
	for row, h := range s.columns[column].rows {
		if h != risk.Null && h != others[row] {
			if apart--; apart < 0 {
				return false
			}
		}
	}
	return true
}

// Repeats reports whether a column has the value of another one in more rows than by chance, and
// the same value, or none, in all others.
func (s *Sample) Repeats(column, other int) bool {
	rows, others := s.columns[column].rows, s.columns[other].rows
	first := 0
	for first < len(rows) && rows[first] == others[first] {
		first++
	}
	if first == len(rows) {
		return false
	}
	usual, alike := rows[first], 0
	for row, h := range rows {
		same, isOther := h == others[row], h == usual
		switch {
		case same && h == risk.Null: // nothing times null is null
		case isOther && h != usual || !isOther && !same:
			return false
		case h != usual:
			alike++
		}
	}
	return alike >= byChance // each shows a bit at least
}

// Within returns the share of the different values of a column that another one has, in any row.
func (s *Sample) Within(column, other int) float64 {
	of := make(map[uint64]bool)
	for _, h := range s.columns[other].rows {
		of[h] = true
	}
	values, within := make(map[uint64]bool), 0
	for _, h := range s.columns[column].rows {
		if h == risk.Null || values[h] {
			continue
		}
		if values[h] = true; of[h] {
			within++
		}
	}
	return float64(within) / float64(max(1, len(values)))
}

// AreRowsOf reports whether some rows are all those with one value of a column, which is no null.
func (s *Sample) AreRowsOf(some []bool, column int) bool {
	rows := s.columns[column].rows
	first := slices.Index(some, true)
	if first < 0 || rows[first] == risk.Null {
		return false
	}
	for row, is := range some {
		if is != (rows[row] == rows[first]) {
			return false
		}
	}
	return true
}

// Intervals sorts the rows by a number, of which each row has one. It reports whether the rows with
// the same value of a column are then adjacent, apart from a number of values. NaN is below all
// other numbers.
func (s *Sample) Intervals(numbers []float64, column, apart int) bool {
	order := make([]int, len(numbers))
	for row := range order {
		order[row] = row
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	met, last := make(map[uint64]bool), uint64(0)
	scattered := make(map[uint64]bool)
	for i, row := range order {
		h := s.columns[column].rows[row]
		if (i == 0 || h != last) && met[h] {
			if scattered[h] = true; len(scattered) > apart {
				return false
			}
		}
		met[h], last = true, h
	}
	return true
}

// bins is the number of ranges that Information divides numbers into.
const bins = 10

// Information estimates the mutual information of a column and another column, in nats. Values of
// the first column that fewer rows have than the least count as one. If numbers are given, one for
// each row, they replace these values. Information divides them into ranges with about the same
// number of rows each.
func (s *Sample) Information(column int, numbers []float64, other int, least int) float64 {
	own := s.tuples([]int{column})
	rows := make(map[uint64]int)
	for _, value := range own {
		rows[value]++
	}
	for row, value := range own {
		if rows[value] < least {
			own[row] = 0
		}
	}
	if sorted := slices.Clone(numbers); len(numbers) > 0 {
		slices.Sort(sorted)
		for row, x := range numbers {
			at, _ := slices.BinarySearch(sorted, x)
			own[row] = risk.Scatter(uint64(at * bins / len(sorted)))
		}
	}
	others := s.tuples([]int{other})
	both := make([]uint64, len(own))
	for row := range own {
		both[row] = risk.Join(own[row], others[row])
	}
	return entropy(own) + entropy(others) - entropy(both)
}

// LimitInformation returns the mutual information, in nats, of a column and of whether a number, of
// which each row has one, is above the limit for which this is largest. NaN is below all others.
func (s *Sample) LimitInformation(numbers []float64, column int) (most float64) {
	order := make([]int, len(numbers))
	values := make([]int, len(numbers)) // as indices in the order of the rows
	index := make(map[uint64]int)
	for row, h := range s.columns[column].rows {
		if _, met := index[h]; !met {
			index[h] = len(index)
		}
		order[row], values[row] = row, index[h]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	below, above := make([]float64, len(index)), make([]float64, len(index))
	for _, value := range values {
		above[value]++
	}
	all := surprise(above)
	for i, row := range order {
		if i > 0 && cmp.Compare(numbers[order[i-1]], numbers[row]) != 0 {
			most = max(most, (all-surprise(below)-surprise(above))/float64(len(order)))
		}
		below[values[row]]++
		above[values[row]]--
	}
	return most
}

// surprise returns the entropy of values with the given counts, times their number.
func surprise(counts []float64) (sum float64) {
	rows := 0.0
	for _, n := range counts {
		if rows += n; n > 0 {
			sum -= n * math.Log(n)
		}
	}
	if rows > 0 {
		sum += rows * math.Log(rows)
	}
	return sum
}

// entropy estimates the entropy of values from a sample of them. A sample has less entropy on
// average, and the estimate corrects this (Miller 1955). entropy sorts the values. It is the same
// for other values that occur as often.
func entropy(values []uint64) float64 {
	slices.Sort(values)
	var counts []int
	eachRun(values, func(_ uint64, n int) { counts = append(counts, n) })
	slices.Sort(counts)
	rows, sum := float64(len(values)), 0.0
	for _, n := range counts {
		sum += float64(n) * math.Log(float64(n))
	}
	return math.Log(rows) - sum/rows + float64(len(counts)-1)/(2*rows)
}
