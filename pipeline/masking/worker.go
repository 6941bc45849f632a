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
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// worker is one worker's state: an open reader and the row group being filled.
type worker struct {
	m        *Masker
	pool     workers.Worker // the goroutine
	rows     *writer.RowGroup
	labelled int64 // bytes of labels that are not pages yet, at most
	drawn    int64
	tokens   []*tokens        // of every released column: its pseudonyms; nil where it has none
	labels   []domain.Mapping // of every released column: to places among its values; nil when rows are recoded as a whole
	tuples   *tuples          // then

	requests []formats.Request // what is read
	slots    []int             // of every released column: its position among requests; −1: not read
	counted  bool              // rows of batches may stand for several records
	reader   formats.BatchReader
	open     formats.Split
	batch    *formats.Batch
	replaced formats.Batch // the batch with pseudonyms
	used     int           // rows of batch already taken
	atOnce   int           // rows of batch that are taken at a time
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

func (m *Masker) newWorker() (*worker, error) {
	rows, err := m.encoders.NewRowGroup(m.Plan.Outputs())
	if err != nil {
		return nil, err
	}
	w := &worker{m: m, rows: rows, tokens: make([]*tokens, len(m.Plan.columns))}
	for i := range m.Plan.columns {
		if c := &m.Plan.columns[i]; c.key != nil {
			w.tokens[i] = newTokens(c, m.Budget)
		}
	}
	if Columnwise(m.Recoding, len(m.Coders)) {
		for i := range m.Plan.columns {
			w.labels = append(w.labels, m.mapping(&m.Plan.columns[i]))
		}
		return w, nil
	}
	w.tuples = &tuples{coded: m.newCoded(), labels: make([][]uint32, len(m.Coders)), taken: m.taken}
	w.tuples.memo = engine.NewMemo(m.Domains, m.Budget.Grant(&spill.MaskedTuples)/int64(m.Threads))
	return w, nil
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
	w.m.Budget.Return(w.drawn)
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

// encode makes the row groups of a task.
func (w *worker) encode(ctx context.Context, t Task, emit func(group) error) error {
	rows := int64(0) // of the open row group, with those that are dropped
	flush := func() error {
		rows = 0
		encoded, err := w.rows.Encode()
		if err != nil {
			return fmt.Errorf("encode row group: %w", err)
		}
		return emit(group{EncodedRowGroup: encoded})
	}
	if err := w.drawLabels(t.most()); err != nil {
		return err
	}
	for _, s := range t.splits {
		for left := s.Rows; left > 0; {
			look := t.limit.untilLook(rows)
			n, err := w.appendRows(ctx, s, min(left, look))
			if err == nil {
				left, rows = left-n, rows+n
				size := w.rows.Size()
				err = w.draw(w.rows.Held(), size, rows, t.foreseen(rows, size))
			}
			if err != nil {
				return fmt.Errorf("mask %s: %w", s.File, err)
			}
			if n == look && t.limit.ends(rows, w.rows.Size()) {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if rows == 0 {
		return nil
	}
	return flush()
}

// scan has workers read splits, and calls use with the number of one and how many rows of its batch
// to use. Begin makes the worker of a number.
func (m *Masker) scan(
	ctx context.Context, splits []formats.Split, begin func(number int) (*worker, error), use func(number, rows int) error,
) error {
	readers := make([]*worker, m.Threads)
	err := workers.Each(len(splits), m.Threads, func(pool workers.Worker, i int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := readers[pool.Number]
		if w == nil {
			if w, err = begin(pool.Number); err != nil {
				return err
			}
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
	if err := w.openSplit(ctx, s); err != nil {
		return err
	}
	for left := s.Rows; left > 0; {
		if err := w.next(ctx); err != nil {
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

// appendRows appends the next rows of a split, at most so many, and returns how many these are.
func (w *worker) appendRows(ctx context.Context, s formats.Split, most int64) (n int64, err error) {
	if err := w.openSplit(ctx, s); err != nil {
		return 0, err
	}
	if w.batch == nil || w.used == w.batch.Rows {
		if err := w.next(ctx); err != nil {
			return 0, err
		}
	}
	to := min(w.batch.Rows, w.used+int(most), w.used+w.atOnce)
	if err := w.append(w.used, to); err != nil {
		return 0, err
	}
	n, w.used = int64(to-w.used), to
	w.m.Advanced(w.m.done.Add(n), w.m.Dataset.Rows())
	return n, nil
}

func (w *worker) openSplit(ctx context.Context, s formats.Split) error {
	if w.reader != nil && w.open.Ordinal == s.Ordinal {
		return nil
	}
	if err := w.closeReader(); err != nil {
		return err
	}
	read := w.m.Dataset.Read
	if w.counted {
		read = w.m.Dataset.ReadCounted
	}
	reader, err := read(ctx, s, w.requests)
	if err != nil {
		return err
	}
	reader.Share(w.pool.Share)
	w.reader, w.open, w.batch = reader, s, nil
	return nil
}

// next reads a batch and finds the labels of its masked columns.
func (w *worker) next(ctx context.Context) (err error) {
	if w.batch, err = w.reader.Next(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("read split %d again: it has fewer rows than before: %w", w.open.Ordinal, formats.ErrChanged)
		}
		return err
	}
	if err := w.pseudonymize(); err != nil {
		return err
	}
	w.used, w.atOnce = 0, w.rowsAtOnce()
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

// rowsAtOnce returns how many rows of the batch make a row group so little larger that what it takes may be drawn then.
func (w *worker) rowsAtOnce() int {
	largest := 1
	for i := range w.m.Plan.columns {
		if w.slots[i] < 0 || w.m.Plan.columns[i].attribute >= 0 {
			continue
		}
		if v := w.batch.Columns[w.slots[i]].Values; v != nil && len(v.Data) > usualHeld/max(1, w.batch.Rows) {
			largest += largestOf(v)
		}
	}
	return max(1, usualHeld/largest)
}

// largestOf returns how many bytes the largest value has.
func largestOf(v *formats.Values) (largest int) {
	from := 0
	for _, end := range v.Ends {
		largest, from = max(largest, int(end)-from), int(end)
	}
	return largest
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

// append adds rows from..to-1 of the batch to the row group, but for those that are dropped.
func (w *worker) append(from, to int) error {
	runs := w.kept(from, to)
	return w.pool.Share(len(w.slots), func(_, i int) error {
		if w.slots[i] < 0 {
			return nil
		}
		for _, r := range runs {
			if err := w.appendColumn(i, r.from, r.to); err != nil {
				return fmt.Errorf("append column %s: %w", w.m.Plan.columns[i].output.Field.Name, err)
			}
		}
		return nil
	})
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

// appendColumn adds rows from..to-1 of the batch to one column of the row group.
func (w *worker) appendColumn(i, from, to int) error {
	rc := &w.m.Plan.columns[i]
	column := w.batch.Columns[w.slots[i]]
	switch {
	case rc.attribute < 0:
		return w.rows.Append(i, column, from, to)
	case w.tuples == nil:
		_, codes := w.labels[i].Learned()
		return w.rows.AppendLabels(i, rc.values, codes, column.Codes[from:to])
	}
	return w.rows.AppendLabels(i, rc.values, rc.codes, w.tuples.labels[rc.attribute][from:to])
}

// A row group that holds no more than usualHeld counts as overhead; what exceeds that is
// drawn, with the pages that become of it and those that wait to be written.
const (
	usualHeld   = 16 << 20
	pagesAtWork = 2
)

// drawLabels draws what the labels of a row group take before they are pages.
func (w *worker) drawLabels(rows int64) error {
	w.labelled = w.m.Plan.labels() * writer.LabelBytes(rows)
	return w.draw(0, 0, 0, 1)
}

// draw draws what the row group has grown by. It holds held bytes, of which size are its rows, when
// done of its total rows, or columns, are in it.
func (w *worker) draw(held, size, done, total int64) error {
	need := w.unusual(held, size) - w.drawn
	if need <= 0 {
		return nil
	}
	times := float64(total) / float64(max(1, done))
	whole := w.unusual(int64(float64(held)*times), int64(float64(size)*times)) - w.drawn
	if err := drawGroup(w.m.Budget, need, int64(max(1, w.m.atWork))*max(need, whole)); err != nil {
		return err
	}
	w.drawn += need
	return nil
}

// drawGroup draws what row groups have grown by, of which so much is missing if there is no room.
func drawGroup(budget *spill.Budget, need, missing int64) error {
	if err := budget.Draw("a row group of the release", need); err != nil {
		return budget.Short(err, missing, lowerGroups)
	}
	return nil
}

// unusual returns what of a row group that holds so much, with rows of a size, and of its labels,
// does not count as overhead.
func (w *worker) unusual(held, size int64) int64 { return unusual(held, size, w.labelled) }

func unusual(held, size, labelled int64) int64 {
	return max(0, held+pagesAtWork*size-(1+pagesAtWork)*usualHeld) + max(0, labelled-max(0, usualHeld-held))
}

// lowerGroups is what helps where row groups of the release are too large.
const lowerGroups = "set or lower output.row_group_rows, or lower --threads"
