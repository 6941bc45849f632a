package masking

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// task is the splits from which one worker makes row groups, if rows stay in the order of the
// input: several splits for one row group, or one split for several row groups.
type task struct {
	splits []formats.Split
	limit  groupLimit
}

// planRowGroups lays out the row groups of all splits, in order. It joins splits while a row group
// has room for all of their rows. A larger split becomes row groups of equal size. The result
// depends on the splits' sizes alone.
func planRowGroups(splits []formats.Split, limit groupLimit) (tasks []task) {
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
			tasks = append(tasks, task{[]formats.Split{s}, own})
			filled = s.Rows
		}
	}
	return tasks
}

// keep encodes the rows in the order of the input.
func (o *ordering) keep(ctx context.Context, to Sink) (err error) {
	tasks := planRowGroups(o.Dataset.Splits(), newGroupLimit(o.order.Rows, o.Dataset.Rows()))
	made := make([]*orderedGroup, o.Threads)
	defer func() { err = errors.Join(err, o.closeReaders()) }()
	return workers.Ordered(ctx, len(tasks), o.Threads,
		func(ctx context.Context, pool workers.Worker, i int, emit func(group) error) (err error) {
			g := made[pool.Number]
			if g == nil {
				if g, err = o.newGroup(min(o.Threads, len(tasks))); err != nil {
					return err
				}
				made[pool.Number] = g
			}
			defer g.close()
			f := &groupFiller{g, tasks[i].limit, func() error { return o.hand(g, emit) }}
			for _, s := range tasks[i].splits {
				if err := o.split(ctx, pool, s, f); err != nil {
					return err
				}
			}
			if g.count == 0 {
				return nil
			}
			return f.hand()
		}, func(g group) error { return to.Add(g.EncodedRowGroup, g.folder) })
}

// split passes on the rows of a split: those that another process has made, or those of the input.
// They go to the sink in their order or, if that is nil, to a sorter.
func (o *ordering) split(
	ctx context.Context, pool workers.Worker, s formats.Split, to rowSink,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.made != nil {
		if to == nil {
			to = sortSink{o.form, o.rows[pool.Number]}
		}
		var one rowBlock
		return o.receive(s, func(row []byte, n int64) error {
			o.form.read(&one, row, n)
			return to.take(&one)
		})
	}
	w := o.readers[pool.Number]
	if w == nil {
		w = o.newSplitReader()
		o.readers[pool.Number] = w
	}
	w.pool = pool
	if err := w.split(ctx, s, func(rows int) error { return o.batch(w, rows, to) }); err != nil {
		return fmt.Errorf("mask %s: %w", s.File, err)
	}
	return nil
}

// closeReaders closes the readers of splits.
func (o *ordering) closeReaders() (err error) {
	for i, w := range o.readers {
		if w != nil {
			err = errors.Join(err, w.close())
		}
		o.readers[i] = nil
	}
	return err
}

// groupFiller fills one row group after the other with rows as they come.
type groupFiller struct {
	*orderedGroup
	limit groupLimit
	hand  func() error // passes on the row group, and empties it
}

func (f *groupFiller) take(rows *rowBlock) error {
	size := f.form.sizeOf(rows)
	if !f.limit.ends(f.count+rows.records(), int64(f.size+size)) {
		return f.orderedGroup.take(rows, size)
	}
	for i, left := range rows.equal {
		for one := rows.row(i); left > 0; left -= one.equal[0] {
			one.equal[0] = min(left, f.limit.rows-f.count)
			err := f.orderedGroup.take(&one, f.form.sizeOf(&one))
			if err == nil && f.limit.ends(f.count, int64(f.size)) {
				err = f.hand()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
