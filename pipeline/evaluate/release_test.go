package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// When rules are made from all rows, training and test rows together are the release of all: it is
// k-anonymous, and every row is released as one of them, or dropped.
func TestRulesFromAll(t *testing.T) {
	j, rows := people(t, rand.New(rand.NewPCG(6, 1)), 700)
	for _, split := range []string{"", "set"} {
		jobs := load(t, j, "limits.threads", "1", "tdr")
		o := Options{
			Folds:        2,
			Repeats:      1,
			SplitColumn:  split,
			SplitValue:   "training",
			RulesFromAll: true,
		}
		divided, dropped := 0, uint64(0)
		assigning(t, jobs, o, func(e *evaluation, f *judge.Fold) {
			for i, algorithm := range slices.Repeat(algorithms, 6) {
				variant := &job.Job{
					Algorithm: algorithm,
					Sets:      []job.Set{{Columns: []string{"age", "job", "city"}, K: 2 + i}},
				}
				if algorithm.Name == job.AlgorithmIACc {
					variant.Sets[0].K = 0
				}
				tr, shown := watched(e, f)
				release, err := tr.search(t.Context(), variant, tr.requirement(variant))
				must(t, err)
				costs, err := tr.Judge(t.Context(), release)
				must(t, err)
				released := map[string]uint64{}
				b, all := gather(t, masked(f.Source(), release)), uint64(0)
				for i, n := range b.Counts {
					if b.Labels[0][i] != engine.DroppedLabel {
						released[key(b.Labels, i)] += n
						all += n
					}
				}
				for labels, n := range released {
					if n < uint64(variant.Sets[0].K) {
						t.Errorf("%+v: %d rows have labels %s", algorithm, n, labels)
					}
				}
				if n := shown.trained + shown.tested; n != all ||
					n+uint64(costs.Dropped) != uint64(len(rows)) {
					t.Errorf("%+v: %d training and %d test rows, %g dropped", algorithm,
						shown.trained, shown.tested, costs.Dropped)
				}
				divided, dropped = divided+release.Cells(), dropped+uint64(costs.Dropped)
			}
		})
		if divided == 0 || dropped == 0 {
			t.Errorf("%d divided cells, %d rows dropped", divided, dropped)
		}
	}
}

// accepting changes a job to one that a run accepts.
var accepting = strings.NewReplacer("name: keep", "name: drop",
	"hours: keep", "hours: {keep: {identifying: accepted}}", "color: keep", "color: {keep: "+
		"{identifying: accepted}}")

// The information left in the masked columns of a run agrees with an evaluation by rules from all
// rows.
func TestInformationOfRuns(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(9, 1)), 900)
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(accepting.Replace(string(text))), 0o600))
	lost := false
	for _, most := range []uint64{0, 40} {
		names := []string{"tdr", "tds", "bottom-up", "kactus", "iack", "mondrian",
			"infogain-mondrian", "guided"}
		if most > 0 {
			names = names[:2]
		}
		variants := load(t, path, "quasi_identifiers[].k", "20", names...)
		for _, variant := range variants {
			variant.MaxSuppressed = job.Quota{Records: most}
		}
		report, err := Evaluate(t.Context(), variants, Options{
			SplitColumn:  "set",
			SplitValue:   "training",
			RulesFromAll: true,
		})
		must(t, err)
		for i, variant := range variants {
			run, err := pipeline.Run(t.Context(), variant, pipeline.RunOptions{Overwrite: true})
			must(t, err)
			got, want := *run.Information, 1-report.Results[i].Release.Penalty.Mean
			if math.Abs(got-want) > 1e-9 || got <= 0 || got >= 1 {
				t.Errorf("%s: the run reports %g, the evaluation %g", names[i], got, want)
			}
			mean := 0.0
			for _, column := range run.Masked {
				mean += column.Information / float64(len(run.Masked))
			}
			if math.Abs(got-mean) > 1e-9 {
				t.Errorf("%s: the run reports %g, its columns %g", names[i], got, mean)
			}
			lost = lost || run.Suppressed > 0
		}
	}
	if !lost {
		t.Error("no record was suppressed")
	}
}

// key returns the codes of a tuple in all columns.
func key(columns [][]uint32, tuple int) (text string) {
	for _, codes := range columns {
		text += fmt.Sprint(codes[tuple], " ")
	}
	return text
}

// shown is the numbers of rows with which a classifier has learned and was tested.
type shown struct{ trained, tested uint64 }

// watched returns a trial, and the rows that its single classifier gets.
func watched(e *evaluation, f *judge.Fold) (*trial, *shown) {
	tr, s := e.trial(f, nil,
		partition.Space{Budget: spill.NewBudget(1 << 30), Threads: 1}), &shown{}
	tr.Learners = []classify.Learner{s}
	tr.Examine = func(_ classify.Classifier, _ partition.Space,
		test func(judge.Examiner) error) error {
		return test(func(_ []uint32, _ uint32, rows uint64) { s.tested += rows })
	}
	return tr, s
}

func (*shown) Name() string { return "shown" }

// Learn counts the rows.
func (s *shown) Learn(_ context.Context, d classify.Data) (classify.Classifier, error) {
	s.trained += d.Table.Size()
	return nil, nil
}
