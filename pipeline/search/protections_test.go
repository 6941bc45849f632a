package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

const incomesJob = `
input: in.csv
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, age], k: 5}
  - {columns: [city, job], k: 3}
columns: {age: discretize, city: suppress, job: suppress, income: keep}
`

// countProtected counts a table of 1,000 people with a changed job.
func countProtected(t *testing.T, change func(*job.Job)) (*Search, *engine.Table, error) {
	t.Helper()
	rng, text := rand.New(rand.NewPCG(3, 4)), "age,city,job,income\n"
	for range 1000 {
		text += fmt.Sprintf("%d,city %d,job %d,%s\n", 20+rng.IntN(50), rng.IntN(6), rng.IntN(4),
			[]string{"low", "mid", "high"}[rng.IntN(6)/2])
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := job.Parse(filepath.Join(dir, "job.yaml"), []byte(incomesJob), nil)
	if err != nil {
		t.Fatal(err)
	}
	change(j)
	r, err := resources.New(j, spill.Options{}, resources.Events{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := binding.Open(t.Context(), j, &binding.Taxonomies{}, r)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { b.Close() })
	s := New(b, r, &Outcome{})
	c, err := s.Count(t.Context(), count.Tuning{}, nil)
	if err != nil {
		return s, nil, err
	}
	return s, c.Table, nil
}

// A requirement has the job's protections, in the codes of the counted values.
func TestProtectionsAreBound(t *testing.T) {
	closeness := 0.25
	s, table, err := countProtected(t, func(j *job.Job) {
		j.Sensitive = []job.Sensitive{{
			Column: "income", L: 2, EntropyL: 1.1, T: &closeness,
			MaxConfidence: &job.Shares{Of: map[string]float64{"low": 0.9}},
		}}
		j.MaxSuppressed = job.Quota{Percent: 10}
	})
	if err != nil {
		t.Fatal(err)
	}
	values := table.Kinds.Sensitive[0].Values
	if len(values) != len(table.ClassNames) || !slices.Equal(values, table.ClassNames) {
		t.Errorf("sensitive values %v, classes %v", values, table.ClassNames)
	}
	for i, set := range s.requirement.Sets {
		if len(set.Others) != 4 {
			t.Fatalf("set %d has the protections %+v", i, set.Others)
		}
		if !set.Holds(table.Whole) {
			t.Errorf("set %d does not hold for %+v", i, table.Whole)
		}
		for code, value := range values {
			of := set.Others[2].(*engine.Limit).MostOf(value)
			if low := value.Text == "low"; low && of != 0.9 || !low && of != 1 {
				t.Errorf("value %d may have %g", code, of)
			}
		}
		if far := set.Others[3].(*engine.Limit).Figure(table.Whole); far.String() != "0" {
			t.Errorf("the whole table is %s from itself", far)
		}
	}
	if s.requirement.MaxSuppressed != 100 {
		t.Errorf("%d records may be taken away", s.requirement.MaxSuppressed)
	}
}

// Shares of records that may be taken away are shares of entities where k counts these.
func TestEntitiesAreBound(t *testing.T) {
	s, table, err := countProtected(t, func(j *job.Job) {
		j.Class, j.Entity, j.MaxSuppressed = "", "income", job.Quota{Percent: 50}
		for i := range j.Sets {
			j.Sets[i].K = 0
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	people := table.Whole.Size
	if people == 0 || people > 10 || s.requirement.MaxSuppressed != people/2 {
		t.Errorf("%d entities, %d of them may be taken away", people, s.requirement.MaxSuppressed)
	}
}

// A protection that even all records together do not meet is refused after counting, and one of
// missing columns before.
func TestImpossibleProtections(t *testing.T) {
	none := 0.0
	for _, tt := range []struct {
		change func(*job.Job)
		class  fault.Class
		says   string
	}{
		{func(j *job.Job) {
			j.Sets[0].K, j.Entity = 900, "city"
		}, fault.Privacy, "quasi-identifier set 1"},
		{func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: "income", L: 9}}
		}, fault.Privacy, "l is 9, all records together have 3"},
		{func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: "income", EntropyL: 9}}
		}, fault.Privacy, "entropy_l is 9, all records together have 2.9"},
		{func(j *job.Job) {
			few := &job.Shares{Every: 0.01}
			j.Sensitive = []job.Sensitive{{Column: "income", MaxConfidence: few}}
		}, fault.Privacy, "max_confidence is 0.01, all records together have 0."},
		{func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: "income", T: &none}}
		}, fault.Privacy, "t is 0"},
		{func(j *job.Job) { j.Entity = "who" }, fault.Input, "lacks who"},
		{func(j *job.Job) {
			j.Sensitive = []job.Sensitive{{Column: "what", L: 2}}
		}, fault.Input, "lacks what"},
	} {
		_, _, err := countProtected(t, tt.change)
		if fault.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v, want one of class %s that says %q", err, tt.class, tt.says)
		}
	}
}
