package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/spill"
)

// masker reads the input a second time and turns it into encoded row groups of the release.
// What it makes of a task depends on the task's rows, the recoding and the domains alone.
type masker struct {
	dataset  *dataset.Dataset
	plan     *releasePlan
	recoding engine.Recoding
	coders   []coder // of every attribute
	write    writer.Options
	threads  int
	budget   *spill.Budget
	events   *Events
	done     atomic.Int64
}

// mask encodes all tasks on m.threads goroutines and hands the row groups to add in input
// order, from one goroutine.
func (m *masker) mask(ctx context.Context, tasks [][][]piece, add func(*writer.EncodedRowGroup) error) error {
	return InOrder(ctx, len(tasks), m.threads, func(ctx context.Context, i int, emit func(*writer.EncodedRowGroup) error) error {
		return m.task(ctx, tasks[i], emit)
	}, add)
}

// task encodes the row groups of one task, in order.
func (m *masker) task(ctx context.Context, groups [][]piece, emit func(*writer.EncodedRowGroup) error) (err error) {
	w, err := m.newMasking()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, pieces := range groups {
		for _, p := range pieces {
			if err := w.piece(ctx, p); err != nil {
				return fmt.Errorf("mask %s: %w", p.split.File, err)
			}
		}
		encoded, err := w.rows.Encode()
		if err != nil {
			return fmt.Errorf("encode row group: %w", err)
		}
		if err := emit(encoded); err != nil {
			return err
		}
	}
	return nil
}

// masking is one worker's state: an open reader and the row group being filled.
type masking struct {
	m      *masker
	rows   *writer.RowGroup
	maps   []mapping  // of every attribute
	codes  [][]uint32 // final codes of the batch, of every attribute
	labels [][]uint32 // label numbers of the batch, of every attribute
	column formats.Column

	reader formats.BatchReader
	open   formats.Split
	batch  *formats.Batch
	used   int // rows of batch already taken
	drawn  int64
}

// A row group of usual size counts as overhead; what exceeds that is drawn, with the pages
// that become of it and those that wait to be written.
const (
	usualGroup   = 16 << 20
	groupsAtWork = 3
)

// draw draws what the row group has grown by.
func (w *masking) draw() error {
	need := groupsAtWork*max(0, w.rows.Held()-usualGroup) - w.drawn
	if need <= 0 {
		return nil
	}
	if err := w.m.budget.Draw("a row group of the release", need); err != nil {
		return &Error{Class: ClassResources, Hint: "lower output.row_group_rows or --threads, or give more with --memory", Err: err}
	}
	w.drawn += need
	return nil
}

func (m *masker) newMasking() (*masking, error) {
	rows, err := writer.NewRowGroup(m.plan.outputs(), m.write)
	if err != nil {
		return nil, err
	}
	n := len(m.coders)
	w := &masking{
		m: m, rows: rows,
		maps:   make([]mapping, n),
		codes:  make([][]uint32, n),
		labels: make([][]uint32, n),
	}
	for a := range w.maps {
		w.maps[a] = newMapping(m.coders[a])
	}
	return w, nil
}

func (w *masking) close() error {
	w.m.budget.Return(w.drawn)
	if w.reader == nil {
		return nil
	}
	return w.reader.Close()
}

// piece appends a range of a split's rows to the row group. Pieces of one split come in order.
func (w *masking) piece(ctx context.Context, p piece) error {
	if err := w.openSplit(ctx, p.split); err != nil {
		return err
	}
	for row := p.from; row < p.to; {
		if w.batch == nil || w.used == w.batch.Rows {
			if err := w.next(ctx); err != nil {
				return err
			}
		}
		to := min(w.batch.Rows, w.used+int(p.to-row))
		if err := w.append(w.used, to); err != nil {
			return err
		}
		if err := w.draw(); err != nil {
			return err
		}
		n := to - w.used
		row, w.used = row+int64(n), to
		w.m.events.Advanced(StageMask, Progress{w.m.done.Add(int64(n)), w.m.dataset.Rows()})
	}
	return nil
}

func (w *masking) openSplit(ctx context.Context, s formats.Split) error {
	if w.reader != nil {
		if w.open.Ordinal == s.Ordinal {
			return nil
		}
		reader := w.reader
		w.reader = nil
		if err := reader.Close(); err != nil {
			return err
		}
	}
	reader, err := w.m.dataset.Read(ctx, s, w.m.plan.requests)
	if err != nil {
		return err
	}
	w.reader, w.open, w.batch = reader, s, nil
	return nil
}

// next reads a batch and recodes its masked columns.
func (w *masking) next(ctx context.Context) (err error) {
	if w.batch, err = w.reader.Next(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read split %d again: it has fewer rows than before, the input was changed during the run: %w", w.open.Ordinal, formats.ErrDamaged)
		}
		return err
	}
	w.used = 0
	for a, request := range w.m.plan.masked {
		if err := w.translate(a, w.batch.Columns[request]); err != nil {
			return err
		}
	}
	w.m.recoding.Recode(engine.Rows{N: w.batch.Rows, Codes: w.codes}, w.labels)
	return nil
}

// translate fills the codes of attribute a and makes room for its labels.
func (w *masking) translate(a int, column *formats.Column) (err error) {
	if w.codes[a], err = w.maps[a].translate(column, w.codes[a]); err != nil {
		return err
	}
	rows := len(w.codes[a])
	if cap(w.labels[a]) < rows {
		w.labels[a] = make([]uint32, rows)
	}
	w.labels[a] = w.labels[a][:rows]
	return nil
}

// append adds rows from..to-1 of the batch to the row group.
func (w *masking) append(from, to int) error {
	for i := range w.m.plan.columns {
		rc := &w.m.plan.columns[i]
		column := w.batch.Columns[rc.request]
		if rc.attribute >= 0 {
			labels := w.labels[rc.attribute]
			codes := w.codes[rc.attribute] // no longer needed once recoded
			for row := from; row < to; row++ {
				codes[row] = rc.codes[labels[row]]
			}
			w.column = formats.Column{Values: rc.values, Codes: codes}
			column = &w.column
		}
		if err := w.rows.Append(i, column, from, to); err != nil {
			return fmt.Errorf("append column %s: %w", rc.output.Field.Name, err)
		}
	}
	return nil
}
