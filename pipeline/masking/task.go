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

// rowRange is a range of a split's rows.
type rowRange struct {
	split    formats.Split
	from, to int64
}

// Task is a run of the release's row groups that one worker makes, since they need the same
// splits and a split is read from its start.
type Task struct {
	groups  [][]rowRange
	follows bool // the one group is a row group of the input, whose kept columns can be copied
}

const (
	// UsualGroup is the number of rows of a row group that follows none of the input.
	UsualGroup = 1 << 18
	// LeastFollowed is from how many rows a row group of the input is followed. Smaller ones
	// are joined: many make readers slow, and the release of a small table shall not tell how it
	// was stored.
	LeastFollowed = 1 << 16
	// Of row groups of more than mostFollowed rows not even the labels fit a modest memory.
	mostFollowed = 1 << 24
	// A release of more row groups than maxFollowing follows none: a Parquet file cannot number
	// them.
	maxFollowing = 1 << 15
)

// PlanRowGroups lays out the row groups of the release over all splits, in order. Where the
// job does not ask for a number of rows (0), a split that is one row group of Parquet, of at
// least as many rows as given and not too many, is one of the release. All others are joined,
// while the group stays within the number of rows, and one that is larger alone is cut. The
// result depends on the splits' sizes alone.
func PlanRowGroups(splits []formats.Split, rows, least int64) (tasks []Task) {
	var open []rowRange // the group being filled
	var filled int64
	flush := func() {
		if len(open) > 0 {
			tasks = append(tasks, Task{groups: [][]rowRange{open}})
			open, filled = nil, 0
		}
	}
	follow := rows == 0
	if follow {
		rows = UsualGroup
	}
	for _, s := range splits {
		followed := follow && s.Raw && s.Rows >= least && s.Rows <= mostFollowed
		if followed || filled+s.Rows > rows {
			flush()
		}
		switch {
		case followed:
			tasks = append(tasks, Task{groups: [][]rowRange{{{s, 0, s.Rows}}}, follows: true})
		case s.Rows > rows:
			tasks = append(tasks, Task{groups: cutSplit(s, rows)})
		case s.Rows > 0:
			open = append(open, rowRange{s, 0, s.Rows})
			filled += s.Rows
		}
	}
	flush()
	if follow && len(tasks) > maxFollowing {
		return PlanRowGroups(splits, UsualGroup, least)
	}
	return tasks
}

// cutSplit cuts one split into groups of equal size, the first ones a row larger where
// the rows do not divide, none above the given number of rows.
func cutSplit(s formats.Split, rows int64) (groups [][]rowRange) {
	n := (s.Rows + rows - 1) / rows
	for i := range n {
		groups = append(groups, []rowRange{{s, i * s.Rows / n, (i + 1) * s.Rows / n}})
	}
	return groups
}

// Place is a place among the row groups that mask makes: before so many of a task's.
type Place struct{ Task, Group int }

// before reports whether a place comes before another.
func (p Place) before(q Place) bool { return p.Task < q.Task || p.Task == q.Task && p.Group < q.Group }

// taskForm begins the row groups of a task, as MaskTask returns them: their form's name and a byte,
// the version. A hash is the end (checkpoint.Encode). Between them each row group has 1 or, if it copies
// pages, 2 plus the ordinal of the split that they lie in; then, with its length in front, what
// writer.EncodedRowGroup appends. A 0 follows the last one.
const taskForm = "kcut row groups\x01"

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

// AddTask hands on the row groups of a task, given by its number, that MaskTask has made, or the one that EncodeSpan has. Tasks
// come in order, and what the sink has already is passed over. The error of damaged bytes wraps formats.ErrDamaged; the sink may have some of them then.
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
			if at.before(to.Next()) {
				continue
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
