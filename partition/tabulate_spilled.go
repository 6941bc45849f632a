package partition

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// TabulateSpilled joins what spilling counters of the same tuples have counted into one
// table, on the given number of goroutines. The counters are consumed. The table is in
// memory when it takes at most the space's share and the budget has that left; otherwise
// it is spilled. Meanwhile as much is drawn as the counters' shares together.
func TabulateSpilled(ctx context.Context, counters []*Counter, space Space, threads int) (*Table, error) {
	t := &tabulation{
		counters: counters,
		layout:   counters[0].layout,
		budget:   space.Budget,
		store:    space.store(),
		share:    space.Share,
		threads:  max(1, threads),
	}
	table, err := t.tabulate(ctx)
	if err != nil {
		return nil, fmt.Errorf("join distinct tuples: %w", err)
	}
	return table, nil
}

type tabulation struct {
	counters []*Counter
	layout   Layout
	budget   *spill.Budget
	store    Store
	share    int64
	threads  int
}

func (t *tabulation) tabulate(ctx context.Context) (*Table, error) {
	defer release(t.counters)
	spilled := false
	for _, c := range t.counters {
		if err := c.flush(); err != nil {
			return nil, err
		}
		spilled = spilled || !c.writer.empty()
	}
	if !spilled {
		return t.join(ctx)
	}
	sources, err := t.drain()
	if err != nil {
		return nil, err
	}
	out := newResult(t.layout, t.store)
	if err := t.merge(ctx, sources, out); err != nil {
		return nil, err
	}
	return t.finish(ctx, out)
}

// join makes the table of counters that are in memory.
func (t *tabulation) join(ctx context.Context) (*Table, error) {
	merged, err := joinBuckets(ctx, t.counters, t.threads)
	if err != nil {
		return nil, err
	}
	if t.layout.TableBytes(countRecords(merged, t.layout.Words+1)) <= t.share {
		table, err := newTable(t.layout, merged, t.budget, t.threads)
		if !errors.Is(err, spill.ErrBudget) {
			return table, err
		}
	}
	out := newResult(t.layout, t.store)
	var records []uint64
	for i := range merged {
		records = merged[i].appendTo(records[:0])
		if err := out.add(records); err != nil {
			return nil, err
		}
	}
	release(t.counters)
	return t.finish(ctx, out)
}

// drain writes all that is in memory to the store, and returns the sequences by bucket.
func (t *tabulation) drain() (sources [1 << bucketBits][]spill.Sequence, err error) {
	for _, c := range t.counters {
		for i := range c.buckets {
			b := &c.buckets[i]
			if c.records = b.appendTo(c.records[:0]); len(c.records) > 0 {
				if err := c.writer.write(i, c.records); err != nil {
					return sources, err
				}
			}
			if !c.writer.empty() {
				sources[i] = append(sources[i], c.writer.sequences[i])
			}
		}
		c.buckets, c.records = [1 << bucketBits]bucket{}, nil
		c.slabs.release()
	}
	return sources, nil
}

// merge merges all buckets into out, every worker in memory of its own.
func (t *tabulation) merge(ctx context.Context, sources [1 << bucketBits][]spill.Sequence, out *result) error {
	share := int64(0)
	for _, c := range t.counters {
		share += c.writer.share
	}
	share /= int64(t.threads)
	mergers := make([]*merger, t.threads)
	defer func() {
		for _, m := range mergers {
			if m != nil {
				t.budget.Return(m.memory())
			}
		}
	}()
	return workers.Each(len(sources), t.threads, func(w workers.Worker, b int) error {
		m := mergers[w.Number]
		if m == nil {
			m = t.newMerger(ctx, share, out)
			if err := t.budget.Draw("tuples that are merged", m.memory()); err != nil {
				return err
			}
			mergers[w.Number] = m
		}
		return m.merge(sources[b], 0)
	})
}

// newMerger returns a merger that takes about share bytes, but enough to get on.
func (t *tabulation) newMerger(ctx context.Context, share int64, out *result) *merger {
	m := &merger{ctx: ctx, stride: t.layout.Words + 1, result: out.add}
	m.recordWriter = newRecordWriter(t.layout, t.store, t.counters[0].writer.records.chunk)
	splitting := m.memory()
	records := max(4*m.chunk, int((share-splitting)/int64(8*m.stride+16)))
	m.limit = records * m.stride
	return m
}

// finish brings the result into memory if there is room.
func (t *tabulation) finish(ctx context.Context, out *result) (*Table, error) {
	table := &Table{Layout: t.layout, chunks: &out.chunks}
	n := out.chunks.Records
	bytes := t.layout.TableBytes(n)
	if bytes > t.share || t.budget.Draw("the compressed table", bytes) != nil {
		return table, nil
	}
	table.chunks = nil
	table.Keys, table.Counts = make([]uint64, 0, n*t.layout.Words), make([]uint32, 0, n)
	for _, sequence := range out.chunks.sequences {
		err := readChunks(ctx, t.store, func(chunk []byte) error {
			return out.records.codec.Decode(chunk, table)
		}, sequence)
		if err == nil {
			err = t.store.Free(sequence)
		}
		if err != nil {
			return nil, err
		}
	}
	return table, nil
}

// result collects distinct tuples in the store. It is safe for concurrent use.
type result struct {
	mu      sync.Mutex
	records recordWriter
	chunks  ChunkList
}

func newResult(layout Layout, s Store) *result {
	return &result{records: newRecordWriter(layout, s, writtenChunk/(8*(layout.Words+1)))}
}

func (r *result) add(records []uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records.each(records, func(t *Table, frame []byte) error {
		r.chunks.record(NewBlock(t, t.Rows(0, t.Len())))
		return r.chunks.write(r.records.store, frame)
	})
}
