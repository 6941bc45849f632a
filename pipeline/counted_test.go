package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// counted returns the table with equal rows as one or several rows that count them, in any order, and some that count nothing.
func (t *testTable) counted(rng *rand.Rand) *testTable {
	times := make(map[string]int)
	row := make(map[string][]string)
	for _, r := range t.rows {
		key := strings.Join(r, "\x01")
		times[key]++
		row[key] = r
	}
	kind := []formats.Type{wholeType, {Kind: formats.Uint, Bits: 64}, {Kind: formats.Int, Bits: 32}}[rng.IntN(3)]
	at := rng.IntN(len(t.fields) + 1)
	of := &testTable{fields: slices.Insert(slices.Clone(t.fields), at, formats.Field{Name: "times", Type: kind, Nullable: rng.IntN(2) == 0})}
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

// The release of rows that stand for several records is that of a table with a row for each of these, byte for byte.
func TestCountedRows(t *testing.T) {
	released := 0
	for _, seed := range seeded(t, 40) {
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
					t.Errorf("%q of class %d, want %q of class %d", got.err, got.class, want.err, want.class)
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
