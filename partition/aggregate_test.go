package partition

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// randomMaps returns codes for every code of the domains, and their domains.
func randomMaps(r *rand.Rand, domains []int) (codes [][]uint32, to []int) {
	codes, to = make([][]uint32, len(domains)), make([]int, len(domains))
	for c, d := range domains {
		to[c] = 1 + r.IntN(d+2)
		for range d {
			codes[c] = append(codes[c], uint32(r.IntN(to[c])))
		}
	}
	return codes, to
}

// TestAggregateAgreesWithMap aggregates tables in memory and in a store several times. The results
// are in memory and in a store. In the end all memory and all chunks are free.
func TestAggregateAgreesWithMap(t *testing.T) {
	seed := seedtest.Seed(t)
	ctx := context.Background()
	store := openStore(t)
	kinds := map[[2]bool]int{}
	for i := range 60 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		domains := [][]int{
			{1}, {2, 3}, {40, 1, 70}, {300, 200, 100}, {1 << 15, 1 << 15, 9, 1 << 15, 1 << 15},
		}[r.IntN(5)]
		space := Space{Budget: plenty(), Store: store, Share: 1 << 40}
		table := randomTable(r, r.IntN(3*scanBlock), domains, NewLayout(domains))
		table.merge(1)
		if err := space.Draw("table", table.Bytes()); err != nil {
			t.Fatal(err)
		}
		want := table.tuples(nil)
		for range 3 {
			codes, to := randomMaps(r, domains)
			space.Share = 1 << (10 + r.IntN(20))
			got, err := table.Aggregate(ctx, codes, to, space)
			if err != nil {
				t.Fatal(err)
			}
			kinds[[2]bool{table.Spilled(), got.Spilled()}]++
			whole := unspilled(t, table, store)
			if !maps.Equal(whole.tuples(nil), want) {
				t.Fatalf("seed %d, case %d: the table has changed", seed, i)
			}
			want = whole.tuples(codes)
			scanned := &Table{Layout: got.Layout}
			err = got.Scan(ctx, space, func(block *Table) error {
				scanned.Keys = append(scanned.Keys, block.Keys...)
				scanned.Counts = append(scanned.Counts, block.Counts...)
				return nil
			})
			if err != nil || !maps.Equal(scanned.tuples(nil), want) || scanned.Len() != len(want) ||
				got.Len() != len(want) {
				t.Fatalf("seed %d, case %d: %v: %d tuples, want %d",
					seed, i, err, got.Len(), len(want))
			}
			if err := table.Discard(space); err != nil {
				t.Fatal(err)
			}
			table, domains = got, to
			if used := space.Budget.Used(); used != table.Bytes() {
				t.Fatalf("seed %d, case %d: %d bytes drawn for a table of %d",
					seed, i, used, table.Bytes())
			}
		}
		if err := table.Discard(space); err != nil || space.Budget.Used() != 0 {
			t.Fatalf("discard: %v, %d bytes not returned", err, space.Budget.Used())
		}
	}
	if len(kinds) < 4 {
		t.Errorf("seed %d: only these ways from and to a store: %v", seed, kinds)
	}
}

// TestAggregateWithoutStore expects ErrBudget for a result that does not fit the budget.
func TestAggregateWithoutStore(t *testing.T) {
	domains := []int{100, 100}
	table := randomTable(rand.New(rand.NewPCG(1, 2)), 1000, domains, NewLayout(domains))
	codes, to := randomMaps(rand.New(rand.NewPCG(3, 4)), domains)
	_, err := table.Aggregate(context.Background(), codes, to, Space{Budget: plenty(), Share: 1000})
	if !errors.Is(err, spill.ErrBudget) {
		t.Errorf("got %v, want ErrBudget", err)
	}
}

func TestScanStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	domains := []int{100, 100}
	table := randomTable(rand.New(rand.NewPCG(1, 2)), 3*scanBlock, domains, NewLayout(domains))
	blocks := 0
	err := table.Scan(ctx, Space{}, func(*Table) error {
		blocks++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || blocks != 1 {
		t.Errorf("got %v after %d blocks", err, blocks)
	}
}
