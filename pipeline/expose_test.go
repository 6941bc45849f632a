package pipeline

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/risk"
)

// keptPeople returns people with columns that identify rows by themselves (id), only together
// (street, house), or not at all (ward), and with a column that determines a masked column
// (title).
func keptPeople(rows int) *testTable {
	table := people(rand.New(rand.NewPCG(5, 6)), rows)
	table.addColumn("id", func(row int) string { return fmt.Sprint("id", row) })
	table.addColumn("street", func(row int) string { return fmt.Sprint("street", row/20) })
	table.addColumn("house", func(row int) string { return fmt.Sprint("house", row%20) })
	table.addColumn("ward", func(row int) string { return fmt.Sprint("ward", row%3) })
	table.addColumn("title", func(row int) string { return table.rows[row][3] + "'s" })
	return table
}

// keeping is the people's job with these kept columns; it drops the other columns.
func keeping(entries ...string) string {
	return changed("  income: keep", "  income: keep\n  "+strings.Join(entries, "\n  ")) +
		"\nunlisted: drop\n"
}

// accepting returns the entries of kept columns that may identify rows.
func accepting(names ...string) (entries []string) {
	for _, name := range names {
		entries = append(entries, name+": {keep: {identifying: accepted}}")
	}
	return entries
}

// A release whose kept columns identify people is refused, with the names of the columns, before
// any file is written, unless the entries of the columns accept it.
func TestKeptIdentifiersAreRefused(t *testing.T) {
	table := keptPeople(600)
	for _, tt := range []struct {
		name    string
		entries []string
		refused []string // columns in the message or the hint; nil: the table is released
		noted   string
	}{
		{"identifier", []string{"id: keep"}, []string{
			"job.yaml:15:7", "100.0 % of the rows are unique on kept column id",
			"id: {keep: {identifying: accepted}}",
		}, ""},
		{"accepted", []string{"id: {keep: {identifying: accepted}}"},
			nil, "100.0 % of the rows are unique on the class and kept column id: accepted"},
		{"accepted, other form", []string{"id: {mask: keep, identifying: accepted}", "ward: keep"},
			nil, "kept column id: accepted"},
		{"another is accepted", []string{"id: keep", "ward: {keep: {identifying: accepted}}"},
			[]string{"kept column id"}, ""},
		{"together", []string{"street: keep", "house: keep"},
			[]string{"the class and the kept columns street, house", "street: {keep"}, ""},
		{"one of them is accepted", []string{
			"street: {keep: {identifying: accepted}}", "house: keep",
		}, []string{"street, house", "house: {keep"}, ""},
		{"both are accepted", []string{"street: {keep: {identifying: accepted}}",
			"house: {keep: {identifying: accepted}}"}, nil, "kept columns street, house: accepted"},
		{"beside an accepted one", []string{"id: {keep: {identifying: accepted}}",
			"street: keep", "house: keep"}, []string{"street, house"}, ""},
		{"neither", []string{"title: keep", "ward: keep"}, nil, ""},
		{"the class alone", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := table.folder(t, keeping(tt.entries...), 250)
			if tt.refused != nil {
				mustRefuse(t, dir, RunOptions{}, fault.Privacy, tt.refused...)
				return
			}
			report := mustRun(t, dir, nil)
			noted := func(text string) bool { return strings.Contains(text, tt.noted) }
			if tt.noted != "" && !slices.ContainsFunc(report.Notices, noted) ||
				tt.noted == "" && slices.ContainsFunc(report.Notices, func(text string) bool {
					return strings.Contains(text, "accepted")
				}) {
				t.Errorf("notices %q, want %q", report.Notices, tt.noted)
			}
			if (report.Risk.Kept == nil) != (tt.entries == nil) || report.Risk.Raw == nil {
				t.Errorf("risk %+v", report.Risk)
			}
		})
	}
}

// A message about thousands of kept columns names some of them.
func TestManyIdentifiersAreNamedInPart(t *testing.T) {
	table, entries := keptPeople(200), []string{"id: {keep: {identifying: accepted}}"}
	for i := range 60 {
		name := fmt.Sprint("kept", i)
		table.addColumn(name, func(row int) string { return fmt.Sprint(row % 7 * (i + 1)) })
		entries = append(entries, name+": keep")
	}
	_, err := Run(t.Context(),
		mustLoad(t, table.folder(t, keeping(append(entries, "street: keep", "house: keep")...),
			200)), RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "kept37, and ") ||
		strings.Contains(err.Error(), "kept38") {
		t.Errorf("%v: want the first 40 of the kept columns", err)
	}
}

// A job that keeps all unlisted columns is refused, too, and so is an applied cut.
func TestUnlistedIdentifiersAreRefused(t *testing.T) {
	table := keptPeople(300)
	dir := table.folder(t, strings.Replace(keeping("id: {keep: {identifying: accepted}}"),
		"unlisted: drop", "unlisted: keep", 1), 300)
	mustRefuse(t, dir, RunOptions{}, fault.Privacy, "street, house", "columns.street")

	dir = table.folder(t, keeping("id: {keep: {identifying: accepted}}"), 300)
	mustRun(t, dir, nil)
	editJob(t, dir, "{keep: {identifying: accepted}}", "keep")
	before := listing(t, dir)
	_, err := Apply(t.Context(), mustLoad(t, dir, "output.path",
		filepath.Join(dir, "again.parquet")), ApplyOptions{Cut: filepath.Join(dir, "out.parquet")})
	mustFail(t, err, fault.Privacy, "kept column id")
	unchanged(t, dir, before)
}

// The reported risk of a release agrees with naive counts of the released file. A kept column
// that determines a masked column is named.
func TestRiskOfRelease(t *testing.T) {
	table := keptPeople(700)
	dir := table.folder(t, keeping(append(accepting("ward"), "title: keep")...), 200)
	editJob(t, dir, "weight: discretize", "weight: {mask: discretize, render: bounds}")
	report := mustRun(t, dir, nil)
	if want := []risk.Determined{{Kept: "title", Masked: "job"}}; !slices.Equal(
		report.Risk.Determines, want) {
		t.Errorf("%+v tell masked columns", report.Risk.Determines)
	}
	text := "column title is kept, and its values determine those of masked column job"
	risks := "risk of a row, for who knows the quasi-identifiers of all sets: 100.0 % on average " +
		"and 100.0 % at most before masking, "
	if !slices.Contains(report.Notices, text) ||
		!slices.ContainsFunc(report.Notices, func(text string) bool {
			return strings.HasPrefix(text, risks)
		}) {
		t.Errorf("notices %q", report.Notices)
	}
	released := readTable(t, filepath.Join(dir, "out.parquet"))
	kept := []string{"income", "ward", "title"}
	labels := []string{"age", "born", "city", "job", "weight_lower", "weight_upper"}
	for _, tt := range []struct {
		what    string
		got     *risk.Figures
		columns []string
	}{
		{"kept columns", report.Risk.Kept, kept}, {"labels", report.Risk.Labels, labels},
		{"both", report.Risk.Both, append(slices.Clone(labels), "title")},
	} {
		sizes := make(map[string]int)
		for _, row := range released.rows {
			tuple := ""
			for i, field := range released.fields {
				if slices.Contains(tt.columns, field.Name) {
					tuple += row[i] + "|"
				}
			}
			sizes[tuple]++
		}
		unique, below := 0, 0
		for _, n := range sizes {
			if n == 1 {
				unique++
			}
			if n < 3 {
				below += n
			}
		}
		got := fmt.Sprintf("%.6f %.6f %d %.6f",
			tt.got.Unique, tt.got.Below, tt.got.Classes, tt.got.Marketer)
		n := float64(len(released.rows))
		if want := fmt.Sprintf("%.6f %.6f %d %.6f",
			float64(unique)/n, float64(below)/n, len(sizes), float64(len(sizes))/n); got != want {
			t.Errorf("%s: %s, want %s", tt.what, got, want)
		}
	}
	if !slices.Equal(report.Risk.Columns, kept) || report.Risk.K != 3 {
		t.Errorf("%+v", report.Risk)
	}
}

// The figures are the same for all numbers of threads, budgets and layouts.
func TestRiskDoesNotDependOnLayout(t *testing.T) {
	table := keptPeople(900)
	var want string
	for i, groupRows := range []int{900, 200, 50} {
		dir := table.folder(t, keeping(accepting("street", "title", "ward")...), groupRows)
		report := mustRun(t, dir, nil, "limits.threads", fmt.Sprint(1+i), "limits.memory",
			[]string{"16MiB", "1GiB", "64MiB"}[i])
		text, err := json.Marshal(report)
		must(t, err)
		_, got, _ := strings.Cut(string(text), `"risk"`)
		got, _, _ = strings.Cut(got, `"inputs"`)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("row groups of %d rows: %s, want %s", groupRows, got, want)
		}
	}
}

// A class that may be a name is refused by itself, unless its entry accepts it.
func TestIdentifyingClassIsRefused(t *testing.T) {
	for _, tt := range []struct {
		what    string
		class   func(row int) string
		refused string
	}{
		{"nearly a name", func(row int) string {
			return fmt.Sprint("name", min(row, 400))
		}, "of the rows are unique on class column income"},
		{"many texts", func(row int) string {
			return fmt.Sprint("name", row%101)
		}, "class column income has 101 classes"},
		{"as many as there may be", func(row int) string {
			return fmt.Sprint("name", row%100)
		}, ""},
	} {
		t.Run(tt.what, func(t *testing.T) {
			table := keptPeople(606)
			for row := range table.rows {
				table.rows[row][5] = tt.class(row)
			}
			dir := table.folder(t, keeping(), 250)
			_, planned := planJob(t, dir, PlanOptions{Sample: true})
			if tt.refused == "" {
				must(t, planned)
				mustRun(t, dir, nil)
				return
			}
			mustFail(t, planned, fault.Privacy, tt.refused)
			mustRefuse(t, dir, RunOptions{}, fault.Privacy, tt.refused,
				"income: {keep: {identifying: accepted}}")
			editJob(t, dir, "  income: keep", "  income: {keep: {identifying: accepted}}")
			mustRun(t, dir, nil)
		})
	}
}

// Two rows of one person hide each other no more than one row: with the key entity, people are
// counted.
func TestKeptIdentifiersOfEntitiesAreRefused(t *testing.T) {
	table := keptPeople(600)
	table.addColumn("patient", func(row int) string { return fmt.Sprint("p", row/2) })
	table.addColumn("hospital", func(row int) string { return fmt.Sprint("h", row/2) })
	table.addColumn("clinic", func(row int) string { return fmt.Sprint("c", row/100) })
	const entity = "entity: patient\n"
	dir := table.folder(t, keeping("hospital: keep")+entity, 200)
	_, planned := planJob(t, dir, PlanOptions{Sample: true})
	mustFail(t, planned, fault.Privacy, "100.0 % of the entities are unique on kept column "+
		"hospital")
	mustRefuse(t, dir, RunOptions{}, fault.Privacy,
		"100.0 % of the entities are unique on kept column hospital")
	dir = table.folder(t, keeping("clinic: keep")+entity, 200)
	if kept := mustRun(t, dir, nil).Risk.Kept; kept.Unique != 0 || kept.Below != 0 ||
		kept.Classes < 6 {
		t.Errorf("%+v", kept)
	}
}

// A row that stands for a few records is not unique, but below k: it is refused like the same
// records in rows of their own.
func TestKeptIdentifiersBelowKAreRefused(t *testing.T) {
	table := keptPeople(600)
	table.fields = append(table.fields, formats.Field{Name: "times", Type: wholeType})
	for i := range table.rows {
		table.rows[i] = append(table.rows[i], "2")
	}
	const count = "count: times\n"
	dir := table.folder(t, keeping("id: keep")+count, 200)
	mustRefuse(t, dir, RunOptions{}, fault.Privacy,
		"100.0 % of the rows are in classes of fewer than 3 on kept column id",
		"id: {keep: {identifying: accepted}}")
	mustRun(t, table.folder(t, keeping("ward: keep")+count, 200), nil)

	table = keptPeople(600)
	table.addColumn("couple", func(row int) string { return fmt.Sprint("c", row/2) })
	dir = table.folder(t, keeping("couple: keep"), 200)
	mustRefuse(t, dir, RunOptions{}, fault.Privacy,
		"100.0 % of the rows are in classes of fewer than 3 on kept column couple")
}

// determinedPeople are people with kept columns that masked columns determine: the age determines
// one, the city and the age together determine another.
func determinedPeople(rows int) *testTable {
	table := keptPeople(rows)
	table.addColumn("decade", func(row int) string { return "d" + table.rows[row][0] })
	table.addColumn("where", func(row int) string {
		age := table.rows[row][0]
		return table.rows[row][2] + age[len(age)-1:]
	})
	table.addColumn("patient", func(row int) string { return fmt.Sprint("p", row/2) })
	return table
}

// A kept column that one or two masked columns determine is a member of their set. If it leaves
// rows, or people, in small classes, the release is refused with a hint, unless the entry of the
// column accepts it. A plan of all rows ends like the run.
func TestDeterminedColumnsAreMembers(t *testing.T) {
	table := determinedPeople(6000)
	const entity = "entity: patient\n"
	for _, tt := range []struct {
		entry, also string
		refused     []string
	}{
		{
			"decade: keep",
			"",
			[]string{"column decade is kept, and its value follows from that of masked column age",
				"of the rows are in classes of fewer than", "on quasi-identifier set",
				"mask decade", "drop it", "decade: {keep: {identifying: accepted}}"},
		},
		{
			"where: keep", "", []string{"column where is kept, and its value follows from those " +
				"of masked columns city and age"},
		},
		{"decade: keep", entity, []string{"column decade is kept",
			"of the entities are in classes of fewer than"}},
		{"decade: {keep: {identifying: accepted}}", "", nil},
	} {
		t.Run(tt.entry+tt.also, func(t *testing.T) {
			dir := table.folder(t, keeping(tt.entry)+tt.also, 300)
			editJob(t, dir, "k: 5", "k: 60")
			if tt.refused != nil {
				_, planned := planJob(t, dir, PlanOptions{Sample: true}, "max_unique", "0%")
				mustFail(t, planned, fault.Privacy, tt.refused...)
				_, err := Run(t.Context(), mustLoad(t, dir, "max_unique", "0%"), RunOptions{})
				mustFail(t, err, fault.Privacy, tt.refused...)
				if tt.also == "" && planned.Error() != err.Error() {
					t.Errorf("planned: %v, run: %v", planned, err)
				}
				leftovers(t, dir)
				return
			}
			report := mustRun(t, dir, nil)
			if text := "column decade is kept, and its value follows from that of masked " +
				"column age"; !slices.Contains(report.Notices, text) {
				t.Errorf("notices %q", report.Notices)
			}
		})
	}
}
