package cells

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/partition"
)

// Divide divides the cells by a column: those of code v become part[v], which is below
// parts. It looks only at the codes that occur. A part without cells is nil. The cells are
// consumed.
func (c *Cells) Divide(ctx context.Context, column int, part []uint32, parts int) ([]*Cells, error) {
	f, r, divided := c.layout.Fields[column], &partition.Refinement{Children: parts, Child: part}, make([]*Cells, parts)
	err := c.fetch(ctx)
	switch {
	case err != nil:
	case c.chunks == nil && c.lo == c.hi:
		c.leave()
	case c.chunks == nil:
		rows := c.division.Divide(c.array.table, partition.Rows{Lo: c.lo, Hi: c.hi, Size: c.size}, f, r)
		children := make([]Cells, len(rows))
		for i, l := range rows {
			children[i] = Cells{shared: c.shared, array: c.array, lo: l.Lo, hi: l.Hi, size: l.Size}
			divided[c.division.Present[i]] = &children[i]
		}
		c.array.cells += len(rows)
		c.leave()
	default:
		err = c.scan(ctx, c.chunks, true, func() error {
			for i, l := range c.division.Divide(&c.read, c.read.Rows(0, c.read.Len()), f, r) {
				if err := c.pass(&divided[c.division.Present[i]], &c.read, l); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			c.dropList(c)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("divide cells: %w", err)
	}
	return divided, nil
}

// pass adds records to spilled cells, which it makes when there are none.
func (s *shared) pass(to **Cells, t *partition.Table, rows partition.Rows) error {
	if rows.Records() == 0 {
		return nil
	}
	if *to == nil {
		*to = &Cells{shared: s, chunks: s.pool.NewList()}
		if err := s.drawList(); err != nil {
			return err
		}
	}
	(*to).size += rows.Size
	return s.pool.Write((*to).chunks, t, rows)
}

// Halve divides the cells in two by a column: codes below at go left, codes above go
// right, and of a cell of code at as many records go left as left says of its key and its
// count, the others right. A half without cells is nil. The cells are consumed.
func (c *Cells) Halve(ctx context.Context, column int, at uint32, left func(key []uint64, count uint64) uint64) (halves [2]*Cells, err error) {
	h := halving{field: c.layout.Fields[column], at: uint64(at), left: left}
	switch err = c.fetch(ctx); {
	case err != nil:
	case c.chunks == nil:
		err = c.halveHome(h, &halves)
	default:
		err = c.scan(ctx, c.chunks, true, func() error {
			c.extra.Truncate()
			front, _ := h.run(&c.read, 0, c.read.Len(), &c.extra)
			return errors.Join(
				c.pass(&halves[0], &c.read, c.read.Rows(0, front)),
				c.pass(&halves[1], &c.read, c.read.Rows(front, c.read.Len())),
				c.pass(&halves[1], &c.extra, c.extra.Rows(0, c.extra.Len())))
		})
		if err == nil {
			c.dropList(c)
		}
	}
	if err != nil {
		return [2]*Cells{}, fmt.Errorf("halve cells: %w", err)
	}
	return halves, nil
}

// halveHome halves cells in memory. The left half stays where it is. Cells that were
// divided need more room than there is, so then the right half moves out.
func (c *Cells) halveHome(h halving, halves *[2]*Cells) error {
	if c.lo == c.hi {
		c.leave()
		return nil
	}
	c.extra.Truncate()
	front, leftSize := h.run(c.array.table, c.lo, c.hi, &c.extra)
	left := &Cells{shared: c.shared, array: c.array, lo: c.lo, hi: front, size: leftSize}
	right := &Cells{shared: c.shared, array: c.array, lo: front, hi: c.hi, size: c.size - leftSize}
	c.array.cells += 2
	c.leave()
	if err := right.join(&c.extra); err != nil {
		return err
	}
	for i, half := range []*Cells{left, right} {
		if half.size > 0 {
			halves[i] = half
		} else {
			half.leave()
		}
	}
	return nil
}

// join adds records to cells in memory, whose size counts them already.
func (c *Cells) join(extra *partition.Table) error {
	if extra.Len() == 0 {
		return nil
	}
	t, w, n := c.array.table, c.layout.Words, c.hi-c.lo+extra.Len()
	ok, err := c.room(n)
	if err != nil {
		return err
	}
	if !ok {
		rows := extra.Rows(0, extra.Len())
		c.size -= rows.Size
		if err := c.moveOut(); err != nil {
			return err
		}
		return c.pass(&c, extra, rows)
	}
	to := &partition.Table{Layout: c.layout, Keys: make([]uint64, 0, n*w), Counts: make([]uint64, 0, n)}
	to.Keys = append(append(to.Keys, t.Keys[c.lo*w:c.hi*w]...), extra.Keys...)
	to.Counts = append(append(to.Counts, t.Counts[c.lo:c.hi]...), extra.Counts...)
	c.leave()
	c.array, c.lo, c.hi = c.newArray(to), 0, n
	return nil
}

// halving says where cells go.
type halving struct {
	field partition.Field
	at    uint64
	left  func(key []uint64, count uint64) uint64
}

// run brings the records that go left to the front, and the right part of those that are
// divided to extra. It returns where the left ones end and the sum of their counts.
func (h halving) run(t *partition.Table, lo, hi int, extra *partition.Table) (front int, leftSize uint64) {
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
