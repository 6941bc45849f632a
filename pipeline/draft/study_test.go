package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// study writes a table of some rows, in which each column has values in turn or, behind a name with
// #, many numbers. It returns the draft, of a trial in which nothing is lost.
func study(t *testing.T, rows int, columns ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 3))
	var header, out strings.Builder
	for row := range rows {
		for i, column := range columns {
			name, values, _ := strings.Cut(column, "=")
			if end := ","; row == 0 {
				if i == len(columns)-1 {
					end = "\n"
				}
				header.WriteString(strings.TrimSuffix(name, "#") + end)
			}
			if i > 0 {
				out.WriteByte(',')
			}
			if several := strings.Split(values, "|"); strings.HasSuffix(name, "#") {
				fmt.Fprint(&out, rng.IntN(900))
			} else {
				out.WriteString(several[rng.IntN(len(several))])
			}
		}
		out.WriteByte('\n')
	}
	write(t, "study.csv", header.String()+out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Whole numbers that are called like a thing count it from 0 on; from 1 on they may be its number.
// Regions have numbers.
func TestDraftKnowsCounts(t *testing.T) {
	text := study(t, 300, "hospital=0|0|1|2|3|8", "school=0|6|8|12|16", "station=1|2|3|5",
		"county=0|1|2|5", "age#", "sex=m|f")
	for name, want := range map[string]string{"hospital": "discretize", "school": "discretize",
		"station": "suppress", "county": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// Dates of which some lack a day or a month are generalized to months and years.
func TestDraftOfPartialDates(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("CMSTDTC,CMENDTC,age\n")
	for i := range 900 {
		date := fmt.Sprintf("20%02d-%02d-%02d", i%7, 1+i%5, 1+i/3%20)
		fmt.Fprintf(&out, "%s,%sT10:30,%d\n", date[:[]int{4, 7, 10}[i%3]], date, i%50)
	}
	write(t, "study.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"study.csv"}}))
	wantMasks(t, job, map[string]string{"CMSTDTC": "generalize{[7 4] [] []}",
		"CMENDTC": "discretize", "age": "discretize"})
}
