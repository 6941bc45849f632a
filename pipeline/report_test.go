package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// The report has the columns of the input with their released columns, and the size of the
// release.
func TestReportOfColumns(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		t.Run(output, func(t *testing.T) {
			job := strings.Replace(peopleJob, "weight: discretize",
				"weight: {mask: discretize, render: bounds}", 1)
			job = strings.Replace(job, "job: suppress", "job: drop", 1)
			job = strings.Replace(job, "[city, age, job]", "[city, age]", 1)
			dir := peopleFolder(t, strings.Replace(job, "out.parquet", output, 1), 300)
			report := mustRun(t, dir, nil)
			var columns []string
			for _, c := range report.Columns {
				columns = append(columns, fmt.Sprintf("%s %s %s %v",
					c.Name, c.Type, c.Mask, c.Released))
			}
			want := []string{
				"age int64 discretize [{age string}]", "born date discretize [{born string}]",
				"city string generalize [{city string}]",
				"job string drop []", "weight float64 discretize [{weight_lower float64} " +
					"{weight_upper float64}]", "income string keep [{income string}]",
			}
			if !slices.Equal(columns, want) {
				t.Errorf("columns\n%s\nwant\n%s",
					strings.Join(columns, "\n"), strings.Join(want, "\n"))
			}
			path := filepath.Join(dir, output)
			if output == "out/" {
				path = filepath.Join(path, fileset.PartName(0))
			}
			if info, err := os.Stat(path); err != nil || report.Bytes != info.Size() ||
				report.Files != 1 {
				t.Errorf("%d bytes in %d files, %v", report.Bytes, report.Files, err)
			}
		})
	}
}

// During a run any goroutine can read the resources that it uses; after the run they include the
// spilled data.
func TestUsage(t *testing.T) {
	dir := spillingRows(t, 2000)
	job := mustLoad(t, dir)
	var usage func() resources.Usage
	quit, over := make(chan struct{}), make(chan struct{})
	var drawn int64
	watch := func() {
		defer close(over)
		for {
			drawn = max(drawn, usage().Drawn)
			select {
			case <-quit:
				return
			default:
			}
		}
	}
	var during resources.Usage
	report, err := Run(t.Context(), job, RunOptions{Events: resources.Events{
		Meter: func(read func() resources.Usage) { usage = read; go watch() },
		Start: func(s resources.Stage) {
			if s == resources.StageSearch {
				during = usage()
			}
		},
	}, System: System{Spill: true, Room: 300, Store: spill.Options{Share: 64 << 10}}})
	close(quit)
	<-over
	must(t, err)
	after := usage()
	if during.Spilled == 0 || after.Spilled != report.Spilled || during.Spilled > after.Spilled {
		t.Errorf("spilled %d before the search, %d in the end, reported %d",
			during.Spilled, after.Spilled, report.Spilled)
	}
	if drawn = max(drawn, during.Drawn); drawn == 0 || drawn > report.PeakDraw || after.Drawn < 0 ||
		after.Resident == 0 || after.Read == 0 || after.Written == 0 {
		t.Errorf("drew %d of at most %d, took %+v", drawn, report.PeakDraw, after)
	}
}

// After every step the report, and run.json, have an upper bound of the records that later steps
// may still distinguish: at least the number that they did, and never more than before. Here
// every disclosed value splits records from records with undisclosed values.
func TestReportOfLiveRecords(t *testing.T) {
	const rows = 2000
	table := &testTable{fields: textFields("a", "b", "c", "label")}
	rng := rand.New(rand.NewPCG(8, 9))
	for range rows {
		row := []string{"", "", "", []string{"low", "high"}[rng.IntN(2)]}
		for c := range 3 {
			row[c] = fmt.Sprint(rng.IntN(1 + rng.IntN(12)))
		}
		table.rows = append(table.rows, row)
	}
	dir := table.folder(t, `
input: in
output: out.parquet
class: label
quasi_identifiers:
  - {columns: [a, b], k: 20}
  - {columns: [b, c], k: 35}
columns: {a: suppress, b: suppress, c: suppress, label: keep}
`, rows)
	job := mustLoad(t, dir)
	var trace strings.Builder
	file := filepath.Join(dir, "run.json")
	report, err := Run(t.Context(), job, RunOptions{Trace: &trace, RunJSON: file})
	must(t, err)
	steps, err := search.ReadTrace(strings.NewReader(trace.String()))
	must(t, err)
	written, err := ReadReport(mustRead(t, file))
	must(t, err)
	if len(steps) < 5 || len(report.Live) != len(steps) ||
		!slices.Equal(written.Live, report.Live) {
		t.Fatalf("%d steps, live records %v, in run.json %v", len(steps), report.Live, written.Live)
	}
	before := uint64(2 * rows)
	for i, live := range report.Live {
		least := distinguished(table.rows, steps, i+1, "ab") +
			distinguished(table.rows, steps, i+1, "bc")
		if live > before || live < least {
			t.Errorf("after step %d %d records are live, %d before, and %d are distinguished later",
				i+1, live, before, least)
		}
		before = live
	}
}

// distinguished counts the records of a set that the steps from a position on distinguish:
// records whose value is not disclosed before, in a column with such a step.
func distinguished(rows [][]string, steps []search.TraceStep, from int, set string) (n uint64) {
	disclosed, later := make(map[string]bool), make(map[string]bool)
	for _, s := range steps[:from] {
		disclosed[s.Column+s.Value.Text] = true
	}
	for _, s := range steps[from:] {
		later[s.Column] = true
	}
	for _, row := range rows {
		for _, column := range strings.Split(set, "") {
			if later[column] && !disclosed[column+row[column[0]-'a']] {
				n++
				break
			}
		}
	}
	return n
}

// A run that finds its release already done reports the stages of the run that made it, and none of
// its own.
func TestReportOfExistingRelease(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	var stages [2][]resources.Stage
	for i := range stages {
		job := mustLoad(t, dir)
		report, err := Run(t.Context(), job, RunOptions{Resume: true})
		if err != nil || report.AlreadyDone != (i == 1) {
			t.Fatalf("run %d: %v", i+1, err)
		}
		for _, s := range report.Stages {
			stages[i] = append(stages[i], s.Stage)
		}
	}
	made := stages[0][:len(stages[0])-1] // the record was written before it was published
	if !slices.Equal(stages[1], made) {
		t.Errorf("%v, want %v", stages[1], made)
	}
}

// The progress of counting has one total, the rows of the input, also where it is read twice.
func TestCountingHasOneTotal(t *testing.T) {
	for _, spill := range []bool{false, true} {
		dir := peopleFolder(t, peopleJob, 3000)
		var mu sync.Mutex
		totals, last := make(map[int64]bool), int64(0)
		opt := RunOptions{System: System{Spill: spill}, Events: resources.Events{
			Progress: func(s resources.Stage, p resources.Progress) {
				mu.Lock()
				defer mu.Unlock()
				if s == resources.StageCompress {
					totals[p.Total], last = true, max(last, p.Done)
				}
			},
		}}
		if _, err := Run(t.Context(), mustLoad(t, dir), opt); err != nil {
			t.Fatal(err)
		}
		if len(totals) != 1 || !totals[3000] || last != 3000 {
			t.Errorf("spilling %v: totals %v, %d rows at the end", spill, totals, last)
		}
	}
}

// An inspection reports the groups that a plain count over the released rows finds, also if a
// column is released as numbers, and with regions.
func TestInspect(t *testing.T) {
	homogeneous, pairs := uint64(0), 0
	for _, tt := range []struct{ name, job string }{
		{"labels", peopleJob},
		{"regions", changed("class: income", "class: income\nalgorithm: mondrian")},
		{"parts", changed("out.parquet", "out/")},
		{"three sets", changed("quasi_identifiers:",
			"quasi_identifiers:\n  - {columns: [born, age], k: 2}")},
		{"sensitive class", changed("class: income",
			"class: income\nsensitive: [{column: income, max_confidence: {high: 0.99}}]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := peopleFolder(t, tt.job, 300)
			report := mustRun(t, dir, nil)
			in, err := verify.Inspect(t.Context(), report.Output, verify.Options{})
			must(t, err)
			if in.Rows != report.Rows || in.Digest != report.Digests.Output {
				t.Errorf("%d rows, digest %s; the report has %d and %s",
					in.Rows, in.Digest, report.Rows, report.Digests.Output)
			}
			if !reflect.DeepEqual(report.Homogeneous, in.Homogeneous) {
				t.Errorf("a run counts %+v, an inspection %+v", report.Homogeneous, in.Homogeneous)
			}
			table := readTable(t, report.Output)
			checkGroups(t, in, table)
			homogeneous += checkHomogeneity(t, in, table)
			pairs += checkAllPairs(t, in, table)
			checkSample(t, report.Output, table)
		})
	}
	if homogeneous == 0 {
		t.Error("no class has one value")
	}
	if pairs < 3 {
		t.Errorf("%d pairs of sets", pairs)
	}
}

// checkAllPairs compares the shares of rows that are alone, or in small classes, for somebody who
// knows two sets, with plain counts. It returns the number of pairs.
func checkAllPairs(t *testing.T, in *verify.Inspection, table *testTable) (pairs int) {
	t.Helper()
	for i, a := range in.Cut.Sets {
		for j, b := range in.Cut.Sets[:i] {
			if a.Within(&b) || b.Within(&a) {
				continue
			}
			counts, alone, below := make(map[string]int), 0, 0
			for _, row := range table.rows {
				counts[table.key(row, slices.Concat(a.Columns, b.Columns))]++
			}
			for _, n := range counts {
				if n == 1 {
					alone++
				}
				if n < min(a.K, b.K) {
					below += n
				}
			}
			want := risk.Pair{Sets: [2]int{j + 1, i + 1}, K: min(a.K, b.K),
				Unique: float64(alone) / float64(len(table.rows)),
				Below:  float64(below) / float64(len(table.rows))}
			if !slices.ContainsFunc(in.Risk.Pairs, func(p risk.Pair) bool {
				return samePair(p, want)
			}) {
				t.Errorf("sets %v: %+v, want %+v", want.Sets, in.Risk.Pairs, want)
			}
			pairs++
		}
	}
	if len(in.Risk.Pairs) != pairs {
		t.Errorf("%d pairs, want %d", len(in.Risk.Pairs), pairs)
	}
	return pairs
}

// checkSample compares some rows of a release with all of its rows.
func checkSample(t *testing.T, path string, table *testTable) {
	t.Helper()
	for _, n := range []int{10, 1, len(table.rows) + 1} {
		sample, err := ReadRows(t.Context(), path, n)
		must(t, err)
		if n = min(n, len(table.rows)); len(sample.Rows) != n {
			t.Fatalf("%d rows, want %d", len(sample.Rows), n)
		}
		for i, cells := range sample.Rows {
			for c, cell := range cells {
				want := table.rows[i*len(table.rows)/n][table.index(sample.Columns[c])]
				if cell != (SampleCell{Text: want}) &&
					(want != null || cell != SampleCell{Null: true}) {
					t.Errorf("row %d, column %s: %+v, want %q", i, sample.Columns[c], cell, want)
				}
			}
		}
	}
}

// checkHomogeneity compares the classes with one value of the class column with plain counts, and
// returns their number.
func checkHomogeneity(t *testing.T, in *verify.Inspection, table *testTable) (total uint64) {
	t.Helper()
	if len(in.Homogeneous) != len(in.Cut.Sets) {
		t.Fatalf("%d columns and sets of %d", len(in.Homogeneous), len(in.Cut.Sets))
	}
	for i, set := range in.Cut.Sets {
		values, records := make(map[string]map[string]bool), make(map[string]uint64)
		shares := make(map[string]float64)
		for _, row := range table.rows {
			class := table.key(row, set.Columns)
			if values[class] == nil {
				values[class] = make(map[string]bool)
			}
			value := row[table.index("income")]
			values[class][value] = true
			shares[value] += 1 / float64(len(table.rows))
			records[class]++
		}
		want := verify.Homogeneity{Set: i + 1, Column: "income"}
		for class, of := range values {
			if len(of) == 1 {
				want.Classes, want.Records = want.Classes+1, want.Records+records[class]
				for value := range of {
					share := float64(records[class]) / float64(len(table.rows))
					want.Gained += share * (1 - shares[value])
				}
			}
		}
		total += want.Classes
		got := in.Homogeneous[i]
		if d := math.Abs(got.Gained - want.Gained); d > 1e-9 {
			t.Errorf("gained %v, want %v", got.Gained, want.Gained)
		}
		if got.Gained = want.Gained; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	return total
}

// checkGroups compares the sizes and labels of an inspection with plain counts.
func checkGroups(t *testing.T, in *verify.Inspection, table *testTable) {
	t.Helper()
	type of struct {
		column int
		label  string
	}
	records := make(map[of]uint64)
	for _, row := range table.rows {
		for c, column := range in.Cut.Columns {
			if column.Render == "" {
				records[of{c, row[table.index(column.Name)]}]++
			}
		}
	}
	smallest := make([]map[of]uint64, len(in.Cut.Sets))
	for i, set := range in.Cut.Sets {
		sizes := make(map[string]uint64)
		for _, row := range table.rows {
			sizes[table.key(row, set.Columns)]++
		}
		checkSizes(t, i, in.Sizes[i], slices.Sorted(maps.Values(sizes)))
		smallest[i] = make(map[of]uint64)
		for _, row := range table.rows {
			for c, column := range in.Cut.Columns {
				if at := (of{c, row[table.index(column.Name)]}); slices.Contains(set.Columns,
					column.Name) {
					smallest[i][at] = min(cmp.Or(smallest[i][at], math.MaxUint64),
						sizes[table.key(row, set.Columns)])
				}
			}
		}
	}
	for c, column := range in.Cut.Columns {
		labels := column.Cut
		if column.Suppressed != "" {
			labels = append(labels, cutfile.Label{Label: column.Suppressed})
		}
		if column.Render != "" {
			labels = nil
		}
		if len(labels) != len(in.Labels[c]) {
			t.Fatalf("column %s: %d labels, want %d", column.Name, len(in.Labels[c]), len(labels))
		}
		for i, label := range labels {
			if label.Null {
				label.Label = null
			}
			at, got := of{c, label.Label}, in.Labels[c][i]
			for set := range smallest {
				if got.Records != records[at] || got.Smallest[set] != smallest[set][at] {
					t.Errorf("column %s, label %d: %+v, want %d records and %d",
						column.Name, i, got, records[at], smallest[set][at])
				}
			}
		}
	}
}

// key returns the texts of a row in some columns as one text.
func (t *testTable) key(row []string, columns []string) string {
	var key []string
	for _, column := range columns {
		key = append(key, row[t.index(column)])
	}
	return fmt.Sprintf("%q", key)
}

// checkSizes compares the sizes of a set's classes with plain counts, in order.
func checkSizes(t *testing.T, set int, got verify.GroupSizes, sizes []uint64) {
	t.Helper()
	if got.Classes != uint64(len(sizes)) || got.Largest != sizes[len(sizes)-1] ||
		got.Buckets[0].From != sizes[0] {
		t.Errorf("set %d: %+v, want %d", set, got, sizes)
	}
	for i, bucket := range got.Buckets {
		count, records := uint64(0), uint64(0)
		for _, n := range sizes {
			if bucket.From <= n && n < bucket.To {
				count, records = count+1, records+n
			}
		}
		if bucket.Classes != count || bucket.Records != records ||
			i > 0 && got.Buckets[i-1].To > bucket.From {
			t.Errorf("set %d: %+v, want %d classes and %d records", set, bucket, count, records)
		}
	}
}

// An inspection refuses a release that does not hold.
func TestInspectRefuses(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	_, err := verify.Inspect(t.Context(), filepath.Join(dir, "job.yaml"), verify.Options{})
	mustFail(t, err, fault.Input)
}

// Some rows of a release with a nested column are read: over all of it, since its rows are in the
// order of their labels, or over its first rows where it has more cells than are looked at.
func TestReadRowsOfNested(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age], k: 2}]
columns: {age: {mask: discretize, render: interval}, name: {mask: keep, identifying: accepted}}
`
	const all, n = 5000, 8
	var rows strings.Builder
	rows.WriteString("age,name\n")
	for i := range all {
		fmt.Fprintf(&rows, "%d,n%d\n", i%50, i)
	}
	dir := csvFolder(t, form, rows.String())
	mustRun(t, dir, nil)
	path := filepath.Join(dir, "out.parquet")
	for _, of := range []struct{ cells, over int }{{lookedAt, all}, {2 * 4096, 4096}, {1, n}} {
		sample, err := sampleRows(t.Context(), path, n, int64(of.cells))
		must(t, err)
		for i, cells := range sample.Rows {
			want := SampleCell{Text: fmt.Sprintf("n%d", i*of.over/n)}
			if cells[0] != (SampleCell{Nested: true}) || cells[1] != want {
				t.Errorf("%d cells, row %d: %+v, want %+v", of.cells, i, cells, want)
			}
		}
		if len(sample.Rows) != n {
			t.Errorf("%d rows", len(sample.Rows))
		}
	}
}
