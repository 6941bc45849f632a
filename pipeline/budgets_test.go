package pipeline

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// A plan that samples rows or not ends with the same error as the run if the memory is too small.
// It never succeeds before a run that fails. It may fail before a run that succeeds only if the
// budget is little larger than the smallest one that suffices: less than a third, and in the long
// test less than a tenth. The budgets that a plan and a run name suffice for a run.
func TestPlanPredictsShortBudgets(t *testing.T) {
	step := 1.3
	if long {
		step = 1.1
	}
	for _, shape := range shortShapes() {
		if shape.slow && !long {
			continue
		}
		t.Run(shape.name, func(t *testing.T) {
			table, job := shape.make(rand.New(rand.NewPCG(1, 2)))
			dir := jobFolder(t, job)
			table.file(t, fmt.Sprintf("%s/in/a.%s", dir, shape.format()))
			ended, ran, named := make(map[bool]int), false, make(map[int]bool)
			for budget := shape.least; budget < shape.most; budget = max(budget+1,
				int(float64(budget)*step)) {
				plans, err := plannedAndDone(t, dir, shape.withMemory(budget))
				for sample, planned := range plans {
					switch {
					case planned != nil && ran:
						t.Errorf("%d MiB, sampled %v: the plan refuses what a smaller budget "+
							"does: %v", budget, sample, planned)
					case planned == nil && err != nil && !(shape.sample && !sample):
						t.Errorf("%d MiB, sampled %v: the plan says nothing, and the run: %v",
							budget, sample, err)
					}
					named[enoughOf(t, planned)] = true
				}
				named[enoughOf(t, err)] = true
				ran = err == nil
				ended[ran]++
			}
			if ended[true] == 0 || ended[false] == 0 && !shape.fits {
				t.Errorf("runs that end well: %v", ended)
			}
			for budget := range named {
				if budget == 0 {
					continue
				}
				forgetPages()
				if _, err := runJob(t, dir, nil, shape.withMemory(budget)...); err != nil {
					t.Errorf("%d MiB are not enough, as was said: %v", budget, err)
				}
			}
		})
	}
}

// plannedAndDone returns the memory errors of a run, and of plans with and without a sample.
func plannedAndDone(
	t *testing.T, dir string, overrides []string,
) (planned map[bool]error, done error) {
	t.Helper()
	planned = make(map[bool]error)
	forgetPages()
	for _, sample := range []bool{false, true} {
		_, planned[sample] = planJob(t, dir, PlanOptions{Overwrite: true, Sample: sample},
			overrides...)
	}
	forgetPages()
	_, done = runJob(t, dir, nil, overrides...)
	for _, err := range []error{planned[false], planned[true], done} {
		if err != nil && fault.ClassOf(err) != fault.Resources {
			t.Fatal(err)
		}
	}
	return planned, done
}

// forgetPages frees pooled pages, so that the next readers start like those of a new process.
func forgetPages() {
	runtime.GC()
	runtime.GC()
}

// enoughOf returns the budget in MiB that a memory error names; 0: there is no error.
func enoughOf(t *testing.T, err error) (named int) {
	t.Helper()
	if err == nil {
		return 0
	}
	if _, scanErr := fmt.Sscanf(fault.HintOf(err), "give at least %d MiB", &named); scanErr != nil {
		t.Errorf("no budget is named: %q for %v", fault.HintOf(err), err)
	}
	return named
}

// shortShape is a table that needs memory, with a job and budgets to try.
type shortShape struct {
	name        string
	make        func(rng *rand.Rand) (*testTable, string)
	overrides   []string
	least, most int  // MiB
	csv, slow   bool // input is CSV; only the long tests use it
	fits        bool // every budget suffices
	sample      bool // only plans with a sample predict the error
}

// withMemory returns the overrides of a job with a budget in MiB.
func (s *shortShape) withMemory(budget int) []string {
	return append([]string{"limits.memory", fmt.Sprint(budget, "MiB"), "limits.threads", "2"},
		s.overrides...)
}

func (s *shortShape) format() string {
	if s.csv {
		return "csv"
	}
	return "parquet"
}

func shortShapes() []shortShape {
	return []shortShape{
		{name: "masked texts of megabytes", make: megabytes, least: 16, most: 60},
		{name: "masked texts of megabytes in CSV",
			make: megabytes, least: 16, most: 80, csv: true, slow: true},
		{name: "kept texts of megabytes, released", make: keptMegabytes,
			overrides: []string{"order", "released"}, least: 31, most: 70},
		{name: "kept texts of megabytes in CSV, released", make: keptMegabytes,
			overrides: []string{"order", "released"}, least: 16, most: 70, csv: true, slow: true},
		{name: "kept texts of megabytes, input", make: keptMegabytes,
			overrides: []string{"order", "input"}, least: 31, most: 80, slow: true},
		{name: "kept columns, input", make: keptNumbers(500, 1100),
			overrides: []string{"order", "input"}, least: 16, most: 30, slow: true, fits: true},
		{name: "many kept columns, released", make: keptNumbers(1500, 1100),
			overrides: []string{"order", "released"}, least: 16, most: 30, slow: true},
		{name: "kept columns of many values, input",
			make: oneGroup, overrides: []string{"order", "input"}, least: 40, most: 80, fits: true},
		{name: "many masked columns", make: maskedNumbers(1000, 1000), least: 16,
			most: 80, slow: true, fits: true},
		{name: "long texts", make: longTexts(3000, 20_000), least: 16, most: 100,
			csv: true, slow: true, fits: true},
		{name: "identifiers", make: func(rng *rand.Rand) (*testTable, string) {
			return identifiers(rng, 60_000), identifiersJob
		}, least: 16, most: 80, slow: true, fits: true},
		{name: "entities", make: manyEntities, least: 16, most: 60, slow: true, sample: true},
	}
}

// megabytes makes a table of people with masked texts of 3 MB, all different.
func megabytes(rng *rand.Rand) (*testTable, string) {
	table := people(rng, 12)
	table.fields = append(table.fields, formats.Field{Name: "note", Type: textType})
	for row := range table.rows {
		table.rows[row] = append(table.rows[row],
			"n"+strings.Repeat(fmt.Sprintf("%016x", rng.Uint64()), 3<<20/16))
	}
	job := changed("income: keep", "income: keep\n  note: suppress") + "max_steps: 5\n"
	return table, strings.Replace(job, "[city, age, job]", "[city, age, job, note]", 1)
}

// keptMegabytes makes a table of people with kept texts of 3 MB, all different.
func keptMegabytes(rng *rand.Rand) (*testTable, string) {
	table, _ := megabytes(rng)
	stays := "income: keep\n  note: {keep: {identifying: accepted}}"
	return table, changed("income: keep", stays) + "max_steps: 5\n"
}

// manyEntities makes a table of people with one row each, with more people than a run lists.
func manyEntities(rng *rand.Rand) (*testTable, string) {
	table := &testTable{fields: []formats.Field{
		{Name: "age", Type: wholeType}, {Name: "person", Type: wholeType},
	}}
	for i := range 1_100_000 {
		table.rows = append(table.rows, []string{fmt.Sprint(rng.IntN(90)), fmt.Sprint(i)})
	}
	return table, "input: in\noutput: out.parquet\nquasi_identifiers: [{columns: [age], k: 5}]\n" +
		"entity: person\n" +
		"columns: {age: discretize, person: drop}\n"
}

// keptNumbers makes a table of people with kept numbers, nearly all different.
func keptNumbers(columns, rows int) func(rng *rand.Rand) (*testTable, string) {
	return func(rng *rand.Rand) (*testTable, string) {
		table, masks := people(rng, rows), strings.Builder{}
		for i := range columns {
			name := fmt.Sprint("kept", i)
			table.fields = append(table.fields,
				formats.Field{Name: name, Type: wholeType, Nullable: true})
			for row := range table.rows {
				table.rows[row] = append(table.rows[row], fmt.Sprint(rng.IntN(1<<40)))
			}
			fmt.Fprintf(&masks, "\n  %s: {keep: {identifying: accepted}}", name)
		}
		return table, changed("income: keep", "income: keep"+masks.String()) + "max_steps: 5\n"
	}
}

// oneGroup makes a table of kept numbers whose release has one row group.
func oneGroup(rng *rand.Rand) (*testTable, string) {
	table, job := keptNumbers(160, 9000)(rng)
	return table, strings.Replace(job, "output: out.parquet",
		"output: {path: out.parquet, row_group_rows: 1000000}", 1)
}

// maskedNumbers makes a table of masked columns, all in one set.
func maskedNumbers(columns, rows int) func(rng *rand.Rand) (*testTable, string) {
	return func(rng *rand.Rand) (*testTable, string) {
		table, names, masks := &testTable{}, []string{}, strings.Builder{}
		table.rows = make([][]string, rows)
		for i := range columns {
			names = append(names, fmt.Sprint("masked", i))
			table.fields = append(table.fields, formats.Field{Name: names[i], Type: wholeType})
			for row := range table.rows {
				table.rows[row] = append(table.rows[row], fmt.Sprint(rng.IntN(50)))
			}
			fmt.Fprintf(&masks, "  %s: discretize\n", names[i])
		}
		return table, fmt.Sprintf("input: in\noutput: out.parquet\nquasi_identifiers: [{columns: "+
			"[%s], k: 5}]\ncolumns:\n%smax_steps: 5\n", strings.Join(names, ", "), masks.String())
	}
}

// longTexts makes a table of people with a kept text of a given number of bytes.
func longTexts(rows, size int) func(rng *rand.Rand) (*testTable, string) {
	return func(rng *rand.Rand) (*testTable, string) {
		table := people(rng, rows)
		table.fields = append(table.fields, formats.Field{Name: "note", Type: textType})
		for row := range table.rows {
			table.rows[row] = append(table.rows[row],
				fmt.Sprint(rng.IntN(1<<40), strings.Repeat("x", rng.IntN(size))))
		}
		return table, changed("income: keep",
			"income: keep\n  note: {keep: {identifying: accepted}}") + "max_steps: 5\n"
	}
}
