// Package cells holds the parts of recursive partitioning: the records of a table are divided again
// and again, and counted by column and class.
//
// Contract: parts and counts do not depend on whether records are in memory or in the store.
// Limits: the records of a part have no defined order.
package cells

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/partition"
)

// Cells are the records of one part of a table that recursive partitioning divides again and again:
// tuples of codes, with or without the class as last code, and their counts.
//
// In memory they are adjacent records of one array and moved in place, so that a small part costs
// little. Parts that take more than half of the space's share are in the store: they are read a
// block at a time while their children are written, and a part comes into memory when it is used
// and fits (LeFevre and DeWitt's Rothko-T). Results do not depend on where records are.
//
// Cells that come from one table share scratch and are not safe for concurrent use.
type Cells struct {
	*shared
	array  *array               // for cells in memory
	lo, hi int                  // range of their records in it
	chunks *partition.ChunkList // for cells in the store
	size   uint64
}

// New returns the records of a table. Histograms count them by the last column, which has the given
// number of classes; with 0 classes there is no such column.
//
// The table is consumed: from now on the cells own the bytes of one in memory, which must be drawn
// from the space's budget, and the chunks of a spilled one, which must be in its store. Close
// returns them, and everything that Cells made from these hold.
func New(table *partition.Table, classes int, space partition.Space) (*Cells, error) {
	return newCells(table, classes, 0, space.Pool())
}

// NewProbable is New for a table whose last columns, after that of the class, are the probabilities
// of the given number of classes, in units of 1/Mass, of MassBits bits each. There is one more
// class, which has the remaining probability. Histograms add them up over every code's records.
func NewProbable(table *partition.Table, classes, probabilities int, space partition.Space) (*Cells,
	error) {
	return newCells(table, classes, probabilities, space.Pool())
}

func newCells(table *partition.Table, classes, probabilities int, pool *partition.Pool) (*Cells,
	error) {
	s := &shared{
		layout:        table.Layout,
		columns:       len(table.Layout.Fields) - probabilities,
		classes:       classes,
		probabilities: probabilities,
		pool:          pool,
	}
	if classes > 0 {
		s.columns--
	}
	s.block = pool.ChunkRecords(s.layout)
	s.read.Layout, s.extra.Layout = s.layout, s.layout
	c := &Cells{shared: s, size: table.Size()}
	pool.Adopt(table.Bytes())
	records, chunks := table.Take()
	if chunks != nil {
		c.chunks = pool.AdoptList(chunks)
		return c, s.drawList()
	}
	resident := s.admits(records.Len()) || pool.Store == nil
	c.array, c.hi = s.newArray(records), records.Len()
	if resident {
		return c, nil
	}
	if err := c.moveOut(); err != nil {
		return nil, errors.Join(fmt.Errorf("spill cells: %w", err), c.Close())
	}
	return c, nil
}

// moveOut moves records in memory to the store.
func (c *Cells) moveOut() error {
	c.chunks = c.pool.NewList()
	if c.array != nil {
		if err := c.pool.Write(c.chunks, c.array.table,
			partition.Rows{Lo: c.lo, Hi: c.hi}); err != nil {
			return err
		}
	}
	c.leave()
	return c.drawList()
}

// Size returns the number of records of the cells.
func (c *Cells) Size() uint64 { return c.size }

// Len returns the number of cells.
func (c *Cells) Len() int {
	if c.chunks != nil {
		return c.chunks.Records
	}
	return c.hi - c.lo
}

// Layout returns the layout of their keys.
func (c *Cells) Layout() partition.Layout { return c.layout }

// Each calls visit with the key and the count of every cell, in any order. The key is valid until
// visit returns and must not be changed.
func (c *Cells) Each(ctx context.Context, visit func(key []uint64, count uint64)) error {
	return c.visit(ctx, func(t *partition.Table) error {
		for key, count := range t.All() {
			visit(key, count)
		}
		return nil
	})
}

// visit calls visit with the cells, some at a time, in any order. They are valid until it returns
// and must not be changed.
func (c *Cells) visit(ctx context.Context, visit func(*partition.Table) error) error {
	err := c.fetch(ctx)
	switch {
	case err != nil:
	case c.chunks != nil:
		err = c.scan(ctx, c.chunks, false, func() error { return visit(&c.read) })
	default:
		err = visit(c.home())
	}
	if err != nil {
		return fmt.Errorf("visit cells: %w", err)
	}
	return nil
}

// home returns cells in memory as a table, valid until the next call.
func (c *Cells) home() *partition.Table {
	t, w := c.array.table, c.layout.Words
	c.view = partition.Table{
		Layout: c.layout,
		Keys:   t.Keys[c.lo*w : c.hi*w],
		Counts: t.Counts[c.lo:c.hi],
	}
	return &c.view
}

// Copy returns cells of the same records, so that both can be consumed one after the other. In
// memory both use the same place, where dividing cells moves records but changes none: so Halve
// must not divide single cells of them.
func (c *Cells) Copy(ctx context.Context) (*Cells, error) {
	err, same := c.fetch(ctx), (*Cells)(nil)
	if err == nil && c.chunks == nil {
		c.array.cells++
		return &Cells{shared: c.shared, array: c.array, lo: c.lo, hi: c.hi, size: c.size}, nil
	}
	if err == nil {
		err = c.scan(ctx, c.chunks, false, func() error {
			return c.pass(&same, &c.read, c.read.Rows(0, c.read.Len()))
		})
	}
	if err != nil {
		return nil, fmt.Errorf("copy cells: %w", err)
	}
	return same, nil
}

// Free drops the cells.
func (c *Cells) Free() error {
	if c.chunks == nil {
		c.leave()
		return nil
	}
	p := c.chunks
	c.dropList(c)
	if err := c.pool.Free(p); err != nil {
		return fmt.Errorf("free cells: %w", err)
	}
	return nil
}

// leave removes cells in memory from their array. The last ones release it.
func (c *Cells) leave() {
	a := c.array
	if a == nil {
		return
	}
	c.array, c.hi = nil, c.lo
	if a.cells--; a.cells > 0 {
		return
	}
	c.pool.Release(a.table.Bytes())
	if c.arrays -= a.table.Bytes(); c.arrays == 0 {
		c.largest = 0
	}
}

// fetch brings spilled cells into memory if they fit.
func (c *Cells) fetch(ctx context.Context) error {
	if err := ctx.Err(); err != nil || c.chunks == nil {
		return err
	}
	n := c.chunks.Records
	if ok, err := c.room(n); !ok || err != nil {
		return err
	}
	t := &partition.Table{
		Layout: c.layout,
		Keys:   make([]uint64, 0, n*c.layout.Words),
		Counts: make([]uint64, 0, n),
	}
	err := c.pool.Consume(ctx, func(_ int, chunk []byte) error { return t.Decode(chunk) }, c.chunks)
	if err != nil {
		c.pool.Release(c.layout.TableBytes(n))
		return err
	}
	c.dropList(c)
	c.array, c.lo, c.hi = c.newArray(t), 0, n
	return nil
}
