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

// TestOrder orders or gathers tables in memory and in a store. The records stay the same. Scan then
// visits them by ascending keys, or it visits records that agree in all fields except the last one
// directly after one another. In the end all memory and all chunks are free.
func TestOrder(t *testing.T) {
	seed := seedtest.Seed(t)
	ctx := context.Background()
	store := openStore(t)
	for i := range 40 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		domains := [][]int{
			{1}, {2, 3}, {40, 1, 70}, {300, 200, 100}, {1 << 15, 1 << 15, 9, 1 << 15, 1 << 15},
		}[r.IntN(5)]
		space := Space{Budget: plenty(), Store: store, Share: 1 << (10 + r.IntN(12)),
			Threads: r.IntN(4)}
		rows := r.IntN(1 << (1 + r.IntN(17)))
		if i < 2 {
			rows, domains, space.Share = 100_000, []int{1 << 20, 1 << 20}, 1<<10 // merged twice
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
		if i%4 == 2 { // in the store, without an order
			var chunks ChunkList
			_, err := chunks.writeTable(store, whole, Rows{Hi: whole.Len()}, 100, nil)
			if err = errors.Join(err, table.Discard(space)); err != nil {
				t.Fatal(err)
			}
			table = SpilledTable(whole.Layout, &chunks)
		}
		arrange, isGathered := table.Order, i%2 == 1
		if isGathered {
			arrange = table.Gather
		}
		if err := arrange(ctx, space); err != nil {
			t.Fatal(err)
		}
		got := &Table{Layout: table.Layout}
		err = table.Scan(ctx, space, func(block *Table) error {
			got.Keys = append(got.Keys, block.Keys...)
			got.Counts = append(got.Counts, block.Counts...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got.tuples(nil), want) || got.Len() != len(want) ||
			table.Len() != len(want) {
			t.Fatalf("seed %d, case %d: %d tuples, want %d", seed, i, got.Len(), len(want))
		}
		w := got.Layout.Words
		if isGathered {
			checkGathered(t, got)
		}
		for at := w; at < len(got.Keys) && !isGathered; at += w {
			if slices.Compare(got.Keys[at-w:at], got.Keys[at:at+w]) >= 0 {
				t.Fatalf("seed %d, case %d: key %d is not above the one before", seed, i, at/w)
			}
		}
		if err := table.Discard(space); err != nil || space.Budget.Used() != 0 {
			t.Fatalf("seed %d, case %d: discard: %v, %d bytes not returned",
				seed, i, err, space.Budget.Used())
		}
	}
}

// checkGathered checks that records that agree in all fields except the last one are adjacent.
func checkGathered(t *testing.T, table *Table) {
	t.Helper()
	seen, before := make(map[string]bool), ""
	for at := range table.Len() {
		key := table.Keys[at*table.Layout.Words:]
		var codes []uint32
		for _, f := range table.Layout.Fields[:len(table.Layout.Fields)-1] {
			codes = append(codes, f.Code(key))
		}
		if of := fmt.Sprint(codes); of != before || at == 0 {
			if seen[of] {
				t.Fatalf("record %d is not next to other records with the same first fields", at)
			}
			seen[of], before = true, of
		}
	}
}

// TestOrderFails lets each operation of the disk fail in turn. Order must report the error.
func TestOrderFails(t *testing.T) {
	domains := []int{1 << 20, 1 << 20}
	layout := NewLayout(domains)
	whole := randomTable(rand.New(rand.NewPCG(1, 2)), 5000, domains, layout)
	untilNoFault(t, func(s *spill.Store) error {
		var from ChunkList
		if _, err := from.writeTable(s, whole, Rows{Hi: whole.Len()}, 100, nil); err != nil {
			return err
		}
		space := Space{Budget: plenty(), Store: s, Share: 1 << 10}
		return SpilledTable(layout, &from).Order(context.Background(), space)
	})
}
