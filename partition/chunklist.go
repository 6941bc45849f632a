package partition

import (
	"context"
	"slices"

	"github.com/kcut/kcut/spill"
)

// ChunkList is a list of records in the store, each chunk of which is a frame. Their order has no
// meaning.
type ChunkList struct {
	Summary

	sequence spill.Sequence // with the chunks; 0: there are none
}

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
	if p.sequence == 0 {
		p.sequence = store.NewSequence()
	}
	p.add(b.Summary)
	return store.Append(p.sequence, b.Frame)
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
	return m.Store.Free(p.sequence)
}

// Read hands out the chunks of a list, each valid until visit returns.
func (m *Pool) Read(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	return m.Store.Scan(ctx, visit, p.sequence)
}

// Consume is Read for lists that are dropped as they are read, one after the other. Visit is told
// which of them a chunk is of.
func (m *Pool) Consume(ctx context.Context, visit func(list int, chunk []byte) error, lists ...*ChunkList) error {
	sequences := make([]spill.Sequence, len(lists))
	for i, p := range lists {
		sequences[i] = p.sequence
		delete(m.lists, p)
	}
	return m.Store.Consume(ctx, visit, sequences...)
}
