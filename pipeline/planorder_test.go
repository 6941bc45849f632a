package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/forecast"
)

// A plan predicts the disk space of rows that are put in order, with a sample of all rows or
// without one, and for all values of kept columns. In the order of the input no rows are on disk.
func TestPlanPredictsOrder(t *testing.T) {
	verdicts := make(map[forecast.Verdict]int)
	for i, seed := range seeded(t, 3) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows, algorithm, memory := 20_000+rng.IntN(150_000),
			[]string{"tdr", "mondrian"}[rng.IntN(2)], 16+rng.IntN(32)
		if i == 0 {
			rows, algorithm, memory = 250_000, "tdr", 16
		}
		table, job := keptRows(rng, rows)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := table.folder(t, job, 1+rng.IntN(50_000))
			for _, order := range []string{"released", "input"} {
				for _, verdict := range mustPredict(t, dir, "order", order, "algorithm.name",
					algorithm, "limits.memory", fmt.Sprint(memory, "MiB"), "limits.threads",
					fmt.Sprint(1+rng.IntN(2))) {
					verdicts[verdict]++
				}
			}
		})
	}
	if verdicts[forecast.Yes] == 0 {
		t.Errorf("verdicts that say little: %v", verdicts)
	}
}

// mustPredict runs a folder's job, and demands that plans of it predict the spilled data. It
// returns their prediction for the order.
func mustPredict(t *testing.T, dir string, overrides ...string) (verdicts []forecast.Verdict) {
	t.Helper()
	var plans []*forecast.Forecast
	for _, sample := range []bool{false, true} {
		f, err := planJob(t, dir, PlanOptions{Overwrite: true, Sample: sample}, overrides...)
		must(t, err)
		plans, verdicts = append(plans, f), append(verdicts, f.Memory.Ordering)
	}
	report, err := runJob(t, dir, nil, overrides...)
	if fault.ClassOf(err) == fault.Resources { // the budget is too small for other data
		return verdicts
	}
	must(t, err)
	sorted := slices.ContainsFunc(report.Notices, func(text string) bool {
		return strings.HasPrefix(text, "rows of the release exceed")
	})
	for _, f := range plans {
		verdict := f.Memory.Ordering
		if sorted && verdict != forecast.Yes && verdict != forecast.Maybe ||
			!sorted && verdict == forecast.Yes {
			t.Errorf("%v: foreseen was that rows in order are spilled: %q, and they are: %v",
				overrides, verdict, sorted)
		}
		mustHold(t, fmt.Sprint(overrides, ": spilled at one time, of ", f.Sampled, " sampled rows"),
			f.Disk.Spill, report.SpilledPeak)
	}
	return verdicts
}

// keptRows is a table of random kept columns, and a job for it.
func keptRows(rng *rand.Rand, rows int) (*testTable, string) {
	table := people(rng, rows)
	var masks strings.Builder
	for i := range 1 + rng.IntN(4) {
		values, kind := 1+rng.IntN(rows), rng.IntN(3)
		switch few := rng.IntN(3) == 0; {
		case i == 0:
			values = 10 * rows
		case few:
			values = 1 + rng.IntN(500)
		}
		name, of := fmt.Sprint("kept", i), wholeType
		if kind > 0 {
			of = textType
		}
		long := strings.Repeat("x", rng.IntN(60))
		table.fields = append(table.fields, formats.Field{Name: name, Type: of, Nullable: true})
		for row := range table.rows {
			value := fmt.Sprint(rng.IntN(values))
			switch {
			case rng.IntN(50) == 0:
				value = null
			case kind == 1:
				value += long
			case kind == 2:
				value += long[:len(long)*rng.IntN(3)/2]
			}
			table.rows[row] = append(table.rows[row], value)
		}
		fmt.Fprintf(&masks, "\n  %s: {keep: {identifying: accepted}}", name)
	}
	return table, changed("income: keep", "income: keep"+masks.String()) + "max_steps: 20\n"
}
