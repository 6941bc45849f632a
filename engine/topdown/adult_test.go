package topdown_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

// all returns one set of the first n attributes.
func all(n, k int) engine.Requirement {
	set := engine.Set{K: engine.KAnonymity(k)}
	for a := range n {
		set.Columns = append(set.Columns, a)
	}
	return engine.Requirement{Sets: []engine.Set{set}}
}

// adultK is k of all searches below (TDS, section 6).
const adultK = 50

// adultSearch is a measured search of Adult and its variations, on one thread.
type adultSearch struct {
	rows   int
	tuples int
	cpu    time.Duration
	steps  []engine.Step
	took   []time.Duration // processor time of every step
}

// searchAdult searches with the table made, and what making it left over collected, before.
func searchAdult(tb testing.TB, codes enginetest.Codes, requirement engine.Requirement) adultSearch {
	tb.Helper()
	table := codes.Table(topdown.Engine{}.Plan(requirement))
	s := adultSearch{rows: codes.Rows}
	for _, grouping := range table.Groupings {
		s.tuples += grouping.Len()
	}
	runtime.GC()
	began := processorTime()
	last := began
	options := engine.Options{MaxSteps: -1, OnStep: func(step engine.Step) {
		now := processorTime()
		s.steps, s.took = append(s.steps, step), append(s.took, now-last)
		last = now
	}}
	if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement, options); err != nil {
		tb.Fatal(err)
	}
	s.cpu = processorTime() - began
	return s
}

// touched is the sum over the steps of the records they touched.
func (s *adultSearch) touched() uint64 {
	if len(s.steps) == 0 {
		return 0
	}
	return s.steps[len(s.steps)-1].Touched
}

// touch is the processor time that a step takes for every record it touches, in
// nanoseconds. The first step is left out: its time has in it what comes before it.
func (s *adultSearch) touch() float64 {
	if len(s.steps) < 2 {
		return 0
	}
	var sum time.Duration
	for _, took := range s.took[1:] {
		sum += took
	}
	return float64(sum.Nanoseconds()) / float64(s.touched()-s.steps[0].Touched)
}

// BenchmarkAdult searches Adult and its variations as one set of all 14 attributes, in
// three sizes: the time of a touched record says how steps scale (TDS, section 6.3).
func BenchmarkAdult(b *testing.B) {
	codes := enginetest.Adult(b).Codes()
	for _, rows := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			blown := codes.BlowUp(rows, 7)
			var searches []adultSearch
			for range b.N {
				searches = append(searches, searchAdult(b, blown, all(14, adultK)))
			}
			s := medianSearch(searches)
			b.ReportMetric(0, "ns/op") // making the table is not what is measured
			b.ReportMetric(s.cpu.Seconds(), "cpu-s")
			b.ReportMetric(float64(len(s.steps)), "steps")
			b.ReportMetric(float64(s.cpu.Nanoseconds())/float64(rows), "cpu-ns/row")
			b.ReportMetric(float64(s.touched())/float64(rows), "touched/row")
			b.ReportMetric(s.touch(), "cpu-ns/touch")
		})
	}
}

func medianSearch(searches []adultSearch) adultSearch {
	slices.SortFunc(searches, func(a, b adultSearch) int { return cmp.Compare(a.cpu, b.cpu) })
	return searches[len(searches)/2]
}

// BenchmarkAdultSets searches a million rows with 30 random requirements of three to seven
// sets of two to nine attributes (TDS, section 6.3), each next to a search of the single set
// of all attributes, and reports how many times as long it takes.
func BenchmarkAdultSets(b *testing.B) {
	blown := enginetest.Adult(b).Codes().BlowUp(1_000_000, 7)
	var ratios []float64
	for range b.N {
		r := rand.New(rand.NewPCG(11, 13))
		for range 30 {
			requirement := randomSets(r)
			several, single := searchAdult(b, blown, requirement), searchAdult(b, blown, all(14, adultK))
			ratios = append(ratios, several.cpu.Seconds()/single.cpu.Seconds())
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratios[len(ratios)/2], "median-ratio")
	b.ReportMetric(ratios[len(ratios)-1], "worst-ratio")
}

func randomSets(r *rand.Rand) (requirement engine.Requirement) {
	for range 3 + r.IntN(5) {
		columns := r.Perm(14)[:2+r.IntN(8)]
		requirement.Sets = append(requirement.Sets, engine.Set{Columns: columns, K: adultK})
	}
	return requirement
}

// BenchmarkAdultSteps prints, for every step of a search with several sets, how many records
// it touched and how long it took. The first step's time has in it what comes before it.
func BenchmarkAdultSteps(b *testing.B) {
	blown := enginetest.Adult(b).Codes().BlowUp(1_000_000, 7)
	requirement := engine.Requirement{Sets: []engine.Set{
		{Columns: []int{0, 1, 2, 3, 4, 5, 6}, K: adultK},
		{Columns: []int{3, 5, 6, 8, 9, 12, 13}, K: adultK},
		{Columns: []int{7, 9, 10, 11}, K: adultK},
	}}
	var s adultSearch
	for range b.N {
		s = searchAdult(b, blown, requirement)
	}
	fmt.Printf("\nstep   records touched   microseconds   ns a record\n")
	for i, step := range s.steps {
		touched := step.Touched
		if i > 0 {
			touched -= s.steps[i-1].Touched
		}
		fmt.Printf("%4d %17d %14d %13.1f\n", step.Number, touched, s.took[i].Microseconds(),
			float64(s.took[i].Nanoseconds())/float64(max(touched, 1)))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(s.touch(), "cpu-ns/touch")
}
