package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Tabulate joins the counts of several counters of the same columns into one table of distinct
// tuples, on the given number of goroutines. The counters cannot be used afterwards. If the space
// has a store, the counters have this store, too. Then the table is in memory if it takes at most
// the space's share and the budget has room for it. Else the table is spilled. During the work
// Tabulate draws at most the sum of the counters' shares.
func Tabulate(ctx context.Context, counters []*Counter, space Space, threads int) (*Table, error) {
	t := &tabulation{counters: counters, space: space, threads: max(1, threads)}
	table, err := t.tabulate(ctx)
	if err = errors.Join(err, t.release()); err != nil && space.Store != nil {
		return nil, fmt.Errorf("join distinct tuples: %w", err)
	}
	return table, err
}

type tabulation struct {
	counters []*Counter
	space    Space
	threads  int
}

func (t *tabulation) tabulate(ctx context.Context) (*Table, error) {
	if err := align(t.counters); err != nil {
		return nil, err
	}
	if err := t.each((*Counter).flush); err != nil {
		return nil, err
	}
	first := t.counters[0]
	if first.sorter == nil {
		return t.join(ctx)
	}
	for _, c := range t.counters[1:] {
		first.sorter.Join(c.sorter)
	}
	return rowKey{}.table(ctx, first.sorter, first.layout, t.space)
}

// align gives counters of the same columns the same layout.
func align(counters []*Counter) error {
	for range 2 { // after the first pass, counters[0] has the widest domains
		for _, c := range counters {
			err := cmp.Or(counters[0].widen(c.domains), c.widen(counters[0].domains))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for every counter.
func (t *tabulation) each(do func(*Counter) error) error {
	errs := make([]error, len(t.counters))
	Each(len(t.counters), t.threads, func(_, i int) { errs[i] = do(t.counters[i]) })
	return cmp.Or(errs...)
}

// release returns the memory of the counters' buckets to the budget and closes their sorters.
func (t *tabulation) release() (err error) {
	for _, c := range t.counters {
		c.slabs.release()
		if c.sorter != nil {
			err = errors.Join(err, c.sorter.Close())
		}
	}
	return err
}

// join returns the table of counters without sorters.
func (t *tabulation) join(ctx context.Context) (*Table, error) {
	merged, err := t.joinBuckets(ctx)
	if err != nil {
		return nil, err
	}
	records, layout := 0, t.counters[0].layout
	for _, b := range merged {
		records += b.words() / (layout.Words + 1)
	}
	if err := t.space.Budget.Draw("the compressed table", layout.TableBytes(records)); err != nil {
		return nil, err
	}
	table := newTable(layout, records, records)
	table.place(merged, t.threads)
	return table, nil
}

// joinBuckets returns for every bucket the distinct records of all counters. The records stay in
// the memory of the counters.
func (t *tabulation) joinBuckets(ctx context.Context) ([]bucket, error) {
	type scratch struct {
		records []uint64
		slots   []uint32
	}
	merged, scratches := make([]bucket, 1<<bucketBits), make([]scratch, t.threads)
	Each(len(merged), t.threads, func(worker, i int) {
		if ctx.Err() != nil {
			return
		}
		s := &scratches[worker]
		s.records = s.records[:0]
		var segments [][]uint64
		for _, c := range t.counters {
			s.records = c.buckets[i].appendTo(s.records)
			segments = append(segments, c.buckets[i].segments()...)
			c.buckets[i] = bucket{}
		}
		s.records, s.slots = compact(s.records, t.counters[0].stride, s.slots)
		merged[i].fill(segments, s.records)
	})
	return merged, ctx.Err()
}

// place fills the table with the records of the buckets, one bucket after another. The table has
// room for them.
func (t *Table) place(buckets []bucket, threads int) {
	starts, at, words := make([]int, len(buckets)), 0, t.Layout.Words
	for i, b := range buckets {
		starts[i], at = at, at+b.words()/(words+1)
	}
	t.Keys, t.Counts = t.Keys[:at*words], t.Counts[:at]
	Each(len(buckets), threads, func(_, i int) {
		start := starts[i]
		for _, records := range buckets[i].segments() {
			t.placeFrom(start, records)
			start += len(records) / (words + 1)
		}
	})
}

// placeFrom stores records, each a key and its count, in the table from record at on.
func (t *Table) placeFrom(at int, records []uint64) {
	words := t.Layout.Words
	stride := words + 1
	counts := t.Counts[at : at+len(records)/stride]
	keys := t.Keys[at*words : (at+len(counts))*words]
	for i := range counts {
		counts[i] = records[i*stride+words]
	}
	for w := range words {
		for i := range counts {
			keys[i*words+w] = records[i*stride+w]
		}
	}
}
