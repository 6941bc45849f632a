package partition

import (
	"context"
	"errors"

	"github.com/kcut/kcut/spill"
)

// stock is what all Cells of one table share: the memory and the store their records are
// in, and scratch.
type stock struct {
	layout  Layout
	classes int
	pool    *Pool
	codec   codec
	block   int             // records that are read from a pile before they are worked on
	spilled map[*Cells]bool // to be freed by Close
	held    int64           // drawn for counting
	homes   int64           // bytes of all homes
	largest int             // records of the largest home there was since there was none

	division   division
	refinement Refinement
	counts     []columnCount
	extents    []Extent
	read       Table // a block of a pile
	extra      Table // what Halve adds
	view       Table // what Visit hands out
}

func newStock(layout Layout, classes int, pool *Pool) *stock {
	s := &stock{layout: layout, classes: classes, pool: pool, codec: newCodec(layout), spilled: map[*Cells]bool{}}
	s.block = max(2, pool.chunk/(8*layout.Words+4))
	s.read.Layout, s.extra.Layout = layout, layout
	return s
}

// home is an array of records and the number of Cells in it. Its memory is returned with
// the last of them.
type home struct {
	table *Table
	cells int
}

// admits reports whether one more home of so many records is to be in memory: with the
// others, and what counting one column of the largest takes, it leaves a part of the share
// for piles.
func (s *stock) admits(records int) bool {
	if s.pool.budget == nil {
		return true
	}
	counting, largest := int64(0), max(records, s.largest)
	for column := range s.columns() {
		counting = max(counting, s.countBytes(column, largest))
	}
	return s.homes+s.layout.tableBytes(records)+counting <= s.pool.share/4*3
}

// room draws memory for a home of so many records, unless they had better be in the store.
func (s *stock) room(records int) (ok bool, err error) {
	if s.pool.store != nil && !s.admits(records) {
		return false, nil
	}
	err = s.pool.draw("cells", s.layout.tableBytes(records))
	if s.pool.store != nil && errors.Is(err, spill.ErrBudget) {
		return false, nil
	}
	return err == nil, err
}

// house returns the home of a table whose bytes are drawn.
func (s *stock) house(t *Table) *home {
	s.homes += t.Bytes()
	s.largest = max(s.largest, t.Len())
	return &home{table: t, cells: 1}
}

// vacate notes that one of the Cells in a home has left it.
func (s *stock) vacate(h *home) {
	if h.cells--; h.cells > 0 {
		return
	}
	s.pool.release(h.table.Bytes())
	if s.homes -= h.table.Bytes(); s.homes == 0 {
		s.largest = 0
	}
}

// columns returns the number of columns but the class.
func (s *stock) columns() int {
	if s.classes > 0 {
		return len(s.layout.Fields) - 1
	}
	return len(s.layout.Fields)
}

// know notes spilled cells and draws what is known of them.
func (s *stock) know(c *Cells) error {
	s.spilled[c] = true
	return s.pool.draw("what is known of spilled cells", pileBytes)
}

// forget is the opposite of know.
func (s *stock) forget(c *Cells) {
	delete(s.spilled, c)
	s.pool.release(pileBytes)
	c.pile = nil
}

// hold draws memory for counting, unless that much is drawn already.
func (s *stock) hold(bytes int64) error {
	if bytes <= s.held {
		return nil
	}
	if err := s.pool.draw("counts of cells", bytes-s.held); err != nil {
		return err
	}
	s.held = bytes
	return nil
}

// letGo drops what counting holds.
func (s *stock) letGo() {
	s.counts = nil
	s.pool.release(s.held)
	s.held = 0
}

// scan reads a pile a block at a time for visit to work on. While it is not consumed it
// is not evicted either, so that nothing is seen twice.
func (s *stock) scan(ctx context.Context, p *pile, consume bool, visit func() error) error {
	s.read.truncate()
	work := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := visit()
		s.read.truncate()
		return err
	}
	if !consume {
		s.pool.forget(p)
		defer s.remember(p)
	}
	err := s.pool.each(ctx, p, consume, func(chunk []byte, _ bool) error {
		if err := s.codec.decode(chunk, &s.read); err != nil || s.read.Len() < s.block {
			return err
		}
		return work()
	})
	if err == nil && s.read.Len() > 0 {
		err = work()
	}
	return err
}

// remember puts a pile back on the pool's list of those that may be evicted.
func (s *stock) remember(p *pile) {
	if len(p.frames) > 0 && p.place == 0 {
		s.pool.piles = append(s.pool.piles, p)
		p.place = len(s.pool.piles)
	}
}

// Close frees all cells that come from the same table, wherever they are, and returns
// what they have drawn. They are not to be used any more.
func (s *stock) Close() error {
	var sequences []spill.Sequence
	for c := range s.spilled {
		sequences = append(sequences, c.pile.sequences...)
	}
	clear(s.spilled)
	s.held = 0
	err := s.pool.Close()
	if len(sequences) > 0 {
		err = errors.Join(err, s.pool.store.Free(sequences...))
	}
	return err
}
