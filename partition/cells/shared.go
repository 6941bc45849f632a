package cells

import (
	"context"
	"errors"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// shared is what all Cells of one table share: the memory and the store their records are
// in, and scratch.
type shared struct {
	layout        partition.Layout
	columns       int // but the class and the probabilities
	classes       int
	probabilities int // at the end of the records: of all classes but the last one
	pool          *partition.Pool
	block         int   // records that are read from a chunk list before they are worked on
	held          int64 // drawn for counting
	arrays        int64 // bytes of all arrays
	largest       int   // records of the largest array there was since there was none

	division partition.Division
	counts   []columnCount
	extents  []Extent
	read     partition.Table // a block of a chunk list
	extra    partition.Table // what Halve adds
	view     partition.Table // what Visit hands out
}

// array is records and the number of Cells in it. Its memory is returned with
// the last of them.
type array struct {
	table *partition.Table
	cells int
}

// admits reports whether one more array of so many records is to be in memory: with the
// others, and what counting one column of the largest takes, it leaves a part of the share
// for what is known of those in the store.
func (s *shared) admits(records int) bool {
	counting, largest := int64(0), max(records, s.largest)
	for column := range s.columns {
		counting = max(counting, s.countBytes(column, largest))
	}
	return s.arrays+s.layout.TableBytes(records)+counting <= s.pool.Share/4*3
}

// room draws memory for an array of so many records, unless they had better be in the store.
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

// drawList draws what is known of spilled cells.
func (s *shared) drawList() error {
	return s.pool.Draw("what is known of spilled cells", partition.ChunkListBytes)
}

// dropList forgets spilled cells, which were consumed.
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

// releaseCounts drops what counting holds.
func (s *shared) releaseCounts() {
	s.counts = nil
	s.pool.Release(s.held)
	s.held = 0
}

// scan reads, or consumes, a chunk list a block at a time for visit to work on.
func (s *shared) scan(ctx context.Context, p *partition.ChunkList, consume bool, visit func() error) error {
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

// Close frees all cells that come from the same table, wherever they are, and returns
// what they have drawn. They are not to be used any more.
func (s *shared) Close() error {
	s.held = 0
	return s.pool.Close()
}
