package cells

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/partition"
)

// Divide divides the cells by a column: those of code v go to part[v], which is below parts. It
// reads part only for codes that occur. A part without cells is nil. It consumes the cells.
func (c *Cells) Divide(ctx context.Context, column int, part []uint32, parts int) ([]*Cells,
	error) {
	f, r, divided := c.layout.Fields[column], &partition.Refinement{Children: parts, Child: part},
		make([]*Cells, parts)
	err := c.consume(ctx, func(t *partition.Table, rows partition.Rows) error {
		for i, l := range c.division.Divide(t, rows, f, r) {
			if err := c.pass(&divided[c.division.Present[i]], t, l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("divide cells: %w", err)
	}
	return divided, nil
}

// Halve divides the cells in two by a column: codes below at go left, codes above go right. From a
// cell of code at, the number of records that left returns for its key and count goes left, and the
// others go right. A half without cells is nil. It consumes the cells.
func (c *Cells) Halve(ctx context.Context, column int, at uint32,
	left func(key []uint64, count uint64) uint64) (halves [2]*Cells, err error) {
	h := halving{field: c.layout.Fields[column], at: uint64(at), left: left}
	err = c.consume(ctx, func(t *partition.Table, rows partition.Rows) error {
		c.extra.Truncate()
		front, size := h.run(t, rows.Lo, rows.Hi, &c.extra)
		extra := c.extra.Rows(0, c.extra.Len())
		right := partition.Rows{Lo: front, Hi: rows.Hi, Size: rows.Size - size - extra.Size}
		if err := c.pass(&halves[0], t, partition.Rows{
			Lo:   rows.Lo,
			Hi:   front,
			Size: size,
		}); err != nil {
			return err
		}
		if err := c.pass(&halves[1], t, right); err != nil || extra.Size == 0 {
			return err
		}
		if t == &c.read {
			return c.pass(&halves[1], &c.extra, extra)
		}
		return c.join(&halves[1], extra)
	})
	if err != nil {
		return [2]*Cells{}, fmt.Errorf("halve cells: %w", err)
	}
	return halves, nil
}

// consume visits the records, which then belong to other cells: those in memory at once, those in
// the store a block at a time.
func (c *Cells) consume(ctx context.Context,
	visit func(*partition.Table, partition.Rows) error) error {
	err := c.fetch(ctx)
	switch {
	case err != nil:
		return err
	case c.chunks != nil:
		err = c.scan(ctx, c.chunks, true, func() error {
			return visit(&c.read, c.read.Rows(0, c.read.Len()))
		})
		if err == nil {
			c.dropList(c)
		}
		return err
	case c.lo < c.hi:
		err = visit(c.array.table, partition.Rows{Lo: c.lo, Hi: c.hi, Size: c.size})
	}
	c.leave()
	return err
}

// pass adds records to cells, which it makes if to is nil: records in memory stay in place, those
// read from the store are written again.
func (c *Cells) pass(to **Cells, t *partition.Table, rows partition.Rows) error {
	if rows.Records() == 0 {
		return nil
	}
	if c.array != nil && t == c.array.table {
		*to = &Cells{shared: c.shared, array: c.array, lo: rows.Lo, hi: rows.Hi, size: rows.Size}
		c.array.cells++
		return nil
	}
	if *to == nil {
		*to = &Cells{shared: c.shared, chunks: c.pool.NewList()}
		if err := c.drawList(); err != nil {
			return err
		}
	}
	(*to).size += rows.Size
	return c.pool.Write((*to).chunks, t, rows)
}

// join adds extra records to cells in memory, which it makes if to is nil. There is no room for
// them in place, so all move out.
func (c *Cells) join(to **Cells, rows partition.Rows) error {
	if *to == nil {
		*to = &Cells{shared: c.shared}
	}
	half, w := *to, c.layout.Words
	n := half.Len() + rows.Records()
	ok, err := c.room(n)
	if err != nil {
		return err
	}
	half.size += rows.Size
	if !ok {
		if err := half.moveOut(); err != nil {
			return err
		}
		return c.pool.Write(half.chunks, &c.extra, rows)
	}
	joined := &partition.Table{
		Layout: c.layout,
		Keys:   make([]uint64, 0, n*w),
		Counts: make([]uint64, 0, n),
	}
	if half.array != nil {
		home := half.home()
		joined.Keys, joined.Counts = append(joined.Keys, home.Keys...),
			append(joined.Counts, home.Counts...)
	}
	joined.Keys, joined.Counts = append(joined.Keys, c.extra.Keys...),
		append(joined.Counts, c.extra.Counts...)
	half.leave()
	half.array, half.lo, half.hi = c.newArray(joined), 0, n
	return nil
}

// halving decides which records go left.
type halving struct {
	field partition.Field
	at    uint64
	left  func(key []uint64, count uint64) uint64
}

// run moves the records that go left to the front, and the right parts of divided ones to extra. It
// returns the end of the left ones and the sum of their counts.
func (h halving) run(t *partition.Table, lo, hi int, extra *partition.Table) (front int,
	leftSize uint64) {
	w := t.Layout.Words
	front = lo
	for i := lo; i < hi; i++ {
		key, count := t.Keys[i*w:(i+1)*w], t.Counts[i]
		n := count
		switch code := uint64(h.field.Code(key)); {
		case code > h.at:
			continue
		case code == h.at:
			n = h.left(key, count)
		}
		if n == 0 {
			continue
		}
		if n < count {
			extra.Keys = append(extra.Keys, key...)
			extra.Counts = append(extra.Counts, count-n)
			t.Counts[i] = n
		}
		t.Swap(i, front)
		front++
		leftSize += n
	}
	return front, leftSize
}
