package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/verify"
)

// numberTable has one column x of a type, with the given texts over and over, and a class
// that goes with their order.
func numberTable(of formats.Type, texts []string, times int) *testTable {
	table := &testTable{fields: []formats.Field{
		{Name: "x", Type: of, Nullable: true},
		{Name: "class", Type: formats.Type{Kind: formats.String}},
	}}
	for i, text := range texts {
		for range times {
			table.rows = append(table.rows, []string{text, string(rune('a' + i*6/len(texts)))})
		}
	}
	return table
}

// numberJob discretizes x with further options.
func numberJob(options string) string {
	return fmt.Sprintf(`
input: in
output: out.parquet
class: class
quasi_identifiers: [{columns: [x], k: 3}]
columns:
  x: {mask: discretize%s}
  class: keep
`, options)
}

// orderedTypes are types that can be discretized, with values of each.
var orderedTypes = []struct {
	name string
	of   formats.Type
	text func(i int) string
}{
	{"int8", formats.Type{Kind: formats.Int, Bits: 8}, func(i int) string { return strconv.Itoa(i*3 - 20) }},
	{"int64", formats.Type{Kind: formats.Int, Bits: 64}, func(i int) string { return strconv.Itoa(i*1234567891234567 - 1e16) }},
	{"uint64", formats.Type{Kind: formats.Uint, Bits: 64}, func(i int) string { return strconv.FormatUint(math.MaxUint64-uint64(100-i), 10) }},
	{"half", formats.Type{Kind: formats.Float, Bits: 16}, func(i int) string { return fmt.Sprint(i*8 - 40) }},
	{"float", formats.Type{Kind: formats.Float, Bits: 32}, func(i int) string { return fmt.Sprintf("%d.1", i-5) }},
	{"double", formats.Type{Kind: formats.Float, Bits: 64}, func(i int) string { return fmt.Sprintf("%d.7e-9", i+1) }},
	{"decimal", formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, func(i int) string { return fmt.Sprintf("%d.05", i) }},
	{"long decimal", formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 3}, func(i int) string { return fmt.Sprintf("%d00000000000.001", i+7) }},
	{"wide decimal", formats.Type{Kind: formats.Decimal, Precision: 38, Scale: 5, Wide: true}, func(i int) string { return fmt.Sprintf("%d000000000000000000000.00001", i+7) }},
	{"date", formats.Type{Kind: formats.Date}, func(i int) string { return fmt.Sprintf("%d-03-05", 1960+i*37) }},
	{"old date", formats.Type{Kind: formats.Date}, func(i int) string { return fmt.Sprintf("%04d-02-28", 1+i*900) }},
	{"time", formats.Type{Kind: formats.Time, Unit: formats.Milli}, func(i int) string { return fmt.Sprintf("%02d:30:00.25", i) }},
	{"timestamp", formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}, func(i int) string { return fmt.Sprintf("2024-03-%02dT12:00:00.5Z", i+1) }},
	{"local timestamp", formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, func(i int) string { return fmt.Sprintf("2024-03-%02dT12:00:00", i+1) }},
}

// Every ordered type, rendered in every way, open and with bounds, is true, verified and of
// the type it should be.
func TestRender(t *testing.T) {
	for _, tt := range orderedTypes {
		for _, render := range []string{jobfile.RenderLabel, jobfile.RenderBounds, jobfile.RenderMidpoint} {
			for _, declared := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s %v", tt.name, render, declared), func(t *testing.T) {
					var texts []string
					for i := range 12 {
						texts = append(texts, tt.text(i))
					}
					bounds := ""
					if declared {
						bounds = fmt.Sprintf(", bounds: [%q, %q]", tt.text(0), tt.text(11))
					}
					renderOne(t, numberTable(tt.of, append(texts, null), 4), tt.of, render, bounds)
				})
			}
		}
	}
}

func renderOne(t *testing.T, table *testTable, of formats.Type, render, bounds string) {
	t.Helper()
	dir := jobFolder(t, numberJob(", render: "+render+bounds))
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 20)
	if render == jobfile.RenderMidpoint && (of.Kind == formats.Time || of.Kind == formats.Timestamp) {
		before := listing(t, dir)
		if _, err := runJob(t, dir, nil); fault.ClassOf(err) != fault.Usage {
			t.Errorf("got %v of class %d", err, fault.ClassOf(err))
		}
		unchanged(t, dir, before)
		return
	}
	if report := mustRun(t, dir, nil); report.Steps < 3 {
		t.Fatalf("%d steps tell too little", report.Steps)
	}
	a := auditFolder(t, dir)
	want := formats.Type{Kind: formats.String}
	switch {
	case render == jobfile.RenderBounds:
		want = of
	case render == jobfile.RenderMidpoint && of.Kind == formats.Date:
		want = of
	case render == jobfile.RenderMidpoint:
		want = formats.Type{Kind: formats.Float, Bits: 64}
	}
	for _, field := range a.release.fields[:len(a.release.fields)-1] {
		if field.Type != want || !field.Nullable {
			t.Errorf("column %s is %s", field.Name, field.Type)
		}
	}
	if render == jobfile.RenderMidpoint {
		checkMidpoints(t, a, of)
	}
}

// checkMidpoints: every value stands as the middle of the interval it lies in, as a
// null when there is no middle.
func checkMidpoints(t *testing.T, a *audit, of formats.Type) {
	t.Helper()
	seen := make(map[string]bool)
	for row := range a.source.rows {
		value, got := a.source.columns[0].at(row), a.release.columns[0].at(row)
		if seen[value] {
			continue
		}
		seen[value] = true
		right := got == null
		for _, label := range a.cut.Columns[0].Cut {
			i, _ := parseInterval(label.Label)
			if !label.Null && value != null && within(value, i) && i.lower != "" && i.upper != "" {
				right = isMiddle(got, i, of)
			}
		}
		if !right {
			t.Errorf("%q became %q", value, got)
		}
	}
}

// isMiddle reports whether a text is the middle of an interval: of dates the day, of
// numbers a float within its rounding.
func isMiddle(text string, i interval, of formats.Type) bool {
	if of.Kind == formats.Date {
		from, _ := time.Parse(time.DateOnly, i.lower)
		to, _ := time.Parse(time.DateOnly, i.upper)
		return text == from.AddDate(0, 0, int((to.Unix()-from.Unix())/86400/2)).Format(time.DateOnly)
	}
	a, _ := strconv.ParseFloat(i.lower, 64)
	b, _ := strconv.ParseFloat(i.upper, 64)
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-(a/2+b/2)) <= 4e-16*math.Max(math.Abs(a), math.Abs(b))
}

// Infinite and huge values have no middle, -0 is 0, and a NaN lies in no interval.
func TestFloatCorners(t *testing.T) {
	double := formats.Type{Kind: formats.Float, Bits: 64}
	texts := []string{
		"-Infinity", "-1.7e308", "-1e-320", "-0", "0", "1e-320", "0.1", "1e21", "1.7e308", "Infinity", "NaN", "NaN:7ff8000000000001", null,
	}
	for _, options := range []string{"", ", render: bounds", ", render: midpoint", ", bounds: [-Infinity, Infinity]", ", bounds: [-1.8e308, null]"} {
		t.Run(options, func(t *testing.T) {
			table := numberTable(double, texts, 4)
			for row := range table.rows { // only the order of -0 and 0 would tell these apart
				if table.rows[row][0] == "0" || table.rows[row][0] == "-0" {
					table.set(row, "class", string(rune('x'+row%2)))
				}
			}
			dir := jobFolder(t, numberJob(options))
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 7)
			report, err := runJob(t, dir, nil)
			if strings.Contains(options, "1.8e308") {
				if fault.ClassOf(err) != fault.Usage {
					t.Errorf("a bound that is no float: %v", err)
				}
				return
			}
			if err != nil || report.Steps < 4 {
				t.Fatalf("got %+v, %v", report, err)
			}
			if len(report.Nulls) != 1 || report.Nulls[0].Rows != 12 {
				t.Errorf("nulls %+v", report.Nulls)
			}
			a := auditFolder(t, dir)
			for _, label := range a.cut.Columns[0].Cut {
				if strings.Contains(label.Label, "-0,") || strings.Contains(label.Label, "NaN") {
					t.Errorf("label %s", label.Label)
				}
			}
		})
	}
}

// Columns that are null all over, even without a type, are released in every form.
func TestNullColumn(t *testing.T) {
	for _, options := range []string{"", ", render: bounds", ", render: midpoint", ", bounds: [1, 9]", ", bounds: [1, 9], render: bounds"} {
		for name, of := range map[string]formats.Type{"integer": {Kind: formats.Int, Bits: 32}, "none": {Kind: formats.Null}} {
			t.Run(name+options, func(t *testing.T) {
				dir := jobFolder(t, numberJob(options))
				table := numberTable(of, []string{null, null, null}, 4)
				table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 5)
				mustRun(t, dir, nil)
				path := filepath.Join(dir, "out.parquet")
				if v, err := verify.Release(t.Context(), path, verify.Watch{}); err != nil || v.Sets[0].Anonymity != 12 {
					t.Errorf("got %+v, %v", v, err)
				}
			})
		}
	}
}

// A release is the same table whatever its files look like.
func TestOutputShapes(t *testing.T) {
	const rows = 1000
	table := people(rand.New(rand.NewPCG(7, 8)), rows)
	var want *testTable
	var cut []byte
	for _, output := range []string{
		"out.parquet", "out/", "{path: out.parquet, compression: none}", "{path: out.parquet, compression: snappy}",
		"{path: out.parquet, compression: gzip, level: 9}", "{path: out.parquet, level: 19}",
		"{path: out.parquet, row_group_rows: 7}", "{path: out/, row_group_rows: 9}", "{path: out/, row_group_rows: 1000000}",
	} {
		t.Run(output, func(t *testing.T) {
			dir := jobFolder(t, outputIs(output))
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, rows, 300)
			mustRun(t, dir, nil)
			a := auditFolder(t, dir)
			got := readTable(t, a.job.Output.Path)
			if want == nil {
				want, cut = got, a.cut.Raw
			}
			if !slices.EqualFunc(got.rows, want.rows, slices.Equal) || !bytes.Equal(a.cut.Raw, cut) {
				t.Error("another table")
			}
			if fileset.IsDirectory(a.job.Output.Path) {
				checkDirectory(t, a.job)
			}
		})
	}
}

// checkDirectory: a directory has its parts and the mark of success, and a second run takes
// the place of the first.
func checkDirectory(t *testing.T, job *jobfile.Job) {
	t.Helper()
	rows := job.Output.RowGroupRows
	if rows == 0 {
		rows = usualGroup
	}
	groups := (1000 + rows - 1) / rows
	want := []string{"_SUCCESS", "_manifest.json"}
	for part := range (groups + groupsPerPart - 1) / groupsPerPart {
		want = append(want, fmt.Sprintf("part-%05d.parquet", part))
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(job.Output.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	write(t, filepath.Join(job.Output.Path, "part-99999.parquet"), "of another run")
	if _, err := Run(t.Context(), job, RunOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("overwritten: got %v, want %v", got, want)
	}
}

// Partition columns of the input are masked like others and end up in the file alone.
func TestHive(t *testing.T) {
	dir := jobFolder(t, strings.Replace(peopleJob, "columns: [born, city, weight]", "columns: [born, year, region]", 1)+"\n")
	text, err := os.ReadFile(filepath.Join(dir, "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "job.yaml"), strings.Replace(string(text), "  weight: discretize\n", "  weight: drop\n  year: discretize\n  region: suppress\n  day: keep\n", 1))
	table := people(rand.New(rand.NewPCG(9, 9)), 1200)
	for part := range 12 {
		region := []string{"north", "so%2Futh", "__HIVE_DEFAULT_PARTITION__"}[part%3]
		folder := filepath.Join(dir, "in", fmt.Sprintf("year=%d", 2000+part/3), "region="+region, fmt.Sprintf("day=2020-01-%02d", part+1))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		table.parquet(t, filepath.Join(folder, "a.parquet"), part*100, part*100+100, 1000)
	}
	for _, output := range []string{"out.parquet", "out/"} {
		report := mustRun(t, dir, nil, "output.path", dir+"/"+output)
		if report.Steps < 3 {
			t.Errorf("%d steps tell too little", report.Steps)
		}
		auditFolder(t, dir, "output.path", dir+"/"+output)
	}
}

func TestMaxSteps(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	people(rand.New(rand.NewPCG(7, 8)), 1000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 1000, 300)
	all := mustRun(t, dir, nil).Steps
	for steps := range all + 2 {
		if got := mustRun(t, dir, nil, "max_steps", fmt.Sprint(steps)).Steps; got != min(steps, all) {
			t.Errorf("%d steps of at most %d, %d in all", got, steps, all)
		}
		a := auditFolder(t, dir)
		if steps == 0 {
			for name, column := range a.labels {
				if len(column.texts) != 2 || slices.Contains(column.codes, 0) {
					t.Errorf("column %s has more than its top label", name)
				}
			}
		}
	}
}

func TestNoClass(t *testing.T) {
	dir := jobFolder(t, changed("class: income\n", ""))
	people(rand.New(rand.NewPCG(7, 8)), 1000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 1000, 300)
	for _, score := range []string{"tdr", "tds", "infogain"} {
		if report := mustRun(t, dir, nil, "score", score); report.Steps < 3 {
			t.Errorf("score %s: %d steps", score, report.Steps)
		}
		if a := auditFolder(t, dir); a.cut.Class != "" {
			t.Errorf("class %q", a.cut.Class)
		}
	}
}

func TestOverrideK(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	people(rand.New(rand.NewPCG(7, 8)), 1000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 1000, 300)
	k := []string{"quasi_identifiers[].k", "40"}
	mustRun(t, dir, nil, k...)
	for _, set := range auditFolder(t, dir, k...).cut.Sets {
		if set.K != 40 || set.Anonymity < 40 {
			t.Errorf("got %+v", set)
		}
	}
}

// A set within another with the same k or a larger one adds nothing; the run says so.
func TestRedundantSets(t *testing.T) {
	dir := jobFolder(t, changed("  - {columns: [born, city, weight], k: 3}", `  - {columns: [job, city], k: 4}
  - {columns: [born, weight], k: 3}
  - {columns: [weight, born], k: 3}
  - {columns: [age], k: 6}`))
	people(rand.New(rand.NewPCG(7, 8)), 1000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 1000, 300)
	report := mustRun(t, dir, nil)
	for _, set := range []int{2, 4} {
		want := fmt.Sprintf("quasi-identifier set %d is redundant", set)
		if !slices.ContainsFunc(report.Notices, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("notices %q, want %q", report.Notices, want)
		}
	}
	if a := auditFolder(t, dir); len(a.cut.Sets) != 3 {
		t.Errorf("sets %+v", a.cut.Sets)
	}
}

// A column with more distinct values than a search may split at is cut at quantile edges,
// and that is all: a table that has the edges in place of the values gives the same cut.
func TestQuantileBins(t *testing.T) {
	const distinct = maxSplitValues + 3000
	rng := rand.New(rand.NewPCG(11, 12))
	table := &testTable{fields: []formats.Field{
		{Name: "x", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "class", Type: formats.Type{Kind: formats.String}},
	}}
	counts := make(map[int]int)
	for range distinct + 20_000 {
		value := len(table.rows)
		if value >= distinct {
			value = rng.IntN(distinct/10) * 10
		}
		counts[value]++
		class := []string{"a", "b"}[value/9000%2]
		table.rows = append(table.rows, []string{fmt.Sprint(value * 3), class})
	}
	dir := jobFolder(t, strings.Replace(numberJob(""), "k: 3", "k: 500", 1))
	path := filepath.Join(dir, "in", "a.parquet")
	table.parquet(t, path, 0, len(table.rows), 30_000)
	report := mustRun(t, dir, nil)
	if report.Steps < 5 {
		t.Fatalf("%d steps tell too little", report.Steps)
	}
	want := auditFolder(t, dir).cut.Raw
	edges := quantileEdges(counts, len(table.rows))
	notice := fmt.Sprintf("column x has %d distinct values: split points are restricted to %d quantile edges", distinct, len(edges))
	if !slices.Contains(report.Notices, notice) {
		t.Errorf("notices %q, want %q", report.Notices, notice)
	}
	for _, row := range table.rows {
		value, _ := strconv.Atoi(row[0])
		at, exact := slices.BinarySearch(edges, value/3)
		if !exact {
			at--
		}
		row[0] = fmt.Sprint(edges[at] * 3)
	}
	table.parquet(t, path, 0, len(table.rows), 30_000)
	if got := mustRun(t, dir, nil); len(got.Notices) > 0 {
		t.Errorf("notices %q", got.Notices)
	}
	cut, err := cutfile.Read(filepath.Join(dir, "out.parquet"))
	if err != nil || !bytes.Equal(cut.Raw, want) {
		t.Errorf("over the edges (%v):\n%s\nwant\n%s", err, cut.Raw, want)
	}
}

// quantileEdges returns the smallest value with at least i/65536 of the rows below it, of
// every i, without repetition.
func quantileEdges(counts map[int]int, rows int) []int {
	var edges []int
	values := slices.Sorted(maps.Keys(counts))
	below, next := 0, 0
	for i := range maxSplitValues {
		for next < len(values) && below*maxSplitValues < i*rows {
			below += counts[values[next]]
			next++
		}
		if next < len(values) {
			edges = append(edges, values[next])
		}
	}
	return slices.Compact(edges)
}
