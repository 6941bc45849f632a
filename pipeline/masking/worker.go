package masking

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// worker is one worker's state: an open reader and the row group being filled.
type worker struct {
	m      *Masker
	pool   workers.Worker // the goroutine
	rows   *writer.RowGroup
	number [][]uint32 // label numbers by code, by attribute; nil when rows are recoded as a whole
	tables []labelTable
	coded  coded        // the batch's codes only when rows are recoded as a whole
	labels [][]uint32   // label numbers of the batch, likewise
	memo   *engine.Memo // of the tuples' regions, likewise
	taken  []uint64     // rows of every divided cell that came before

	requests []formats.Request // what is read
	slots    []int             // of every released column: its position among requests; −1: not read
	reader   formats.BatchReader
	open     formats.Split
	batch    *formats.Batch
	used     int   // rows of batch already taken
	runs     []run // scratch: rows of batch that are appended
	drawn    int64
}

// run is a run of rows of a batch.
type run struct{ from, to int }

// labelTable leads from the codes of one reader to the codes of a released column.
type labelTable struct {
	of    *formats.Values
	codes []uint32
}

// noLabel is what codes lead to that no row of the input has, unless it has changed.
const noLabel = math.MaxUint32

// follow extends the table to all codes of a mapping, which numbers labels as given.
func (t *labelTable) follow(m *domain.Mapping, numbers, released []uint32) {
	of, codes := m.Learned()
	if t.of != of {
		t.of, t.codes = of, t.codes[:0]
	}
	for _, code := range codes[len(t.codes):] {
		to := uint32(noLabel)
		if int(code) < len(numbers) && int(numbers[code]) < len(released) {
			to = released[numbers[code]]
		}
		t.codes = append(t.codes, to)
	}
}

func (m *Masker) newWorker() (*worker, error) {
	rows, err := m.encoders.NewRowGroup(m.Plan.Outputs())
	if err != nil {
		return nil, err
	}
	w := &worker{
		m: m, rows: rows, number: m.labels(), coded: m.newCoded(),
		tables: make([]labelTable, len(m.Plan.columns)),
		labels: make([][]uint32, len(m.Coders)),
	}
	if w.number == nil {
		w.memo = engine.NewMemo(m.Domains, m.Budget.Grant(&spill.MaskedTuples)/int64(m.Threads))
	}
	if w.taken = m.taken; m.turns != nil {
		w.taken = make([]uint64, m.Recoding.Cells())
	}
	w.choose(nil)
	return w, nil
}

// choose says which released columns are read: all but those that are copied. The class is
// read last, when labels depend on it, too.
func (w *worker) choose(copied []bool) {
	w.requests, w.slots = nil, nil
	slot := make(map[int]int)
	for i := range w.m.Plan.columns {
		request := w.m.Plan.columns[i].request
		if copied != nil && copied[i] {
			w.slots = append(w.slots, -1)
			continue
		}
		if _, known := slot[request]; !known {
			slot[request] = len(w.requests)
			w.requests = append(w.requests, w.m.Plan.requests[request])
		}
		w.slots = append(w.slots, slot[request])
	}
	if w.m.Class != nil {
		w.requests = append(w.requests, w.m.Tuples[len(w.m.Coders)])
	}
}

func (w *worker) close() error {
	w.m.Budget.Return(w.drawn)
	return w.closeReader()
}

func (w *worker) closeReader() error {
	if w.reader == nil {
		return nil
	}
	reader := w.reader
	w.reader = nil
	return reader.Close()
}

// encode makes row groups of pieces.
func (w *worker) encode(ctx context.Context, groups [][]piece, emit func(group) error) error {
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
		if err := emit(group{EncodedRowGroup: encoded}); err != nil {
			return err
		}
	}
	return nil
}

// piece appends a range of a split's rows to the row group. Pieces of one split come in order.
func (w *worker) piece(ctx context.Context, p piece) error {
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
		w.m.tell(w.m.done.Add(int64(n)))
	}
	return nil
}

func (w *worker) openSplit(ctx context.Context, s formats.Split) error {
	if w.reader != nil && w.open.Ordinal == s.Ordinal {
		return nil
	}
	if err := w.closeReader(); err != nil {
		return err
	}
	reader, err := w.m.Dataset.Read(ctx, s, w.requests)
	if err != nil {
		return err
	}
	formats.ShareColumns(reader, w.pool.Share)
	w.reader, w.open, w.batch = reader, s, nil
	if w.m.turns != nil {
		w.m.turns.begin(s, w.taken)
	}
	return nil
}

// next reads a batch and finds the labels of its masked columns.
func (w *worker) next(ctx context.Context) (err error) {
	if w.batch, err = w.reader.Next(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read split %d again: it has fewer rows than before, the input was changed during the run: %w", w.open.Ordinal, formats.ErrDamaged)
		}
		return err
	}
	w.used = 0
	if w.number == nil {
		return w.recode()
	}
	return w.pool.Share(len(w.m.Coders), func(_, a int) error { return w.learn(a) })
}

// learn finds the labels of an attribute in the released columns that it becomes.
func (w *worker) learn(a int) error {
	mapping := &w.coded.maps[a]
	for i := range w.m.Plan.columns {
		rc := &w.m.Plan.columns[i]
		if rc.attribute != a {
			continue
		}
		if err := mapping.Learn(w.batch.Columns[w.slots[i]].Values); err != nil {
			return err
		}
		w.tables[i].follow(mapping, w.number[a], rc.codes)
	}
	return nil
}

// recode finds the labels of the batch's rows, which depend on all their codes.
func (w *worker) recode() error {
	for i := range w.m.Plan.columns {
		a := w.m.Plan.columns[i].attribute
		if a < 0 {
			continue
		}
		if err := w.coded.translate(a, w.batch.Columns[w.slots[i]]); err != nil {
			return err
		}
		w.labels[a] = slices.Grow(w.labels[a][:0], w.batch.Rows)[:w.batch.Rows]
	}
	if w.m.Class != nil {
		if err := w.coded.translate(len(w.m.Coders), w.batch.Columns[len(w.requests)-1]); err != nil {
			return err
		}
	}
	rows := w.coded.rows(w.batch.Rows)
	rows.Taken, rows.Memo = w.taken, w.memo
	w.m.Recoding.Recode(rows, w.labels)
	return nil
}

// append adds rows from..to-1 of the batch to the row group, but for those that are dropped.
func (w *worker) append(from, to int) error {
	w.runs = w.kept(w.runs[:0], from, to)
	return w.pool.Share(len(w.slots), func(_, i int) error {
		if w.slots[i] < 0 {
			return nil
		}
		for _, r := range w.runs {
			if err := w.appendColumn(i, r.from, r.to); err != nil {
				return fmt.Errorf("append column %s: %w", w.m.Plan.columns[i].output.Field.Name, err)
			}
		}
		return nil
	})
}

// kept appends the runs of rows from..to-1 of the batch that are not dropped.
func (w *worker) kept(runs []run, from, to int) []run {
	if w.number != nil {
		return append(runs, run{from, to})
	}
	for row, label := range w.labels[0][from:to] {
		switch last := len(runs) - 1; {
		case label == engine.DroppedLabel:
		case last >= 0 && runs[last].to == from+row:
			runs[last].to++
		default:
			runs = append(runs, run{from + row, from + row + 1})
		}
	}
	return runs
}

// appendColumn adds rows from..to-1 of the batch to one column of the row group.
func (w *worker) appendColumn(i, from, to int) error {
	rc := &w.m.Plan.columns[i]
	column := w.batch.Columns[w.slots[i]]
	switch {
	case rc.attribute < 0:
		return w.rows.Append(i, column, from, to)
	case w.number != nil:
		return w.rows.AppendLabels(i, rc.values, w.tables[i].codes, column.Codes[from:to])
	}
	return w.rows.AppendLabels(i, rc.values, rc.codes, w.labels[rc.attribute][from:to])
}

// A row group that holds no more than usualHeld counts as overhead; what exceeds that is
// drawn, with the pages that become of it and those that wait to be written.
const (
	usualHeld    = 16 << 20
	groupsAtWork = 3
)

// draw draws what the row group has grown by.
func (w *worker) draw() error {
	need := groupsAtWork*max(0, w.rows.Held()-usualHeld) - w.drawn
	if need <= 0 {
		return nil
	}
	if err := w.m.Budget.Draw("a row group of the release", need); err != nil {
		return &fault.Error{Class: fault.Resources, Hint: "set or lower output.row_group_rows, lower --threads, or give more with --memory", Err: err}
	}
	w.drawn += need
	return nil
}
