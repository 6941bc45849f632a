package pipeline

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// A release in its own order depends only on the set of rows of the input: not on their order,
// nor on files, row groups, threads or memory. It has the rows of the release in the order of the
// input.
func TestOrderOfTheRelease(t *testing.T) {
	rows := 0
	for _, seed := range seeded(t, seedtest.Few(20, 40)) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := randomCase(rng)
		list := searches()
		if !strings.Contains(table.job, "class:") {
			list = classless
		}
		algorithm := list[rng.IntN(len(list))]
		table.job = withAlgorithm(table.job, algorithm)
		ok := t.Run(fmt.Sprint(searchName(algorithm), " ", seed), func(t *testing.T) {
			dir := table.put(t, rng)
			overrides := append(slices.Clone(table.overrides), "order", job.OrderReleased)
			want := outcomeOf(t, dir, RunOptions{}, overrides...)
			if want.err != "" {
				return
			}
			of := releasedRows(t, dir, overrides...)
			of.checkOrder(t)
			in := releasedRows(t, dir, table.overrides...)
			if got, want := of.count(of.labels), in.count(in.labels); !maps.Equal(got, want) {
				t.Error("the labels are others than in the order of the input")
			}
			if got, want := of.count(of.kept), in.count(in.kept); !maps.Equal(got, want) {
				t.Error("the kept values are others than in the order of the input")
			}
			rows += len(of.rows)
			rng.Shuffle(len(table.rows), func(i, j int) {
				table.rows[i], table.rows[j] = table.rows[j], table.rows[i]
			})
			options := RunOptions{System: System{
				Spill: rng.IntN(2) == 0, Store: spill.Options{FS: spilltest.Healthy()},
			}}
			overrides = append(overrides, "limits.threads",
				fmt.Sprint(1+rng.IntN(4)), "limits.memory", []string{"16MiB", "1GiB"}[rng.IntN(2)])
			mustAgree(t, outcomeOf(t, table.put(t, rng), options, overrides...), want)
		})
		if !ok {
			t.Fatalf("seed %d\n%s", seed, table.job)
		}
	}
	if rows == 0 {
		t.Error("nothing was released")
	}
}

// rowsOf is a release as texts.
type rowsOf struct {
	rows         [][]string
	ranks        []map[string]int // of every column's texts in the cut; nil: it has none
	texts        []bool           // a column of text
	labels, kept []int            // columns, in the order of the cut and of the release
}

// releasedRows runs a folder's job and reads its release.
func releasedRows(t *testing.T, dir string, overrides ...string) (r rowsOf) {
	t.Helper()
	j := mustLoad(t, dir, overrides...)
	_, err := Run(t.Context(), j, RunOptions{Overwrite: true})
	must(t, err)
	return readRows(t, j.Output.Path)
}

func readRows(t *testing.T, path string) (r rowsOf) {
	t.Helper()
	cut := readCut(t, path)
	g := readReleased(t, path)
	r.ranks = make([]map[string]int, len(g.fields))
	index := map[string]int{}
	for c := range g.fields {
		index[g.fields[c].Name] = c
		r.texts = append(r.texts, g.fields[c].Type == textType)
	}
	for _, column := range cut.Columns {
		for _, name := range releasedNames(column.Name, column.Render) {
			r.labels = append(r.labels, index[name])
		}
		if column.Render == "" {
			r.ranks[index[column.Name]] = ranksOf(&column)
		}
	}
	for c := range g.fields {
		if !slices.Contains(r.labels, c) {
			r.kept = append(r.kept, c)
		}
	}
	for i := range g.rows {
		row := make([]string, len(g.fields))
		for c := range row {
			row[c] = g.columns[c].at(i)
		}
		r.rows = append(r.rows, row)
	}
	return r
}

// ranksOf returns the places of a masked column's labels in the cut.
func ranksOf(column *cutfile.Column) map[string]int {
	ranks := map[string]int{null: len(column.Cut) + 1}
	for i, label := range column.Cut {
		if !label.Null {
			ranks[label.Label] = i
		}
	}
	if column.Suppressed != "" {
		ranks[column.Suppressed] = len(column.Cut)
	}
	return ranks
}

// count counts the rows by some of their columns.
func (r *rowsOf) count(columns []int) map[string]int {
	counts := map[string]int{}
	for _, row := range r.rows {
		key := ""
		for _, c := range columns {
			key += row[c] + "\x01"
		}
		counts[key]++
	}
	return counts
}

// checkOrder: rows are in the order of the places of their labels in the cut, rows with equal
// labels in the order of their texts, with nulls last. Columns with another rendering, or without
// texts, are not checked.
func (r *rowsOf) checkOrder(t *testing.T) {
	t.Helper()
	for i := 1; i < len(r.rows); i++ {
		if a, b := r.rows[i-1], r.rows[i]; r.compare(a, b) > 0 {
			t.Fatalf("row %d %q comes before %q", i-1, a, b)
		}
	}
}

func (r *rowsOf) compare(a, b []string) int {
	for _, c := range r.labels {
		switch {
		case a[c] == b[c]:
		case r.ranks[c] == nil:
			return 0
		default:
			return cmp.Compare(r.ranks[c][a[c]], r.ranks[c][b[c]])
		}
	}
	for _, c := range r.kept {
		switch {
		case a[c] == b[c]:
		case !r.texts[c]:
			return 0
		case a[c] == null:
			return 1
		case b[c] == null:
			return -1
		default:
			return cmp.Compare(a[c], b[c])
		}
	}
	return 0
}

// orderJob keeps one of two columns.
const orderJob = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age, city], k: 5}]
columns: {age: discretize, born: drop, city: generalize, job: %s, weight: %s, income: drop}
taxonomies: trees.yaml
`

// An attacker who knows the order of the input finds out whose row is whose, and an attacker with
// two releases of the same people joins them row by row. Both attacks fail with rows in the order
// of the release.
func TestOrderIdentifiesNobody(t *testing.T) {
	table := people(rand.New(rand.NewPCG(3, 4)), 2000)
	weights := map[string]string{}
	for i, row := range table.rows { // everybody has a job and a weight of their own
		row[3], row[4] = fmt.Sprintf("job %04d", i*7919%len(table.rows)), fmt.Sprint(i)
		weights[row[3]] = row[4]
	}
	night := func(order, ofJob, ofWeight string) (values []string) {
		dir := table.folder(t, fmt.Sprintf(orderJob, ofJob, ofWeight), 500)
		r := releasedRows(t, dir, "order", order)
		for _, row := range r.rows {
			values = append(values, row[r.kept[0]])
		}
		return values
	}
	for order, found := range map[string]func(n int) bool{
		job.OrderInput:    func(n int) bool { return n == len(table.rows) },
		job.OrderReleased: func(n int) bool { return n < len(table.rows)/20 },
	} {
		jobs, heavy := night(order, "{mask: keep, identifying: accepted}", "drop"),
			night(order, "drop", "{mask: keep, identifying: accepted}")
		place, joined := 0, 0
		for i := range jobs {
			if jobs[i] == table.rows[i][3] {
				place++
			}
			if weights[jobs[i]] == heavy[i] {
				joined++
			}
		}
		if !found(place) || !found(joined) {
			t.Errorf("order %s: of %d rows %d are found by their place, %d joined with another "+
				"release", order, len(jobs), place, joined)
		}
	}
}

// Rows have the places of their kept values among all values of a column, unless there are too
// many values or too little memory. The release is the same in both cases.
func TestOrderOfManyKeptValues(t *testing.T) {
	const released = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [sex], k: 5}]
columns: {sex: suppress, wage: {keep: {identifying: accepted}}, note: {keep: {identifying: accepted}}}
`
	for _, values := range []int{65_534, 65_535, 65_536, 70_000} {
		t.Run(fmt.Sprint(values), func(t *testing.T) {
			table := &testTable{fields: []formats.Field{
				{Name: "sex", Type: textType, Nullable: true},
				{Name: "wage", Type: wholeType, Nullable: true},
				{Name: "note", Type: textType, Nullable: true},
			}}
			for i := range 3*values + 1000 {
				// each wage is in a row group three times, so the row group has a dictionary of
				// wages
				wage := fmt.Sprint(i / 3 % values)
				table.rows = append(table.rows,
					[]string{[]string{"f", "m"}[i%2], wage, "n" + fmt.Sprint(i%300)})
			}
			dir := table.folder(t, released, 30_000)
			overrides := []string{"order", job.OrderReleased, "limits.memory", "1GiB",
				"limits.threads"}
			want := outcomeOf(t, dir, RunOptions{}, append(overrides, "1")...)
			if want.err != "" {
				t.Fatal(want.err)
			}
			mustAgree(t, outcomeOf(t, dir, RunOptions{}, append(overrides, "3")...), want)
			if small := outcomeOf(t, dir, RunOptions{}, "order", job.OrderReleased, "limits.memory",
				"64MiB"); !bytes.Equal(small.release, want.release) {
				t.Errorf("another release with less memory, %s", small.err)
			}
			r := releasedRows(t, dir, overrides[:4]...)
			r.checkOrder(t)
			input := rowsOf{rows: table.rows}
			if !maps.Equal(r.count(r.kept), input.count([]int{1, 2})) {
				t.Error("the kept values are others than those of the input")
			}
		})
	}
}

// The memory decides which properties of kept columns are known before rows are masked. The
// release does not depend on it, even if the kept values decide which labels rows of a divided
// cell get, or have no folder.
func TestMemoryForKeptValues(t *testing.T) {
	for _, algorithm := range []string{"tdr", "kactus", "{name: mondrian, partitioning: relaxed}"} {
		for _, output := range []string{"out.parquet", "{path: out.parquet, row_group_rows: 700}"} {
			table, text := people(rand.New(rand.NewPCG(1, 2)), 4000),
				changed("income: keep", "income: keep"+keptColumns(5))
			for i := range 5 {
				table.fields = append(table.fields,
					formats.Field{Name: fmt.Sprint("kept", i), Type: textType, Nullable: true})
				for row := range table.rows {
					value := fmt.Sprint(row * (i + 3) % 3001)
					if i%2 == 1 {
						value = strings.Repeat(value, 20)
					}
					table.rows[row] = append(table.rows[row], value)
				}
			}
			dir := table.folder(t, strings.Replace(withAlgorithm(text, algorithm), "out.parquet",
				output, 1), 1000)
			overrides := []string{"order", job.OrderReleased, "limits.threads", "2"}
			want := outcomeOf(t, dir, RunOptions{}, append(overrides, "limits.memory", "1GiB")...)
			if want.err != "" {
				t.Fatal(want.err)
			}
			for _, memory := range []string{"16MiB", "20MiB", "24MiB", "64MiB"} {
				if got := outcomeOf(t, dir, RunOptions{}, append(overrides, "limits.memory",
					memory)...); !bytes.Equal(got.release, want.release) {
					t.Errorf("%s with %s: another release, %s", algorithm, memory, got.err)
				}
			}
		}
	}
}

// keptColumns returns lines of a job that keep columns.
func keptColumns(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "\n  kept%d: {keep: {identifying: accepted}}", i)
	}
	return lines.String()
}
