package partition

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/internal/workers"
)

// widen returns the layout with more fields behind the others. Each new field has width bits.
func (l Layout) widen(fields, width int) Layout {
	var domains []int
	for _, f := range l.Fields {
		domains = append(domains, int(f.Mask)+1)
	}
	return NewLayout(append(domains, slices.Repeat([]int{1 << width}, fields)...))
}

// Widen returns the table with more columns, whose codes have at most width bits. compute returns
// the codes of the new columns for some records. They are valid until the next call of the same
// worker. The space's threads call compute. The table t cannot be used afterwards. Widen draws the
// memory of the result, or spills the result.
func (t *Table) Widen(
	ctx context.Context, columns, width int,
	compute func(w workers.Worker, records *Table) ([][]uint32, error), space Space,
) (*Table, error) {
	first, layout := len(t.Layout.Fields), t.Layout.widen(columns, width)
	w := newTableWriter(layout, t.Len(), space.bounded())
	err := t.Scan(ctx, space, func(block *Table) error {
		wide, err := w.extend(block.Len())
		if err != nil {
			return err
		}
		parts := Rows{Hi: block.Len()}.Cut((block.Len() + widenBlock - 1) / widenBlock)
		widenPart := func(worker workers.Worker, i int) error {
			codes, err := compute(worker, block.Slice(parts[i]))
			if err == nil {
				wide.Slice(parts[i]).join(block.Slice(parts[i]), layout.Fields[first:], codes)
			}
			return err
		}
		return workers.Each(len(parts), max(1, space.Threads), widenPart)
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

// widenBlock is the number of records that compute gets in one call.
const widenBlock = 1 << 9

// join fills the table with the records of a narrower table and with codes in more fields.
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
