package partition

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// spillCount counts rows on some spilling counters and joins them.
func spillCount(ctx context.Context, rng *rand.Rand, codes [][]uint32, domains []int, budget *spill.Budget, s Store, share, tableShare int64) (*Table, error) {
	counters := make([]*Counter, 1+rng.IntN(3))
	for i := range counters {
		counters[i] = newCounter(domains, budget, s, share)
	}
	t := &tabulation{counters: counters, budget: budget, store: s, share: tableShare, threads: 2}
	if err := addBatches(rng, counters, codes); err != nil {
		return nil, err
	}
	return t.tabulate(ctx)
}

// unspilled returns the table of a spilled one.
func unspilled(t *testing.T, table *Table, s Store) *Table {
	t.Helper()
	if !table.Spilled() {
		return table
	}
	whole := &Table{Layout: table.Layout}
	err := s.Scan(context.Background(), func(chunk []byte) error {
		return whole.Decode(chunk)
	}, table.chunks.sequences...)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != whole.Len() || table.Size() != whole.Size() {
		t.Fatalf("%d tuples of %d records, want %d of %d", table.Len(), table.Size(), whole.Len(), whole.Size())
	}
	return whole
}

func TestSpillCounterAgreesWithMap(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	spilled, inMemory := 0, 0
	for i := range 40 {
		columns, rows := 1+rng.IntN(8), 1+rng.IntN(60_000)
		codes := randomRows(rng, rows, columns)
		share, tableShare := int64(1)<<rng.IntN(24), int64(1)<<rng.IntN(24)
		if i%4 == 0 { // two records a bucket and chunk
			share = 1
			for c := range codes {
				codes[c] = codes[c][:min(rows, 5000)]
			}
		}
		s, budget := spilltest.NewMemoryStore(), plenty()
		table, err := spillCount(context.Background(), rng, codes, domainsOf(codes), budget, s, share, tableShare)
		if err != nil {
			t.Fatal(err)
		}
		if table.Spilled() {
			spilled++
		} else {
			inMemory++
		}
		if budget.Used() != table.Bytes() || table.Bytes() > tableShare {
			t.Errorf("%d bytes drawn for a table of %d within %d", budget.Used(), table.Bytes(), tableShare)
		}
		if got := len(s.Sequences); got > 1 || got == 1 && !table.Spilled() {
			t.Errorf("%d sequences left, table spilled: %t", got, table.Spilled())
		}
		whole := unspilled(t, table, s)
		want := countPlainly(codes)
		if got := whole.tuples(nil); whole.Len() != len(want) || !maps.Equal(got, want) {
			t.Fatalf("share %d: %d records for %d tuples, want %d or other counts", share, whole.Len(), len(got), len(want))
		}
	}
	if spilled == 0 || inMemory == 0 {
		t.Errorf("%d tables spilled, %d in memory", spilled, inMemory)
	}
}

// TestMergeSplitsBucketsThatDoNotFit merges in as little memory as it gets by with.
func TestMergeSplitsBucketsThatDoNotFit(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	codes := randomRows(rng, 30_000, 5)
	s := spilltest.NewMemoryStore()
	layout := NewLayout(domainsOf(codes))
	out := &result{store: s}
	x := &external{
		ctx: context.Background(), store: s, records: Table{Layout: layout},
		limit: 8, chunk: 2, partOf: byHash, finish: out.add,
	}
	counter := newCounter(domainsOf(codes), plenty(), s, 1)
	if err := counter.Add(len(codes[0]), codes, nil); err != nil {
		t.Fatal(err)
	}
	tab := &tabulation{counters: []*Counter{counter}, budget: plenty(), store: s}
	if err := counter.flush(); err != nil {
		t.Fatal(err)
	}
	lists, err := tab.drain()
	if err != nil {
		t.Fatal(err)
	}
	before := s.Next
	for b := range lists {
		if err := x.run(&lists[b], 0); err != nil {
			t.Fatal(err)
		}
	}
	if s.Next < before+100 {
		t.Errorf("only %d sequences made", s.Next-before)
	}
	got := unspilled(t, &Table{Layout: layout, chunks: &out.chunks}, s)
	if want := countPlainly(codes); got.Len() != len(want) || !maps.Equal(got.tuples(nil), want) {
		t.Errorf("%d tuples, want %d or other counts", got.Len(), len(want))
	}
}

func TestSpillCounterReportsFaults(t *testing.T) {
	codes := randomRows(rand.New(rand.NewPCG(1, 2)), 4000, 4)
	spilltest.UntilNoFault(t, func(s *spilltest.MemoryStore) error {
		table, err := spillCount(context.Background(), rand.New(rand.NewPCG(3, 4)), codes, domainsOf(codes), plenty(), s, 1<<14, 1<<24)
		if err == nil && !maps.Equal(table.tuples(nil), countPlainly(codes)) {
			t.Error("other counts")
		}
		return err
	})
}

func TestSpillCounterStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, share := range []int64{1, 1 << 24} {
		codes := randomRows(rand.New(rand.NewPCG(1, 2)), 10_000, 4)
		_, err := spillCount(ctx, rand.New(rand.NewPCG(3, 4)), codes, domainsOf(codes), plenty(), spilltest.NewMemoryStore(), share, 1<<24)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("share %d: got %v, want the context's error", share, err)
		}
	}
}

func TestSpillCounterRefusesWiderDomains(t *testing.T) {
	counter := newCounter([]int{4}, plenty(), spilltest.NewMemoryStore(), 1<<20)
	if err := counter.Add(1, [][]uint32{{9}}, []int{10}); err == nil {
		t.Error("a code of a wider domain was counted")
	}
}
