package partition

import (
	"context"
	"fmt"
	"slices"

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
