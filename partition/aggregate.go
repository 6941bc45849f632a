package partition

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/spill"
)

// scanBlock is how many records of a table are handed out at a time, at most.
const scanBlock = 1 << 12

// Scan hands out the records, some at a time, in any order. What visit gets is valid until
// it returns and is not to be changed. A spilled table is read from the space's Store.
func (t *Table) Scan(ctx context.Context, space Space, visit func(*Table) error) error {
	hand := func(records *Table) error {
		w := records.Layout.Words
		for lo := 0; lo < records.Len(); lo += scanBlock {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+scanBlock, records.Len())
			if err := visit(&Table{Layout: records.Layout, Keys: records.Keys[lo*w : hi*w], Counts: records.Counts[lo:hi]}); err != nil {
				return err
			}
		}
		return nil
	}
	if t.chunks == nil {
		return hand(t)
	}
	block := Table{Layout: t.Layout}
	err := space.Store.Scan(ctx, func(chunk []byte) error {
		block.Truncate()
		if err := block.Decode(chunk); err != nil {
			return err
		}
		return hand(&block)
	}, t.chunks.sequence)
	if err != nil {
		return fmt.Errorf("scan spilled tuples: %w", err)
	}
	return nil
}

// ScanTogether is Scan on the space's threads: visit is called by several workers at once, each with a number
// below Threads. A spilled table is read by one.
func (t *Table) ScanTogether(ctx context.Context, space Space, visit func(worker int, block *Table) error) error {
	if t.Spilled() {
		return t.Scan(ctx, space, func(block *Table) error { return visit(0, block) })
	}
	threads := max(1, space.Threads)
	ranges := cut(t.Len(), threads)
	errs := make([]error, len(ranges))
	Each(len(ranges), threads, func(worker, i int) {
		errs[i] = t.Slice(ranges[i]).Scan(ctx, space, func(block *Table) error { return visit(worker, block) })
	})
	return errors.Join(errs...)
}

// Discard drops the records and returns what they take: memory to the space's budget, if
// it has one, and chunks to its store.
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

// Aggregate returns the table in which every code c of column i is maps[i][c], below
// domains[i], and tuples that become equal are one. The table itself stays as it is. What
// the result takes is drawn; together with what making it takes it is at most the space's
// share. Beyond that the result is spilled.
func (t *Table) Aggregate(ctx context.Context, maps [][]uint32, domains []int, space Space) (*Table, error) {
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

// aggregateInMemory makes a copy, twice for a moment, and merges it.
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
