package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// Tabulate joins what counters of the same columns have counted into one table of distinct
// tuples, on the given number of goroutines. The counters are consumed. With a store, which the
// counters have, too, the table is in memory when it takes at most the space's share and the
// budget has that left; otherwise it is spilled. Meanwhile as much is drawn as the counters'
// shares together.
func Tabulate(ctx context.Context, counters []*Counter, space Space, threads int) (*Table, error) {
	t := &tabulation{counters: counters, budget: space.Budget, store: space.store(), share: space.Share, threads: max(1, threads)}
	table, err := t.tabulate(ctx)
	if err != nil && t.store != nil {
		return nil, fmt.Errorf("join distinct tuples: %w", err)
	}
	return table, err
}

type tabulation struct {
	counters []*Counter
	budget   *spill.Budget
	store    Store
	share    int64
	threads  int
}

func (t *tabulation) tabulate(ctx context.Context) (*Table, error) {
	defer t.release()
	first, spilled := t.counters[0], false
	for _, c := range t.counters {
		if err := first.widen(c.domains); err != nil {
			return nil, err
		}
	}
	errs := make([]error, len(t.counters))
	Each(len(t.counters), t.threads, func(_, i int) {
		if errs[i] = t.counters[i].widen(first.domains); errs[i] == nil {
			errs[i] = t.counters[i].flush()
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	for _, c := range t.counters {
		spilled = spilled || c.writer != nil && c.writer.written
	}
	if !spilled {
		return t.join(ctx)
	}
	lists, err := t.drain()
	if err != nil {
		return nil, err
	}
	out := &result{store: t.store}
	if err := t.merge(ctx, lists, out); err != nil {
		return nil, err
	}
	return t.finish(ctx, out)
}

// release returns what counters have drawn.
func (t *tabulation) release() {
	for _, c := range t.counters {
		c.slabs.release()
	}
}

func (t *tabulation) layout() Layout { return t.counters[0].layout }

// join makes the table of counters that are in memory.
func (t *tabulation) join(ctx context.Context) (*Table, error) {
	merged, err := t.joinBuckets(ctx)
	if err != nil {
		return nil, err
	}
	records, stride := 0, t.layout().Words+1
	for _, b := range merged {
		records += b.words() / stride
	}
	if t.store == nil || t.layout().TableBytes(records) <= t.share {
		table, err := t.newTable(merged, records)
		if t.store == nil || !errors.Is(err, spill.ErrBudget) {
			return table, err
		}
	}
	out := &result{store: t.store}
	block := &Table{Layout: t.layout()}
	for i := range merged {
		block.Truncate()
		for _, records := range merged[i].segments() {
			block.append(records)
		}
		if err := out.add(block); err != nil {
			return nil, err
		}
	}
	t.release()
	return t.finish(ctx, out)
}

// joinBuckets returns the distinct records of every bucket of all counters, whose memory they
// stay in.
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

// newTable returns the table of so many distinct records.
func (t *tabulation) newTable(merged []bucket, n int) (*Table, error) {
	layout := t.layout()
	if err := t.budget.Draw("the compressed table", layout.TableBytes(n)); err != nil {
		return nil, err
	}
	table, stride := newTable(layout, n, n), layout.Words+1
	starts, at := make([]int, len(merged)), 0
	for i, b := range merged {
		starts[i], at = at, at+b.words()/stride
	}
	Each(len(merged), t.threads, func(_, i int) {
		start := starts[i]
		for _, records := range merged[i].segments() {
			table.place(start, records)
			start += len(records) / stride
		}
	})
	return table, nil
}

// drain writes all that is in memory to the store, and returns the lists by bucket.
func (t *tabulation) drain() (lists [1 << bucketBits]ChunkList, err error) {
	for _, c := range t.counters {
		for i := range c.buckets {
			if c.records = c.buckets[i].appendTo(c.records[:0]); len(c.records) > 0 {
				if err := c.writer.write(i, c.records); err != nil {
					return lists, err
				}
			}
			lists[i].sequences = append(lists[i].sequences, c.writer.lists[i].sequences...)
		}
		c.buckets, c.records = [1 << bucketBits]bucket{}, nil
		c.slabs.release()
	}
	return lists, nil
}

// merge merges all buckets into out, every worker in memory of its own: about its part of the
// counters' shares, but enough to get on.
func (t *tabulation) merge(ctx context.Context, lists [1 << bucketBits]ChunkList, out *result) error {
	share, layout, chunk := int64(0), t.layout(), t.counters[0].writer.chunk
	for _, c := range t.counters {
		share += c.writer.share
	}
	share = share/int64(t.threads) - externalBytes(layout, 0, chunk)
	limit := max(4*chunk, int(share/externalBytes(layout, 1, 0)))
	mergers, drawn := make([]*external, t.threads), externalBytes(layout, limit, chunk)
	defer func() {
		for _, x := range mergers {
			if x != nil {
				t.budget.Return(drawn)
			}
		}
	}()
	return workers.Each(len(lists), t.threads, func(w workers.Worker, b int) error {
		if mergers[w.Number] == nil {
			if err := t.budget.Draw("tuples that are merged", drawn); err != nil {
				return err
			}
			mergers[w.Number] = &external{
				ctx: ctx, store: t.store, records: Table{Layout: layout}, limit: limit, chunk: chunk,
				partOf: byHash, finish: out.add,
			}
		}
		return mergers[w.Number].run(&lists[b], 0)
	})
}

// finish brings the result into memory if there is room.
func (t *tabulation) finish(ctx context.Context, out *result) (*Table, error) {
	layout, n := t.layout(), out.chunks.Records
	bytes := layout.TableBytes(n)
	if bytes > t.share || t.budget.Draw("the compressed table", bytes) != nil {
		return &Table{Layout: layout, chunks: &out.chunks}, nil
	}
	table := newTable(layout, 0, n)
	for _, sequence := range out.chunks.sequences {
		err := t.store.Scan(ctx, table.Decode, sequence)
		if err == nil {
			err = t.store.Free(sequence)
		}
		if err != nil {
			t.budget.Return(bytes)
			return nil, err
		}
	}
	return table, nil
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
