package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// rowLabeler finds the labels of rows by their codes, for one goroutine.
type rowLabeler struct {
	*Recoder
	maps   []domain.Mapping // by attribute, then of the class if labels depend on it
	codes  [][]uint32       // in the order of maps
	labels [][]uint32       // label numbers, by attribute
	memo   *engine.Memo     // the regions of tuples
	taken  []uint64         // by divided cell: number of earlier rows
}

// newLabeler returns a labeler, one of as many as there are threads.
func (r *Recoder) newLabeler(budget *spill.Budget, threads int) *rowLabeler {
	t := &rowLabeler{Recoder: r, labels: make([][]uint32, len(r.Coders)),
		taken: make([]uint64, r.Recoding.Cells())}
	if !Columnwise(r.Recoding, len(r.Coders)) {
		t.memo = engine.NewMemo(r.Domains, budget.Grant(&spill.MaskedTuples)/int64(threads))
	}
	for _, coder := range r.Coders {
		t.maps = append(t.maps, domain.NewMapping(coder))
	}
	if r.Class != nil {
		t.maps = append(t.maps, domain.NewMapping(r.Class))
	}
	t.codes = make([][]uint32, len(t.maps))
	return t
}

// requests returns requests for the values that become codes.
func (r *Recoder) requests() []formats.Request {
	if r.Class == nil {
		return slices.Clip(r.Tuples[:len(r.Coders)])
	}
	return slices.Clip(r.Tuples)
}

// recode finds the labels of rows. Its columns are those of requests.
func (t *rowLabeler) recode(rows int, column func(i int) *formats.Column) (err error) {
	for i := range t.maps {
		if t.codes[i], err = t.maps[i].Translate(column(i), t.codes[i]); err != nil {
			return err
		}
	}
	t.label(rows)
	return nil
}

// label finds the labels of rows whose codes are known.
func (t *rowLabeler) label(rows int) {
	for a := range t.labels {
		t.labels[a] = slices.Grow(t.labels[a][:0], rows)[:rows]
	}
	of := t.rows(0, rows)
	of.Taken, of.Memo = t.taken, t.memo
	t.Recoding.Recode(of, t.labels)
}

// rows returns rows from..to-1, whose codes are known.
func (t *rowLabeler) rows(from, to int) engine.Rows {
	rows := engine.Rows{N: to - from}
	for a, codes := range t.codes {
		if a < len(t.Coders) {
			rows.Codes = append(rows.Codes, codes[from:to])
		} else {
			rows.Classes = codes[from:to]
		}
	}
	return rows
}

// scan reads an input: the columns of requests, then more columns. For each goroutine it calls
// begin with a labeler, and then the returned function with batches whose rows have labels.
func (r *Recoder) scan(
	ctx context.Context, d *dataset.Dataset, more []formats.Request, threads int,
	budget *spill.Budget,
	begin func(*rowLabeler) func(*formats.Batch) error,
) error {
	scanners := make([]*labelScanner, d.Scanners(threads))
	if r.Recoding.Cells() > 0 { // the labels of a divided cell's row depend on the rows before it
		scanners = scanners[:1]
	}
	for i := range scanners {
		t := r.newLabeler(budget, threads)
		scanners[i] = &labelScanner{rowLabeler: t, use: begin(t)}
	}
	return dataset.Scan(ctx, d, append(r.requests(), more...), scanners, func(int64) {})
}

// labelScanner finds the labels of batches' rows and passes the batches on.
type labelScanner struct {
	*rowLabeler
	singles formats.Singles
	use     func(*formats.Batch) error
}

func (l *labelScanner) Batch(b *formats.Batch) error {
	if len(l.taken) == 0 {
		return l.batch(b)
	}
	l.singles.Of(b) // every record may get other labels
	for b = l.singles.Next(); b != nil; b = l.singles.Next() {
		if err := l.batch(b); err != nil {
			return err
		}
	}
	return nil
}

func (l *labelScanner) batch(b *formats.Batch) error {
	if err := l.recode(b.Rows, func(i int) *formats.Column { return b.Columns[i] }); err != nil {
		return err
	}
	return l.use(b)
}
