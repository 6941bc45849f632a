package partition

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/spill"
)

// scanBlock is the largest number of records that Scan passes to visit in one call.
const scanBlock = 1 << 12

// Scan passes the records to visit, one block of them after another, in any order. A block is valid
// until visit returns, and visit must not change it. Scan reads the records of a spilled table from
// the space's Store.
func (t *Table) Scan(ctx context.Context, space Space, visit func(*Table) error) error {
	visitBlocks := func(records *Table) error {
		w := records.Layout.Words
		for lo := 0; lo < records.Len(); lo += scanBlock {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+scanBlock, records.Len())
			block := &Table{
				Layout: records.Layout,
				Keys:   records.Keys[lo*w : hi*w],
				Counts: records.Counts[lo:hi],
			}
			if err := visit(block); err != nil {
				return err
			}
		}
		return nil
	}
	if t.chunks == nil {
		return visitBlocks(t)
	}
	block := Table{Layout: t.Layout}
	err := space.Store.Scan(ctx, func(chunk []byte) error {
		block.Truncate()
		if err := block.Decode(chunk); err != nil {
			return err
		}
		return visitBlocks(&block)
	}, t.chunks.sequence)
	if err != nil {
		return fmt.Errorf("scan spilled tuples: %w", err)
	}
	return nil
}

// Each calls visit with the key and the count of every record. The key is valid until it returns.
func (t *Table) Each(
	ctx context.Context, space Space, visit func(key []uint64, count uint64),
) error {
	return t.Scan(ctx, space, func(block *Table) error {
		for key, count := range block.All() {
			visit(key, count)
		}
		return nil
	})
}

// ScanTogether is Scan on the space's threads: several workers call visit at the same time, each
// with its number, which is below Threads. A single worker reads a spilled table.
func (t *Table) ScanTogether(
	ctx context.Context, space Space, visit func(worker int, block *Table) error,
) error {
	if t.Spilled() {
		return t.Scan(ctx, space, func(block *Table) error { return visit(0, block) })
	}
	threads := max(1, space.Threads)
	ranges := cut(t.Len(), threads)
	errs := make([]error, len(ranges))
	Each(len(ranges), threads, func(worker, i int) {
		errs[i] = t.Slice(ranges[i]).Scan(ctx, space, func(block *Table) error {
			return visit(worker, block)
		})
	})
	return errors.Join(errs...)
}

// Discard drops the records. It returns their memory to the space's budget, if the space has one,
// and frees their chunks in the space's store.
func (t *Table) Discard(space Space) error {
	bytes, chunks := t.Bytes(), t.chunks
	*t = Table{Layout: t.Layout}
	space.Return(bytes)
	if chunks == nil {
		return nil
	}
	if err := space.Store.Free(chunks.sequence); err != nil {
		return fmt.Errorf("discard spilled tuples: %w", err)
	}
	return nil
}

// Aggregate returns a new table in which maps[i][c], below domains[i], replaces every code c of
// column i. It merges the tuples that become equal. The table t does not change. Aggregate draws
// the memory of the result. The result and the memory that Aggregate needs for its work are at most
// the space's share. A larger result is spilled.
func (t *Table) Aggregate(
	ctx context.Context, maps [][]uint32, domains []int, space Space,
) (*Table, error) {
	if !t.Spilled() {
		r, err := t.aggregateInMemory(maps, domains, space)
		if space.Store == nil || !errors.Is(err, spill.ErrBudget) {
			return r, err
		}
	}
	space = space.bounded()
	space.Share /= 2
	c := NewCounter(domains, space)
	buffer, w := make([]uint64, scanBlock*c.layout.Words), c.layout.Words
	repacking := newRepacking(t.Layout, c.layout, maps)
	err := t.Scan(ctx, space, func(block *Table) error {
		keys := buffer[:block.Len()*w]
		repacking.run(keys, block)
		for i, n := range block.Counts {
			if err := c.add(keys[i*w:(i+1)*w], n); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		var r *Table
		if r, err = Tabulate(ctx, []*Counter{c}, space, 1); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("aggregate tuples: %w", err)
}

// aggregateInMemory copies the table and merges the copy. The merge needs a second copy for a
// moment.
func (t *Table) aggregateInMemory(maps [][]uint32, domains []int, space Space) (*Table, error) {
	layout := NewLayout(domains)
	drawn := 2 * layout.TableBytes(t.Len())
	if err := space.Draw("tuples that are aggregated", drawn); err != nil {
		return nil, err
	}
	r := newTable(layout, t.Len(), t.Len())
	copy(r.Counts, t.Counts)
	threads := max(1, space.Threads)
	ranges, repacking := cut(t.Len(), threads), newRepacking(t.Layout, layout, maps)
	Each(len(ranges), threads, func(_, i int) {
		repacking.run(r.Keys[ranges[i].Lo*layout.Words:], t.Slice(ranges[i]))
	})
	r.merge(threads)
	r = r.clip()
	space.Return(drawn - r.Bytes())
	return r, nil
}
