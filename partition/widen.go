package partition

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// widen returns the layout with more fields after the others, each of so many bits.
func (l Layout) widen(fields, width int) Layout {
	last := l.Fields[len(l.Fields)-1]
	used := int(last.Shift) + bits.Len64(last.Mask)
	l.Fields = append([]Field{}, l.Fields...)
	for range fields {
		if used+width > 64 {
			l.Words++
			used = 0
		}
		l.Fields = append(l.Fields, Field{Word: l.Words - 1, Shift: uint(used), Mask: 1<<width - 1})
		used += width
	}
	return l
}

// Widen returns the table with more columns, of codes of so many bits: compute returns them for some of the
// records, column after column, valid until the worker's next call. It is called by the space's threads.
// The table is consumed: what the result takes is drawn, or it is spilled.
func (t *Table) Widen(ctx context.Context, columns, width int, compute func(w workers.Worker, records *Table) ([][]uint32, error), space Space) (*Table, error) {
	x := widening{layout: t.Layout.widen(columns, width), first: len(t.Layout.Fields), compute: compute, threads: max(1, space.Threads)}
	wider, err := x.inMemory(ctx, t, space)
	if space.Store != nil && errors.Is(err, spill.ErrBudget) {
		wider, err = x.stored(ctx, t, space)
	}
	if err != nil {
		return nil, fmt.Errorf("widen tuples: %w", err)
	}
	return wider, nil
}

// widening is a table that gets more columns.
type widening struct {
	layout  Layout
	first   int // field that is new
	compute func(w workers.Worker, records *Table) ([][]uint32, error)
	threads int
}

// inMemory leaves keys where they are if they have room for the columns.
func (x *widening) inMemory(ctx context.Context, t *Table, space Space) (*Table, error) {
	if t.Spilled() {
		return nil, spill.ErrBudget
	}
	wider := &Table{Layout: x.layout, Keys: t.Keys, Counts: t.Counts}
	if x.layout.Words > t.Layout.Words {
		if err := space.Draw("wider tuples", 8*int64(t.Len()*x.layout.Words)); err != nil {
			return nil, err
		}
		wider.Keys = make([]uint64, t.Len()*x.layout.Words)
	}
	if err := x.widen(ctx, t, wider.Keys); err != nil {
		return nil, err
	}
	if x.layout.Words > t.Layout.Words && space.Budget != nil {
		space.Budget.Return(8 * int64(cap(t.Keys)))
	}
	return wider, nil
}

// stored writes the wider table to the store.
func (x *widening) stored(ctx context.Context, t *Table, space Space) (*Table, error) {
	var chunks ChunkList
	var frame []byte
	wider := &Table{Layout: x.layout}
	err := t.Scan(ctx, space, func(block *Table) (err error) {
		if n := block.Len() * x.layout.Words; cap(wider.Keys) < n {
			wider.Keys = make([]uint64, n)
		}
		wider.Keys, wider.Counts = wider.Keys[:block.Len()*x.layout.Words], block.Counts
		if err := x.widen(ctx, block, wider.Keys); err != nil {
			return err
		}
		frame, err = chunks.writeTable(space.Store, wider, Rows{Hi: wider.Len()}, writtenRecords(x.layout), frame)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := t.Discard(space); err != nil {
		return nil, err
	}
	return SpilledTable(x.layout, &chunks), nil
}

// widenBlock is how many records are widened at a time.
const widenBlock = 1 << 9

// widen writes the wider keys of a table in memory, which may be where its keys are.
func (x *widening) widen(ctx context.Context, t *Table, keys []uint64) error {
	blocks, old, w := (t.Len()+widenBlock-1)/widenBlock, t.Layout.Words, x.layout.Words
	return workers.Each(blocks, x.threads, func(worker workers.Worker, i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo, hi := i*widenBlock, min((i+1)*widenBlock, t.Len())
		block := t.Slice(Rows{Lo: lo, Hi: hi})
		codes, err := x.compute(worker, block)
		if err != nil {
			return err
		}
		wide := keys[lo*w : hi*w]
		for r := range hi - lo {
			n := copy(wide[r*w:], block.Keys[r*old:(r+1)*old]) // onto itself where keys stay where they are
			clear(wide[r*w+n : (r+1)*w])
			for column, f := range x.layout.Fields[x.first:] {
				wide[r*w+f.Word] |= uint64(codes[column][r]) << f.Shift
			}
		}
		return nil
	})
}
