package masking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// eachItsLabel gives every value of an attribute its own label.
type eachItsLabel struct {
	*engine.Cut
	values int
}

func (e eachItsLabel) Codes(int) []uint32 { return engine.Identity(e.values).Codes }

// dictionaryTable is a random table of a masked column and kept columns, as one batch.
type dictionaryTable struct {
	plan  *Plan
	batch formats.Batch
	coder domain.Coder // of the masked column
	all   map[int]*formats.Values
}

func newDictionaryTable(rng *rand.Rand) *dictionaryTable {
	rows := 1 + rng.IntN(3000)
	l := &dictionaryTable{plan: &Plan{}, batch: formats.Batch{Rows: rows},
		all: make(map[int]*formats.Values)}
	for i := range 2 + rng.IntN(6) {
		of := formats.Type{Kind: formats.Int, Bits: 64}
		if i == 0 || rng.IntN(2) == 0 {
			of = formats.Type{Kind: formats.String}
		}
		values := &formats.Values{Type: of}
		known := formats.NewDistinct(values)
		for range 1 + rng.IntN(1<<rng.IntN(12)) {
			if of.InWords() {
				known.CodeOfWord(formats.IntWord(rng.Int64() >> rng.IntN(64)))
			} else {
				known.CodeOfBytes(textOf(rng))
			}
		}
		column := &formats.Column{Values: values}
		for range rows {
			column.Codes = append(column.Codes, rng.Uint32N(uint32(values.Len()+1)))
		}
		l.batch.Columns = append(l.batch.Columns, column)
		l.all[i] = inOrder(values)
		l.plan.requests = append(l.plan.requests, formats.Request{Column: i})
		field := formats.Field{Name: fmt.Sprint("c", i), Type: of, Nullable: true}
		c := formatsColumn(field, i, l.all[i])
		if i == 0 {
			l.coder = dictionaryCoder{l.all[i]}
		}
		l.plan.columns = append(l.plan.columns, c)
	}
	return l
}

// formatsColumn returns a column of the release. The first column is masked.
func formatsColumn(field formats.Field, i int, values *formats.Values) releaseColumn {
	c := releaseColumn{output: writer.Column{Field: field, Masked: i == 0}, request: i,
		attribute: -1}
	if i == 0 {
		c.attribute, c.values = 0, values
		for code := range values.Len() + 1 {
			c.codes = append(c.codes, uint32(code))
		}
	}
	return c
}

// inOrder returns sorted values.
func inOrder(values *formats.Values) *formats.Values {
	to := &formats.Values{Type: values.Type}
	if to.Words = slices.Sorted(slices.Values(values.Words)); to.Type.InWords() {
		return to
	}
	var texts [][]byte
	for i := range values.Len() {
		texts = append(texts, values.Bytes(i))
	}
	slices.SortFunc(texts, bytes.Compare)
	for _, text := range texts {
		to.AppendBytes(text)
	}
	return to
}

// released has one file for each row group, and the sizes of all rows, which determine row groups.
type released struct {
	columns []writer.Column
	groups  [][]byte
	sizes   []int
}

func (r *released) Add(g *writer.EncodedRowGroup, _ string) error {
	var file bytes.Buffer
	w, err := writer.New(&file, r.columns, nil)
	if err == nil {
		err = errors.Join(w.Write(g), w.Close())
	}
	r.groups = append(r.groups, file.Bytes())
	return err
}

// release sorts the rows, or leaves them in their order. Some kept columns have dictionaries.
func (l *dictionaryTable) release(
	t *testing.T, values map[int]*formats.Values, order Order,
) (r released, coded int, err error) {
	t.Helper()
	plan := &Plan{columns: slices.Clone(l.plan.columns), requests: slices.Clone(l.plan.requests)}
	plan.SetDictionaries(values)
	m := &Masker{
		Dataset: &dataset.Dataset{}, Plan: plan, Threads: 2, Budget: spill.NewBudget(1 << 28),
		Advanced: func(int64, int64) {},
		Recoder: Recoder{Recoding: eachItsLabel{Cut: &engine.Cut{}, values: l.all[0].Len() + 1},
			Coders: []domain.Coder{l.coder}},
	}
	r.columns = plan.Outputs()
	for range 2 { // for the sizes, and then for the row groups
		o, err := m.ordering(order)
		if err != nil {
			return r, 0, err
		}
		if coded = len(o.form.coded); order.Input {
			return r, coded, l.keep(o, &r)
		}
		o.sorter, o.rows = o.newSorter(1<<26, o.form.short())
		if err := l.sort(o); err != nil {
			return r, coded, err
		}
		if r.sizes == nil {
			err = o.sizes(&r)
		} else {
			err = o.writeAll(&r)
		}
		if err := errors.Join(err, o.sorter.Close()); err != nil {
			return r, coded, err
		}
	}
	return r, coded, nil
}

// sort appends the rows of the table.
func (l *dictionaryTable) sort(o *ordering) error {
	return l.make(o, nil)
}

// make makes rows of the table.
func (l *dictionaryTable) make(o *ordering, to rowSink) error {
	w := o.newSplitReader()
	w.batch = &l.batch
	if err := w.learn(); err != nil {
		return err
	}
	return o.batch(w, l.batch.Rows, to)
}

// keep makes row groups of the rows in their order.
func (l *dictionaryTable) keep(o *ordering, r *released) error {
	g, err := o.newGroup(1)
	if err != nil {
		return err
	}
	hand := func() error {
		return o.hand(g, func(of group) error { return r.Add(of.EncodedRowGroup, of.folder) })
	}
	err = l.make(o, &groupFiller{g, newGroupLimit(o.order.Rows, int64(l.batch.Rows)), hand})
	if err == nil && g.count > 0 {
		err = hand()
	}
	return err
}

// writeAll encodes the rows.
func (o *ordering) writeAll(to Sink) error {
	rows, err := o.sorter.Merge(context.Background())
	if err != nil {
		return err
	}
	defer rows.Close()
	return o.write(context.Background(), rows, to)
}

// sizes finds the sizes of all rows.
func (o *ordering) sizes(r *released) error {
	rows, err := o.sorter.Merge(context.Background())
	if err != nil {
		return err
	}
	for one := (rowBlock{}); ; {
		row, n, err := rows.Next()
		if err != nil {
			rows.Close()
			return nil
		}
		o.form.read(&one, row, n)
		r.sizes = append(r.sizes, slices.Repeat([]int{o.form.sizeOf(&one)}, int(n))...)
	}
}

// A release is the same, byte by byte, whichever kept columns have dictionaries, and so are the
// sizes of rows.
func TestDictionaries(t *testing.T) {
	most := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 12))
		l := newDictionaryTable(rng)
		order := Order{Rows: rng.Int64N(2) * (1 + rng.Int64N(1000)), Input: seed%3 == 0}
		want, _, err := l.release(t, nil, order)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.groups) == 0 || !order.Input && len(want.sizes) != l.batch.Rows {
			t.Fatalf("seed %d: %d row groups, %d rows", seed, len(want.groups), len(want.sizes))
		}
		some := make(map[int]*formats.Values)
		for i, values := range l.all {
			if rng.IntN(3) > 0 {
				some[i] = values
			}
		}
		for _, values := range []map[int]*formats.Values{some, l.all} {
			got, coded, err := l.release(t, values, order)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got.groups, want.groups, bytes.Equal) ||
				!slices.Equal(got.sizes, want.sizes) {
				t.Errorf("seed %d, %d of %d columns with dictionaries: another release", seed,
					coded, len(l.all)-1)
			}
			most = max(most, coded)
		}
	}
	if most < 5 {
		t.Errorf("at most %d columns have dictionaries", most)
	}
}

// A value that a dictionary lacks ends the masking: the input has changed.
func TestDictionaryChanges(t *testing.T) {
	for seed := range uint64(20) {
		l := newDictionaryTable(rand.New(rand.NewPCG(seed, 13)))
		values := *l.all[1]
		if values.Type.InWords() {
			values.Words = values.Words[1:]
		} else {
			values = formats.Values{Type: values.Type}
			for i := range l.all[1].Len() - 1 {
				values.AppendBytes(l.all[1].Bytes(i))
			}
		}
		codes := l.batch.Columns[1].Codes
		for row := range codes { // all values occur
			codes[row] = uint32(row % (l.all[1].Len() + 1))
		}
		_, _, err := l.release(t, map[int]*formats.Values{1: &values}, Order{})
		if len(codes) > l.all[1].Len() && !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
