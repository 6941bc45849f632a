package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// Spellings of few values are joined, known words too where nearly all values are such. A kept
// class stays as it is, with a comment.
func TestDraftJoinsSpellings(t *testing.T) {
	const cases, words = "{[] [] [case]}", "{[] [] [case word]}"
	for texts, want := range map[string]string{
		"Female|F|female|f|woman|Male|M|male|m|Male |Man|cis male": "generalize" + words,
		"F|M|M ":                    "generalize" + words,
		"Yes|yes|No|Y":              "generalize" + words,
		"Yes|yes|No|Other":          "generalize" + cases, // a quarter has other words
		"M|m|S":                     "generalize" + cases, // married
		"M|m":                       "generalize" + cases,
		"Bonn|bonn|New York|Ulm":    "generalize" + cases,
		"F|M":                       "suppress",
		"Bonn|Ulm":                  "suppress",
		"low|Low|medium|high":       "generalize" + cases,
		"Bonn|bonn|RARE|Ulm|Essen ": "suppress", // many are rare
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,gender,country,treatment\n")
		all := strings.Split(texts, "|")
		for i := range 1200 {
			text := all[i*7%len(all)]
			if text == "RARE" {
				text += fmt.Sprint(i % 12)
			}
			fmt.Fprintf(&out, "%d,%s,%c,%s\n", 20+i/9%40, text, "ABC"[i/5%3],
				[]string{"yes", "Yes", "no"}[i/11%3])
		}
		write(t, "survey.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}, Class: "treatment"})
		if want := "# the class, 3 distinct values; apart from upper case and blanks there are 2 " +
			"values\n"; !strings.Contains(text, want) {
			t.Errorf("want %q:\n%s", want, text)
		}
		job, _ := runDraft(t, text)
		wantMasks(t, job, map[string]string{"age": "discretize", "gender": want,
			"country": "suppress", "treatment": "keep"})
		for _, value := range all {
			if len(value) > 3 && strings.Contains(text, value) {
				t.Errorf("%q is in\n%s", value, text)
			}
		}
	}
}
