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

// Task is what one worker makes row groups of: splits whose rows share a row group, or one that has rows for several.
type Task struct {
	splits []formats.Split
	limit  groupLimit
}

// UsualGroup is the number of rows of a row group where the job does not ask for one.
const UsualGroup = 1 << 18

// mostGroups is how many row groups a release has at most by their rows alone: a file numbers
// twice as many.
const mostGroups = 1 << 14

// usualGroup returns how many rows a row group has where the job does not ask for a number, and the
// input has records.
func usualGroup(records int64) int64 { return max(UsualGroup, (records+mostGroups-1)/mostGroups) }

// PlanRowGroups lays out the row groups of the release over all splits, in order. Splits are joined
// while a row group has room for all of their rows; of one that is larger alone, row groups of equal
// size are made. Where the job does not ask for a number of rows (0), a row group may end before it
// has as many, if rows are large. The result depends on the splits' sizes alone.
func PlanRowGroups(splits []formats.Split, rows int64) (tasks []Task) {
	limit := groupLimit{rows: rows}
	if rows == 0 {
		limit = groupLimit{usualGroup(recordsOf(splits)), usualHeld}
	}
	filled := int64(0)
	for _, s := range splits {
		last := len(tasks) - 1
		switch {
		case s.Rows == 0:
		case last >= 0 && filled+s.Rows <= limit.rows:
			tasks[last].splits = append(tasks[last].splits, s)
			filled += s.Rows
		default:
			own := limit
			if groups := (s.Rows + limit.rows - 1) / limit.rows; groups > 1 {
				own.rows = (s.Rows + groups - 1) / groups
			}
			tasks = append(tasks, Task{[]formats.Split{s}, own})
			filled = s.Rows
		}
	}
	return tasks
}

// recordsOf returns how many records splits have.
func recordsOf(splits []formats.Split) (records int64) {
	for _, s := range splits {
		records += s.Rows
	}
	return records
}

// foreseen returns how many rows a row group will have that has some rows and their bytes now, if
// the next rows are as large.
func (t *Task) foreseen(rows, bytes int64) int64 {
	return t.end(rows, func(end int64) int64 { return bytes * end / rows })
}

// end returns how many rows a row group will have, so many at least, whose first rows take some
// bytes.
func (t *Task) end(rows int64, bytes func(rows int64) int64) int64 {
	end, most := rows-1, t.most()
	for end < rows || end < most && !t.limit.ends(end, bytes(end)) {
		end += t.limit.untilLook(end)
	}
	return min(end, most)
}

// most returns how many rows a row group has at most.
func (t *Task) most() int64 {
	total := int64(0)
	for _, s := range t.splits {
		total += s.Rows
	}
	return min(total, t.limit.rows)
}

// taskForm begins the row groups of a task, as MaskTask returns them: their form's name and a byte,
// the version. A hash is the end (checkpoint.Encode). Between them each row group has, with its length in front, what
// writer.EncodedRowGroup appends. A length of 0 follows the last one.
const taskForm = "kcut row groups\x02"

// MaskTask returns the row groups of one task, which any process can make. Labels may not depend on
// how many rows came before. The bytes are the caller's.
func (m *Masker) MaskTask(ctx context.Context, t Task) ([]byte, error) {
	if m.Recoding.Cells() > 0 {
		return nil, fmt.Errorf("mask a task alone: cells are divided in the order of rows: %w", formats.ErrUnsupported)
	}
	var err error
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	m.workers = make([]*worker, 1)
	return m.encodeGroups(func(add func(group) error) error { return m.task(ctx, workers.Worker{}, t, add) })
}

// encodeGroups returns the row groups that are added as bytes, which are drawn from the budget while they become more.
func (m *Masker) encodeGroups(make func(add func(group) error) error) ([]byte, error) {
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	hold := func(n int64) error { return held.Draw("row groups of a task", n) }
	return checkpoint.Encode(taskForm, hold, func(w *checkpoint.Writer) {
		w.Fail(make(func(g group) error {
			b, err := g.AppendTo(nil)
			if err != nil {
				return err
			}
			w.Bytes(b)
			return w.Err()
		}))
		w.Uint(0)
	})
}

// AddTask hands on the row groups of a task, given by its number, that MaskTask has made, or the
// one that EncodeFrom has. Tasks come in order. The error of damaged bytes wraps
// formats.ErrDamaged; the sink may have some of them then.
func (m *Masker) AddTask(ctx context.Context, number int, encoded []byte, to Sink) error {
	err := checkpoint.Decode(encoded, taskForm, func(r *checkpoint.Reader) (err error) {
		for {
			b := r.Bytes()
			if r.Err() != nil || len(b) == 0 {
				return r.Err()
			}
			var g group
			if g.EncodedRowGroup, err = writer.ParseRowGroup(b); err != nil {
				return err
			}
			if err := m.add(to, g); err != nil {
				return err
			}
		}
	})
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("read %d bytes of the row groups of task %d: %w", len(encoded), number, formats.ErrDamaged)
	}
	return err
}
