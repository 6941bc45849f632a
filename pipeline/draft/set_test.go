package draft_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Columns in doubt are not in the first set if a trial with them keeps one sex in less than half of
// the rows, but days of what happened are.
func TestDraftLeavesDoubtsOut(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,moth,month\n")
	for i := range 600 {
		fmt.Fprintf(&out, "%d,%c,%c,%d\n", 20+i*7%61, "mf"[i%2], 'x'+i/2%3, 1+i/3%12)
	}
	write(t, "arrests.csv", out.String())
	for part, want := range map[float64]string{0.4: "age sex month", 0.6: "age sex moth month"} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"arrests.csv"}},
			func(ctx context.Context, in *dataset.Dataset, j *job.Job,
				budget *spill.Budget) (*forecast.Trial, error) {
				of, err := sees(0, 0.9)(ctx, in, j, budget)
				of.Single = map[string]float64{"sex": part}
				return of, err
			})
		if err != nil {
			t.Fatal(err)
		}
		j, err := job.Parse("", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(j.Sets[0].Columns, " ")
		if len(j.Sets) == 1 {
			got = strings.Join(maskedOf(t, text), " ")
		}
		if got != want {
			t.Errorf("%g of the sex: %s:\n%s", part, got, text)
		}
	}
}
