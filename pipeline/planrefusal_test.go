package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/risk"
)

// A plan of all rows ends as the run does, in what it says too: also where one set has all columns,
// which leaves nobody alone. Without rows it ends with what schemas and sizes show.
func TestPlanRefusesAsTheRun(t *testing.T) {
	var rows, people strings.Builder
	rows.WriteString("age,town,secret\n")
	people.WriteString("age,town,n\n")
	for i := range 60 {
		age, town := 20+i%30, []string{"Bonn", "Rome"}[i/30]
		fmt.Fprintf(&rows, "%d,%s,s%d\n", age, town, i/20)
		fmt.Fprintf(&people, "%d,%s,%d\n", age, town, 1+i%3)
	}
	const sets, of = "[{columns: all, k: 2}]", "population: {input: people.csv, count: n}\n"
	lacking := strings.Replace(people.String(), "20,Bonn,1\n", "", 1)
	for _, tt := range []struct {
		name, sets, keys, people, want string
		class                          fault.Class
		isForeseen                     bool // without rows
	}{
		{"values are alike", sets, "sensitive: [{column: secret, l: 4}]\n", "",
			"l is 4, all records together have 3", fault.Privacy, false},
		{"rows are risky", sets, "max_risk: {average: 1%}\nmax_suppressed: 50%\n", "",
			"max_risk.average", fault.Privacy, true},
		{"groups are small", sets, "max_risk: {average: 9%}\nalgorithm: mondrian\n", "",
			"max_risk.average is 9%", fault.Privacy, false},
		{"no population", "[{columns: all, k: 2, k_map: 3}]", of, "",
			"open the population", fault.Input, true},
		{"a column is lacking", "[{columns: all, k: 2, k_map: 3}]", of,
			strings.ReplaceAll(people.String(), "town", "city"), "town", fault.Input, true},
		{"texts for numbers", "[{columns: all, k: 2, k_map: 3}]", of,
			strings.ReplaceAll(people.String(), "20,", "twenty,"), "its type is", fault.Input,
			true},
		{"few people", "[{columns: all, k: 2, k_map: 121}]", of, people.String(),
			"the whole population does not meet k_map or a presence: 60 rows of 120 people",
			fault.Privacy, true},
		{"too many are in the table", "[{columns: all, k: 2, max_presence: 49%}]", of,
			people.String(), "the whole population does not meet", fault.Privacy, true},
		{"people are lacking", "[{columns: all, k: 2, k_map: 3}]", of, lacking,
			"the population: it lacks those of 1 row", fault.Input, false},
		{"some rows are alone", "[{columns: [age], k: 2, k_map: 60}, {columns: [town], k: 2}]",
			of, people.String(), "", 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := csvFolder(t, "input: in\noutput: out.parquet\nquasi_identifiers: "+tt.sets+
				"\ncolumns: {age: discretize, town: suppress, secret: keep}\n"+tt.keys,
				rows.String())
			if tt.people != "" {
				write(t, filepath.Join(dir, "people.csv"), tt.people)
			}
			foreseen := tt.class
			if !tt.isForeseen {
				foreseen = 0
			}
			_, planned := planJob(t, dir, PlanOptions{}, "max_unique", "0%")
			f, sampled := planJob(t, dir, PlanOptions{Sample: true}, "max_unique", "0%")
			_, ran := runJob(t, dir, nil, "max_unique", "0%")
			if tt.want == "" {
				must(t, ran)
			} else {
				mustFail(t, ran, tt.class, tt.want)
			}
			if fmt.Sprint(sampled) != fmt.Sprint(ran) {
				t.Errorf("the plan of all rows: %v\nthe run: %v", sampled, ran)
			}
			if f != nil && strings.Contains(fmt.Sprint(f.Notices), "does not count") {
				t.Errorf("the plan of all rows counted the population: %q", f.Notices)
			}
			if fault.ClassOf(planned) != foreseen && (planned != nil || foreseen != 0) {
				t.Errorf("the plan: %v", planned)
			}
			if _, err := os.Stat(filepath.Join(dir, "out.parquet")); ran != nil && err == nil {
				t.Error("there is a release")
			}
		})
	}
}

// A plan counts a number of classes one by one. It says that it does not know the average risk of a
// set that has more, which the run counts, and refuses.
func TestPlanNotesUncountedRisk(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b\n")
	for i := range risk.UnionHashes + 1000 {
		fmt.Fprintf(&rows, "%d,%d\n", i/400, i%400)
	}
	dir := csvFolder(t, "input: in\noutput: out.parquet\nalgorithm: mondrian\n"+
		"quasi_identifiers: [{columns: [a, b], k: 1}]\n"+
		"columns: {a: discretize, b: discretize}\nmax_risk: {average: 99%}\n", rows.String())
	f, err := planJob(t, dir, PlanOptions{Sample: true})
	must(t, err)
	const want = "the average risk of a row on quasi-identifier set 1 is not predicted: it has " +
		"more than 131,072 classes, and a plan counts no more; a run counts all, and ends with 4 " +
		"above max_risk.average 99%"
	if got := slices.DeleteFunc(slices.Clone(f.Notices), func(note string) bool {
		return !strings.Contains(note, "average risk")
	}); !slices.Equal(got, []string{want}) {
		t.Errorf("notes %q", got)
	}
	mustRefuse(t, dir, RunOptions{}, fault.Privacy, "the average risk of a row on "+
		"quasi-identifier set 1 is 100.0 %, max_risk.average is 99%")
}
