package partition

import (
	"context"
	"slices"

	"github.com/kcut/kcut/spill"
)

// ChunkList is a list of records in the store. Each of its chunks is one frame. The order of the
// records has no meaning.
type ChunkList struct {
	Summary

	sequence spill.Sequence // the sequence of the chunks; 0: there are no chunks
}

// ChunkListBytes is the number of bytes that a list takes, including its part of the store's index.
const ChunkListBytes = 512

// Summary describes some records.
type Summary struct {
	Records int
	Size    uint64   // the sum of the counts
	Sample  []uint64 // one of the keys
	Varying []uint64 // by word: the bits in which not all keys are equal
}

// Summarize returns the summary of the given rows of a table.
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

// add adds the records of another summary to the summary.
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

// Block is a frame of encoded records that can be added to a list.
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

// writeTable appends the given rows of a table, at most step records in each chunk. frame is
// scratch memory, which writeTable returns for the next call.
func (p *ChunkList) writeTable(
	store Store, t *Table, rows Rows, step int, frame []byte,
) ([]byte, error) {
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

// writtenChunk is the largest number of bytes that the records of one chunk take in memory.
const writtenChunk = 128 << 10

// writtenRecords returns the largest number of records of a layout in one chunk.
func writtenRecords(layout Layout) int { return writtenChunk / (8 * (layout.Words + 1)) }

// NewList returns an empty list that belongs to the pool.
func (m *Pool) NewList() *ChunkList { return m.AdoptList(&ChunkList{}) }

// AdoptList makes a list belong to the pool.
func (m *Pool) AdoptList(p *ChunkList) *ChunkList {
	m.lists[p] = true
	return p
}

// Add appends a copy of a block to a list.
func (m *Pool) Add(p *ChunkList, b Block) error { return p.write(m.Store, b) }

// Write appends the given rows of a table to a list.
func (m *Pool) Write(p *ChunkList, t *Table, rows Rows) (err error) {
	m.frame, err = p.writeTable(m.Store, t, rows, m.ChunkRecords(t.Layout), m.frame)
	return err
}

// Free removes a list from the pool and from the store.
func (m *Pool) Free(p *ChunkList) error {
	delete(m.lists, p)
	return m.Store.Free(p.sequence)
}

// Read calls visit with each chunk of a list. A chunk is valid until visit returns.
func (m *Pool) Read(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	return m.Store.Scan(ctx, visit, p.sequence)
}

// Consume is Read for several lists, one after another. It removes each chunk after it has read the
// chunk. visit also gets the position of the chunk's list in lists.
func (m *Pool) Consume(
	ctx context.Context, visit func(list int, chunk []byte) error, lists ...*ChunkList,
) error {
	sequences := make([]spill.Sequence, len(lists))
	for i, p := range lists {
		sequences[i] = p.sequence
		delete(m.lists, p)
	}
	return m.Store.Consume(ctx, visit, sequences...)
}
