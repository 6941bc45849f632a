package partition

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/spill"
)

// Tabulate joins what counters of the same columns have counted into one table of distinct
// tuples, on the given number of goroutines. The counters are consumed.
func Tabulate(ctx context.Context, counters []*Counter, budget *spill.Budget, threads int) (*Table, error) {
	first := counters[0]
	for _, c := range counters {
		if err := first.widen(c.domains); err != nil {
			return nil, err
		}
	}
	group := errgroup.Group{}
	group.SetLimit(max(1, threads))
	for _, c := range counters {
		group.Go(func() error {
			if err := c.widen(first.domains); err != nil {
				return err
			}
			return c.flush()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	merged, err := joinBuckets(ctx, counters, budget, threads)
	if err != nil {
		return nil, err
	}
	return newTable(first.layout, merged, budget, threads)
}

// joinBuckets returns the distinct records of every bucket of all counters.
func joinBuckets(ctx context.Context, counters []*Counter, budget *spill.Budget, threads int) ([][]uint64, error) {
	merged := make([][]uint64, 1<<bucketBits)
	scratch := sync.Pool{New: func() any { return new([]uint32) }}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for b := range merged {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			slots := scratch.Get().(*[]uint32)
			merged[b], *slots = joinBucket(counters, b, budget, *slots)
			scratch.Put(slots)
			return nil
		})
	}
	return merged, group.Wait()
}

// joinBucket merges bucket b of all counters into the first counter's.
func joinBucket(counters []*Counter, b int, budget *spill.Budget, slots []uint32) ([]uint64, []uint32) {
	records := counters[0].buckets[b].records
	counters[0].buckets[b].records = nil
	for _, c := range counters[1:] {
		had := cap(records)
		records = append(records, c.buckets[b].records...)
		// Joining replaces buffers that were drawn by one of at most their joint size, or half
		// as much again by append's growth; the books are kept exact either way.
		budget.Return(int64(had+cap(c.buckets[b].records)-cap(records)) * 8)
		c.buckets[b].records = nil
	}
	return compact(records, counters[0].stride, slots)
}

// newTable returns the table of distinct records, which are consumed, on the given number
// of goroutines. When the budget refuses, they are left as they are.
func newTable(layout Layout, merged [][]uint64, budget *spill.Budget, threads int) (*Table, error) {
	stride := layout.Words + 1
	n := countRecords(merged, stride)
	if err := budget.Draw("the compressed table", layout.tableBytes(n)); err != nil {
		return nil, err
	}
	t := &Table{Layout: layout, Keys: make([]uint64, n*layout.Words), Counts: make([]uint32, n)}
	group := errgroup.Group{}
	group.SetLimit(max(1, threads))
	at := 0
	for b, records := range merged {
		start := at
		at += len(records) / stride
		group.Go(func() error {
			t.place(start, records)
			budget.Return(int64(cap(records)) * 8)
			merged[b] = nil
			return nil
		})
	}
	return t, group.Wait()
}

func countRecords(merged [][]uint64, stride int) (n int) {
	for _, records := range merged {
		n += len(records) / stride
	}
	return n
}

// take appends records of keys and counts in turn.
func (t *Table) take(records []uint64) {
	words, at := t.Layout.Words, len(t.Counts)
	n := len(records) / (words + 1)
	t.Keys = slices.Grow(t.Keys, n*words)[:(at+n)*words]
	t.Counts = slices.Grow(t.Counts, n)[:at+n]
	t.place(at, records)
}

// place stores records of keys and counts in turn from the table's record at on.
func (t *Table) place(at int, records []uint64) {
	words := t.Layout.Words
	stride := words + 1
	counts := t.Counts[at : at+len(records)/stride]
	keys := t.Keys[at*words : (at+len(counts))*words]
	for i := range counts {
		counts[i] = uint32(records[i*stride+words])
	}
	for w := range words {
		for i := range counts {
			keys[i*words+w] = records[i*stride+w]
		}
	}
}
