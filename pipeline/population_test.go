package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
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
			report, err := Run(t.Context(), mustLoad(t, dir), RunOptions{Events: Events{
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
				checked, err := Check(t.Context(), CheckOptions{PopulationSize: 20000,
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
	_, err := Check(t.Context(), CheckOptions{PopulationSize: 299, Columns: []string{"age"},
		Input: []string{filepath.Join(dir, "in")}})
	mustFail(t, err, fault.Usage, "the table has more than 299")
	dir = patientRows(300, 1).folder(t, patientsJob+"population: {size: 500}\n", 50)
	_, err = loadJob(dir)
	mustFail(t, err, fault.Usage, "population.size and entity do not go together")
}
