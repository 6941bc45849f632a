package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/spill"
)

// A trial on all rows has the result of a run, for columns and for rows that hide each other,
// with cuts and with regions, for rows and for people.
func TestTrialOfAllRowsIsARun(t *testing.T) {
	seed := seedtest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, algorithm := range []string{job.AlgorithmTDR, job.AlgorithmMondrian} {
		for _, entity := range []string{"", "who"} {
			t.Run(algorithm+" "+entity, func(t *testing.T) {
				t.Chdir(t.TempDir())
				var columns []formatstest.Text
				for c := range 5 {
					column := formatstest.Text{Name: string(rune('a' + c))}
					for range 3000 {
						column.Rows = append(column.Rows, fmt.Sprint(rng.IntN(4)*rng.IntN(2+c)))
					}
					columns = append(columns, column)
				}
				who := formatstest.Text{Name: "who"}
				for range 3000 {
					who.Rows = append(who.Rows, fmt.Sprint(rng.IntN(2500)))
				}
				if err := formatstest.WriteIndexed("in.parquet",
					append(columns, who), nil); err != nil {
					t.Fatal(err)
				}
				j := &job.Job{
					Input: []string{"in.parquet"}, Output: job.Output{Path: "out.parquet"},
					Entity: entity, MaxUnique: new(job.Share(1)),
					Algorithm: job.Algorithm{Name: algorithm}, Unlisted: job.UnlistedDrop,
					MaxSuppressed: job.Quota{Percent: 1},
					Sets: []job.Set{{Columns: []string{"a", "b", "c"}, K: 5},
						{Columns: []string{"d", "e"}, K: 3}},
				}
				for _, c := range columns {
					j.Columns = append(j.Columns, job.Column{Name: c.Name, Mask: job.MaskSuppress})
				}
				if entity != "" {
					j.MaxSuppressed = job.Quota{}
				}
				j, err := j.Resolve()
				if err != nil {
					t.Fatal(err)
				}
				in, err := dataset.Open(t.Context(), j.Input, formats.ReadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				budget := spill.NewBudget(256 << 20)
				trial, err := planning.Try(t.Context(), in.Part(5000), j, budget)
				if err != nil || budget.Used() != 0 {
					t.Fatalf("%v, %d bytes are drawn", err, budget.Used())
				}
				report, err := Run(t.Context(), j, RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				lost := 0
				for _, c := range report.Masked {
					if c.Information < 1e-12 {
						lost++
					}
				}
				if trial.Rows != 3000 || math.Abs(trial.Information-*report.Information) > 1e-9 ||
					len(trial.Lost) != lost || trial.Masked != 5 {
					t.Errorf("seed %d: %+v; a run keeps %g and loses %d columns",
						seed, trial, *report.Information, lost)
				}
				if *trial.Union != *report.Union {
					t.Errorf("seed %d: %+v on trial, a run %+v", seed, *trial.Union, *report.Union)
				}
				some, err := planning.Try(t.Context(), in.Part(700), j, budget)
				if err != nil || some.Rows != 700 {
					t.Errorf("%v: of 700 rows %+v", err, some)
				}
			})
		}
	}
}

// A trial writes nothing to disk: data that do not fit the memory end it, and it returns all
// memory.
func TestTrialStaysInMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	column := formatstest.Text{Name: "a"}
	for i := range 100_000 {
		column.Rows = append(column.Rows, fmt.Sprint(i))
	}
	if err := formatstest.WriteIndexed("in.parquet", []formatstest.Text{column}, nil); err != nil {
		t.Fatal(err)
	}
	j, err := (&job.Job{
		Input: []string{"in.parquet"}, Output: job.Output{Path: "out.parquet"},
		Algorithm: job.Algorithm{Name: job.AlgorithmMondrian},
		Sets:      []job.Set{{Columns: []string{"a"}, K: 2}},
		Columns:   []job.Column{{Name: "a", Mask: job.MaskSuppress}},
	}).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	in, err := dataset.Open(t.Context(), j.Input, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	budget := spill.NewBudget(1 << 20)
	if trial, err := planning.Try(t.Context(), in, j, budget); err == nil || budget.Used() != 0 {
		t.Errorf("%+v with 1 MiB, %d bytes are drawn", trial, budget.Used())
	}
	if left, err := filepath.Glob("*"); err != nil || !slices.Equal(left, []string{"in.parquet"}) {
		t.Errorf("files: %q, %v", left, err)
	}
}

// Rows that are released as null do not count as information that a trial keeps of a column of
// several values: they do next to one value, which they are the other one of.
func TestTrialCountsNoNulls(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "a,b\n" + strings.Repeat(",\n", 60) + strings.Repeat("1,1\n", 38) + "2,\n3,\n"
	if err := os.WriteFile("in.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := (&job.Job{
		Input: []string{"in.csv"}, Output: job.Output{Path: "out.parquet"},
		Algorithm: job.Algorithm{Name: job.AlgorithmTDR},
		Sets:      []job.Set{{Columns: []string{"a", "b"}, K: 2}},
		Columns: []job.Column{{Name: "a", Mask: job.MaskSuppress},
			{Name: "b", Mask: job.MaskSuppress}},
	}).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	in, err := dataset.Open(t.Context(), j.Input, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	trial, err := planning.Try(t.Context(), in, j, spill.NewBudget(256<<20))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := trial.Parts["a"], trial.Parts["b"]; math.Abs(a-0.95) > 1e-9 || b != 1 {
		t.Errorf("keeps %g and %g, want 0.95 and 1", a, b)
	}
}
