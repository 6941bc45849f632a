package partition

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/spill"
)

// ChunkList is a list of records in the store, each chunk of which is a frame. Their order has no
// meaning.
type ChunkList struct {
	Summary

	sequences []spill.Sequence // with the chunks
	last      int              // bytes in the last sequence
	stored    int64            // bytes of all chunks
}

// maxSequence is where a sequence of a list ends: as a list is consumed, its disk space is
// given back in steps of that size.
const maxSequence = 4 << 20

// ChunkListBytes is what a list takes, in the store's index too.
const ChunkListBytes = 512

// Summary is what is known of some records.
type Summary struct {
	Records int
	Size    uint64   // the sum of their counts
	Sample  []uint64 // one of the keys
	Varying []uint64 // by word: the bits in which not all keys are equal
}

// Summarize returns the summary of records of a table.
func Summarize(t *Table, rows Rows) Summary {
	w := t.Layout.Words
	keys, words := t.Keys[rows.Lo*w:rows.Hi*w], make([]uint64, 2*w)
	s := Summary{Records: rows.Records(), Size: rows.Size, Sample: words[:w:w], Varying: words[w:]}
	copy(s.Sample, keys)
	for k, first := range s.Sample {
		varying := uint64(0)
		for i := k; i < len(keys); i += w {
			varying |= keys[i] ^ first
		}
		s.Varying[k] = varying
	}
	return s
}

// add makes the summary that of its records and others.
func (s *Summary) add(o Summary) {
	if s.Records == 0 {
		s.Sample, s.Varying = slices.Clone(o.Sample), slices.Clone(o.Varying)
	}
	for k, first := range o.Sample {
		s.Varying[k] |= o.Varying[k] | (first ^ s.Sample[k])
	}
	s.Records += o.Records
	s.Size += o.Size
}

// Block is records on their way to a list, encoded.
type Block struct {
	Summary
	Frame []byte
}

// write appends a block.
func (p *ChunkList) write(store Store, b Block) error {
	if len(p.sequences) == 0 || p.last+len(b.Frame) > maxSequence {
		p.sequences, p.last = append(p.sequences, store.NewSequence()), 0
	}
	p.add(b.Summary)
	p.last += len(b.Frame)
	p.stored += int64(len(b.Frame))
	return store.Append(p.sequences[len(p.sequences)-1], b.Frame)
}

// writeTable appends records of a table, so many in a chunk. Frame is scratch, and returned.
func (p *ChunkList) writeTable(store Store, t *Table, rows Rows, step int, frame []byte) ([]byte, error) {
	for lo := rows.Lo; lo < rows.Hi; lo += step {
		some := t.Rows(lo, min(lo+step, rows.Hi))
		s := Summarize(t, some)
		frame = t.AppendFrame(frame[:0], some, s)
		if err := p.write(store, Block{s, frame}); err != nil {
			return frame, err
		}
	}
	return frame, nil
}

// writtenChunk is the most bytes of records that are written in one chunk.
const writtenChunk = 128 << 10

// writtenRecords returns how many records of a layout are written in one chunk at most.
func writtenRecords(layout Layout) int { return writtenChunk / (8 * (layout.Words + 1)) }

// free frees what a list has in the store.
func (p *ChunkList) free(store Store) error {
	if len(p.sequences) == 0 {
		return nil
	}
	sequences := p.sequences
	p.sequences = nil
	return store.Free(sequences...)
}

// NewList returns an empty list of the pool.
func (m *Pool) NewList() *ChunkList { return m.AdoptList(&ChunkList{}) }

// AdoptList makes a list one of the pool.
func (m *Pool) AdoptList(p *ChunkList) *ChunkList {
	m.lists[p] = true
	return p
}

// Add appends a block to a list, which is copied.
func (m *Pool) Add(p *ChunkList, b Block) error { return p.write(m.Store, b) }

// Write appends records of a table to a list.
func (m *Pool) Write(p *ChunkList, t *Table, rows Rows) (err error) {
	m.frame, err = p.writeTable(m.Store, t, rows, m.ChunkRecords(t.Layout), m.frame)
	return err
}

// Free drops a list.
func (m *Pool) Free(p *ChunkList) error {
	delete(m.lists, p)
	return p.free(m.Store)
}

// Read hands out the chunks of a list, each valid until visit returns.
func (m *Pool) Read(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	if len(p.sequences) == 0 {
		return nil
	}
	return m.Store.Scan(ctx, visit, p.sequences...)
}

// Consume is Read for a list that is dropped as it is read.
func (m *Pool) Consume(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	return m.ConsumeAll(ctx, []*ChunkList{p}, func(_ int, chunk []byte) error { return visit(chunk) })
}

// ConsumeAll is Consume for one list after the other. The store reads small ones at once.
func (m *Pool) ConsumeAll(ctx context.Context, lists []*ChunkList, visit func(list int, chunk []byte) error) error {
	for from := 0; from < len(lists); {
		to := from
		for stored := int64(0); to < len(lists) && (to == from || stored+lists[to].stored <= maxSequence); to++ {
			stored += lists[to].stored
		}
		visitNext := func(i int, chunk []byte) error { return visit(from+i, chunk) }
		if err := m.consumeTogether(ctx, lists[from:to], visitNext); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// consumeTogether is ConsumeAll for some lists that the store reads at once, or for one, of which
// it reads and frees one sequence after the other.
func (m *Pool) consumeTogether(ctx context.Context, lists []*ChunkList, visit func(list int, chunk []byte) error) error {
	var sequences []spill.Sequence
	for _, p := range lists {
		sequences = append(sequences, p.sequences...)
	}
	step, at, left := max(1, len(sequences)), 0, lists[0].Records
	if len(lists) == 1 {
		step = 1
	}
	for part := range slices.Chunk(sequences, step) {
		err := m.Store.Scan(ctx, func(chunk []byte) error {
			for left == 0 && at < len(lists)-1 {
				at++
				left = lists[at].Records
			}
			if left -= FrameRecords(chunk); left < 0 {
				return fmt.Errorf("read partitions: %w", spill.ErrCorrupt)
			}
			return visit(at, chunk)
		}, part...)
		if err == nil {
			err = m.Store.Free(part...)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range lists {
		delete(m.lists, p)
	}
	return nil
}
