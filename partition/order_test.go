package partition

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill/spilltest"
)

// TestOrder puts tables in memory and in a store in order: their records stay the same, and
// are handed out by ascending keys. All memory and chunks are given back.
func TestOrder(t *testing.T) {
	seed := rand.Uint64()
	ctx := context.Background()
	store := openStore(t)
	for i := range 40 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		domains := [][]int{{1}, {2, 3}, {40, 1, 70}, {300, 200, 100}, {1 << 15, 1 << 15, 9, 1 << 15, 1 << 15}}[r.IntN(5)]
		space := Space{Budget: plenty(), Store: store, Share: 1 << (10 + r.IntN(12))}
		rows := r.IntN(1 << (1 + r.IntN(17)))
		if i == 0 {
			rows, domains, space.Share = 100_000, []int{1 << 20, 1 << 20}, 1<<10 // distributed twice
		}
		whole := randomTable(r, rows, domains, NewLayout(domains))
		whole.merge(1)
		want := whole.tuples(nil)
		identity := make([][]uint32, len(domains))
		for c, d := range domains {
			for code := range d {
				identity[c] = append(identity[c], uint32(code))
			}
		}
		table, err := whole.Aggregate(ctx, identity, domains, space)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Order(ctx, space); err != nil {
			t.Fatal(err)
		}
		got := &Table{Layout: table.Layout}
		err = table.Scan(ctx, space, func(block *Table) error {
			got.Keys, got.Counts = append(got.Keys, block.Keys...), append(got.Counts, block.Counts...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got.tuples(nil), want) || got.Len() != len(want) || table.Len() != len(want) {
			t.Fatalf("seed %d, case %d: %d tuples, want %d", seed, i, got.Len(), len(want))
		}
		w := got.Layout.Words
		for at := w; at < len(got.Keys); at += w {
			if slices.Compare(got.Keys[at-w:at], got.Keys[at:at+w]) >= 0 {
				t.Fatalf("seed %d, case %d: key %d is not above the one before", seed, i, at/w)
			}
		}
		if err := table.Discard(space); err != nil || space.Budget.Used() != 0 {
			t.Fatalf("seed %d, case %d: discard: %v, %d bytes not returned", seed, i, err, space.Budget.Used())
		}
	}
}

// TestOrderFails at every call of the store in turn, and says so.
func TestOrderFails(t *testing.T) {
	domains := []int{1 << 20, 1 << 20}
	layout := NewLayout(domains)
	whole := randomTable(rand.New(rand.NewPCG(1, 2)), 5000, domains, layout)
	spilltest.UntilNoFault(t, func(s *spilltest.MemoryStore) error {
		var from ChunkList
		if _, err := from.writeTable(s, whole, 100, nil); err != nil {
			return err
		}
		table := &Table{Layout: layout, chunks: &from}
		return table.order(context.Background(), Space{Budget: plenty(), Share: 1 << 10}, s)
	})
}
