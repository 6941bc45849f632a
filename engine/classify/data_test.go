package classify

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// row is one record of random data.
type row struct {
	codes []uint32
	class uint32
}

// randomColumns draws columns of both kinds.
func randomColumns(r *rand.Rand) (columns []Column) {
	for range 1 + r.IntN(4) {
		c := Column{Domain: 2 + r.IntN(5), Numeric: r.IntN(2) == 0}
		x := 10 * r.Float64()
		for code := 1; c.Numeric && code < c.Domain; code++ {
			c.Values = append(c.Values, x)
			x += 0.1 + 5*r.Float64()
		}
		columns = append(columns, c)
	}
	return columns
}

// randomRows draws records whose codes correlate with their class.
func randomRows(r *rand.Rand, columns []Column, classes, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i].class = uint32(r.IntN(classes))
		for _, c := range columns {
			code := r.IntN(c.Domain)
			if r.IntN(2) == 0 {
				code = int(rows[i].class) % c.Domain
			}
			rows[i].codes = append(rows[i].codes, uint32(code))
		}
	}
	return rows
}

// identities returns the domains of columns and class, and maps of their codes to themselves.
func identities(columns []Column, classes int) (maps [][]uint32, domains []int) {
	for _, c := range append(slices.Clone(columns), Column{Domain: classes}) {
		maps, domains = append(maps, engine.Identity(c.Domain).Codes), append(domains, c.Domain)
	}
	return maps, domains
}

// dataOf counts rows.
func dataOf(columns []Column, classes int, rows []row) Data {
	maps, domains := identities(columns, classes)
	t := &partition.Table{Layout: partition.NewLayout(domains)}
	for _, row := range rows {
		key := make([]uint64, t.Layout.Words)
		for i, code := range append(row.codes[:len(row.codes):len(row.codes)], row.class) {
			f := t.Layout.Fields[i]
			key[f.Word] |= uint64(code) << f.Shift
		}
		t.Keys, t.Counts = append(t.Keys, key...), append(t.Counts, 1)
	}
	t = t.Recode(maps, domains, 1)
	t.Sort()
	return Data{Columns: columns, Classes: classes, Table: t}
}

// A classifier depends only on the counts, and finds the pattern in the data.
func TestLearners(t *testing.T) {
	enginetest.Cases(t, 40, func(r *rand.Rand) {
		columns, classes := randomColumns(r), 1+r.IntN(4)
		rows := randomRows(r, columns, classes, 1+r.IntN(200))
		d := dataOf(columns, classes, rows)
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		shuffled := dataOf(columns, classes, rows)
		counted, err := count(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		most := slices.Max(counted.classes)
		for _, l := range Learners() {
			one, err := l.Learn(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			other, err := l.Learn(t.Context(), shuffled)
			if err != nil {
				t.Fatal(err)
			}
			wrong := uint64(0)
			for _, row := range rows {
				class := Classify(one, row.codes, make([]float64, d.Classes))
				if class != Classify(other, row.codes, make([]float64, d.Classes)) {
					t.Errorf("%s depends on the order of rows", l.Name())
				}
				if class != row.class {
					wrong++
				}
			}
			outcome, err := examine(t.Context(), one, d)
			if err != nil || outcome.wrong() != wrong {
				t.Errorf("%s errs %d times, counted are %d: %v", l.Name(), wrong, outcome.wrong(),
					err)
			}
			if l.Name() == "tree" && wrong > uint64(len(rows))-most {
				t.Errorf("tree errs %d times, the most frequent class has %d of %d", wrong, most,
					len(rows))
			}
		}
	})
}

// Without columns every prediction is the most frequent class, the first of several.
func TestNoColumns(t *testing.T) {
	rows := []row{{class: 2}, {class: 1}, {class: 0}, {class: 1}, {class: 2}}
	for _, l := range Learners() {
		c, err := l.Learn(t.Context(), dataOf(nil, 3, rows))
		if err != nil {
			t.Fatal(err)
		}
		if class := Classify(c, nil, make([]float64, 3)); class != 1 && l.Name() != "logistic" {
			t.Errorf("%s says class %d", l.Name(), class)
		}
	}
}

// A classifier learned from a table in a store is the same to the last bit, and makes the same
// errors.
func TestLearnSpilled(t *testing.T) {
	store, err := spill.Open(t.TempDir(), spill.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spilled := 0
	cases := enginetest.Cases(t, 10, func(r *rand.Rand) {
		columns, classes := append(randomColumns(r), Column{Domain: 12}, Column{Domain: 12},
			Column{Domain: 12}), 2+r.IntN(3)
		d := dataOf(columns, classes, randomRows(r, columns, classes, 4000))
		maps, domains := identities(columns, classes)
		elsewhere := d
		elsewhere.Space = partition.Space{
			Budget: spill.NewBudget(1 << 30),
			Store:  store,
			Share:  24 << 10,
		}
		if elsewhere.Table, err = d.Table.Aggregate(t.Context(), maps, domains,
			elsewhere.Space); err != nil {
			t.Fatal(err)
		}
		if err := elsewhere.Table.Order(t.Context(), elsewhere.Space); err != nil {
			t.Fatal(err)
		}
		if elsewhere.Table.Spilled() {
			spilled++
		}
		for _, l := range Learners() {
			want, err := l.Learn(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.Learn(t.Context(), elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := got.(*regression); ok &&
				!reflect.DeepEqual(r.weights, want.(*regression).weights) {
				t.Errorf("other weights are learned from a store")
			}
			outcome, err := examine(t.Context(), want, d)
			if err != nil {
				t.Fatal(err)
			}
			if other, err := examine(t.Context(), got, elsewhere); err != nil ||
				!reflect.DeepEqual(other.counts, outcome.counts) ||
				!reflect.DeepEqual(other.ranks, outcome.ranks) {
				t.Errorf("%s errs %d times, from a store %d: %v", l.Name(), outcome.wrong(),
					other.wrong(), err)
			}
		}
	})
	if spilled < cases/2 {
		t.Errorf("%d of %d tables were in the store", spilled, cases)
	}
}

// examine lets a classifier classify the data's records.
func examine(ctx context.Context, c Classifier, d Data) (*Outcome, error) {
	o, err := NewOutcome(c, d.Classes, d.Space)
	if err != nil {
		return nil, err
	}
	return o, d.each(ctx, o.Add)
}

// wrong returns the number of wrong predictions.
func (o *Outcome) wrong() (wrong uint64) {
	for class := range o.classes {
		wrong += o.records(class) - o.counts[class*o.classes+class]
	}
	return wrong
}
