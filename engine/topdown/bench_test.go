package topdown_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// benchmarkK is the k of all searches below (TDS, section 6).
const benchmarkK = 50

// all is one set of 14 attributes.
var all = engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	11, 12, 13}, K: benchmarkK}}}

// measured is the figures of one search.
type measured struct {
	rows    float64
	steps   []engine.Step
	took    []time.Duration // processor time of every step
	cpu     time.Duration
	table   int64 // bytes of the spilled table, except those not yet in files
	written int64 // bytes of the store's files
	read    int64
}

// measure searches a table, after a garbage collection.
func measure(tb testing.TB, table *engine.Table, requirement engine.Requirement,
	space partition.Space) measured {
	tb.Helper()
	runtime.GC()
	m := measured{rows: float64(table.Rows)}
	var before, after spill.Stats
	if space.Store != nil {
		before = space.Store.Stats()
		m.table = before.DiskBytes
	}
	began := processorTime()
	last := began
	options := engine.Options{MaxSteps: -1, Space: space, OnStep: func(step engine.Step) {
		now := processorTime()
		m.steps, m.took = append(m.steps, step), append(m.took, now-last)
		last = now
	}}
	if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement,
		options); err != nil {
		tb.Fatal(err)
	}
	m.cpu = processorTime() - began
	if space.Store != nil {
		after = space.Store.Stats()
	}
	m.written, m.read = after.BytesWritten-before.BytesWritten, after.BytesRead-before.BytesRead
	return m
}

// processorTime returns the time of all processors that the process has used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// touched returns the number of touched records, summed over the steps.
func (m *measured) touched() float64 {
	if len(m.steps) == 0 {
		return 0
	}
	return float64(m.steps[len(m.steps)-1].Touched)
}

// report reports the cost of a search. The time of a touch leaves out the first step, which
// includes the preparation.
func (m *measured) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // the time for making the table does not count
	b.ReportMetric(m.cpu.Seconds(), "cpu-s")
	b.ReportMetric(float64(len(m.steps)), "steps")
	b.ReportMetric(float64(m.cpu.Nanoseconds())/m.rows, "cpu-ns/row")
	b.ReportMetric(m.touched()/m.rows, "touched/row")
	if len(m.steps) > 1 {
		later := m.cpu - m.took[0]
		b.ReportMetric(float64(later.Nanoseconds())/(m.touched()-float64(m.steps[0].Touched)),
			"cpu-ns/touch")
	}
}

// BenchmarkAdult searches Adult and its variations as one set of all 14 attributes, in three sizes:
// the time of a touched record shows how steps scale (TDS, section 6.3).
func BenchmarkAdult(b *testing.B) {
	codes := enginetest.Adult(b).Codes()
	for _, rows := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			blown := codes.BlowUp(rows, 7)
			var searches []measured
			for range b.N {
				searches = append(searches, measureAdult(b, blown, all))
			}
			slices.SortFunc(searches, func(a, b measured) int { return cmp.Compare(a.cpu, b.cpu) })
			searches[len(searches)/2].report(b)
		})
	}
}

func measureAdult(b *testing.B, codes enginetest.Codes, requirement engine.Requirement) measured {
	return measure(b, codes.Table(topdown.Engine{}.Plan(requirement)), requirement,
		partition.Space{})
}

// BenchmarkAdultSets searches a million rows with 30 random requirements of three to seven sets of
// two to nine attributes (TDS, section 6.3), each next to a search of the single set of all
// attributes, and reports the ratio of their times.
func BenchmarkAdultSets(b *testing.B) {
	blown := enginetest.Adult(b).Codes().BlowUp(1_000_000, 7)
	var ratios []float64
	for range b.N {
		r := rand.New(rand.NewPCG(11, 13))
		for range 30 {
			var requirement engine.Requirement
			for range 3 + r.IntN(5) {
				set := engine.Set{Columns: r.Perm(14)[:2+r.IntN(8)], K: benchmarkK}
				requirement.Sets = append(requirement.Sets, set)
			}
			several, single := measureAdult(b, blown, requirement), measureAdult(b, blown, all)
			ratios = append(ratios, several.cpu.Seconds()/single.cpu.Seconds())
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratios[len(ratios)/2], "median-ratio")
	b.ReportMetric(ratios[len(ratios)-1], "worst-ratio")
}

// BenchmarkAdultSteps prints, for every step of a search with several sets, the number of touched
// records and the time. The time of the first step includes the preparation.
func BenchmarkAdultSteps(b *testing.B) {
	requirement := engine.Requirement{Sets: []engine.Set{
		{Columns: []int{0, 1, 2, 3, 4, 5, 6}, K: benchmarkK},
		{Columns: []int{3, 5, 6, 8, 9, 12, 13}, K: benchmarkK},
		{Columns: []int{7, 9, 10, 11}, K: benchmarkK},
	}}
	blown := enginetest.Adult(b).Codes().BlowUp(1_000_000, 7)
	var m measured
	for range b.N {
		m = measureAdult(b, blown, requirement)
	}
	fmt.Printf("\nstep   records touched   microseconds   ns a record\n")
	before := uint64(0)
	for i, step := range m.steps {
		touched := step.Touched - before
		before = step.Touched
		fmt.Printf("%4d %17d %14d %13.1f\n", step.Number, touched, m.took[i].Microseconds(),
			float64(m.took[i].Nanoseconds())/float64(max(touched, 1)))
	}
	m.report(b)
}

// people returns nearly unique records of 14 attributes.
func people(rows int) enginetest.Codes {
	return enginetest.People(rows, 7, 74, 3000, 16, 120, 100, 99, 50, 2, 5, 7, 9, 14, 16, 42)
}

// measureSpilled searches with its own budget and store.
func measureSpilled(tb testing.TB, codes enginetest.Codes, requirement engine.Requirement,
	limit int64) measured {
	tb.Helper()
	budget := spill.NewBudget(limit)
	store, err := spill.Open(tb.TempDir(), spill.Options{Budget: budget})
	if err != nil {
		tb.Fatal(err)
	}
	space := partition.Space{Budget: budget, Store: store, Share: limit - budget.Used(), Threads: 2}
	table, err := codes.Merged(context.Background(), topdown.Engine{}, requirement, space)
	if err != nil {
		tb.Fatal(err)
	}
	m := measure(tb, table, requirement, space)
	if err := store.Close(); err != nil || budget.Used() != 0 {
		tb.Errorf("%v, %d bytes not returned", err, budget.Used())
	}
	return m
}

// BenchmarkSearchSpilled searches different numbers of nearly unique records in the same memory:
// the growth of the time for a record shows the cost beyond linear.
func BenchmarkSearchSpilled(b *testing.B) {
	for _, rows := range []int{1_000_000, 4_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			codes := people(rows)
			var m measured
			for range b.N {
				m = measureSpilled(b, codes, all, 8<<20)
			}
			m.report(b)
			b.ReportMetric(float64(m.written)/float64(m.table), "written/table")
			b.ReportMetric(float64(m.read)/float64(m.table), "read/table")
		})
	}
}

// BenchmarkProtected searches a million rows of Adult and nearly unique records out of core,
// without and with each of these: entities of up to four rows, a sensitive column with 14 values,
// two of which every class must have, and records that may be taken away.
func BenchmarkProtected(b *testing.B) {
	blown := enginetest.Adult(b).Codes().BlowUp(1_000_000, 7)
	spilled := people(1_000_000)
	for _, variant := range []struct {
		name                string
		entities, sensitive bool
		most                uint64
	}{
		{"k", false, false, 0}, {"entities", true, false, 0}, {"sensitive", false, true, 0},
		{"both", true, true, 0},
		{"k,most", false, false, 10_000}, {"entities,most", true, false, 10_000},
		{"sensitive,most", false, true, 10_000}, {"both,most", true, true, 10_000},
	} {
		requirement := engine.Requirement{Sets: slices.Clone(all.Sets), MaxSuppressed: variant.most}
		requirement.Sets[0].Entities = variant.entities
		if variant.sensitive {
			requirement.Sets[0].Others = []engine.Protection{
				&engine.Limit{Measure: engine.DistinctL, Bound: 2},
			}
		}
		b.Run("memory/"+variant.name, func(b *testing.B) {
			var m measured
			for range b.N {
				m = measureAdult(b, withKinds(blown, variant.entities, variant.sensitive),
					requirement)
			}
			m.report(b)
		})
		b.Run("spilled/"+variant.name, func(b *testing.B) {
			var m measured
			for range b.N {
				m = measureSpilled(b, withKinds(spilled, variant.entities, variant.sensitive),
					requirement, 24<<20)
			}
			m.report(b)
		})
	}
}

// withKinds gives rows entities, of one to four rows each, and a sensitive value out of 14.
func withKinds(codes enginetest.Codes, entities, sensitive bool) enginetest.Codes {
	if !entities && !sensitive {
		return codes
	}
	const values, most, unit = 14, 4, 12
	k := &engine.Kinds{Unit: unit}
	if sensitive {
		k.Sensitive = []engine.SensitiveValues{{Values: make([]engine.Label, values)}}
	}
	r := rand.New(rand.NewPCG(3, 4))
	numbers := map[[3]int]uint32{}
	codes.Kind = nil
	for row := range codes.Rows {
		kind := [3]int{}
		if len(codes.Class) > 0 {
			kind[0] = int(codes.Class[row])
		}
		if sensitive {
			kind[1] = r.IntN(values)
		}
		if entities {
			kind[2] = unit / (1 + r.IntN(most))
		}
		number, ok := numbers[kind]
		if !ok {
			number = uint32(len(numbers))
			numbers[kind] = number
			k.Class = append(k.Class, uint32(kind[0]))
			if sensitive {
				k.Sensitive[0].Code = append(k.Sensitive[0].Code, uint32(kind[1]))
			}
			if entities {
				k.Weight = append(k.Weight, uint64(kind[2]))
			}
		}
		codes.Kind = append(codes.Kind, number)
	}
	codes.Kinds = k
	return codes
}
