package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
)

// A code of another column's texts goes in spite of mistakes in 1 of 200 rows, but not in 1 of 50,
// and not the same column at another time.
func TestDraftDropsNearCopies(t *testing.T) {
	guilds := strings.Fields("Bakers Coopers Dyers Smiths")
	key := func(every int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("K%d", (i%4+indicator(i%every == 0))%4) }
	}
	text := tableOf(t, 1200, map[string]func(i int) string{
		"guild": func(i int) string { return guilds[i%4] }, "gld": key(200), "lodge": key(50),
		"house1": func(i int) string { return string("uvwxy"[i/40%5]) },
		"house2": func(i int) string { return string("uvwxy"[(i/40+indicator(i%200 == 0))%5]) },
	})
	for column, want := range map[string]string{"guild": "suppress", "gld": "drop",
		"lodge": "suppress", "house1": "suppress", "house2": "suppress"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s\n%s", column, got, want, text)
		}
	}
}

// Texts of which hardly one has several rows go first: an age next to those about a birth stays.
func TestDraftDropsRareTextsFirst(t *testing.T) {
	text := tableOf(t, 600, map[string]func(i int) string{
		"age":     func(i int) string { return fmt.Sprint(20 + i*7%41) },
		"born_in": func(i int) string { return fmt.Sprintf("Ulm %c %d", 'a'+i%26, i%420/26) },
	})
	for column, want := range map[string]string{"age": "{mask:", "born_in": "drop"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s\n%s", column, got, want, text)
		}
	}
}

// A copy of the texts of another column goes, with other spellings, or with coordinates behind
// them, but not one with something else behind each, and not one that has other texts in some rows.
// A column that is left instead of a known one is known, whatever its name.
func TestDraftDropsCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var at [1500]int
	for i := range at {
		at[i] = rng.IntN(30)
	}
	name := func(i int) string { return fmt.Sprintf("Ulm %c%c", 'a'+at[i]%6, 'a'+at[i]/6) }
	text := tableOf(t, len(at), map[string]func(i int) string{
		"spot": name,
		"town": func(i int) string {
			return []string{name(i), strings.ToUpper(name(i)), name(i) + " "}[i%3]
		},
		"guild_geo": func(i int) string { return fmt.Sprintf("%s (4%d.5, 1.5)", name(i), at[i]) },
		"wax":       func(i int) string { return fmt.Sprintf("%s %d", name(i), rng.IntN(3)) },
		"land":      func(i int) string { return []string{"", "Sun", "Sea"}[at[i]/29+i%3/2] },
		"birthplace": func(i int) string {
			return fmt.Sprintf("Ulm %c%c", 'a'+(at[i]+i%10/9)%6, 'a'+at[i]/6)
		},
	})
	for column, want := range map[string]string{"spot": "suppress", "town": "drop",
		"guild_geo": "drop", "wax": "suppress", "birthplace": "suppress",
		"land": "suppress"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
	checkCertain(t, text, "sex spot wax birthplace")
	if want := "# spot says the same, apart from case, blanks and added text"; strings.Count(text,
		want) != 2 {
		t.Errorf("want %q twice in\n%s", want, text)
	}
	// within a memory that has no room for the texts, nothing is compared
	little := draftOf(t, draft.Options{
		Input: []string{"table.csv"}, Limits: job.Limits{Memory: 1 << 19},
	})
	if strings.Contains(little, "says the same") {
		t.Errorf("texts are compared in 512 KiB:\n%s", little)
	}
}
