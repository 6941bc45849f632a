package pipeline

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// masker reads the input a second time and turns it into encoded row groups of the release.
// What it makes of a task depends on the task's rows, the recoding and the domains alone, and
// on the pages of the kept columns that it copies.
type masker struct {
	dataset  *dataset.Dataset
	plan     *releasePlan
	recoding engine.Recoding
	coders   []coder           // of every attribute
	domains  []int             // codes of every attribute are below, the null's too if it has none
	class    coder             // nil unless labels depend on the class, too
	tuples   []formats.Request // of the attributes and then the class, coded
	turns    *turns            // nil: one goroutine masks all rows in order
	taken    []uint64          // then, rows of every divided cell so far
	write    writer.Options
	threads  int
	budget   *spill.Budget
	events   *Events
	done     atomic.Int64  // rows read
	total    int64         // rows to read
	idle     chan *masking // workers that have ended a task, for the next ones
}

// maskedGroup is a row group of the release, and the row group of the input that it copies
// pages of.
type maskedGroup struct {
	*writer.EncodedRowGroup
	source formats.Split
	copies bool
	at     place
}

// mask encodes all tasks on m.threads goroutines and adds the row groups to the parts in
// input order, from one goroutine. Those of the parts that are finished are passed over.
//
// Which of a divided cell's rows go where depends on how many came before. These are counted
// first, by split; if there is no room for that, there is one goroutine, from the first row on.
func (m *masker) mask(ctx context.Context, tasks []maskTask, parts *parts) error {
	first := parts.next()
	if err := m.takeTurns(ctx, len(tasks), first); err != nil {
		return err
	}
	defer m.turns.close()
	m.idle = make(chan *masking, m.threads)
	begin := first.Task
	if m.taken != nil {
		begin = 0
	}
	return InOrder(ctx, len(tasks)-begin, m.threads, func(ctx context.Context, i int, emit func(maskedGroup) error) error {
		at := place{Task: begin + i}
		return m.task(ctx, tasks[at.Task], func(g maskedGroup) error {
			g.at = at
			if at.Group++; g.at.before(first) {
				return nil
			}
			return emit(g)
		})
	}, func(g maskedGroup) error { return m.add(ctx, parts, g) })
}

// takeTurns makes sure that every goroutine knows which rows of divided cells it has, when so many
// tasks are masked from a place on.
func (m *masker) takeTurns(ctx context.Context, tasks int, first place) (err error) {
	m.total = m.dataset.Rows()
	if m.recoding.Cells() == 0 {
		return nil
	}
	if m.threads > 1 && tasks > 1 || first.Task > 0 {
		m.total = 2 * m.dataset.Rows()
		if m.turns, err = m.countTurns(ctx); !errors.Is(err, spill.ErrBudget) {
			m.done.Store(m.dataset.Rows())
			return err
		}
		m.total = m.dataset.Rows()
	}
	m.threads, m.taken = 1, make([]uint64, m.recoding.Cells())
	return nil
}

// advanced tells how many rows have been read.
func (m *masker) advanced(rows int64) {
	m.events.Advanced(StageMask, Progress{Done: rows, Total: m.total})
}

// memoPart is the part of the budget that remembered tuples may take.
const memoPart = 32

// task encodes the row groups of one task, in order.
func (m *masker) task(ctx context.Context, t maskTask, emit func(maskedGroup) error) (err error) {
	w, err := m.take()
	if err != nil {
		return err
	}
	defer func() {
		usual := err == nil && w.drawn == 0
		if err = errors.Join(err, w.close()); usual && err == nil {
			m.leave(w)
		}
	}()
	if t.follows {
		return w.follow(ctx, t.groups[0][0].split, emit)
	}
	return w.encode(ctx, t.groups, emit)
}

// take returns a worker that is idle, or a new one: its buffers and its encoder's tables are
// larger than what most row groups become.
func (m *masker) take() (*masking, error) {
	select {
	case w := <-m.idle:
		w.choose(nil)
		return w, nil
	default:
		return m.newMasking()
	}
}

// leave keeps a worker for the next task. One whose buffers have grown beyond the usual must
// not be left: they would count for nobody.
func (m *masker) leave(w *masking) {
	select {
	case m.idle <- w:
	default:
	}
}

// add writes a row group.
func (m *masker) add(ctx context.Context, parts *parts, g maskedGroup) error {
	if g.Rows == 0 { // all dropped
		return nil
	}
	end := place{g.at.Task, g.at.Group + 1}
	if !g.copies {
		return parts.add(nil, g.EncodedRowGroup, end)
	}
	source, err := m.dataset.RowGroup(ctx, g.source)
	if err != nil {
		return err
	}
	source.Expect(ctx, g.Copied())
	return errors.Join(parts.add(source, g.EncodedRowGroup, end), source.Close())
}

// labels returns the label number of every code of an attribute, by attribute, or nil when
// rows are not recoded attribute by attribute.
func (m *masker) labels() [][]uint32 {
	labels := make([][]uint32, len(m.coders))
	for a := range labels {
		if labels[a] = m.recoding.Codes(a); labels[a] == nil {
			return nil
		}
	}
	return labels
}
