package kactus_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/partition"
)

// randomCase is a table whose columns are all in a set.
type randomCase struct {
	enginetest.Case
	names  []string // of the classes
	engine kactus.Engine
}

// newCase draws a case. Classes without names give cells of one tuple equal keys.
func newCase(r *rand.Rand) randomCase {
	c := randomCase{Case: enginetest.NewCase(r, 80)}
	for len(c.classes()) < 2 && r.IntN(10) > 0 {
		c.Case = enginetest.NewCase(r, 80)
	}
	c.lean(r)
	all := engine.Set{K: 1}
	if r.IntN(3) > 0 {
		c.Sets, all.K = nil, engine.KAnonymity(1+r.IntN(min(10, len(c.Data.Rows))))
	}
	for column := range c.Data.Columns {
		all.Columns = append(all.Columns, column)
	}
	c.Sets = append(c.Sets, all)
	for _, class := range c.classes() {
		c.names = append(c.names, "class "+class)
	}
	if r.IntN(4) == 0 {
		clear(c.names)
	}
	c.engine = kactus.Engine{
		Seed:       r.Uint64(),
		MinObjects: r.IntN(4),
		Prune:      r.IntN(3) == 0,
		Recruit:    r.IntN(2) == 1,
	}
	return c
}

// lean makes the class depend on the values, so that tests have a gain.
func (c *randomCase) lean(r *rand.Rand) {
	classes := c.classes()
	for row := range c.Data.Classes {
		if r.IntN(4) > 0 {
			code := 0
			for _, value := range c.Data.Rows[row] {
				for _, letter := range value.Text {
					code += int(letter)
				}
			}
			c.Data.Classes[row] = classes[code%len(classes)]
		}
	}
}

func (c randomCase) requirement() engine.Requirement { return engine.Requirement{Sets: c.Sets} }

func (c randomCase) table() *engine.Table {
	t := c.Data.Table(c.engine.Plan(c.requirement()))
	c.name(t)
	return t
}

func (c randomCase) name(t *engine.Table) {
	for _, name := range c.names {
		t.ClassNames = append(t.ClassNames, engine.Label{Text: name})
	}
}

func (c randomCase) search(t *testing.T) *engine.Regions {
	t.Helper()
	recoding, err := c.engine.Search(context.Background(), c.table(), c.requirement(),
		engine.Options{})
	if err != nil {
		t.Fatalf("%+v: %v\n%s", c.engine, err, c)
	}
	return recoding.(*engine.Regions)
}

// naive suppresses the rows of a case along the tree that package induce grows.
func (c randomCase) naive(t *testing.T) *naive {
	t.Helper()
	n := &naive{
		Data:   c.Data,
		codes:  c.Data.Codes(),
		engine: c.engine,
		k:      int(max(1, c.requirement().United().K)),
		names:  c.names,
	}
	i := induce.Inducer{
		Classes:    n.codes.Classes,
		MinObjects: uint64(cmp.Or(c.engine.MinObjects, n.k)),
		Prune:      c.engine.Prune,
	}
	for a := range n.codes.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&n.codes.Attributes[a]))
	}
	var err error
	plain := c // the tree tests only the class
	plain.Data.Sensitive, plain.Data.Entities, plain.Sets = nil, nil,
		[]engine.Set{{Columns: c.Sets[len(c.Sets)-1].Columns}}
	if n.tree, err = i.GrowFrom(t.Context(), plain.table().Groupings[0],
		partition.Space{}); err != nil {
		t.Fatal(err)
	}
	for row := range n.codes.Rows {
		n.leaves = append(n.leaves, n.tree.Locate(n.codes.Columns, row))
	}
	return n
}

// classes returns the classes in the order of their codes.
func (c randomCase) classes() []string {
	return slices.Compact(slices.Sorted(slices.Values(c.Data.Classes)))
}

// TestAgreesWithNaiveSearch compares the labels of every row.
func TestAgreesWithNaiveSearch(t *testing.T) {
	regions, divided, dropped, recruited := 0, 0, 0, 0 // the last two: cases
	cases := enginetest.Cases(t, 300, func(r *rand.Rand) {
		c := newCase(r)
		got, n := c.search(t), c.naive(t)
		n.search()
		rows, want := c.Data.Released(got), n.released()
		if !reflect.DeepEqual(rows, want) || got.Suppressed != uint64(n.suppressed) ||
			got.DroppedRecords != uint64(n.dropped) {
			t.Fatalf("%+v\ngot  %v, %d suppressed, %d dropped\nwant %v, %d and %d\n%s", c.engine,
				rows, got.Suppressed, got.DroppedRecords, want, n.suppressed, n.dropped, c)
		}
		regions, divided, dropped = regions+got.Len(), divided+got.Cells(),
			dropped+min(n.dropped, 1)
		recruited += min(n.recruited, 1)
	})
	t.Logf("%d cases, %d regions, %d divided cells, %d times records dropped, %d times recruited",
		cases, regions, divided, dropped, recruited)
	if cases >= 100 && (regions < 3*cases || divided < cases/2 || dropped == 0 || recruited == 0) {
		t.Errorf("too few of them")
	}
}
