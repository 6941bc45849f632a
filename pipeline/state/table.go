package state

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// SaveTable writes a count table, which stays as it is, wherever the space has it.
func SaveTable(ctx context.Context, w *checkpoint.Writer, t *partition.Table, space partition.Space) {
	w.Uint(uint64(t.Layout.Words))
	w.Uint(uint64(len(t.Layout.Fields)))
	for _, f := range t.Layout.Fields {
		w.Uint(uint64(f.Word))
		w.Uint(uint64(f.Shift))
		w.Uint(f.Mask)
	}
	w.Uint(uint64(t.Len()))
	err := t.Save(ctx, space, func(chunk []byte) error {
		w.Bytes(chunk)
		return w.Err()
	})
	if err != nil {
		w.Fail(err)
	}
	w.Bytes(nil)
}

// LoadTable reads what SaveTable has written, into memory or the space's store. When it does not
// fit, the error wraps spill.ErrBudget.
func LoadTable(r *checkpoint.Reader, space partition.Space) (*partition.Table, error) {
	layout := partition.Layout{Words: r.Int()}
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		layout.Fields = append(layout.Fields, partition.Field{Word: r.Int(), Shift: uint(r.Uint()), Mask: r.Uint()})
	}
	records := r.Int()
	if r.Err() != nil {
		return nil, r.Err()
	}
	var chunk []byte
	t, err := partition.Restore(layout, records, space, func() ([]byte, error) {
		if chunk = r.Bytes(chunk[:0]); len(chunk) == 0 {
			return nil, r.Err()
		}
		return chunk, r.Err()
	})
	if errors.Is(err, spill.ErrCorrupt) && space.Store == nil {
		err = fmt.Errorf("%w: %w", checkpoint.ErrNone, err)
	}
	return t, err
}

// SaveHistogram writes the counts of a column's values and classes.
func SaveHistogram(w *checkpoint.Writer, h *partition.Histogram) {
	w.Uint(uint64(h.Classes))
	checkpoint.Numbers(w, h.Start)
	checkpoint.Numbers(w, h.Class)
	checkpoint.Numbers(w, h.Count)
}

// LoadHistogram reads what SaveHistogram has written.
func LoadHistogram(r *checkpoint.Reader, budget *spill.Budget) (*partition.Histogram, error) {
	h := &partition.Histogram{
		Classes: r.Int(), Start: checkpoint.ReadNumbers[int](r), Class: checkpoint.ReadNumbers[uint32](r), Count: checkpoint.ReadNumbers[uint64](r),
	}
	return h, budget.Draw("histograms", int64(len(h.Start)*8+len(h.Class)*12))
}
