package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// Rows of the same people that no column identifies are found, if a column counts in them and facts
// about a person do not change: by equal steps from anywhere, or by the same numbers for each.
func TestDraftFindsPeopleWithoutIdentifier(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))

	type person struct{ number, begin, hisp, educ int }
	const head = "hispanic,educ,pay,"
	for _, tt := range []struct {
		name, header string
		rows         int
		row          func(p person, n int) string
		want         string
	}{
		{"equal steps", head + "exper", 7, func(p person, n int) string {
			return fmt.Sprint(p.begin + n)
		}, "7 of each, as\n# exper rises in them without a change of hispanic, educ. No column"},
		{"ages with fractions", head + "age", 4, func(p person, n int) string {
			return fmt.Sprintf("%d.%05d", 20+p.begin+n, p.number*977)
		}, "4 of each, as\n# age rises in them without a change of"},
		{"the same numbers", head + "week", 5, func(_ person, n int) string {
			return fmt.Sprint(n * n)
		}, "about 90 people, 5 of each, as\n# week rises in them without a change of"},
		{"a place with years", head + "wave,county", 3, func(p person, n int) string {
			return fmt.Sprint(n, ",", 1000+p.number)
		}, ""},
		{"households", head + "line,sex", 3, func(_ person, n int) string {
			return fmt.Sprint(n, ",", []string{"m", "f"}[rng.IntN(2)])
		}, ""},
		{"others in the next row", head + "line,race", 1, func(p person, _ int) string {
			return fmt.Sprint(p.number%7, ",", rng.IntN(4))
		}, ""},
		{"groups of people", "pay,line", 5, func(_ person, n int) string {
			return fmt.Sprint(n)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out strings.Builder
			out.WriteString(tt.header + "\n")
			for i := range 90 {
				p := person{i, rng.IntN(40), rng.IntN(2), 8 + rng.IntN(9)}
				for n := range tt.rows {
					if strings.HasPrefix(tt.header, head) {
						fmt.Fprintf(&out, "%d,%d,", p.hisp, p.educ)
					}
					fmt.Fprintf(&out, "%d,%s\n", rng.IntN(50), tt.row(p, n))
				}
			}
			write(t, "people.csv", out.String())
			text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
				sees(0, 1))
			if err != nil {
				t.Fatal(err)
			}
			runDraft(t, text)
			const counts = "# k COUNTS ROWS, NOT PEOPLE: the rows seem to be"
			if !strings.Contains(text, tt.want) ||
				strings.Contains(text, counts) != (tt.want != "") {
				t.Errorf("want %q:\n%s", tt.want, text)
			}
		})
	}
}

// A table of counts is none of people with several rows, though sex and education stay the same
// while the year rises; and rows numbered within sexes are none, as no other fact stays the same.
func TestDraftTakesNoCellsForPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	for name, rows := range map[string]func(out *strings.Builder){
		"counts": func(out *strings.Builder) {
			out.WriteString("sex,education,industry,year,people\n")
			for cell := range 2 * 8 * 9 {
				for year := range 6 {
					fmt.Fprintf(out, "%c,e%d,i%d,%d,%d\n", 'f'+rune(cell%2)*7, cell/2%8, cell/16,
						2000+year, rng.IntN(5000))
				}
			}
		},
		"ranks": func(out *strings.Builder) {
			out.WriteString("sex,rank,pay,education\n")
			var rank [2]int
			for range 900 {
				sex := rng.IntN(2) * rng.IntN(2)
				rank[sex] = (rank[sex] + 1) % 80
				fmt.Fprintf(out, "%c,%d,%d,%d\n", 'f'+rune(sex)*7, rank[sex], rng.IntN(50),
					rng.IntN(9))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out strings.Builder
			rows(&out)
			write(t, "people.csv", out.String())
			text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}},
				sees(0, 1))
			if err != nil || strings.Contains(text, "k COUNTS ROWS") {
				t.Errorf("%v:\n%s", err, text)
			}
		})
	}
}
