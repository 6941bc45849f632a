package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column with the values of people's numbers refers to people, whatever it is called, also where
// few texts have several of these. If nearly all numbers in a range are those of people, ages and
// years are, too, by chance.
func TestDraftDropsReferencesToPeople(t *testing.T) {
	for name, tt := range map[string]struct {
		id      func(i int) string
		source  func(rng *rand.Rand, id string) string
		dropped bool
	}{
		"numbers": {func(i int) string { return fmt.Sprint(1000000 + 37*i) },
			func(_ *rand.Rand, id string) string { return id }, true},
		"codes": {func(i int) string { return fmt.Sprintf("P%d", 1000+37*i) },
			func(_ *rand.Rand, id string) string { return id }, true},
		"several": {func(i int) string { return fmt.Sprint(1000000 + 37*i) },
			func(rng *rand.Rand, id string) string {
				if rng.IntN(100) == 0 {
					return id + "; " + id
				}
				return id
			}, true},
		"a mistake": {func(i int) string { return fmt.Sprint(1000000 + 37*i) },
			func(rng *rand.Rand, id string) string {
				return []string{id, "7"}[max(0, rng.IntN(60)-58)]
			}, true},
		"dense": {func(i int) string { return fmt.Sprint(1 + i) },
			func(_ *rand.Rand, id string) string { return id }, false},
		"dense texts": {func(i int) string {
			return []string{"total", fmt.Sprint(1 + i)}[min(i, 1)]
		}, func(rng *rand.Rand, id string) string {
			return []string{"nobody", id}[min(rng.IntN(3), 1)]
		}, false},
		"others": {func(i int) string { return fmt.Sprint(1000000 + 37*i) },
			func(rng *rand.Rand, _ string) string {
				return fmt.Sprint(1000000 + 10*rng.IntN(300))
			}, false},
	} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(1, 7))
		var out strings.Builder
		out.WriteString("patient_id,age,source,dose\n")
		for i := range 600 {
			source := tt.source(rng, tt.id(rng.IntN(150)))
			if rng.IntN(2) == 0 {
				source = ""
			}
			fmt.Fprintf(&out, "%s,%d,%s,%d\n", tt.id(i), rng.IntN(80), source, rng.IntN(5))
		}
		write(t, "table.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := roleOfText(text, "source") == "drop"; got != tt.dropped {
			t.Errorf("%s: dropped %t:\n%s", name, got, text)
		}
	}
}

// A column with one value for each of an identifier that repeats is dropped like it, and so are the
// numbers of the rows of each, by their names.
func TestDraftDropsWhatIdentifierSays(t *testing.T) {
	text := tableOf(t, 900, map[string]func(i int) string{
		"crash_no":    func(i int) string { return fmt.Sprint(100000 + i/3*37) },
		"crash_index": func(i int) string { return fmt.Sprint(2024000000 + 100000 + i/3*37) },
		"meter":       func(i int) string { return fmt.Sprint(7 + i/6*53) },
		"person_ref":  func(i int) string { return fmt.Sprint(1 + i%3*(i%2)) },
		"share_ref":   func(i int) string { return fmt.Sprint(3 + i%3) },
		"dose":        func(i int) string { return fmt.Sprint(1 + i%3*(i%2)) },
	})
	for name, want := range map[string]bool{"crash_no": true, "crash_index": true, "meter": false,
		"person_ref": true, "share_ref": false, "dose": false} {
		if got := roleOfText(text, name) == "drop"; got != want {
			t.Errorf("%s: dropped %t:\n%s", name, got, text)
		}
	}
}
