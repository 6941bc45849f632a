package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/partition"
)

// A shuffle has every number once, and another key gives another one.
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

// Every row is tested once in each repeat, in a fold that has its share of every class and of all
// rows; repeats differ; a record's rows are assigned like any others.
func TestFolds(t *testing.T) {
	job, rows := people(t, rand.New(rand.NewPCG(5, 1)), 1003)
	const folds, repeats = 7, 3
	classes := map[string]int{}
	for _, row := range rows {
		classes[row[7]]++
	}
	tested := make([]int, repeats)
	var before *judge.Block
	jobs := load(t, job, "limits.threads", "1", "tdr")
	o := Options{
		Folds:   folds,
		Repeats: repeats,
	}
	number := 0
	assigning(t, jobs, o, func(_ *evaluation, f *judge.Fold) {
		tested[number/folds] += int(f.TestedOn)
		number++
		if f.TrainedOn+f.TestedOn != uint64(len(rows)) {
			t.Errorf("%d rows are assigned", f.TrainedOn+f.TestedOn)
		}
		if n := float64(f.TestedOn); math.Abs(n-float64(len(rows))/folds) >= 1 {
			t.Errorf("a fold has %g rows", n)
		}
		sizes, all := make([]int, len(classes)), 0
		records := gather(t, f.Test)
		for i, n := range records.Counts {
			sizes[records.Classes[i]] += int(n)
			all += int(n)
		}
		for _, n := range gather(t, f.Training).Counts {
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
		if reflect.DeepEqual(before, records) {
			t.Error("two rounds test the same rows")
		}
		before = records
	})
	if want := slices.Repeat([]int{len(rows)}, repeats); !slices.Equal(tested, want) {
		t.Errorf("tested are %d rows by repeat, want %d", tested, want)
	}
}

// The rows of a record are assigned like those of several records with one row each, however many
// they are, also in classes that are shuffled in several turns.
func TestTurns(t *testing.T) {
	const folds, some, many = 3, mostShuffled + 5*turnRows + 123, 40 << 32
	field := partition.Field{Mask: 1}
	e := &evaluation{
		Options: Options{Folds: folds},
		classes: []uint64{some, many},
		Records: &judge.Records{
			Table: &engine.Table{},
			Counts: &partition.Table{Layout: partition.Layout{
				Words:  1,
				Fields: []partition.Field{field},
			}},
		}}
	for test := range uint64(folds) {
		whole, singly := e.assigner(round{1, test}), e.assigner(round{1, test})
		for _, n := range []uint64{1, 7, turnRows - 8, 3 * turnRows, mostShuffled, turnRows + 123} {
			want := uint64(0)
			for range n {
				want += singly.next([]uint64{0}, 1)
			}
			if got := whole.next([]uint64{0}, n); got != want ||
				max(got, n/folds)-min(got, n/folds) > turnRows/4 {
				t.Errorf("fold %d tests %d of %d rows, singly %d", test, got, n, want)
			}
		}
		if got := whole.next([]uint64{1}, many); max(got, many/folds)-min(got, many/folds) > 1 {
			t.Errorf("fold %d tests %d of all %d rows of a class", test, got, many)
		}
	}
}
