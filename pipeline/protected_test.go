package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// visitsJob releases hospital visits, of which a patient may have many. It keeps the number of a
// visit, so that a test finds its row again.
const visitsJob = `
input: in
output: out.parquet
class: again
quasi_identifiers:
  - {columns: [age, sex, ward, stay], k: 10}
columns:
  visit:     {mask: keep, identifying: accepted}
  patient:   drop
  age:       discretize
  sex:       generalize
  ward:      suppress
  stay:      discretize
  diagnosis: {mask: keep, identifying: accepted}
  again:     keep
taxonomies:
  sex: {Person: [F, M]}
`

// visits draws visits of patients: 7 patients for 10 visits, most with one, some with up to 40.
func visits(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "visit", Type: wholeType}, {Name: "patient", Type: wholeType, Nullable: true},
		{Name: "age", Type: wholeType, Nullable: true},
		{Name: "sex", Type: textType}, {Name: "ward", Type: textType, Nullable: true},
		{Name: "stay", Type: wholeType},
		{Name: "diagnosis", Type: textType}, {Name: "again", Type: textType},
	}}
	wards := []string{"surgery", "heart", "lung", "skin", "eye", "kidney", "bone", "brain", "birth",
		"burn"}
	for patient := 0; len(t.rows) < rows; patient++ {
		n := 1
		for rng.IntN(10) < 2 && n < 40 {
			n++
		}
		if rng.IntN(200) == 0 {
			n = 1 + rng.IntN(40)
		}
		age, sex, ward := fmt.Sprint(rng.IntN(95)), []string{"F", "M"}[rng.IntN(2)],
			wards[int(math.Pow(rng.Float64(), 2)*10)]
		if rng.IntN(50) == 0 {
			age = null
		}
		for range n {
			if rng.IntN(8) == 0 {
				ward = wards[rng.IntN(len(wards))]
			}
			if rng.IntN(90) == 0 {
				ward = null
			}
			diagnosis, again := fmt.Sprint("d", len(ward)%4), "no"
			if rng.IntN(4) == 0 {
				diagnosis = fmt.Sprint("d", rng.IntN(9))
			}
			if rng.IntN(100) < 20+n*5 {
				again = "yes"
			}
			id := fmt.Sprint(patient)
			if patient%97 == 0 {
				id = null
			}
			t.rows = append(t.rows, []string{fmt.Sprint(len(t.rows)), id, age, sex,
				ward, fmt.Sprint(1 + int(math.Pow(rng.Float64(), 3)*14)), diagnosis, again})
		}
	}
	return t
}

// groupsOf returns the rows of the table in each group of a folder's release: rows with the same
// labels.
func (t *testTable) groupsOf(tb testing.TB, path string) map[string][][]string {
	tb.Helper()
	g := readGrid(tb, &job.Job{Input: []string{path}}, nil)
	groups := map[string][][]string{}
	for i := range g.rows {
		key, row := "", 0
		for c := range g.fields {
			switch value := g.columns[c].at(i); g.fields[c].Name {
			case "visit":
				_, err := fmt.Sscan(value, &row)
				must(tb, err)
			case "age", "sex", "ward", "stay":
				key += value + "\x00"
			}
		}
		groups[key] = append(groups[key], t.rows[row])
	}
	return groups
}

// different returns the number of distinct values of a column in rows.
func different(rows [][]string, column int) int {
	values := map[string]bool{}
	for _, row := range rows {
		values[row[column]] = true
	}
	return len(values)
}

// visitRows is the number of visits in tests.
func visitRows() int {
	if long {
		return 100_000
	}
	return 5_000
}

// A group of k rows may have fewer than k people: an attacker who knows that somebody was often
// there finds him in it. With the key entity every group has k people, whatever the algorithm.
func TestEntityCountsPeople(t *testing.T) {
	table := visits(rand.New(rand.NewPCG(5, 6)), visitRows())
	attacked := 0
	for _, algorithm := range []string{"tdr", "tds", "tdr\nmax_suppressed: 5%",
		"tds\nmax_suppressed: 3%\nsuppressed: drop",
		"mondrian", "{name: mondrian, categories: ordered}", "infogain-mondrian",
		"{name: mondrian, sets: apart}",
		"{name: infogain-mondrian, sets: apart}\nobjective: balanced", "guided", "kactus",
		"{name: kactus, leftover: recruit}", "iack"} {
		t.Run(searchName(algorithm), func(t *testing.T) {
			few := func(more string) (groups, below int) {
				dir := table.folder(t, withAlgorithm(visitsJob+more, algorithm), 1000)
				report := mustRun(t, dir, nil)
				if report.Released < report.Rows*9/10 {
					t.Errorf("%d of %d rows are released", report.Released, report.Rows)
				}
				for _, rows := range table.groupsOf(t, report.Output) {
					groups++
					if different(rows, 1) < 10 {
						below++
					}
				}
				return groups, below
			}
			_, before := few("")
			attacked += before
			groups, below := few("entity: patient\n")
			t.Logf("%d groups without entity have fewer than 10 people; of %d with it %d",
				before, groups, below)
			if below > 0 {
				t.Errorf("%d of %d groups have fewer than 10 people", below, groups)
			}
			if groups < 2 && algorithm != "iack" { // it takes one step only
				t.Error("all is one group")
			}
		})
	}
	if attacked == 0 {
		t.Error("no group is of fewer than 10 people without entity")
	}
}

// An attacker who knows all quasi-identifiers of a person learns the diagnosis if the whole group
// has it. With the key sensitive no group reveals more than the job allows, whatever the
// algorithm.
func TestSensitiveValuesAreNotRevealed(t *testing.T) {
	table := visits(rand.New(rand.NewPCG(7, 8)), visitRows())
	column := map[string]int{"diagnosis": 6, "again": 7}
	shares := func(rows [][]string, name string) map[string]float64 {
		var values []string
		for _, row := range rows {
			values = append(values, row[column[name]])
		}
		return sharesOf(values)
	}
	attacked := 0
	for _, algorithm := range []string{"tdr", "tds", "mondrian", "infogain-mondrian",
		"{name: mondrian, sets: apart}", "{name: infogain-mondrian, sets: apart}", "guided",
		"{name: kactus, leftover: recruit}"} {
		t.Run(searchName(algorithm), func(t *testing.T) {
			grouped := func(t *testing.T, more string) map[string][][]string {
				dir := table.folder(t, withAlgorithm(
					strings.Replace(visitsJob, "k: 10", "k: 4", 1)+more, algorithm), 1000)
				return table.groupsOf(t, mustRelease(t, dir, 0).job.Output.Path)
			}
			without := grouped(t, "")
			for _, of := range []struct {
				column, measure string
				bound           float64
			}{
				{"diagnosis", "l", 3}, {"diagnosis", "entropy_l", 2.5},
				{"diagnosis", "max_confidence", 0.6}, {"diagnosis", "t", 0.35},
				{"again", "l", 2}, {"again", "max_confidence", 0.85},
			} {
				t.Run(of.column+" "+of.measure, func(t *testing.T) {
					whole := shares(table.rows, of.column)
					broken := func(groups map[string][][]string) (broken int) {
						for _, rows := range groups {
							if class := shares(rows, of.column); !naiveMeasures(class,
								whole, null).meets(of.measure, of.bound) {
								broken++
							}
						}
						return broken
					}
					before := broken(without)
					attacked += before
					groups := grouped(t, fmt.Sprintf("sensitive: [{column: %s, %s: %v}]\n",
						of.column, of.measure, of.bound))
					after := broken(groups)
					t.Logf("%d groups without it tell too much; of %d with it %d",
						before, len(groups), after)
					if after > 0 {
						t.Errorf("%d of %d groups tell too much", after, len(groups))
					}
				})
			}
		})
	}
	if attacked == 0 {
		t.Error("no group tells too much without sensitive")
	}
}

// All protections at once hold, out of core and in memory with the same bytes.
func TestProtectionsTogether(t *testing.T) {
	for _, more := range []string{
		"entity: patient\nsensitive: [{column: diagnosis, l: 3, max_confidence: {d3: 0.7}}, " +
			"{column: again, max_confidence: 0.9}]\n",
		"entity: patient\nmax_suppressed: 4%\nsensitive: [{column: diagnosis, l: 3}]\n",
	} {
		for _, algorithm := range []string{"tdr", "tds", "infogain-mondrian"} {
			if strings.Contains(more, "max_suppressed") && algorithm == "infogain-mondrian" {
				continue
			}
			t.Run(searchName(algorithm), func(t *testing.T) {
				table := visits(rand.New(rand.NewPCG(9, 1)), visitRows())
				dir := table.folder(t, withAlgorithm(visitsJob+more, algorithm), 1000)
				want := outcomeOf(t, dir, RunOptions{})
				mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true}},
					"limits.threads", "3"), want)
				a := mustRelease(t, dir, 0)
				if want.steps == 0 && algorithm != "infogain-mondrian" {
					t.Error("no label is disclosed")
				}
				for _, rows := range table.groupsOf(t, a.job.Output.Path) {
					if different(rows, 1) < 10 || different(rows, 6) < 3 {
						t.Fatalf("a group of %d rows has %d people and %d diagnoses",
							len(rows), different(rows, 1), different(rows, 6))
					}
				}
				again := filepath.Join(t.TempDir(), "again.parquet")
				report, err := Apply(t.Context(), mustLoad(t, dir, "output.path", again),
					ApplyOptions{Cut: a.job.Output.Path})
				must(t, err)
				if report.Suppressed != a.cut.Suppressed ||
					!slices.EqualFunc(readTable(t, a.job.Output.Path).rows,
						readTable(t, again).rows, slices.Equal) {
					t.Error("applied again, the cut makes another release")
				}
				mustFind(t, again)
				table.rows = table.rows[:len(table.rows)/9]
				few := table.folder(t, withAlgorithm(visitsJob+more, algorithm), 1000)
				_, err = Apply(t.Context(), mustLoad(t, few), ApplyOptions{Cut: again})
				if mustFail(t, err, fault.Privacy); algorithm == "tdr" &&
					!strings.Contains(more, "max_suppressed") {
					report, err = Apply(t.Context(), mustLoad(t, few),
						ApplyOptions{Cut: again, OnBreak: search.BreakCoarsen})
					must(t, err)
					for _, rows := range table.groupsOf(t, report.Output) {
						if different(rows, 1) < 10 || different(rows, 6) < 3 {
							t.Fatalf("applied, a group of %d rows has %d people and %d diagnoses",
								len(rows), different(rows, 1), different(rows, 6))
						}
					}
				}
			})
		}
	}
}

// TestRefusedProtections: requirements that no release can meet end a run before the search, and
// contradictory requirements end it before the input is read.
func TestRefusedProtections(t *testing.T) {
	table := visits(rand.New(rand.NewPCG(5, 6)), 300)
	for row := range table.rows {
		table.rows[row][1] = fmt.Sprint(row % 9)
	}
	for _, tt := range []struct {
		more  string
		class fault.Class
	}{
		{"entity: patient\n", fault.Privacy}, // nine people, k = 10
		{"sensitive: [{column: again, l: 3}]\n", fault.Privacy},
		{"sensitive: [{column: again, t: 0}]\n", fault.Privacy},
		{"entity: nobody\n", fault.Usage},
		{"sensitive: [{column: nothing, l: 2}]\n", fault.Usage},
		{"entity: age\n", fault.Usage},
		{"entity: again\n", fault.Usage},
		{"sensitive: [{column: age, l: 2}]\n", fault.Usage},
		{"sensitive: [{column: patient, l: 2}]\n", fault.Usage},
		{"sensitive: [{column: diagnosis}]\n", fault.Usage},
		{"max_suppressed: 5%\nsensitive: [{column: diagnosis, t: 0.2}]\n", fault.Usage},
		{"algorithm: bottom-up\nsensitive: [{column: diagnosis, l: 2}]\n", fault.Usage},
	} {
		_, err := runJob(t, table.folder(t, visitsJob+tt.more, 100), nil)
		if mustFail(t, err, tt.class); t.Failed() {
			t.Fatal(tt.more)
		}
	}
}
