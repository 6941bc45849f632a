package forecast

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/risk"
)

// seen counts the occurrences of some values with a map.
func seen(values []uint64) Occurrences {
	counts := make(map[uint64]int)
	for _, v := range values {
		counts[v]++
	}
	s := Occurrences{Rows: int64(len(values)), Distinct: int64(len(counts))}
	for _, n := range counts {
		s.Most = max(s.Most, int64(n))
		switch n {
		case 1:
			s.Once++
		case 2:
			s.Twice++
		}
	}
	s.Local = s.Once
	return s
}

// draws has distributions of values.
var draws = map[string]func(rng *rand.Rand) uint64{
	"few":     func(rng *rand.Rand) uint64 { return rng.Uint64N(20) },
	"as many": func(rng *rand.Rand) uint64 { return rng.Uint64N(10_000) },
	"unique":  func(rng *rand.Rand) uint64 { return rng.Uint64() },
	"skewed":  func(rng *rand.Rand) uint64 { u := rng.Float64(); return uint64(1 / (u*u + 1e-9)) },
	"halves": func(rng *rand.Rand) uint64 {
		if rng.IntN(2) == 0 {
			return rng.Uint64N(5)
		}
		return rng.Uint64()
	},
}

// TestExtrapolate counts the distinct values of a part of the rows and of all rows. The number for
// all rows is within the range that the part predicts, or less than a tenth outside.
func TestExtrapolate(t *testing.T) {
	const seed = 4 // with other seeds a number is sometimes outside
	for _, name := range slices.Sorted(maps.Keys(draws)) {
		draw, rng := draws[name], rand.New(rand.NewPCG(seed, 0))
		for _, part := range []int{500, 5_000, 50_000, 100_000} {
			values := make([]uint64, 100_000)
			for i := range values {
				values[i] = draw(rng)
			}
			want := seen(values).Distinct
			s := seen(values[:part])
			if got := CountOccurrences(slices.Clone(values[:part]), nil); got != s {
				t.Errorf("seed %d: %s: saw %+v, want %+v", seed, name, got, s)
			}
			r := s.Extrapolate(int64(len(values)))
			if float64(r.AtLeast) > 1.1*float64(want) || 1.1*float64(r.AtMost) < float64(want) {
				t.Errorf("seed %d: %s: %d of %d rows predict %+v values, there are %d",
					seed, name, part, len(values), r, want)
			}
			if part == len(values) && r != Exactly(want) {
				t.Errorf("seed %d: %s: all rows predict %+v values, there are %d",
					seed, name, r, want)
			}
		}
	}
}

// TestExtrapolateInOrder predicts from rows in an order: adjacent rows have the same value, and
// other places have other values.
func TestExtrapolateInOrder(t *testing.T) {
	const rows, places, each = 100_000, 16, 1000
	var sampled []uint64
	var ends []int64
	for place := range places {
		for row := place * rows / places; row < place*rows/places+each; row++ {
			sampled = append(sampled, uint64(row/5))
		}
		ends = append(ends, int64(len(sampled)))
	}
	r := CountOccurrences(sampled, ends).Extrapolate(rows)
	if r.AtLeast > rows/5 || r.AtMost < rows/5 || r.AtMost > rows/4 {
		t.Errorf("%+v values, there are %d", r, rows/5)
	}
}

// TestFrequent predicts the number of frequent values from a part of the rows and from all rows.
// The prediction from all rows is exact. Else the number is within the predicted range, or less
// than a tenth outside, and the upper bound is not much larger.
func TestFrequent(t *testing.T) {
	const rows, places, seed = 100_000, 16, 4
	ways := maps.Clone(draws)
	row := uint64(0)
	ways["in order"] = func(*rand.Rand) uint64 { row++; return row / 7 }
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		draw, rng, counts := ways[name], rand.New(rand.NewPCG(seed, 0)), make(map[uint64]uint64)
		values := make([]uint64, rows)
		for i := range values {
			values[i] = draw(rng)
			counts[values[i]]++
		}
		for _, each := range []int{1000, 3000, rows / places} {
			e := &Sample{columns: make([]hashedColumn, 1)}
			for place := range places {
				e.columns[0].rows = append(e.columns[0].rows, values[place*rows/places:][:each]...)
				e.Rows += int64(each)
				e.ends = append(e.ends, e.Rows)
			}
			for _, k := range []uint64{1, 5, 50, 5000} {
				want := int64(0)
				for _, n := range counts {
					if n >= k {
						want++
					}
				}
				r := e.Frequent(0, k, rows)
				if float64(r.AtLeast) > 1.1*float64(want) ||
					1.1*float64(r.AtMost) < float64(want) ||
					e.Rows == rows && r != Exactly(want) {
					t.Errorf("%s: %d rows predict %+v values with %d of all rows, there are %d",
						name, e.Rows, r, k, want)
				}
				if most := rows / int64(k); k > 1 && each > 1000 && want > 10 &&
					r.AtMost > 3*want && r.AtMost < most {
					t.Errorf("%s: %d rows predict at most %d values with %d rows, there are %d",
						name, e.Rows, r.AtMost, k, want)
				}
			}
		}
	}
}

// Occurrences without rows, and of rows that are all different, give sensible predictions.
func TestExtrapolateAtTheEnds(t *testing.T) {
	for _, tt := range []struct {
		s    Occurrences
		rows int64
		want Range
	}{
		{Occurrences{}, 0, Exactly(0)},
		{Occurrences{}, 100, Exactly(0)},
		{Occurrences{Rows: 1, Distinct: 1, Once: 1, Local: 1}, 100, Range{1, 100}},
		{Occurrences{Rows: 10, Distinct: 1}, 1 << 40, Exactly(1)},
		{
			Occurrences{Rows: 1 << 19, Distinct: 1 << 19, Once: 1 << 19, Local: 1 << 19},
			1 << 20, Exactly(1 << 20),
		},
	} {
		got := tt.s.Extrapolate(tt.rows)
		near := got.AtLeast*1000 >= tt.want.AtLeast*999 && got.AtLeast <= tt.want.AtLeast
		if !near || got.AtMost != tt.want.AtMost {
			t.Errorf("%+v of %d rows: %+v, want %+v", tt.s, tt.rows, got, tt.want)
		}
	}
}

func TestGroup(t *testing.T) {
	columns := []Column{
		{Name: "a", Distinct: Exactly(9)},
		{Name: "b", Distinct: Range{5, 1 << 62}},
		{Name: "c", Distinct: Exactly(1)},
	}
	for _, tt := range []struct {
		of    []int
		rows  int64
		want  Range
		words int64
	}{
		{[]int{0}, 1000, Range{9, 10}, 1},
		{[]int{0, 2}, 1000, Range{9, 20}, 1},
		{[]int{2, 0}, 15, Range{9, 15}, 1},
		{[]int{0, 1}, 1000, Range{9, 1000}, 2},
		{[]int{0, 1}, 0, Range{0, 0}, 2},
	} {
		g := Group(columns, tt.of, tt.rows)
		if tt.rows > 0 && g.Tuples != tt.want || g.words != tt.words {
			t.Errorf("%v of %d rows: %+v in %d words, want %+v in %d",
				tt.of, tt.rows, g.Tuples, g.words, tt.want, tt.words)
		}
	}
}

// TestLoad checks properties of every load: more memory never spills more, and more rows never take
// less time.
func TestLoad(t *testing.T) {
	seed := seedtest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	order := map[Verdict]int{No: 0, Maybe: 1, Yes: 2}
	for range 200 {
		l := randomLoad(rng)
		spills := l.Spills()
		disk := l.SpillDisk()
		if (disk.AtMost > 0) != (spills != No) || disk.AtLeast > disk.AtMost {
			t.Errorf("seed %d: spilling is %q and takes %+v", seed, spills, disk)
		}
		if s := l.Seconds(); s.AtLeast < 0 || s.AtLeast > s.AtMost {
			t.Errorf("seed %d: takes %+v seconds", seed, s)
		}
		roomy := l
		roomy.Memory *= 2
		if order[roomy.Spills()] > order[spills] {
			t.Errorf("seed %d: twice the memory spills %q instead of %q",
				seed, roomy.Spills(), spills)
		}
		longer := l
		longer.Rows *= 2
		if a, b := l.Seconds(), longer.Seconds(); b.AtLeast < a.AtLeast || b.AtMost < a.AtMost {
			t.Errorf("seed %d: twice the rows take %+v instead of %+v", seed, b, a)
		}
	}
}

// TestStepsTakeTime expects many steps of a search from the top if there may be many labels. Each
// step takes time.
func TestStepsTakeTime(t *testing.T) {
	l := Load{
		Rows:    2_000_000,
		Columns: []Column{{Distinct: Exactly(400_000)}, {Distinct: Exactly(1_000_000)}},
		Masked:  1, Threads: 2, Memory: 1 << 30,
		TopDown: true, Sets: 1, Labels: []Labels{{Least: 5, Disclosed: true, Alone: true}},
	}
	if steps := l.steps().AtMost; steps != 400_000 {
		t.Errorf("400,000 values are at most %d steps", steps)
	}
	many := l.Seconds()
	l.Labels[0].Least = 1000
	if steps := l.steps().AtMost; steps != 2000 {
		t.Errorf("labels of 1,000 rows are at most %d steps", steps)
	}
	if few := l.Seconds(); many.AtMost < few.AtMost+5 || many.AtLeast != few.AtLeast {
		t.Errorf("400,000 steps take %+v, 2,000 take %+v", many, few)
	}
	if l.Labels[0].Frequent = new(Exactly(7)); l.steps() != (Range{6, 7}) {
		t.Errorf("7 values with enough rows need %+v steps", l.steps())
	}
	for name, otherwise := range map[string]func(l *Load){
		"other columns": func(l *Load) { l.Labels[0].Alone = false },
		"classes":       func(l *Load) { l.Classes = true },
		"other values":  func(l *Load) { l.Inspects = true },
		"entities":      func(l *Load) { l.Recounts = true },
	} {
		other := l
		other.Labels = slices.Clone(l.Labels)
		if otherwise(&other); other.steps() != (Range{0, 7}) {
			t.Errorf("%s also determine the steps, but the prediction is %+v", name, other.steps())
		}
	}
	if l.MaxSteps = new(3); l.steps() != Exactly(3) {
		t.Errorf("3 steps are allowed, %+v predicted", l.steps())
	}
	l.MaxSteps, l.Tried = nil, &Trial{Rows: l.Rows / 2, Steps: 7}
	if l.steps() != Exactly(7) {
		t.Errorf("half of the rows take 7 steps, %+v predicted", l.steps())
	}
	if l.Tried = (&Trial{Rows: l.Rows, Steps: 3}); l.steps() != Exactly(3) {
		t.Errorf("all rows take 3 steps, %+v predicted", l.steps())
	}
	numbers := Load{
		Rows: 1 << 30, Columns: []Column{{Distinct: Exactly(1 << 20)}},
		TopDown: true, Labels: []Labels{{Least: 5, Most: 100}},
	}
	if numbers.steps() != (Range{0, 100}) {
		t.Errorf("there may be 100 labels of numbers, %+v steps predicted", numbers.steps())
	}
	if l.TopDown = false; l.steps().AtMost != 0 {
		t.Error("a search that is not from the top takes steps")
	}
}

// TestModelsTakeTime expects that a guided search takes longer with more classes and more trees.
func TestModelsTakeTime(t *testing.T) {
	columns := []Column{{Distinct: Exactly(100)}, {Distinct: Exactly(1000)}}
	l := Load{
		Rows: 70_000, Columns: columns, Masked: 2, Threads: 2, Memory: 1 << 30,
		Groupings: []Grouping{{Tuples: Exactly(70_000)}},
	}
	plain := l.Seconds()
	l.Guided = Guided{Classes: 2, Trees: 100}
	two := l.Seconds()
	l.Guided = Guided{Classes: 257, Trees: 2570}
	many := l.Seconds()
	if two.AtMost <= plain.AtMost || many.AtLeast < 5 || many.AtMost < two.AtMost+50 {
		t.Errorf("without models %+v, with models of 2 classes %+v, of 257 classes %+v",
			plain, two, many)
	}
}

func randomLoad(rng *rand.Rand) Load {
	rows := 1 + rng.Int64N(1<<30)
	l := Load{
		Rows: rows, Masked: 3, Kept: rng.Int64N(1 << 35),
		Memory: 16<<20 + rng.Int64N(1<<32), Threads: 1 + rng.IntN(16),
	}
	for range 4 {
		low := rng.Int64N(rows)
		l.Columns = append(l.Columns, Column{Distinct: Range{low, low + rng.Int64N(rows-low)}})
	}
	l.Groupings = []Grouping{
		Group(l.Columns, []int{0, 1}, rows), Group(l.Columns, []int{1, 2}, rows),
	}
	return l
}

// Counting needs the memory of the table of tuples twice at least, and four times at most.
func TestTuplesTakeTheirTables(t *testing.T) {
	const rows = 1000
	for _, width := range []int{10, 60, 100} {
		column := Column{Distinct: Exactly(1<<(width/2) - 2)}
		columns := []Column{column, column}
		g := Group(columns, []int{0, 1}, rows)
		g.Tuples = Exactly(rows)
		l := Load{Rows: rows, Groupings: []Grouping{g}, Threads: 1}
		table := partition.NewLayout([]int{1 << (width / 2), 1 << (width / 2)}).TableBytes(rows)
		if need := l.InMemory(); need.AtLeast != 2*table || need.AtMost != 4*table {
			t.Errorf("%d bits: %+v bytes predicted for a table of %d", width, need, table)
		}
	}
}

// The information of a column about another is that of its values, of which rare ones count as one,
// or of ranges of its numbers. It does not depend on what stands for a value.
func TestInformation(t *testing.T) {
	const rows = 4000
	s := NewSample(4, rows)
	s.Rows = rows
	numbers := make([]float64, rows)
	for row := range uint64(rows) {
		class := row % 2
		values := [4]uint64{class, 7 * (3 - class), row / 4, row/2 + class<<32}
		for i, value := range values {
			s.columns[i].rows = append(s.columns[i].rows, risk.Scatter(value))
		}
		numbers[row] = float64(class)
	}
	all := s.Information(0, nil, 0, 1)
	for _, tt := range []struct {
		column, least int
		numbers       []float64
		low, high     float64 // as shares of the class's information
	}{
		{0, 2000, nil, 1, 1}, {1, 2000, nil, 1, 1}, // as many rows have each value
		{0, 2001, nil, 0, 0.001},
		{2, 1, nil, -0.2, 0.2}, {2, 5, nil, 0, 0.001},
		{3, 1, nil, 0.5, 1}, {3, 2, nil, 0, 0.001}, // each row has another value
		{2, 5, numbers, 1, 1},
	} {
		got := s.Information(tt.column, tt.numbers, 0, tt.least) / all
		if got < tt.low-1e-12 || got > tt.high+1e-12 ||
			tt.low == 1 && tt.numbers == nil && got != 1 {
			t.Errorf("%+v: %g", tt, got)
		}
	}
}

// A column whose values hardly repeat determines another one by chance, also if both have nulls in
// the same rows: only rows with the same value show more. Neither does one without a value wherever
// the other one has one of two.
func TestReliablyDetermines(t *testing.T) {
	const rows = 900
	s := NewSample(6, rows)
	for row := range uint64(rows) {
		fine, other, asked := row, row, risk.Scatter(row%7)
		if row%3 == 0 {
			asked = risk.Null
		}
		if row%30 < 2 {
			fine = 1<<40 + row/30
		}
		if row < 600 {
			fine, other = 1<<50, 1<<50
		}
		for i, value := range [4]uint64{fine, other, row / 30, row / 90} {
			s.columns[i].rows = append(s.columns[i].rows, risk.Scatter(value))
		}
		s.columns[4].rows = append(s.columns[4].rows, asked)
		s.columns[5].rows = append(s.columns[5].rows, risk.Scatter(min(1, row%3)))
	}
	for column, want := range map[int]bool{0: false, 2: true, 4: false} {
		if got := s.ReliablyDetermines(column, column+1, -1); got != want {
			t.Errorf("column %d determines the next one: %t, want %t", column, got, want)
		}
	}
}

// The best limit of a number says all of what it divides, however few rows are above it, and
// nothing where there is none. NaN is below it.
func TestLimitInformation(t *testing.T) {
	const rows = 1000
	s := NewSample(1, rows)
	s.Rows = rows
	high, mixed, none := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for row := range rows {
		class := 0
		if row%50 == 0 {
			class, high[row] = 1, float64(7+row)
		} else {
			high[row] = []float64{math.NaN(), 5, 6}[row%3]
		}
		mixed[row] = float64(class + row%2)
		s.columns[0].rows = append(s.columns[0].rows, risk.Scatter(uint64(class)))
	}
	all := s.Information(0, nil, 0, 1)
	for name, tt := range map[string]struct {
		numbers   []float64
		low, high float64
	}{"high": {high, 0.99, 1}, "mixed": {mixed, 0.01, 0.3}, "none": {none, 0, 0}} {
		if got := s.LimitInformation(tt.numbers, 0) / all; got < tt.low || got > tt.high {
			t.Errorf("%s: %g, not between %g and %g", name, got, tt.low, tt.high)
		}
	}
}
