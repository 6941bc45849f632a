package evaluate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// When rules are made from all rows, training and test rows together are what is released of
// all: k-anonymous, and every row is released as one of them, or dropped.
func TestRulesFromAll(t *testing.T) {
	j, rows := people(t, rand.New(rand.NewPCG(6, 1)), 700)
	for _, split := range []string{"", "set"} {
		o := Options{
			Variants: load(t, j, "limits.threads", "1", "tdr"), Folds: 2, Repeats: 1, SplitColumn: split, SplitValue: "training",
			RulesFromAll: true,
		}
		divided, dropped := 0, uint64(0)
		assigning(t, o, func(e *evaluation, p *parts) {
			for i, algorithm := range slices.Repeat(algorithms, 6) {
				k := 2 + i
				tr := &trial{evaluation: e, parts: p, budget: spill.NewBudget(1 << 30)}
				variant := &job.Job{Algorithm: algorithm, Sets: []job.Set{{Columns: []string{"age", "job", "city"}, K: k}}}
				if algorithm.Name == job.AlgorithmIACc {
					variant.Sets[0].K = 0
				}
				recoding, err := tr.search(t.Context(), variant, e.Requirement(variant))
				must(t, err)
				r, err := tr.newRelease(recoding)
				must(t, err)
				must(t, r.make(t.Context()))
				released, features := groups(t, r)
				for labels, n := range released {
					if n < uint64(variant.Sets[0].K) {
						t.Errorf("%+v: %d rows have labels %s", algorithm, n, labels)
					}
				}
				if n := r.training.rows + r.test.rows; n != r.costs.released || n+r.costs.dropped != uint64(len(rows)) {
					t.Errorf("%+v: %d training and %d test rows, %d dropped", algorithm, r.training.rows, r.test.rows, r.costs.dropped)
				}
				shown := sizes(t, r.training)
				for codes, n := range sizes(t, r.test) {
					shown[codes] += n
				}
				if !maps.Equal(shown, features) {
					t.Errorf("%+v: training and test rows are not what is released", algorithm)
				}
				divided, dropped = divided+recoding.Cells(), dropped+r.costs.dropped
			}
		})
		if divided == 0 || dropped == 0 {
			t.Errorf("%d divided cells, %d rows dropped", divided, dropped)
		}
	}
}

// accepting makes a job one that a run accepts.
var accepting = strings.NewReplacer("name: keep", "name: drop",
	"hours: keep", "hours: {keep: {identifying: accepted}}", "color: keep", "color: {keep: {identifying: accepted}}")

// What a run says is left of the masked columns is what an evaluation by rules from all rows says.
func TestInformationOfRuns(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(9, 1)), 900)
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(accepting.Replace(string(text))), 0o600))
	lost := false
	for _, most := range []uint64{0, 40} {
		names := []string{"tdr", "tds", "bottom-up", "kactus", "iack", "mondrian", "infogain-mondrian", "guided"}
		if most > 0 {
			names = names[:2]
		}
		variants := load(t, path, "quasi_identifiers[].k", "20", names...)
		for _, variant := range variants {
			variant.MaxSuppressed = job.Quota{Records: most}
		}
		report, err := Evaluate(t.Context(), Options{Variants: variants, SplitColumn: "set", SplitValue: "training", RulesFromAll: true})
		must(t, err)
		for i, variant := range variants {
			run, err := pipeline.Run(t.Context(), variant, pipeline.RunOptions{Overwrite: true})
			must(t, err)
			got, want := *run.Information, 1-report.Results[i].Release.Penalty.Mean
			if math.Abs(got-want) > 1e-9 || got <= 0 || got >= 1 {
				t.Errorf("%s: the run tells %g, the evaluation %g", names[i], got, want)
			}
			mean := 0.0
			for _, column := range run.Masked {
				mean += column.Information / float64(len(run.Masked))
			}
			if math.Abs(got-mean) > 1e-9 {
				t.Errorf("%s: the run tells %g, its columns %g", names[i], got, mean)
			}
			lost = lost || run.Suppressed > 0
		}
	}
	if !lost {
		t.Error("no record was suppressed")
	}
}

// groups counts the rows that are released by their labels, and by their features with the class.
func groups(t *testing.T, r *release) (released, features map[string]uint64) {
	t.Helper()
	b := gather(t, r.source, true)
	newMasker(r.recoding, r.pools).mask(b)
	released, features = map[string]uint64{}, map[string]uint64{}
	for i, n := range b.counts {
		if b.columns[0][i] == engine.DroppedLabel {
			continue
		}
		labels, shown := "", ""
		for f, codes := range b.columns[:len(b.columns)-1] {
			if f < b.attributes {
				labels += fmt.Sprint(codes[i], " ")
			}
			shown += fmt.Sprint(r.training.features[f].Code(codes[i]), " ")
		}
		released[labels] += uint64(n)
		features[shown+fmt.Sprint(b.class()[i], " ")] += uint64(n)
	}
	return released, features
}

// sizes counts the tuples of features and classes.
func sizes(t *testing.T, s *sight) map[string]uint64 {
	t.Helper()
	d, err := s.data(t.Context())
	must(t, err)
	sizes := map[string]uint64{}
	for i, n := range d.Table.Counts {
		key := ""
		for _, f := range d.Table.Layout.Fields {
			key += fmt.Sprint(f.Code(d.Table.Keys[i*d.Table.Layout.Words:]), " ")
		}
		sizes[key] += uint64(n)
	}
	return sizes
}
