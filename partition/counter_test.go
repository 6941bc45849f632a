package partition

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// plenty is a budget that no test exhausts.
func plenty() *spill.Budget { return spill.NewBudget(1 << 40) }

// openStore opens a store that is closed at the end of the test.
func openStore(t *testing.T) *spill.Store {
	t.Helper()
	store, err := spill.Open(t.TempDir(), spill.Options{Budget: plenty()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// randomRows returns columns of codes. The domains of the columns grow from row to row.
func randomRows(rng *rand.Rand, rows, columns int) (codes [][]uint32) {
	codes = make([][]uint32, columns)
	for c := range codes {
		codes[c] = make([]uint32, rows)
		final := 1 << rng.IntN(24)
		for row := range codes[c] {
			domain := max(1, final*row/rows)
			codes[c][row] = uint32(rng.IntN(domain))
		}
	}
	return codes
}

// countPlainly counts tuples with a map, like Table.tuples.
func countPlainly(codes [][]uint32) map[string]uint64 {
	counts := make(map[string]uint64)
	var tuple []byte
	for row := range codes[0] {
		tuple = tuple[:0]
		for c := range codes {
			tuple = appendCode(tuple, codes[c][row])
		}
		counts[string(tuple)]++
	}
	return counts
}

// domainsOf returns one more than the largest code of every column.
func domainsOf(codes [][]uint32) []int {
	domains := make([]int, len(codes))
	for c := range codes {
		domains[c] = int(slices.Max(codes[c])) + 1
	}
	return domains
}

// addBatches distributes rows among counters in batches of random size.
func addBatches(rng *rand.Rand, counters []*Counter, codes [][]uint32) error {
	rows := len(codes[0])
	domains := make([]int, len(codes))
	for from := 0; from < rows; {
		to := min(rows, from+1+rng.IntN(5000))
		batch := make([][]uint32, len(codes))
		for c := range codes {
			batch[c] = codes[c][from:to]
			domains[c] = max(domains[c], int(slices.Max(batch[c]))+1)
		}
		if err := counters[rng.IntN(len(counters))].Add(to-from, batch, domains); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func TestCounterAgreesWithMap(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		columns, rows := 1+rng.IntN(8), 1+rng.IntN(60_000)
		codes := randomRows(rng, rows, columns)
		counters := make([]*Counter, 1+rng.IntN(3))
		budget := plenty()
		for i := range counters {
			counters[i] = NewCounter(make([]int, columns), Space{Budget: budget})
		}
		if err := addBatches(rng, counters, codes); err != nil {
			t.Fatal(err)
		}
		table, err := Tabulate(context.Background(), counters, Space{Budget: budget}, 2)
		if err != nil {
			t.Fatal(err)
		}
		want := countPlainly(codes)
		if got := table.tuples(nil); !maps.Equal(got, want) || table.Len() != len(want) {
			t.Fatalf("%d rows × %d columns: %d tuples, %d records, want %d or other counts",
				rows, columns, len(got), table.Len(), len(want))
		}
		if budget.Used() != table.Bytes() {
			t.Fatalf("%d bytes drawn for a table of %d", budget.Used(), table.Bytes())
		}
	}
}

func TestCounterStopsAtBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	codes := randomRows(rng, 200_000, 3)
	counter := NewCounter(make([]int, 3), Space{Budget: spill.NewBudget(1 << 16)})
	err := counter.Add(len(codes[0]), codes, []int{1 << 24, 1 << 24, 1 << 24})
	if !errors.Is(err, spill.ErrBudget) {
		t.Fatalf("got %v, want an error of the budget", err)
	}
}

func TestTranslateRenamesCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	codes := [][]uint32{make([]uint32, 500), make([]uint32, 500)}
	domains := []int{90, 7}
	renamed := [][]uint32{make([]uint32, 500), make([]uint32, 500)}
	names := make([][]uint32, 2)
	for c, domain := range domains {
		for _, to := range rng.Perm(domain) {
			names[c] = append(names[c], uint32(to)<<20) // needs many more bits than before
		}
		for row := range codes[c] {
			codes[c][row] = uint32(rng.IntN(domain))
			renamed[c][row] = names[c][codes[c][row]]
		}
	}
	counter := NewCounter(make([]int, 2), Space{Budget: plenty()})
	if err := counter.Add(500, codes, domains); err != nil {
		t.Fatal(err)
	}
	table, err := Tabulate(context.Background(), []*Counter{counter}, Space{Budget: plenty()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	table.Translate(names, []int{90 << 20, 7 << 20}, 2)
	if !maps.Equal(table.tuples(nil), countPlainly(renamed)) {
		t.Fatal("renamed tuples have other counts")
	}
}

func TestPairsAgreeWithMap(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, final := range []int{1, 300, 1 << 23} { // the last one outgrows the array
		const rows, classes = 50_000, 5
		codes, class := make([]uint32, rows), make([]uint32, rows)
		times, want := make([]uint64, rows), make(map[Pair]uint64)
		counters := []*Counter{
			NewCounter(make([]int, 2), Space{Budget: plenty()}),
			NewCounter(make([]int, 2), Space{Budget: plenty()}),
		}
		for row := range rows {
			codes[row] = uint32(rng.IntN(max(1, final*row/rows)))
			class[row] = uint32(rng.IntN(1 + classes*row/rows))
			times[row] = 1 + rng.Uint64N(1<<40)*uint64(rng.IntN(2))
		}
		for from := 0; from < rows; from += 1000 {
			to := from + 1000
			domain, classDomain := max(1, final*to/rows), 1+classes*to/rows
			some := times[from:to]
			if rng.IntN(2) == 0 {
				some = nil
			}
			for i := range to - from {
				pair := Pair{Code: codes[from+i], Class: class[from+i]}
				if want[pair]++; some != nil {
					want[pair] += some[i] - 1
				}
			}
			columns := [][]uint32{class[from:to], codes[from:to]}
			domains := []int{classDomain, domain}
			err := counters[rng.IntN(2)].AddCounted(to-from, some, columns, domains)
			if err != nil {
				t.Fatal(err)
			}
		}
		pairs, err := JoinPairs(context.Background(), counters, plenty(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(pairs) != len(want) {
			t.Fatalf("domain %d: %d pairs, want %d", final, len(pairs), len(want))
		}
		h := pairs.Histogram(final, classes+1)
		for code := range h.Len() {
			for i := h.Start[code]; i < h.Start[code+1]; i++ {
				if n := want[Pair{Code: uint32(code), Class: h.Class[i]}]; n != h.Count[i] {
					t.Fatalf("domain %d: code %d class %d counted %d, want %d",
						final, code, h.Class[i], h.Count[i], n)
				}
			}
		}
	}
}

func BenchmarkCounter(b *testing.B) {
	for _, distinct := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("distinct=%d", distinct), func(b *testing.B) {
			const rows = 1 << 20
			rng := rand.New(rand.NewPCG(5, 6))
			codes, domains := make([][]uint32, 14), make([]int, 14)
			for c := range codes {
				codes[c], domains[c] = make([]uint32, rows), 40
			}
			for row := range rows {
				tuple := rand.New(rand.NewPCG(uint64(rng.IntN(distinct)), 7))
				for c := range codes {
					codes[c][row] = uint32(tuple.IntN(40))
				}
			}
			for b.Loop() {
				counter := NewCounter(make([]int, len(codes)), Space{Budget: plenty()})
				for from := 0; from < rows; from += 1 << 16 {
					batch := make([][]uint32, len(codes))
					for c := range codes {
						batch[c] = codes[c][from : from+1<<16]
					}
					if err := counter.Add(1<<16, batch, domains); err != nil {
						b.Fatal(err)
					}
				}
				space := Space{Budget: plenty()}
				_, err := Tabulate(context.Background(), []*Counter{counter}, space, 1)
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}

// TestAddCounted compares AddCounted with adding every row as often as its count says. All counts
// are multiplied by a number.
func TestAddCounted(t *testing.T) {
	seed := seedtest.Seed(t)
	for i := range 20 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		codes := randomRows(rng, 1+rng.IntN(20_000), 1+rng.IntN(4))
		domains := domainsOf(codes)
		repeated, counts := make([][]uint32, len(codes)), []uint64{}
		for row := range codes[0] {
			counts = append(counts, uint64(rng.IntN(4)))
			for c := range codes {
				for range counts[row] {
					repeated[c] = append(repeated[c], codes[c][row])
				}
			}
		}
		times, want := []uint64{1, 1 << 33}[i%2], countPlainly(repeated)
		for row := range counts {
			counts[row] *= times
		}
		for key := range want {
			want[key] *= times
		}
		counter := NewCounter(make([]int, len(codes)), Space{Budget: plenty()})
		if err := counter.AddCounted(len(counts), counts, codes, domains); err != nil {
			t.Fatal(err)
		}
		table, err := Tabulate(
			context.Background(), []*Counter{counter}, Space{Budget: plenty()}, 1,
		)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(table.tuples(nil), want) {
			t.Fatalf("seed %d, case %d: counts differ from those of single rows", seed, i)
		}
	}
}
