package partition

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Tabulate joins what counters of the same columns have counted into one table of distinct
// tuples, on the given number of goroutines. The counters are consumed.
func Tabulate(ctx context.Context, counters []*Counter, budget *spill.Budget, threads int) (*Table, error) {
	defer release(counters)
	first := counters[0]
	for _, c := range counters {
		if err := first.widen(c.domains); err != nil {
			return nil, err
		}
	}
	errs := make([]error, len(counters))
	Each(len(counters), threads, func(_, i int) {
		if errs[i] = counters[i].widen(first.domains); errs[i] == nil {
			errs[i] = counters[i].flush()
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	merged, err := joinBuckets(ctx, counters, threads)
	if err != nil {
		return nil, err
	}
	return newTable(first.layout, merged, budget, threads)
}

// release returns what counters have drawn.
func release(counters []*Counter) {
	for _, c := range counters {
		c.slabs.release()
	}
}

// joinBuckets returns the distinct records of every bucket of all counters, whose memory they
// stay in.
func joinBuckets(ctx context.Context, counters []*Counter, threads int) ([]bucket, error) {
	merged, scratch := make([]bucket, 1<<bucketBits), make([]joinScratch, max(1, threads))
	Each(len(merged), threads, func(worker, b int) {
		if ctx.Err() == nil {
			merged[b] = scratch[worker].join(counters, b)
		}
	})
	return merged, ctx.Err()
}

// joinScratch is the scratch of joining buckets.
type joinScratch struct {
	records []uint64
	slots   []uint32
}

// join returns the distinct records of bucket i of all counters, in the memory of these.
func (j *joinScratch) join(counters []*Counter, i int) (joined bucket) {
	var segments [][]uint64
	j.records = j.records[:0]
	for _, c := range counters {
		j.records = c.buckets[i].appendTo(j.records)
		segments = append(segments, c.buckets[i].segments()...)
		c.buckets[i] = bucket{}
	}
	j.records, j.slots = compact(j.records, counters[0].stride, j.slots)
	joined.fill(segments, j.records)
	return joined
}

// newTable returns the table of distinct records.
func newTable(layout Layout, merged []bucket, budget *spill.Budget, threads int) (*Table, error) {
	stride := layout.Words + 1
	n := countRecords(merged, stride)
	if err := budget.Draw("the compressed table", layout.TableBytes(n)); err != nil {
		return nil, err
	}
	t := &Table{Layout: layout, Keys: make([]uint64, n*layout.Words), Counts: make([]uint32, n)}
	starts, at := make([]int, len(merged)), 0
	for i, b := range merged {
		starts[i], at = at, at+b.words()/stride
	}
	Each(len(merged), threads, func(_, i int) {
		start := starts[i]
		for _, records := range merged[i].segments() {
			t.place(start, records)
			start += len(records) / stride
		}
	})
	return t, nil
}

func countRecords(merged []bucket, stride int) (n int) {
	for _, b := range merged {
		n += b.words() / stride
	}
	return n
}

// append appends records of keys and counts in turn.
func (t *Table) append(records []uint64) {
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
