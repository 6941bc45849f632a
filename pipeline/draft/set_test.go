package draft_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Columns in doubt are not in the first set if a trial with them keeps one sex in less than two
// thirds of the rows, but days of what happened are.
func TestDraftLeavesDoubtsOut(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,moth,month\n")
	for i := range 600 {
		fmt.Fprintf(&out, "%d,%c,%c,%d\n", 20+i*7%61, "mf"[i%2], 'x'+i/2%3, 1+i/3%12)
	}
	write(t, "arrests.csv", out.String())
	for part, want := range map[float64]string{0.6: "age sex month", 0.7: "age sex moth month"} {
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

// If no name says that an acquaintance knows a column, those in doubt are the first set. If none is
// in doubt, or many are 0 and 1, all are one set, with a k of 2 unless another one is asked for.
func TestDraftOfWhatNobodyKnows(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("moth,dose,level\n")
	for i := range 600 {
		fmt.Fprintf(&out, "%c,%d,%d.5\n", 'x'+i/2%3, 20+i*7%61, i*11%97)
	}
	write(t, "doubt.csv", out.String())
	write(t, "none.csv", strings.ReplaceAll(out.String(), "moth", "test_result"))
	marks, rng := "a1", rand.New(rand.NewPCG(1, 1))
	for i := range 13 {
		marks += fmt.Sprintf(",%cings", 'b'+i)
	}
	for range 600 {
		marks += "\n0"
		for range 13 {
			marks += fmt.Sprint(",", rng.IntN(2))
		}
	}
	write(t, "marks.csv", marks+"\n")
	for _, tt := range []struct {
		file string
		k    int
		want string
	}{
		{"doubt.csv", 0, "\n  - columns: [moth]\n    k: 10\n"},
		{"none.csv", 0, "\n  - columns: all\n    k: 2\n"},
		{"marks.csv", 0, "\n  - columns: all\n    k: 2\n"},
		{"none.csv", 20, "\n  - columns: all\n    k: 20\n"},
	} {
		text := draftOf(t, draft.Options{Input: []string{tt.file}, K: tt.k})
		if !strings.Contains(text, tt.want) || !strings.Contains(text, "# NO NAME SAYS") {
			t.Errorf("%s with k %d: want %q in\n%s", tt.file, tt.k, tt.want, text)
		}
	}
}

// A number that determines an occupation joins its set, but a claim and an income of many values do
// so only by chance, where rows are repeated.
func TestDraftLeavesClaimsOut(t *testing.T) {
	for name, want := range map[string]string{"claim": "occupation sex",
		"income": "occupation sex",
		"steps":  "occupation sex steps"} {
		checkCertain(t, tableOf(t, 900, map[string]func(i int) string{
			name:         func(i int) string { return fmt.Sprint(i % 150 * 7) },
			"occupation": func(i int) string { return fmt.Sprint("o", i%150/5) }}), want)
	}
}
