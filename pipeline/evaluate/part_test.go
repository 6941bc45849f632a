package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
)

// A shuffle has every number once, and another key makes another one.
func TestShuffle(t *testing.T) {
	enginetest.Cases(t, 50, func(r *rand.Rand) {
		n, key := 1+r.Uint64N(3000), r.Uint64()
		s, other := newShuffle(n, key), newShuffle(n, key+1)
		var all []uint64
		same := 0
		for i := range n {
			all = append(all, s.at(i))
			if s.at(i) == other.at(i) {
				same++
			}
		}
		if n > 100 && same > 10 {
			t.Errorf("%d of %d numbers are where another key has them", same, n)
		}
		slices.Sort(all)
		for i, number := range all {
			if number != uint64(i) {
				t.Fatalf("%d numbers: the %d. is %d", n, i, number)
			}
		}
	})
	s := newShuffle(10, 1)
	var got []uint64
	for i := range uint64(10) {
		got = append(got, s.at(i))
	}
	if fmt.Sprint(got) != "[4 1 0 5 9 6 3 2 8 7]" {
		t.Errorf("the first shuffle is %d", got)
	}
}

// Every row is tested once a repeat, in a fold that has its share of every class and of all
// rows; repeats differ; a record's rows are assigned like anybody's.
func TestFolds(t *testing.T) {
	job, rows := people(t, rand.New(rand.NewPCG(5, 1)), 1003)
	const folds, repeats = 7, 3
	classes := map[string]int{}
	for _, row := range rows {
		classes[row[7]]++
	}
	tested := make([]int, repeats)
	var before []uint64
	o := Options{Variants: load(t, job, "limits.threads", "1", "tdr"), Folds: folds, Repeats: repeats}
	assigning(t, o, func(_ *evaluation, p *parts) {
		tested[p.test.round.repeat] += int(p.test.rows)
		if p.training.rows+p.test.rows != uint64(len(rows)) {
			t.Errorf("%d rows are assigned", p.training.rows+p.test.rows)
		}
		if n := float64(p.test.rows); math.Abs(n-float64(len(rows))/folds) >= 1 {
			t.Errorf("a fold has %g rows", n)
		}
		sizes, all := make([]int, len(classes)), 0
		records := gather(t, p.test, false)
		for i, n := range records.counts {
			sizes[records.class()[i]] += int(n)
			all += int(n)
		}
		for _, n := range gather(t, p.training, true).counts {
			all += int(n)
		}
		if all != len(rows) {
			t.Errorf("%d rows are handed out", all)
		}
		for class, name := range []string{"no", "yes"} {
			if want := float64(classes[name]) / folds; math.Abs(float64(sizes[class])-want) >= 1 {
				t.Errorf("a fold has %d rows of class %s, want %g", sizes[class], name, want)
			}
		}
		everything := *p.test
		everything.side = both
		now := gather(t, &everything, true).tested
		if slices.Equal(before, now) {
			t.Error("two rounds test the same rows")
		}
		before = now
	})
	if want := slices.Repeat([]int{len(rows)}, repeats); !slices.Equal(tested, want) {
		t.Errorf("tested are %d rows by repeat, want %d", tested, want)
	}
}

// A sample has about as many rows as were asked for, or all.
func TestSampler(t *testing.T) {
	const rows = 100_000
	for _, n := range []uint64{1000, 50_000, rows, 2 * rows} {
		take, taken := sampler(n), uint64(0)
		for row := range uint64(rows) {
			taken += take(row, 1, rows)
		}
		if want := float64(min(n, rows)); math.Abs(float64(taken)-want) > 4*math.Sqrt(want) || n >= rows && taken < rows {
			t.Errorf("%d rows are taken, want %g", taken, want)
		}
		taken = 0
		for row := range uint64(1000) {
			taken += take(row<<24, 1<<24, 1000<<24)
		}
		if want := min(n, 1000<<24); max(taken, want)-min(taken, want) > 200 {
			t.Errorf("%d rows are taken of many that are alike, want %d", taken, want)
		}
	}
}
