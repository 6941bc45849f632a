package spill

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// ownTable is the number of buffered bytes from which a sequence gets its own table. It doubles
	// with every tablesStep tables, since each is a file.
	ownTable   = 256 << 10
	tablesStep = 8 << 10
	// sharedTable is the size at which a shared table ends, in units of the bytes of an own table:
	// its space is free only when all its sequences are freed.
	sharedTable = 2
	// mostTable is the size at which a table of one sequence ends. Consuming the sequence gives its
	// space back in steps of this size.
	mostTable = 4 << 20
)

// flush writes the blocks in the buffer that are not freed to tables. Its error is the store's
// failure.
func (s *Store) flush() error {
	blocks := slices.DeleteFunc(s.buffered, func(b *block) bool { return b.freed })
	slices.SortStableFunc(blocks, func(a, b *block) int { return cmp.Compare(a.number, b.number) })
	for _, of := range cut(blocks, ownTable<<(s.tables/tablesStep)) {
		if err := s.write(of); err != nil {
			return s.fail(err)
		}
	}
	s.empty()
	return nil
}

// empty empties the buffer.
func (s *Store) empty() {
	clear(s.buffered)
	s.buffer, s.buffered, s.used, s.live = s.buffer[:0], s.buffered[:0], 0, 0
}

// cut distributes blocks, which are ordered by sequence, over tables: a sequence with enough bytes
// gets its own.
func cut(blocks []*block, enough int) (tables [][]*block) {
	var shared []*block
	bytes := 0 // bytes in the shared table
	for len(blocks) > 0 {
		n, size := 0, 0
		for ; n < len(blocks) && blocks[n].sequence == blocks[0].sequence && size < mostTable; n++ {
			size += blocks[n].size
		}
		of := blocks[:n]
		blocks = blocks[n:]
		if size >= enough {
			tables = append(tables, of)
			continue
		}
		if shared, bytes = append(shared, of...), bytes+size; bytes >= enough*sharedTable {
			tables, shared, bytes = append(tables, shared), nil, 0
		}
	}
	if len(shared) > 0 {
		tables = append(tables, shared)
	}
	return tables
}

// write writes blocks to one new table.
func (s *Store) write(blocks []*block) error {
	s.made++
	t := &table{
		path:  s.folder.fs.PathJoin(s.folder.path, fmt.Sprintf("table-%d", s.made)),
		alive: len(blocks),
	}
	to, err := s.folder.fs.Create(t.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := newTable(to)
	var n uint32
	var key []byte
	for _, b := range blocks {
		b.table, b.first = t, n
		for _, piece := range b.pieces {
			for part := range slices.Chunk(piece, mostPiece) {
				key = binary.BigEndian.AppendUint32(key[:0], n)
				if err := w.Set(key, part); err != nil {
					return errors.Join(err, w.Close())
				}
				n++
			}
		}
		b.pieces = nil
	}
	if err := w.Close(); err != nil {
		return err
	}
	written, err := w.Raw().Metadata()
	if err != nil {
		return err
	}
	t.size = int64(written.Size)
	s.tables++
	s.stats.BytesWritten += t.size
	s.stats.DiskBytes += t.size
	s.stats.PeakDiskBytes = max(s.stats.PeakDiskBytes, s.stats.DiskBytes)
	return nil
}
