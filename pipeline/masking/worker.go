package masking

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
)

// worker is one worker's open reader, and what masks the batches that it reads.
type worker struct {
	o      *ordering
	pool   workers.Worker   // the goroutine
	tokens []*tokens        // of every released column: its pseudonyms; nil where it has none
	labels []domain.Mapping // of every masked field: to places among its values; nil when rows are recoded as a whole
	tuples *recoded         // then
	listed []domain.Mapping // by listed field
	ranks  []rankMap        // by field of the head
	kept   []keptCells

	reader   formats.BatchReader
	batch    *formats.Batch
	replaced formats.Batch // the batch with pseudonyms
}

// noLabel is what values lead to that no row of the input has, unless it has changed.
const noLabel = math.MaxUint32

func (o *ordering) newWorker() *worker {
	w := &worker{o: o, ranks: make([]rankMap, len(o.form.fields)), kept: make([]keptCells, len(o.form.kept))}
	for i := range o.Plan.columns {
		w.tokens = append(w.tokens, nil)
		if c := &o.Plan.columns[i]; c.key != nil {
			w.tokens[i] = newTokens(c, o.Budget)
		}
	}
	for i := range o.form.listed {
		w.listed = append(w.listed, domain.NewMapping(listedCoder{o.form.listed[i].values}))
	}
	if o.labelOf != nil {
		w.tuples = o.newRecoded(o.Budget, o.Threads)
		return w
	}
	for i := range o.form.masked {
		w.labels = append(w.labels, o.mapping(&o.Plan.columns[o.form.masked[i].column]))
	}
	return w
}

// mapping returns what leads from the values of a masked column to those that are released.
func (m *Masker) mapping(c *column) domain.Mapping {
	codes := slices.Clone(m.Recoding.Codes(c.attribute))
	for i, label := range codes {
		if codes[i] = noLabel; int(label) < len(c.codes) {
			codes[i] = c.codes[label]
		}
	}
	return domain.NewMapping(domain.Renumbered{Coder: m.Coders[c.attribute], Codes: codes, Domain: c.values.Len() + 1, Else: noLabel})
}

// column returns the batch's column that a column of the release is made of.
func (w *worker) column(i int) *formats.Column { return w.batch.Columns[w.o.Plan.columns[i].request] }

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

// split reads a split, and calls use with the number of rows of each batch that are of it.
func (w *worker) split(ctx context.Context, s formats.Split, use func(rows int) error) (err error) {
	read, requests := w.o.Dataset.ReadCounted, w.o.Plan.requests
	if w.o.order.Input && w.o.Recoding.Cells() > 0 { // every record may go elsewhere
		read = w.o.Dataset.Read
	}
	if w.o.Class != nil { // it is read last
		requests = append(slices.Clip(requests), w.o.Tuples[len(w.o.Coders)])
	}
	if w.reader, err = read(ctx, s, requests); err != nil {
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

// next reads a batch of a split, and finds the labels of its masked columns and the ranks of its values.
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
	return w.learn()
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
		if at := w.o.Plan.columns[i].request; w.tokens[i] != nil {
			w.replaced.Columns[at], err = w.tokens[i].replace(w.replaced.Columns[at])
		}
		return err
	})
}

// learn finds the labels of the batch's rows, where these depend on all their codes, and the ranks of
// values in the columns of the head.
func (w *worker) learn() error {
	f := w.o.form
	if w.tuples != nil {
		err := w.tuples.recode(w.batch.Rows, func(i int) *formats.Column {
			if i == len(w.o.Coders) { // the class
				return w.batch.Columns[len(w.o.Plan.requests)]
			}
			return w.column(w.o.Plan.columnOf(i))
		})
		if err != nil {
			return err
		}
	}
	return w.pool.Share(len(f.fields), func(_, i int) error {
		field, values := &f.fields[i], w.column(f.fields[i].column).Values
		mapping := &w.ranks[i] // of no use to labels that depend on all codes
		switch {
		case i >= len(f.masked):
			return mapping.learn(&w.listed[i-len(f.masked)], values, field)
		case w.tuples == nil:
			return mapping.learn(&w.labels[i], values, field)
		}
		return nil
	})
}
