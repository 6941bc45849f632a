package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/pipeline/resources"
)

// csvFolder makes a jobFolder with CSV files as its input.
func csvFolder(t *testing.T, job string, files ...string) string {
	t.Helper()
	dir := jobFolder(t, job)
	for i, text := range files {
		write(t, filepath.Join(dir, "in", string(rune('a'+i))+".csv"), text)
	}
	return dir
}

// mustNote demands a notice with a given beginning.
func mustNote(t *testing.T, notices []string, start string) {
	t.Helper()
	if !slices.ContainsFunc(notices, func(n string) bool { return strings.HasPrefix(n, start) }) {
		t.Errorf("notices %q, want one that begins %q", notices, start)
	}
}

// TestNumbersKeepTheirText: codes that look like numbers keep every text in releases, counts and
// drafts. A notice names the first text that a number would change.
func TestNumbersKeepTheirText(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age, code], k: 2}]
columns: {age: discretize, code: suppress, lab: keep, cost: keep, part: keep, gone: drop}
order: input
`
	var rows strings.Builder
	rows.WriteString("age,code,lab,cost,part,gone\n")
	codes, labs := []string{"250.0", "250.00"}, []string{"1E2", "10E1", "100"}
	for i := range 30 {
		rows.WriteString([]string{"30", "30.0", "40", "4e1"}[i%4] + "," + codes[i%2] +
			"," + labs[i%3] + ",250.00,0.5,1.50\n")
	}
	dir := csvFolder(t, form, rows.String())
	report := mustRun(t, dir, nil)
	if got := readRows(t, filepath.Join(dir, "out.parquet")).rows; len(got) != 30 {
		t.Errorf("%d rows", len(got))
	} else {
		for i, row := range got {
			if row[1] != codes[i%2] || row[2] != labs[i%3] || row[3] != "250.00" ||
				row[4] != "0.5" {
				t.Fatalf("row %d is %q", i, row)
			}
		}
	}
	mustNote(t, report.Notices, "column code is read as text: line 3 of ")
	mustNote(t, report.Notices, "column lab is read as text: line 2 of ")
	for _, note := range report.Notices {
		for _, name := range []string{"age", "cost", "part", "gone"} {
			if strings.HasPrefix(note, "column "+name+" is read as text") {
				t.Errorf("notice %q", note)
			}
		}
	}
	var notices []string
	opt := check.Options{Input: []string{filepath.Join(dir, "in")}, Columns: []string{"code"},
		Events: resources.Events{Notice: func(n string) { notices = append(notices, n) }}}
	checked, err := check.Table(t.Context(), opt)
	must(t, err)
	if checked.Classes != 2 || checked.Anonymity != 15 {
		t.Errorf("check finds %+v", checked)
	}
	mustNote(t, notices, "column code is read as text: line 3 of ")
	editJob(t, dir, "lab: keep", "lab: {mask: keep, type: number}")
	if report := mustRun(t, dir, nil, "output.path",
		filepath.Join(dir, "declared.parquet")); slices.ContainsFunc(report.Notices,
		func(n string) bool { return strings.HasPrefix(n, "column lab is") }) {
		t.Errorf("notices %q of a declared type", report.Notices)
	}
}

// TestNumbersOfOneForm: floats as pandas, Spark and R write them are numbers, for run, check and
// draft.
func TestNumbersOfOneForm(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age], k: 2}]
columns: {age: discretize, pandas: keep, spark: keep, r: keep}
`
	pandas, spark, r := []string{"10.0", "2.25", "1e-05"}, []string{"10.0", "2.25", "1.0E7"},
		[]string{"10", "2.25", "1e+05"}
	var rows strings.Builder
	rows.WriteString("age,pandas,spark,r\n")
	for i := range 30 {
		fmt.Fprintf(&rows, "%d.0,%s,%s,%s\n", 20+i%4, pandas[i%3], spark[i%3], r[i%3])
	}
	dir := csvFolder(t, form, rows.String())
	report := mustRun(t, dir, nil)
	released := readReleased(t, filepath.Join(dir, "out.parquet"))
	for _, f := range released.fields[1:] {
		if f.Type != floatType {
			t.Errorf("column %s is %s", f.Name, f.Type)
		}
	}
	if slices.ContainsFunc(report.Notices, func(n string) bool {
		return strings.Contains(n, "is read as text")
	}) {
		t.Errorf("notices %q", report.Notices)
	}
	checked, err := check.Table(t.Context(), check.Options{
		Input: []string{filepath.Join(dir, "in")}, Columns: []string{"spark"},
	})
	if must(t, err); checked.Classes != 3 || checked.Anonymity != 10 {
		t.Errorf("check finds %+v", checked)
	}
}

// TestDecimalCommas: numbers in other numerals are texts, and run, plan, check and draft note the
// keys that make them numbers; with these keys they are numbers for all four.
func TestDecimalCommas(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age, wage], k: 2}]
columns: {age: discretize, wage: suppress, share: keep}
`
	var rows strings.Builder
	rows.WriteString("age;wage;share\n")
	for i := range 32 {
		fmt.Fprintf(&rows, "%d;%s;%s\n", 20+i%4, []string{"1.234,56", "999,50"}[i/8%2],
			[]string{"0,5", "12,25"}[i%2])
	}
	const wage = `column wage is read as text: its values look like numbers with decimal commas or groups of digits; if they are, set csv.decimal: ","`
	const share = `column share is read as text: its values look like numbers with decimal commas or groups of digits; if they are, set csv.decimal: ","`
	dir := csvFolder(t, form, rows.String())
	report := mustRun(t, dir, nil)
	planned, err := Plan(t.Context(), mustLoad(t, dir), PlanOptions{Overwrite: true})
	must(t, err)
	checking := check.Options{Input: []string{filepath.Join(dir, "in")}, Columns: []string{"wage"}}
	checked := func() (notices []string) {
		checking.Events = resources.Events{Notice: func(n string) { notices = append(notices, n) }}
		_, err := check.Table(t.Context(), checking)
		must(t, err)
		return notices
	}
	drafting := draft.Options{Input: checking.Input}
	drafted, err := draft.Job(t.Context(), drafting, planning.Try)
	must(t, err)
	mustNote(t, report.Notices, share)
	mustNote(t, planned.Notices, share)
	mustNote(t, checked(), wage)
	if !strings.Contains(drafted, "\ncsv: {decimal: \",\"} # ") ||
		strings.Contains(drafted, "# Note: ") {
		t.Errorf("the draft does not declare commas:\n%s", drafted)
	}
	editJob(t, dir, "wage: suppress", "wage: discretize")
	if _, err := runJob(t, dir, nil); err == nil || !strings.Contains(fault.HintOf(err), `csv.decimal: ","`) {
		t.Errorf("intervals of texts: %v, hint %q", err, fault.HintOf(err))
	}

	write(t, filepath.Join(dir, "job.yaml"), string(mustRead(t, filepath.Join(dir, "job.yaml")))+
		"csv: {decimal: \",\"}\n")
	report = mustRun(t, dir, nil)
	checking.CSV.Decimal, drafting.CSV.Decimal = ',', ','
	drafted, err = draft.Job(t.Context(), drafting, planning.Try)
	must(t, err)
	for _, note := range slices.Concat(report.Notices, checked(), []string{drafted}) {
		if strings.Contains(note, "is read as text") {
			t.Errorf("notice %q", note)
		}
	}
	if !strings.Contains(drafted, "csv: {decimal: \",\"}") {
		t.Errorf("the draft does not say how numbers are written:\n%s", drafted)
	}
	rowsOf := readReleased(t, filepath.Join(dir, "out.parquet"))
	if kept := rowsOf.fields[2]; kept.Type != floatType {
		t.Errorf("column share is %s", kept.Type)
	}
	if label := readCut(t, filepath.Join(dir, "out.parquet")).Columns[1].Cut; len(label) < 2 ||
		!strings.Contains(label[0].Label, ",1") {
		t.Errorf("intervals of wages are %+v", label)
	}
}

// TestDatesOfOtherForms: dates and times in other forms than ISO 8601 are texts, and run, plan,
// check and draft note how to declare them, without guessing which part is the day; with a
// declaration they are dates and times.
func TestDatesOfOtherForms(t *testing.T) {
	const form = `
input: in
output: out.parquet
order: input
max_unique: 100%
quasi_identifiers: [{columns: [age], k: 2}]
columns: {age: discretize, born: keep, seen: keep, at: keep}
`
	var rows strings.Builder
	rows.WriteString("age,born,seen,at\n")
	for i := range 8 {
		fmt.Fprintf(&rows, "%d,%s\n", 20+i%4, []string{
			"01/02/68,1/2/2020 12:05 AM,9:05 pm", "03/04/69,12/31/1999 12:00 PM,12:30 am",
		}[i%2])
	}
	notes := []string{
		"column born is read as text: its values look like dates or times; if they are, declare " +
			"how they are written, as type: date(D/M/YY) or type: date(M/D/YY)",
		"column seen is read as text: its values look like dates or times; if they are, declare " +
			"how they are written, as type: timestamp(M/D/YYYY hh:mm AM)",
		"column at is read as text: its values look like dates or times; if they are, declare " +
			"how they are written, as type: time(hh:mm AM)",
	}
	dir := csvFolder(t, form, rows.String())
	report := mustRun(t, dir, nil)
	planned, err := Plan(t.Context(), mustLoad(t, dir), PlanOptions{Overwrite: true})
	must(t, err)
	var checked []string
	checking := check.Options{Input: []string{filepath.Join(dir, "in")},
		Columns: []string{"born", "seen", "at"}}
	checking.Events = resources.Events{Notice: func(n string) { checked = append(checked, n) }}
	_, err = check.Table(t.Context(), checking)
	must(t, err)
	drafted, err := draft.Job(t.Context(), draft.Options{Input: checking.Input}, planning.Try)
	must(t, err)
	for _, note := range notes {
		mustNote(t, report.Notices, note)
		mustNote(t, planned.Notices, note)
		mustNote(t, checked, note)
	}
	// a draft declares the types of those that have one form
	mustNote(t, strings.Split(drafted, "# Note: "), notes[0])
	if !strings.Contains(drafted, "type: timestamp(M/D/YYYY hh:mm AM)") {
		t.Errorf("the draft is\n%s", drafted)
	}
	editJob(t, dir, "born: keep, seen: keep, at: keep",
		"born: {mask: keep, type: date(MM/DD/YY)}, seen: {mask: keep, type: timestamp(M/D/YYYY "+
			"hh:mm AM)}, at: {mask: keep, type: time(hh:mm AM)}")
	report = mustRun(t, dir, nil)
	for _, note := range report.Notices {
		if strings.Contains(note, "is read as text") {
			t.Errorf("notice %q", note)
		}
	}
	got := readRows(t, filepath.Join(dir, "out.parquet")).rows
	for i, want := range []string{"2068-01-02 2020-01-02T00:05:00 21:05:00",
		"1969-03-04 1999-12-31T12:00:00 00:30:00"} {
		if text := strings.Join(got[i][1:], " "); text != want {
			t.Errorf("row %d is %s, want %s", i, text, want)
		}
	}
}

// TestFileWithoutHeader: every line is a record if the job says so; otherwise run, plan, check
// and draft note that the names look like values.
func TestFileWithoutHeader(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [NAME], k: 5}]
unlisted: drop
columns: {NAME: discretize}
`
	var rows strings.Builder
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%s,%d,Bonn,\n", i, []string{"M", "F"}[i%2], 20+i%5)
	}
	const note = ": names in the header look like values, in column 1, 2, 3, 4"
	noted := func(notices []string) bool {
		return slices.ContainsFunc(notices, func(n string) bool {
			return strings.Contains(n, note)
		})
	}
	for name, want := range map[string]int64{`"20"`: 39, "column3\ncsv: {header: false}": 40, "age\ncsv: {header: [id, sex, age, town]}": 40} {
		key, csv, _ := strings.Cut(name, "\n")
		dir := csvFolder(t, strings.ReplaceAll(form, "NAME", key)+csv+"\n", rows.String())
		report := mustRun(t, dir, nil)
		if report.Rows != want || noted(report.Notices) != (want == 39) {
			t.Errorf("%s: %d rows, notices %q", name, report.Rows, report.Notices)
		}
		planned, err := Plan(t.Context(), mustLoad(t, dir),
			PlanOptions{Overwrite: true, Sample: true})
		if must(t, err); noted(planned.Notices) != (want == 39) {
			t.Errorf("%s: notices of the plan %q", name, planned.Notices)
		}
	}
}

// A table as R writes it, whose header lacks the name of the first column, is read where the job
// names that column. Without the name a run ends before it writes anything.
func TestRowNames(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age], k: 5}]
columns:
  age: suppress
  town: keep
  row: {mask: drop, rename: 1}
order: input
`
	rows := `"age","town"` + "\n"
	for i := range 40 {
		rows += fmt.Sprintf("\"%d\",%d,\"t, %d\"\n", i+1, 20+i%2, i%7)
	}
	_, err := Run(t.Context(), mustLoad(t, csvFolder(t, strings.Replace(form,
		"  row: {mask: drop, rename: 1}\n", "", 1), rows)), RunOptions{})
	mustFail(t, err, fault.Input, "column 1 has no name")
	dir := csvFolder(t, form, rows)
	mustRun(t, dir, nil)
	got := readRows(t, filepath.Join(dir, "out.parquet")).rows
	for i, row := range got {
		if row[0] != fmt.Sprint(20+i%2) || row[1] != fmt.Sprintf("t, %d", i%7) {
			t.Fatalf("row %d is %q", i, row)
		}
	}
	if len(got) != 40 {
		t.Errorf("%d rows", len(got))
	}
}
