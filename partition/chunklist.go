package partition

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/spill"
)

// ChunkList is a list of records outside a table, as frames: some in memory, the others in
// chunks of sequences in the store. Their order has no meaning. A Pool adds to it.
type ChunkList struct {
	Summary
	Order uint64 // when it will be read, compared with others

	frames    [][]byte
	bytes     int64            // drawn for frames
	sequences []spill.Sequence // with the chunks
	last      int              // bytes in the last sequence
	stored    int64            // bytes ever written to the store
	place     int              // among the pool's lists, plus one; 0: not there
}

// maxSequence is where a sequence of a list ends: as a list is consumed, its disk space is
// given back in steps of that size.
const maxSequence = 4 << 20

// ChunkListBytes is what a list takes besides its frames, in the store's index too.
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
		s.Sample, s.Varying = o.Sample, o.Varying
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

// Block returns the block of some records.
func (t *Table) Block(rows Rows) Block {
	s := Summarize(t, rows)
	return Block{s, t.AppendFrame(nil, rows, s)}
}

// frameBytes returns the memory that a frame takes: its bytes, what the allocator rounds
// them up by, and its place in the list.
func frameBytes(frame []byte) int64 { return int64(len(frame) + len(frame)/8 + 48) }

// write appends a chunk in the store.
func (p *ChunkList) write(s Store, chunk []byte) error {
	if len(p.sequences) == 0 || p.last+len(chunk) > maxSequence {
		p.sequences, p.last = append(p.sequences, s.NewSequence()), 0
	}
	p.last += len(chunk)
	p.stored += int64(len(chunk))
	return s.Append(p.sequences[len(p.sequences)-1], chunk)
}

// writeTable appends the records of a table, so many in a chunk. Frame is scratch, and returned.
func (p *ChunkList) writeTable(store Store, t *Table, step int, frame []byte) ([]byte, error) {
	for lo := 0; lo < t.Len(); lo += step {
		rows := t.Rows(lo, min(lo+step, t.Len()))
		s := Summarize(t, rows)
		p.add(s)
		frame = t.AppendFrame(frame[:0], rows, s)
		if err := p.write(store, frame); err != nil {
			return frame, err
		}
	}
	return frame, nil
}

// writtenChunk is the most bytes of records that are written in one chunk.
const writtenChunk = 128 << 10

// writtenRecords returns how many records of a layout are written in one chunk at most.
func writtenRecords(layout Layout) int { return writtenChunk / (8 * (layout.Words + 1)) }

// free frees what the sequences of a list have in the store.
func (p *ChunkList) free(store Store) error {
	if len(p.sequences) == 0 {
		return nil
	}
	sequences := p.sequences
	p.sequences = nil
	return store.Free(sequences...)
}

// Read hands out the chunks of a list, each valid until visit returns. The list is not evicted
// meanwhile, so that nothing is seen twice.
func (m *Pool) Read(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	m.forget(p)
	defer m.remember(p)
	for _, frame := range p.frames {
		if err := visit(frame); err != nil {
			return err
		}
	}
	if len(p.sequences) == 0 {
		return nil
	}
	return m.Store.Scan(ctx, visit, p.sequences...)
}

// Consume is Read for a list that is freed as it is read.
func (m *Pool) Consume(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	return m.ConsumeAll(ctx, []*ChunkList{p}, func(_ int, chunk []byte, _ bool) (int, error) { return 0, visit(chunk) })
}

// VisitChunk is told of a chunk, and whether it is a frame that was in memory: others are valid
// until it returns. It says how many records the chunk has.
type VisitChunk func(list int, chunk []byte, isFrame bool) (records int, err error)

// ConsumeAll hands out the chunks of lists, one list after the other. Lists are freed as they
// are read. The store reads small ones at once.
func (m *Pool) ConsumeAll(ctx context.Context, lists []*ChunkList, visit VisitChunk) error {
	for from := 0; from < len(lists); {
		to := from
		for stored := int64(0); to < len(lists) && (to == from || stored+lists[to].stored <= maxSequence); to++ {
			stored += lists[to].stored
		}
		visitNext := func(i int, chunk []byte, isFrame bool) (int, error) { return visit(from+i, chunk, isFrame) }
		if err := m.consumeTogether(ctx, lists[from:to], visitNext); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// consumeTogether is ConsumeAll for some lists that the store reads at once, or for one, of which
// it reads and frees one sequence after the other.
func (m *Pool) consumeTogether(ctx context.Context, lists []*ChunkList, visit VisitChunk) error {
	left := make([]int, len(lists))
	var sequences []spill.Sequence
	for i, p := range lists {
		m.forget(p)
		left[i] = p.Records
		for k, frame := range p.frames {
			records, err := visit(i, frame, true)
			if err != nil {
				return err
			}
			left[i] -= records
			n := frameBytes(frame)
			m.Release(n)
			p.bytes -= n
			p.frames[k] = nil
		}
		sequences = append(sequences, p.sequences...)
	}
	step, at := max(1, len(sequences)), 0
	if len(lists) == 1 {
		step = 1
	}
	for part := range slices.Chunk(sequences, step) {
		err := m.Store.Scan(ctx, func(chunk []byte) error {
			for at < len(left)-1 && left[at] == 0 {
				at++
			}
			records, err := visit(at, chunk, false)
			if left[at] -= records; left[at] < 0 {
				return fmt.Errorf("read partitions: %w", spill.ErrCorrupt)
			}
			return err
		}, part...)
		if err == nil {
			err = m.Store.Free(part...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
