package partition

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/spill"
)

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
	return readChunks(ctx, m.Store, visit, p.sequences...)
}

// Consume is Read for a list that is freed as it is read.
func (m *Pool) Consume(ctx context.Context, p *ChunkList, visit func(chunk []byte) error) error {
	return m.consume(ctx, p, func(chunk []byte, _ bool) error { return visit(chunk) })
}

func (m *Pool) consume(ctx context.Context, p *ChunkList, visit func(chunk []byte, isFrame bool) error) error {
	m.forget(p)
	for i, frame := range p.frames {
		if err := visit(frame, true); err != nil {
			return err
		}
		n := frameBytes(frame)
		m.Release(n)
		p.bytes -= n
		p.frames[i] = nil
	}
	for _, sequence := range p.sequences {
		err := readChunks(ctx, m.Store, func(chunk []byte) error { return visit(chunk, false) }, sequence)
		if err != nil {
			return err
		}
		p.sequences = p.sequences[1:]
		if err := m.Store.Free(sequence); err != nil {
			return err
		}
	}
	return nil
}

// VisitChunk is told of a chunk, and whether it is a frame that was in memory: others are valid
// until it returns. It says how many records the chunk has.
type VisitChunk func(list int, chunk []byte, isFrame bool) (records int, err error)

// ConsumeAll hands out the chunks of lists, one list after the other. Lists are freed as they
// are read.
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

// consumeTogether is ConsumeAll for one list, or for some that are small: the store reads them
// at once.
func (m *Pool) consumeTogether(ctx context.Context, lists []*ChunkList, visit VisitChunk) error {
	if len(lists) == 1 {
		return m.consume(ctx, lists[0], func(chunk []byte, isFrame bool) error {
			_, err := visit(0, chunk, isFrame)
			return err
		})
	}
	var sequences []spill.Sequence
	for _, p := range lists {
		m.forget(p)
		sequences = append(sequences, p.sequences...)
	}
	left := make([]int, len(lists))
	for i, p := range lists {
		left[i] = p.Records
		for k, frame := range p.frames {
			records, err := visit(i, frame, true)
			if err != nil {
				return err
			}
			left[i] -= records
			p.frames[k] = nil
		}
		m.dropFrames(p)
	}
	if len(sequences) == 0 {
		return nil
	}
	at := 0
	err := readChunks(ctx, m.Store, func(chunk []byte) error {
		for at < len(left) && left[at] == 0 {
			at++
		}
		if at == len(left) {
			return fmt.Errorf("read partitions: %w", spill.ErrCorrupt)
		}
		records, err := visit(at, chunk, false)
		left[at] -= records
		return err
	}, sequences...)
	if err != nil {
		return err
	}
	return m.Store.Free(sequences...)
}
