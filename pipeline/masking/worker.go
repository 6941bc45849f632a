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
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// worker is one worker's open reader, and what masks the batches that it reads.
type worker struct {
	m      *Masker
	pool   workers.Worker   // the goroutine
	tokens []*tokens        // of every released column: its pseudonyms; nil where it has none
	labels []domain.Mapping // of every released column: to places among its values; nil when rows are recoded as a whole
	tuples *tuples          // then

	requests []formats.Request // what is read
	slots    []int             // of every released column: its position among requests; −1: not read
	counted  bool              // rows of batches may stand for several records
	reader   formats.BatchReader
	batch    *formats.Batch
	replaced formats.Batch // the batch with pseudonyms
}

// tuples recodes the rows of a batch as a whole.
type tuples struct {
	coded
	labels [][]uint32   // label numbers of the batch, by attribute
	memo   *engine.Memo // of the tuples' regions
	taken  []uint64     // rows of every divided cell that came before
	kept   []run        // scratch
}

// run is a run of rows of a batch.
type run struct{ from, to int }

// noLabel is what values lead to that no row of the input has, unless it has changed.
const noLabel = math.MaxUint32

func (m *Masker) newWorker() *worker {
	w := &worker{m: m, tokens: make([]*tokens, len(m.Plan.columns))}
	for i := range m.Plan.columns {
		if c := &m.Plan.columns[i]; c.key != nil {
			w.tokens[i] = newTokens(c, m.Budget)
		}
	}
	if Columnwise(m.Recoding, len(m.Coders)) {
		for i := range m.Plan.columns {
			w.labels = append(w.labels, m.mapping(&m.Plan.columns[i]))
		}
		return w
	}
	w.tuples = &tuples{coded: m.newCoded(), labels: make([][]uint32, len(m.Coders)), taken: m.taken}
	w.tuples.memo = engine.NewMemo(m.Domains, m.Budget.Grant(&spill.MaskedTuples)/int64(m.Threads))
	return w
}

// mapping returns what leads from the values of a masked column to those that are released.
func (m *Masker) mapping(c *column) (none domain.Mapping) {
	if c.attribute < 0 {
		return none
	}
	codes := slices.Clone(m.Recoding.Codes(c.attribute))
	for i, label := range codes {
		if codes[i] = noLabel; int(label) < len(c.codes) {
			codes[i] = c.codes[label]
		}
	}
	return domain.NewMapping(domain.Renumbered{Coder: m.Coders[c.attribute], Codes: codes, Domain: c.values.Len() + 1, Else: noLabel})
}

// choose says which released columns are read: all but those that are left out, if any. The class is
// read last, when labels depend on it, too.
func (w *worker) choose(left []bool) {
	w.requests, w.slots = nil, nil
	slot := make(map[int]int)
	for i := range w.m.Plan.columns {
		request := w.m.Plan.columns[i].request
		if left != nil && left[i] {
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
	for _, t := range w.tokens {
		if t != nil {
			t.close()
		}
	}
	return w.closeReader()
}

func (w *worker) closeReader() (err error) {
	if w.reader != nil {
		err = w.reader.Close()
		w.reader = nil
	}
	return err
}

// scan has workers read splits, and calls use with the number of one and how many rows of its batch
// to use. Begin makes the worker of a number.
func (m *Masker) scan(
	ctx context.Context, splits []formats.Split, begin func(number int) *worker, use func(number, rows int) error,
) error {
	readers := make([]*worker, m.Threads)
	err := workers.Each(len(splits), m.Threads, func(pool workers.Worker, i int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := readers[pool.Number]
		if w == nil {
			w = begin(pool.Number)
			readers[pool.Number] = w
		}
		w.pool = pool
		if err := w.split(ctx, splits[i], func(rows int) error { return use(pool.Number, rows) }); err != nil {
			return fmt.Errorf("mask %s: %w", splits[i].File, err)
		}
		return nil
	})
	for _, w := range readers {
		if w != nil {
			err = errors.Join(err, w.close())
		}
	}
	return err
}

// split reads a split, and calls use with the number of rows of each batch that are of it.
func (w *worker) split(ctx context.Context, s formats.Split, use func(rows int) error) error {
	read := w.m.Dataset.Read
	if w.counted {
		read = w.m.Dataset.ReadCounted
	}
	var err error
	if w.reader, err = read(ctx, s, w.requests); err != nil {
		return err
	}
	w.reader.Share(w.pool.Share)
	for left := s.Rows; left > 0; {
		if err := w.next(ctx, s); err != nil {
			return err
		}
		rows := rowsOf(w.batch, left)
		if err := use(rows); err != nil {
			return err
		}
		left -= w.batch.Records(0, rows)
	}
	return w.closeReader()
}

// rowsOf returns the number of the first rows of a batch that have some records together, the last
// row perhaps more than that, or all rows.
func rowsOf(b *formats.Batch, records int64) (rows int) {
	if b.Counts == nil {
		return int(min(int64(b.Rows), records))
	}
	for rows < b.Rows && records > 0 {
		records -= int64(b.Counts[rows])
		rows++
	}
	return rows
}

// next reads a batch of a split and finds the labels of its masked columns.
func (w *worker) next(ctx context.Context, s formats.Split) (err error) {
	if w.batch, err = w.reader.Next(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read split %d again: it has fewer rows than before: %w", s.Ordinal, formats.ErrChanged)
		}
		return err
	}
	if err := w.pseudonymize(); err != nil {
		return err
	}
	if w.tuples != nil {
		return w.recode()
	}
	return w.pool.Share(len(w.labels), func(_, i int) error {
		if w.m.Plan.columns[i].attribute < 0 || w.slots[i] < 0 {
			return nil
		}
		return w.labels[i].Learn(w.batch.Columns[w.slots[i]].Values)
	})
}

// pseudonymize puts pseudonyms in the place of the batch's values.
func (w *worker) pseudonymize() error {
	if !slices.ContainsFunc(w.tokens, func(t *tokens) bool { return t != nil }) {
		return nil
	}
	w.replaced.Columns = append(w.replaced.Columns[:0], w.batch.Columns...)
	w.replaced.Row, w.replaced.Rows, w.replaced.Counts = w.batch.Row, w.batch.Rows, w.batch.Counts
	w.batch = &w.replaced
	return w.pool.Share(len(w.tokens), func(_, i int) (err error) {
		if slot := w.slots[i]; w.tokens[i] != nil && slot >= 0 {
			w.replaced.Columns[slot], err = w.tokens[i].replace(w.replaced.Columns[slot])
		}
		return err
	})
}

// recode finds the labels of the batch's rows, which depend on all their codes.
func (w *worker) recode() error {
	t := w.tuples
	for i := range w.m.Plan.columns {
		a := w.m.Plan.columns[i].attribute
		if a < 0 {
			continue
		}
		if err := t.translate(a, w.batch.Columns[w.slots[i]]); err != nil {
			return err
		}
		t.labels[a] = slices.Grow(t.labels[a][:0], w.batch.Rows)[:w.batch.Rows]
	}
	if w.m.Class != nil {
		if err := t.translate(len(w.m.Coders), w.batch.Columns[len(w.requests)-1]); err != nil {
			return err
		}
	}
	rows := t.rows(0, w.batch.Rows)
	rows.Taken, rows.Memo = t.taken, t.memo
	w.m.Recoding.Recode(rows, t.labels)
	return nil
}

// kept returns the runs of rows from..to-1 of the batch that are not dropped, valid until the next call.
func (w *worker) kept(from, to int) []run {
	if w.tuples == nil {
		return []run{{from, to}}
	}
	runs := w.tuples.kept[:0]
	for row, label := range w.tuples.labels[0][from:to] {
		switch last := len(runs) - 1; {
		case label == engine.DroppedLabel:
		case last >= 0 && runs[last].to == from+row:
			runs[last].to++
		default:
			runs = append(runs, run{from + row, from + row + 1})
		}
	}
	w.tuples.kept = runs
	return runs
}
