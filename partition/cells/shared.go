package cells

import (
	"context"
	"errors"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// shared is the common state of all Cells of one table: the memory and the store of their records,
// and scratch.
type shared struct {
	layout        partition.Layout
	columns       int // without the class and the probabilities
	classes       int
	probabilities int // at the end of the records: for all classes except the last one
	pool          *partition.Pool
	block         int   // number of records that are read from a chunk list at a time
	held          int64 // bytes drawn for counting
	arrays        int64 // bytes of all arrays
	largest       int   // number of records of the largest array since there was none

	division partition.Division
	counts   []columnCount
	extents  []Extent
	read     partition.Table // a block of a chunk list
	extra    partition.Table // records that Halve adds
	view     partition.Table // table for Visit
}

// array is records and the number of Cells in it. The last of them returns its memory.
type array struct {
	table *partition.Table
	cells int
}

// admits reports whether one more array should be in memory: with the others, and with the memory
// for counting one column of the largest, it must leave a part of the share for the lists of those
// in the store.
func (s *shared) admits(records int) bool {
	counting, largest := int64(0), max(records, s.largest)
	for column := range s.columns {
		counting = max(counting, s.countBytes(column, largest))
	}
	return s.arrays+s.layout.TableBytes(records)+counting <= s.pool.Share/4*3
}

// room draws memory for an array of some records, unless they should be in the store.
func (s *shared) room(records int) (ok bool, err error) {
	if s.pool.Store != nil && !s.admits(records) {
		return false, nil
	}
	err = s.pool.Draw("cells", s.layout.TableBytes(records))
	if s.pool.Store != nil && errors.Is(err, spill.ErrBudget) {
		return false, nil
	}
	return err == nil, err
}

// newArray returns the array of a table whose bytes are drawn.
func (s *shared) newArray(t *partition.Table) *array {
	s.arrays += t.Bytes()
	s.largest = max(s.largest, t.Len())
	return &array{table: t, cells: 1}
}

// drawList draws the memory of the list of spilled cells.
func (s *shared) drawList() error {
	return s.pool.Draw("the list of spilled cells", partition.ChunkListBytes)
}

// dropList drops the list of spilled cells, which were consumed.
func (s *shared) dropList(c *Cells) {
	s.pool.Release(partition.ChunkListBytes)
	c.chunks = nil
}

// drawCounts draws memory for counting, unless that much is drawn already.
func (s *shared) drawCounts(bytes int64) error {
	if bytes <= s.held {
		return nil
	}
	if err := s.pool.Draw("counts of cells", bytes-s.held); err != nil {
		return err
	}
	s.held = bytes
	return nil
}

// releaseCounts releases the memory of counting.
func (s *shared) releaseCounts() {
	s.counts = nil
	s.pool.Release(s.held)
	s.held = 0
}

// scan reads, or consumes, a chunk list a block at a time, and calls visit for each.
func (s *shared) scan(ctx context.Context, p *partition.ChunkList, consume bool,
	visit func() error) error {
	s.read.Truncate()
	work := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		defer s.read.Truncate()
		return visit()
	}
	decode := func(_ int, chunk []byte) error {
		if err := s.read.Decode(chunk); err != nil || s.read.Len() < s.block {
			return err
		}
		return work()
	}
	var err error
	if consume {
		err = s.pool.Consume(ctx, decode, p)
	} else {
		err = s.pool.Read(ctx, p, func(chunk []byte) error { return decode(0, chunk) })
	}
	if err == nil && s.read.Len() > 0 {
		err = work()
	}
	return err
}

// Close frees all cells that come from the same table, in memory and in the store, and returns
// their drawn memory. They must not be used any more.
func (s *shared) Close() error {
	s.held = 0
	return s.pool.Close()
}
