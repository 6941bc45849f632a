package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// Where most rows have a few copies, these may be those of one person. In a table of few columns
// many people are alike, unless it has measured numbers.
func TestDraftWarnsOfCopies(t *testing.T) {
	for _, tt := range []struct {
		copies   int
		fraction string
		want     bool
	}{{1, "", false}, {2, "", true}, {9, "", false}, {9, ".5", true}, {1, ".5", false}} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,height,wage\n")
		for row := range 600 {
			i := row / tt.copies
			fmt.Fprintf(&out, "%d%s,%c,%d%[2]s,%[5]d\n", 18+i*7%61, tt.fraction, "mf"[i%2],
				150+i*11%47, i*13%997)
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if strings.Contains(text, "# k COUNTS ROWS, NOT PEOPLE: 600 of 600 rows have the same "+
			"values in all columns as another one") != tt.want {
			t.Errorf("%+v:\n%s", tt, text)
		}
	}
}

// Rows with the same time, age, sex and race as another one are probably those of one person, of
// which no column has a number. Where many have the same time, they meet by chance.
func TestDraftWarnsOfRepeatedPeople(t *testing.T) {
	for name, tt := range map[string]struct {
		head   string
		rows   int // of each person
		minute func(event int) string
		warns  bool
	}{
		"stamps": {"when", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d %02d:%02d:00", 1+event%12, 1+event%28, event%24,
				event%60)
		}, true},
		"days and hours": {"day,hour", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d,%02d:%02d", 1+event%12, 1+event%28, event%24,
				event%60)
		}, true},
		"one row": {"when", 1, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d %02d:%02d:00", 1+event%12, 1+event%28, event%24,
				event%60)
		}, false},
		"days": {"when", 2, func(event int) string {
			return fmt.Sprintf("2020-%02d-%02d", 1+event%12, 1+event%28)
		}, false},
		"crowds": {"when", 1, func(event int) string {
			return fmt.Sprintf("2020-01-%02d 10:00:00", 1+event%20)
		}, false},
	} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(4, 4))
		var out strings.Builder
		out.WriteString(tt.head + ",age,sex,race,force\n")
		for event := range 600 {
			fact := fmt.Sprintf("%d,%c,%c", 18+rng.IntN(40), "mf"[rng.IntN(2)], 'a'+rng.IntN(3))
			for range 1 + rng.IntN(tt.rows) {
				fmt.Fprintf(&out, "%s,%s,%d\n", tt.minute(event), fact, rng.IntN(9))
			}
		}
		write(t, "table.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(0, 1))
		if err != nil || strings.Contains(text, " rows have the same "+strings.ReplaceAll(
			tt.head, ",", ", ")+", age, sex, race as another one,") != tt.warns {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
