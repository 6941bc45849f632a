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

// splitReader is the open reader of one goroutine, and the state with which it masks batches.
type splitReader struct {
	o          *ordering
	pool       workers.Worker // the goroutine
	pseudonyms []*pseudonyms  // by released column; nil: it has no pseudonyms
	// labels has, by masked field, the mapping to codes of its values; nil if labels depend on all
	// codes
	labels  []domain.Mapping
	labeler *rowLabeler      // labels of rows, if these depend on all codes
	coded   []domain.Mapping // by coded field
	ranks   []rankMap        // by field of the head
	kept    []keptCells

	reader   formats.BatchReader
	batch    *formats.Batch
	replaced formats.Batch // the batch with pseudonyms
}

// noLabel is the code of values that no row of the input has, unless the input has changed.
const noLabel = math.MaxUint32

func (o *ordering) newSplitReader() *splitReader {
	w := &splitReader{o: o, ranks: make([]rankMap, len(o.form.fields)),
		kept: make([]keptCells, len(o.form.kept))}
	for i := range o.Plan.columns {
		w.pseudonyms = append(w.pseudonyms, nil)
		if c := &o.Plan.columns[i]; c.key != nil {
			w.pseudonyms[i] = newPseudonyms(c, o.Budget)
		}
	}
	for i := range o.form.coded {
		w.coded = append(w.coded, domain.NewMapping(dictionaryCoder{o.form.coded[i].values}))
	}
	if o.labelOf != nil {
		w.labeler = o.newLabeler(o.Budget, o.Threads)
		return w
	}
	for i := range o.form.masked {
		w.labels = append(w.labels, o.mapping(&o.Plan.columns[o.form.masked[i].column]))
	}
	return w
}

// mapping returns the mapping from the values of a masked column to its released values.
func (m *Masker) mapping(c *releaseColumn) domain.Mapping {
	codes := slices.Clone(m.Recoding.Codes(c.attribute))
	for i, label := range codes {
		if codes[i] = noLabel; int(label) < len(c.codes) {
			codes[i] = c.codes[label]
		}
	}
	return domain.NewMapping(domain.Renumbered{
		Coder: m.Coders[c.attribute], Codes: codes, Domain: c.values.Len() + 1, Else: noLabel,
	})
}

// column returns the batch's column from which a column of the release is made.
func (w *splitReader) column(i int) *formats.Column {
	return w.batch.Columns[w.o.Plan.columns[i].request]
}

func (w *splitReader) close() error {
	for _, t := range w.pseudonyms {
		if t != nil {
			t.close()
		}
	}
	return w.closeReader()
}

func (w *splitReader) closeReader() (err error) {
	if w.reader != nil {
		err = w.reader.Close()
		w.reader = nil
	}
	return err
}

// split reads a split, and calls use with each batch's number of rows that belong to the split.
func (w *splitReader) split(
	ctx context.Context, s formats.Split, use func(rows int) error,
) (err error) {
	read, requests := w.o.Dataset.ReadCounted, w.o.Plan.requests
	if w.o.order.Input && w.o.Recoding.Cells() > 0 { // every record may get other labels
		read = w.o.Dataset.Read
	}
	if w.o.Class != nil { // the class is read last
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

// rowsOf returns the number of first rows of a batch that together have the given records, the last
// row perhaps more, or all rows.
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

// next reads a batch of a split, and finds the labels of its masked columns and the ranks of its
// values.
func (w *splitReader) next(ctx context.Context, s formats.Split) (err error) {
	if w.batch, err = w.reader.Next(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read split %d again: it has fewer rows than before: %w", s.Ordinal,
				formats.ErrChanged)
		}
		return err
	}
	if err := w.pseudonymize(); err != nil {
		return err
	}
	return w.learn()
}

// pseudonymize replaces the batch's values by pseudonyms.
func (w *splitReader) pseudonymize() error {
	if !slices.ContainsFunc(w.pseudonyms, func(t *pseudonyms) bool { return t != nil }) {
		return nil
	}
	w.replaced.Columns = append(w.replaced.Columns[:0], w.batch.Columns...)
	w.replaced.Row, w.replaced.Rows, w.replaced.Counts = w.batch.Row, w.batch.Rows, w.batch.Counts
	w.batch = &w.replaced
	return w.pool.Share(len(w.pseudonyms), func(_, i int) (err error) {
		if at := w.o.Plan.columns[i].request; w.pseudonyms[i] != nil {
			w.replaced.Columns[at], err = w.pseudonyms[i].replace(w.replaced.Columns[at])
		}
		return err
	})
}

// learn finds the labels of the batch's rows, if these depend on all codes, and the ranks of values
// in the columns of the head.
func (w *splitReader) learn() error {
	f := w.o.form
	if w.labeler != nil {
		err := w.labeler.recode(w.batch.Rows, func(i int) *formats.Column {
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
		mapping := &w.ranks[i] // unused if labels depend on all codes
		switch {
		case i >= len(f.masked):
			return mapping.learn(&w.coded[i-len(f.masked)], values, field)
		case w.labeler == nil:
			return mapping.learn(&w.labels[i], values, field)
		}
		return nil
	})
}
