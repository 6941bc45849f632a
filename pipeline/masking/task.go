package masking

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
)

// taskForm begins the row groups of a task, as MaskTask returns them: their form's name and a byte,
// the version, and ends with a hash (checkpoint.Encode). Between them each row group has 1 or, if it copies pages, 2 plus the ordinal of the split that they lie in;
// then, with its length in front, what writer.EncodedRowGroup appends. A 0 is the end.
const taskForm = "kcut row groups\x01"

// MaskTask returns the row groups of one task, which any process can make. Labels may not depend on
// how many rows came before. The bytes are the caller's, and drawn from no budget.
func (m *Masker) MaskTask(ctx context.Context, t Task) ([]byte, error) {
	if m.Recoding.Cells() > 0 {
		return nil, fmt.Errorf("mask a task alone: cells are divided in the order of rows: %w", formats.ErrUnsupported)
	}
	var err error
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	m.total = m.Dataset.Rows()
	return checkpoint.Encode(taskForm, nil, func(w *checkpoint.Writer) {
		w.Fail(m.task(ctx, workers.Worker{}, t, func(g group) error {
			b, err := g.AppendTo(nil)
			if err != nil {
				return err
			}
			source := 1
			if g.copies {
				source = g.source.Ordinal + 2
			}
			w.Uint(uint64(source))
			w.Bytes(b)
			return w.Err()
		}))
		w.Uint(0)
	})
}

// AddTask hands on the row groups of a task, given by its number, that MaskTask has made. Tasks come
// in order. The error of damaged bytes wraps formats.ErrDamaged; the sink may have some of them then.
func (m *Masker) AddTask(ctx context.Context, number int, encoded []byte, to Sink) error {
	err := checkpoint.Decode(encoded, taskForm, func(r *checkpoint.Reader) (err error) {
		splits := m.Dataset.Splits()
		for at := (Place{Task: number}); ; at.Group++ {
			source := r.Int()
			if source == 0 {
				return r.Err()
			}
			g := group{at: at, copies: source > 1}
			if g.copies {
				if source-2 >= len(splits) {
					return formats.ErrDamaged
				}
				g.source = splits[source-2]
			}
			b := r.Bytes()
			if r.Err() != nil {
				return r.Err()
			}
			if g.EncodedRowGroup, err = writer.ParseRowGroup(b); err != nil {
				return err
			}
			if err := m.add(ctx, to, g); err != nil {
				return err
			}
		}
	})
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("read %d bytes of the row groups of task %d: %w", len(encoded), number, formats.ErrDamaged)
	}
	return err
}
