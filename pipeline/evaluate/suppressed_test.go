package evaluate

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
)

// A share of rows that may be suppressed is one of the rows from which rules are made.
func TestSuppressedShare(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(5, 1)), 600)
	jobs := load(t, path, "limits.threads", "1", "tdr")
	for _, all := range []bool{false, true} {
		o := Options{Folds: 2, Repeats: 1, RulesFromAll: all}
		assigning(t, jobs, o, func(e *evaluation, f *judge.Fold) {
			tr, _ := watched(e, f)
			want := uint64(30)
			if all {
				want = 60
			}
			if got := tr.requirement(&job.Job{
				Algorithm: jobs[0].Algorithm, MaxSuppressed: job.Quota{Percent: 10},
			}).MaxSuppressed; got != want {
				t.Errorf("rules from all %t: %d rows, want %d", all, got, want)
			}
		})
	}
}

// Where a run is refused because too many rows are left in small groups, there is no release.
func TestTooManyLost(t *testing.T) {
	path, _ := people(t, rand.New(rand.NewPCG(6, 1)), 600)
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(accepting.Replace(string(text))), 0o600))
	refused, released := 0, 0
	for _, k := range []string{"2", "20", "60"} {
		jobs := load(t, path, "quasi_identifiers[].k", k, "kactus", "iack", "tdr")
		for _, j := range jobs {
			j.MaxSuppressed = job.Quota{Records: 10}
		}
		report, err := Evaluate(t.Context(), jobs, Options{
			SplitColumn: "set", SplitValue: "training", RulesFromAll: true,
		})
		must(t, err)
		for i, j := range jobs {
			_, err := pipeline.Run(t.Context(), j, pipeline.RunOptions{Overwrite: true})
			if fault.ClassOf(err) == fault.Privacy {
				refused++
			} else {
				must(t, err)
				released++
			}
			if failed := report.Results[i].Failed; (failed != "") != (err != nil) {
				t.Errorf("%s, k %s: %q, a run: %v", j.Algorithm.Name, k, failed, err)
			}
		}
	}
	if refused == 0 || released == 0 {
		t.Errorf("%d runs are refused, %d are not", refused, released)
	}
}
