package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// counted returns the table with each set of equal rows as one or several rows with counts, in
// any order, and with some rows of count 0.
func (t *testTable) counted(rng *rand.Rand) *testTable {
	times := make(map[string]int)
	row := make(map[string][]string)
	for _, r := range t.rows {
		key := strings.Join(r, "\x01")
		times[key]++
		row[key] = r
	}
	kind := []formats.Type{wholeType, {Kind: formats.Uint, Bits: 64},
		{Kind: formats.Int, Bits: 32}}[rng.IntN(3)]
	at := rng.IntN(len(t.fields) + 1)
	of := &testTable{fields: slices.Insert(slices.Clone(t.fields),
		at, formats.Field{Name: "times", Type: kind, Nullable: rng.IntN(2) == 0})}
	for key, n := range times {
		for n >= 0 {
			some := rng.IntN(n + 1)
			if n > 0 && rng.IntN(4) > 0 {
				some = n
			}
			of.rows = append(of.rows, slices.Insert(slices.Clone(row[key]), at, strconv.Itoa(some)))
			if n -= some; n == 0 {
				break
			}
		}
	}
	rng.Shuffle(len(of.rows), func(i, j int) { of.rows[i], of.rows[j] = of.rows[j], of.rows[i] })
	return of
}

// The release of rows with counts equals the release of a table with a row for each record, byte
// for byte.
func TestCountedRows(t *testing.T) {
	released := 0
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
			overrides := append(slices.Clone(table.overrides), "order", job.OrderReleased)
			want := outcomeOf(t, table.put(t, rng), RunOptions{}, overrides...)
			table.testTable, table.job = *table.counted(rng), "count: times\n"+table.job
			got := outcomeOf(t, table.put(t, rng), RunOptions{}, overrides...)
			if want.err != "" { // which may name a row
				if got.class != want.class || got.err == "" {
					t.Errorf("%q of class %d, want %q of class %d",
						got.err, got.class, want.err, want.class)
				}
				return
			}
			released++
			mustAgree(t, got, want)
		})
		if !ok {
			t.Fatalf("seed %d\n%s", seed, table.job)
		}
	}
	if released == 0 {
		t.Error("nothing was released")
	}
}

// tenBillion is a table of counts for more than ten billion records with columns a, b, c and a
// class. It returns the number of records with the rarer value of a, and the number of all
// records.
func tenBillion(t *testing.T, dir string) (rarer, all uint64) {
	t.Helper()
	var text strings.Builder
	text.WriteString("a,b,c,rich,times\n")
	sums := make(map[int]uint64)
	for i := range 24 {
		a, times := i%2, uint64(430_000_000+i)
		rich := a
		if i == 5 || i == 10 {
			rich = 1 - a
		}
		fmt.Fprintf(&text, "a%d,b%d,%d,%d,%d\n", a, i/6, i/2%3, rich, times)
		sums[a], all = sums[a]+times, all+times
	}
	write(t, filepath.Join(dir, "in", "counts.csv"), text.String())
	return min(sums[0], sums[1]), all
}

// tenBillionJob has a k that only the values of a, which determines the class, reach. A sum of 32
// bits would not reach it.
const tenBillionJob = `count: times
input: in
output: out.parquet
class: rich
quasi_identifiers: [{columns: [a, b, c], k: 2147483648}]
columns: {a: suppress, b: suppress, c: suppress, rich: keep}
`

// Ten billion records are counted, and searched by the algorithms that do not need single
// records.
func TestTenBillionRecords(t *testing.T) {
	counts := strings.NewReplacer("input:", "input_counts:",
		"out.parquet", "cut.json").Replace(tenBillionJob)
	for _, algorithm := range []string{"tdr", "tds", "infogain-mondrian", "mondrian",
		"guided", "bottom-up", "iack"} {
		t.Run(algorithm, func(t *testing.T) {
			dir := jobFolder(t, withAlgorithm(counts, algorithm))
			rarer, all := tenBillion(t, dir)
			report, err := Run(t.Context(), mustLoad(t, dir), RunOptions{})
			must(t, err)
			anonymity := report.Sets[0].Anonymity
			if report.Rows != int64(all) || anonymity < 1<<31 ||
				algorithm == "tdr" && anonymity != rarer {
				t.Errorf("%d rows with anonymity %d, want %d with %d",
					report.Rows, anonymity, all, rarer)
			}
		})
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	rarer, all := tenBillion(t, dir)
	opt := check.Options{Input: []string{filepath.Join(dir, "in")}, Columns: []string{"a"},
		Sensitive: []string{"rich"}, Count: "times", K: 1 << 31}
	found, err := check.Table(t.Context(), opt)
	must(t, err)
	if found.Rows != int64(all) || found.Anonymity != int64(rarer) || *found.Sensitive[0].L != 2 {
		t.Errorf("%+v, want %d rows with anonymity %d", found, all, rarer)
	}
}

// Ten billion rows are released by this process and by workers, and verification finds all of
// them.
func TestTenBillionRowsReleased(t *testing.T) {
	if !long {
		t.Skip("takes minutes")
	}
	dir := jobFolder(t, tenBillionJob)
	rarer, all := tenBillion(t, dir)
	for _, runner := range []Runner{nil, &goroutines{
		rng: rand.New(rand.NewPCG(1, 2)), turns: true,
	}} {
		report, err := Run(t.Context(), mustLoad(t, dir, "order", job.OrderReleased),
			RunOptions{Runner: runner})
		must(t, err)
		if report.Rows != int64(all) || report.Released != int64(all) ||
			report.Sets[0].Anonymity != rarer {
			t.Errorf("%d of %d rows with anonymity %d, want %d with %d",
				report.Released, report.Rows, report.Sets[0].Anonymity, all, rarer)
		}
		if runner == nil {
			must(t, os.Rename(filepath.Join(dir, "out.parquet"), filepath.Join(dir, "alone")))
		}
	}
	sameReleases(t, filepath.Join(dir, "out.parquet"), filepath.Join(dir, "alone"))
	found, err := verify.Release(t.Context(), filepath.Join(dir, "alone"), verify.Options{})
	must(t, err)
	if !found.OK || found.Rows != int64(all) || found.Sets[0].Anonymity != rarer {
		t.Errorf("%+v, want %d rows with anonymity %d", found, all, rarer)
	}
}

// A release may have more classes than the union counts one by one. Where a set has all masked
// columns, verifying it finds what the run claims.
func TestVerifyManyClassesOfAllColumns(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b\n")
	for i := range risk.UnionHashes + 1000 {
		fmt.Fprintf(&rows, "%d,%d\n%[1]d,%[2]d\n", i/400, i%400)
	}
	dir := csvFolder(t, "input: in\noutput: out.parquet\n"+
		"quasi_identifiers: [{columns: all, k: 2}]\nalgorithm: mondrian\n"+
		"columns: {a: discretize, b: discretize}\n", rows.String())
	report := mustRun(t, dir, nil)
	result, err := verify.Release(t.Context(), filepath.Join(dir, "out.parquet"), verify.Options{})
	must(t, err)
	if union := (risk.Union{}); *report.Union != union || *result.Union != union {
		t.Errorf("of all labels the run has %+v, the release %+v", report.Union, result.Union)
	}
}
