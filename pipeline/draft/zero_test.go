package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// A number that is 0 in all rows with one value of what people know, and in no others, shows this
// value: a comment says so.
func TestDraftNotesZeros(t *testing.T) {
	for name, odd := range map[string]int{"exactly": 0, "one more": 1} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(4, 4))
		var out strings.Builder
		out.WriteString("age,EmploymentStatus,Income\n")
		for i := range 600 {
			status, income := rng.IntN(4), 10_000+rng.IntN(50_000)
			if i < odd {
				status, income = 1, 0
			} else if status == 0 {
				income = 0
			}
			fmt.Fprintf(&out, "%d,%c,%d\n", rng.IntN(80), 'a'+status, income)
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if strings.Contains(text, "; 0 in all rows with one value of EmploymentStatus and in no "+
			"others: an interval may show it\n") != (odd == 0) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
