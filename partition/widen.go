package partition

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/internal/workers"
)

// widen returns the layout with more fields after the others, each of so many bits.
func (l Layout) widen(fields, width int) Layout {
	var domains []int
	for _, f := range l.Fields {
		domains = append(domains, int(f.Mask)+1)
	}
	return NewLayout(append(domains, slices.Repeat([]int{1 << width}, fields)...))
}

// Widen returns the table with more columns, of codes of so many bits: compute returns them for some of the
// records, column after column, valid until the worker's next call. It is called by the space's threads.
// The table is consumed: what the result takes is drawn, or it is spilled.
func (t *Table) Widen(
	ctx context.Context, columns, width int, compute func(w workers.Worker, records *Table) ([][]uint32, error), space Space,
) (*Table, error) {
	first, layout := len(t.Layout.Fields), t.Layout.widen(columns, width)
	w := newTableWriter(layout, t.Len(), space.bounded())
	err := t.Scan(ctx, space, func(block *Table) error {
		wide, err := w.extend(block.Len())
		if err != nil {
			return err
		}
		parts := Rows{Hi: block.Len()}.Cut((block.Len() + widenBlock - 1) / widenBlock)
		return workers.Each(len(parts), max(1, space.Threads), func(worker workers.Worker, i int) error {
			codes, err := compute(worker, block.Slice(parts[i]))
			if err == nil {
				wide.Slice(parts[i]).join(block.Slice(parts[i]), layout.Fields[first:], codes)
			}
			return err
		})
	})
	var wider *Table
	if err == nil {
		err = t.Discard(space)
	}
	if err == nil {
		wider, err = w.end(false)
	}
	if err != nil {
		w.space.Budget.Return(w.drawn)
		return nil, fmt.Errorf("widen tuples: %w", err)
	}
	return wider, nil
}

// widenBlock is how many records are widened at a time.
const widenBlock = 1 << 9

// join makes the records those of a narrower table with codes in more fields.
func (t *Table) join(narrow *Table, fields []Field, codes [][]uint32) {
	copy(t.Counts, narrow.Counts)
	w, old := t.Layout.Words, narrow.Layout.Words
	for r := range t.Counts {
		n := copy(t.Keys[r*w:], narrow.Keys[r*old:(r+1)*old])
		clear(t.Keys[r*w+n : (r+1)*w])
		for column, f := range fields {
			t.Keys[r*w+f.Word] |= uint64(codes[column][r]) << f.Shift
		}
	}
}
