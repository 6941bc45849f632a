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

// recoded finds the labels of rows by their codes, for one goroutine.
type recoded struct {
	*Recoder
	maps   []domain.Mapping // of every attribute, and of the class if labels depend on it
	codes  [][]uint32       // likewise
	labels [][]uint32       // their numbers, by attribute
	memo   *engine.Memo     // of the tuples' regions
	taken  []uint64         // rows of every divided cell that came before
}

// newRecoded returns one of so many.
func (r *Recoder) newRecoded(budget *spill.Budget, threads int) *recoded {
	t := &recoded{Recoder: r, labels: make([][]uint32, len(r.Coders)), taken: make([]uint64, r.Recoding.Cells())}
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

// requests returns what is read for codes.
func (r *Recoder) requests() []formats.Request {
	if r.Class == nil {
		return slices.Clip(r.Tuples[:len(r.Coders)])
	}
	return slices.Clip(r.Tuples)
}

// recode finds the labels of rows whose columns are those of requests.
func (t *recoded) recode(rows int, column func(i int) *formats.Column) (err error) {
	for i := range t.maps {
		if t.codes[i], err = t.maps[i].Translate(column(i), t.codes[i]); err != nil {
			return err
		}
	}
	t.label(rows)
	return nil
}

// label finds the labels of rows whose codes are known.
func (t *recoded) label(rows int) {
	for a := range t.labels {
		t.labels[a] = slices.Grow(t.labels[a][:0], rows)[:rows]
	}
	of := t.rows(0, rows)
	of.Taken, of.Memo = t.taken, t.memo
	t.Recoding.Recode(of, t.labels)
}

// rows returns rows from..to-1 of those whose codes are known.
func (t *recoded) rows(from, to int) engine.Rows {
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

// scan reads an input, and more columns of it than codes are made of, and has batches used whose rows
// have their labels, by what begin returns for a goroutine.
func (r *Recoder) scan(
	ctx context.Context, d *dataset.Dataset, more []formats.Request, threads int, budget *spill.Budget,
	begin func(*recoded) func(*formats.Batch),
) error {
	scanners := make([]*labelled, d.Scanners(threads))
	if r.Recoding.Cells() > 0 { // where rows of a divided cell go depends on those before
		scanners = scanners[:1]
	}
	for i := range scanners {
		t := r.newRecoded(budget, threads)
		scanners[i] = &labelled{recoded: t, use: begin(t)}
	}
	return dataset.Scan(ctx, d, append(r.requests(), more...), scanners, func(int64) {})
}

// labelled gives the rows of batches their labels, and has them used.
type labelled struct {
	*recoded
	singles formats.Singles
	use     func(*formats.Batch)
}

func (l *labelled) BeginSplit(formats.Split) {}
func (l *labelled) EndSplit() error          { return nil }

func (l *labelled) Batch(b *formats.Batch) error {
	if len(l.taken) == 0 {
		return l.batch(b)
	}
	l.singles.Of(b) // every record may go elsewhere
	for b = l.singles.Next(); b != nil; b = l.singles.Next() {
		if err := l.batch(b); err != nil {
			return err
		}
	}
	return nil
}

func (l *labelled) batch(b *formats.Batch) error {
	if err := l.recode(b.Rows, func(i int) *formats.Column { return b.Columns[i] }); err != nil {
		return err
	}
	l.use(b)
	return nil
}
