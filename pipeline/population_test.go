package pipeline

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// A run estimates the unique people of a population from the class sizes of its input and of its
// release, and so does a check of both. The sizes are those that a map counts.
func TestPopulationSize(t *testing.T) {
	table := keptPeople(700)
	masked := []string{"age", "born", "city", "job", "weight"}
	for _, tt := range []struct{ name, job string }{
		{"the class alone is kept", peopleJob},
		{"others are kept", keeping("ward: keep")},
		{"one set, and records are dropped", strings.Replace(changed(
			"  - {columns: [born, city, weight], k: 3}\n", ""), "[city, age, job], k: 5",
			"all, k: 5", 1) + "max_suppressed: 10%\nsuppressed: drop\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := tt.job
			if !strings.Contains(job, "unlisted") {
				job += "unlisted: drop\n"
			}
			dir := table.folder(t, job+"population: {size: 20000}\n", 50)
			var notes []string
			report, err := Run(t.Context(), mustLoad(t, dir), RunOptions{Events: resources.Events{
				Notice: func(note string) { notes = append(notes, note) }}})
			must(t, err)
			sizes := make(map[string]int64)
			for _, row := range table.rows {
				sizes[strings.Join(row[:len(masked)], "|")]++
			}
			classes := risk.ClassSizes{Sizes: make(map[int64]int64)}
			for _, size := range sizes {
				classes.Add(size)
			}
			want := classes.Population(20000, int64(len(table.rows)))
			if got := report.Risk.Raw.Population; !reflect.DeepEqual(got, want) {
				t.Errorf("before: %v, want %v", got, want)
			}
			for input, got := range map[string]*risk.Population{
				"in": want, "out.parquet": report.Risk.Labels.Population,
			} {
				checked, err := check.Table(t.Context(), check.Options{PopulationSize: 20000,
					Input: []string{filepath.Join(dir, input)}, Columns: masked})
				must(t, err)
				if !reflect.DeepEqual(got, checked.Population) {
					t.Errorf("%s: %v, check has %v", input, got, checked.Population)
				}
			}
			note := fmt.Sprintf("of a population of 20,000 an estimated %s are unique on the "+
				"quasi-identifiers of all sets before masking, and %s after", want,
				report.Risk.Labels.Population)
			if !strings.Contains(strings.Join(notes, "\n"), note) {
				t.Errorf("no note %q in %q", note, notes)
			}
			if after := report.Risk.Labels.Population; after.Unique > want.Unique {
				t.Errorf("masking raises %v to %v", want, after)
			}
		})
	}
}

// A population is not smaller than its sample. Estimates are not for entities.
func TestPopulationSizeRefused(t *testing.T) {
	table := people(rand.New(rand.NewPCG(1, 1)), 300)
	dir := table.folder(t, peopleJob+"population: {size: 299}\n", 50)
	mustRefuse(t, dir, RunOptions{}, fault.Usage,
		"the table has 300 rows, the population 299")
	_, err := check.Table(t.Context(), check.Options{PopulationSize: 299, Columns: []string{"age"},
		Input: []string{filepath.Join(dir, "in")}})
	mustFail(t, err, fault.Usage, "the table has more than 299")
	dir = patientRows(300, 1).folder(t, patientsJob+"population: {size: 500}\n", 50)
	_, err = loadJob(dir)
	mustFail(t, err, fault.Usage, "population.size and entity do not go together")
}

// naiveRegister computes with maps what a population shows about the classes of a table. The last
// cell of a row of the population is its number of people.
func (c checkedTable) naiveRegister(columns []int, population [][]string, entities bool) (
	r *risk.Register, average float64, lacking int) {
	tupleOf := func(row []string) (tuple string) {
		for _, column := range columns {
			tuple += fmt.Sprintf("%q,", row[column])
		}
		return tuple
	}
	inhabitants := make(map[string]int64)
	r = &risk.Register{KMap: math.MaxInt64, MinPresence: math.Inf(1)}
	for _, row := range population {
		var people int64
		fmt.Sscan(row[3], &people)
		inhabitants[tupleOf(row)] += people
		r.People += people
	}
	classes, all := make(map[string]map[string]bool), 0.0
	for i, row := range c {
		tuple := tupleOf(row)
		if inhabitants[tuple] == 0 {
			lacking++
		}
		if classes[tuple] == nil {
			classes[tuple] = make(map[string]bool)
		}
		who := fmt.Sprint(i)
		if entities {
			who = row[4]
		}
		classes[tuple][who] = true
	}
	if len(classes) < len(inhabitants) {
		r.MinPresence = 0
	}
	for tuple, who := range classes {
		share := float64(len(who)) / float64(inhabitants[tuple])
		r.KMap = min(r.KMap, inhabitants[tuple])
		r.MinPresence, r.MaxPresence = min(r.MinPresence, share), max(r.MaxPresence, share)
		average, all = average+share, all+float64(len(who))
	}
	return r, average / all, lacking
}

// registerText writes the figures of a register without the digits that depend on the order of
// sums.
func registerText(r *risk.Register, average float64) string {
	return fmt.Sprintf("%d %d %.9f %.9f %.9f", r.People, r.KMap, r.MinPresence, r.MaxPresence,
		average)
}

// Check counts the people of classes in a table of the population as a naive count does, in memory
// or in the store, and refuses a population that lacks a combination.
func TestCheckPopulation(t *testing.T) {
	enginetest.Cases(t, enginetest.Naive(60), func(rng *rand.Rand) {
		most := 2 + rng.IntN(8)
		table := randomChecked(rng, 1+rng.IntN(300), most)
		var population checkedTable
		for _, row := range append(randomChecked(rng, rng.IntN(200), most+rng.IntN(5)),
			table[min(rng.IntN(40), len(table)-1, rng.IntN(2)*40):]...) {
			for range 1 + rng.IntN(2) {
				population = append(population, []string{row[0], row[1], row[2],
					fmt.Sprint(1 + rng.IntN(30))})
			}
		}
		columns, names := rng.Perm(3)[:1+rng.IntN(3)], []string{"a", "b", "c"}
		opt := check.Options{Spill: rng.IntN(2) == 0, PopulationCount: "people",
			Limits: job.Limits{Threads: 1 + rng.IntN(3), SpillDir: t.TempDir()}}
		for _, column := range columns {
			opt.Columns = append(opt.Columns, names[column])
		}
		if rng.IntN(2) == 0 {
			opt.Entity = "p"
		}
		if rng.IntN(2) == 0 {
			opt.Sensitive = []string{"s"}
		}
		opt.Input = []string{table.write(t, 1+rng.IntN(3))}
		opt.Population = []string{population.writeAs(t, 1+rng.IntN(3), "a", "b", "c", "people")}
		got, err := check.Table(t.Context(), opt)
		if errors.Is(err, formats.ErrSchema) || err != nil &&
			strings.Contains(err.Error(), "with the population: its type") {
			return // in a few rows all values may be null, or whole numbers
		}
		want, average, lacking := table.naiveRegister(columns, population, opt.Entity != "")
		if lacking > 0 {
			mustFail(t, err, fault.Input, fmt.Sprintf("lacks those of %d row", lacking))
			return
		}
		must(t, err)
		if text := registerText(got.Register, got.Marketer); text != registerText(want, average) {
			t.Errorf("%+v\n got %s\nwant %s", opt, text, registerText(want, average))
		}
		if got.Journalist.Highest != 1/float64(want.KMap) {
			t.Errorf("journalist %v, the fewest people are %d", got.Journalist, want.KMap)
		}
		naive := table.naive(columns, 0, opt.Entity != "", 3)
		if got.Anonymity != naive.Anonymity || got.Classes != naive.Classes ||
			got.Unique != naive.Unique || len(opt.Sensitive) > 0 &&
			*got.Sensitive[0].L != *naive.Sensitive[0].L {
			t.Errorf("the population changes %+v to %+v", naive.Figures, got.Figures)
		}
		mustJudge(t, opt, want)
	})
}

// mustJudge demands that limits are met up to the figures of a register, and not beyond.
func mustJudge(t *testing.T, opt check.Options, of *risk.Register) {
	t.Helper()
	for _, limit := range []struct {
		isMet bool
		set   func(*check.Options)
	}{
		{true, func(o *check.Options) { o.KMap = int(of.KMap) }},
		{false, func(o *check.Options) { o.KMap = int(of.KMap) + 1 }},
		{true, func(o *check.Options) { o.MinPresence = job.Share(of.MinPresence) }},
		{true, func(o *check.Options) { o.MaxPresence = job.Share(of.MaxPresence) }},
		{false, func(o *check.Options) { o.MinPresence = job.Share(of.MinPresence*1.01 + 1e-9) }},
		{false, func(o *check.Options) { o.MaxPresence = job.Share(of.MaxPresence * 0.99) }},
	} {
		o := opt
		limit.set(&o)
		if r, err := check.Table(t.Context(), o); r == nil || r.OK != limit.isMet ||
			(err == nil) != limit.isMet {
			t.Errorf("%+v: %v, want %t", o, err, limit.isMet)
		}
	}
}

// Classes that meet limits of people and of presence meet them together, too: a coarser table
// does.
func TestRegisterIsMonotone(t *testing.T) {
	enginetest.Cases(t, 100, func(rng *rand.Rand) {
		table := randomChecked(rng, 50, 4)
		var population [][]string
		for _, row := range append(randomChecked(rng, 300, 4), table...) {
			population = append(population, []string{row[0], row[1], row[2], "1"})
		}
		fine, _, _ := table.naiveRegister([]int{0, 1, 2}, population, false)
		coarse, _, _ := table.naiveRegister([]int{0, 1}, population, false)
		if coarse.KMap < fine.KMap || coarse.MinPresence < fine.MinPresence ||
			coarse.MaxPresence > fine.MaxPresence {
			t.Errorf("coarser %+v, finer %+v", coarse, fine)
		}
	})
}
