package masking

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
)

// maxMixed is the most rows of a row group that has both copied columns and kept ones that
// are encoded anew: these are held until the row group is complete.
const maxMixed = 1 << 20

// follow makes a row group of the release of one of the input: kept columns are copied as they
// are stored, masked ones encoded. A kept column that cannot be copied is encoded with them, or
// in a large row group all columns are, in row groups of usual size. Which it is depends on the
// row group alone.
func (w *worker) follow(ctx context.Context, s formats.Split, emit func(group) error) error {
	if _, dropped := w.m.Recoding.Lost(); dropped > 0 {
		return w.encode(ctx, cutSplit(s, UsualGroup), emit)
	}
	copied, err := w.copyColumns(ctx, s)
	if err != nil {
		return fmt.Errorf("mask %s: %w", s.File, err)
	}
	lacksAny := false // those from the names of directories are in no file, and nothing to hold
	for i, column := range w.m.Plan.columns {
		lacksAny = lacksAny || !copied[i] && column.attribute < 0 && !column.output.Field.Hive
	}
	if lacksAny && s.Rows > maxMixed || !slices.Contains(copied, true) {
		w.rows.Reset()
		return w.encode(ctx, cutSplit(s, UsualGroup), emit)
	}
	w.choose(copied)
	return w.encode(ctx, [][]piece{{{s, 0, s.Rows}}}, func(g group) error {
		g.source, g.copies = s, true
		return emit(g)
	})
}

// copyColumns makes every kept column that can be copied one that is.
func (w *worker) copyColumns(ctx context.Context, s formats.Split) (copied []bool, err error) {
	group, err := w.m.Dataset.RowGroup(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, group.Close()) }()
	copied = make([]bool, len(w.m.Plan.columns))
	return copied, w.pool.Share(len(copied), func(_, i int) (err error) {
		copied[i], err = w.copyColumn(ctx, group, i, s.Rows)
		return err
	})
}

func (w *worker) copyColumn(ctx context.Context, group *dataset.RowGroup, i int, rows int64) (bool, error) {
	rc := &w.m.Plan.columns[i]
	if rc.attribute >= 0 {
		return false, nil
	}
	chunks, err := group.Chunks(ctx, w.m.Plan.requests[rc.request].Column)
	if err != nil || chunks == nil {
		return false, err
	}
	return true, w.rows.Copy(i, rows, chunks)
}
