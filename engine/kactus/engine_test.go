package kactus_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// visitors are 24 rows in which men leave, and women stay in all cities except one.
func visitors() enginetest.Data {
	d := enginetest.Data{Columns: []enginetest.Column{
		{Name: "fare", Mask: engine.Discretize, Lower: "0"},
		{Name: "city", Mask: engine.Suppress},
		{
			Name: "sex",
			Mask: engine.Generalize,
			Tree: taxonomy.Node{Name: "any", Children: []taxonomy.Node{{Name: "f"}, {Name: "m"}}},
		},
	}}
	add := func(n int, class string, texts ...string) {
		for range n {
			d.Rows, d.Classes = append(d.Rows, enginetest.Values(texts...)),
				append(d.Classes, class)
		}
	}
	add(8, "stays", "10", "Oslo", "f")
	add(8, "leaves", "20", "Oslo", "m")
	add(7, "stays", "20", "Rome", "f")
	add(1, "leaves", "20", "Bonn", "f")
	return d
}

func search(e kactus.Engine, d enginetest.Data, space partition.Space,
	sets ...engine.Set) (*engine.Regions, error) {
	requirement := engine.Requirement{Sets: sets}
	table := d.Table(e.Plan(requirement))
	if space.Budget != nil {
		if err := space.Budget.Draw("table", table.Groupings[0].Bytes()); err != nil {
			return nil, err
		}
	}
	recoding, err := e.Search(context.Background(), table, requirement,
		engine.Options{Space: space})
	if err != nil {
		return nil, err
	}
	return recoding.(*engine.Regions), nil
}

// TestTopUp: the one visitor from Bonn is a leaf of the tree, and two others join him.
func TestTopUp(t *testing.T) {
	d := visitors()
	r, err := search(kactus.Engine{MinObjects: 1}, d, partition.Space{},
		engine.Set{Columns: []int{0, 1, 2}, K: 3})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]int{}
	for _, row := range d.Released(r) {
		groups[row[0].Text+" "+row[1].Text+" "+row[2].Text]++
	}
	want := map[string]int{"[0,) * m": 8, "[0,) Oslo f": 7, "[0,) Rome f": 6, "[0,) * f": 3}
	if !reflect.DeepEqual(groups, want) {
		t.Errorf("got %v, want %v", groups, want)
	}
}

// TestSearchMeetsTheLargestK: several sets are one, their union.
func TestSearchMeetsTheLargestK(t *testing.T) {
	one, err := search(kactus.Engine{}, visitors(), partition.Space{},
		engine.Set{Columns: []int{0, 1, 2}, K: 4})
	if err != nil {
		t.Fatal(err)
	}
	two, err := search(kactus.Engine{}, visitors(), partition.Space{},
		engine.Set{Columns: []int{2}, K: 4}, engine.Set{Columns: []int{1, 0}, K: 2})
	if err != nil || !reflect.DeepEqual(one, two) {
		t.Errorf("%v: got %+v, want %+v", err, two, one)
	}
}

// TestRootWithoutChildrenIsWide: the label of a taxonomy's only node is true for nulls, so the
// region of only nulls comes before the region of the values.
func TestRootWithoutChildrenIsWide(t *testing.T) {
	d := enginetest.Data{Columns: []enginetest.Column{{
		Name: "planet",
		Mask: engine.Generalize,
		Tree: taxonomy.Node{Name: "Earth"},
	}}}
	for range 4 {
		d.Rows = append(d.Rows, enginetest.Values("Earth"), []engine.Label{{Null: true}})
		d.Classes = append(d.Classes, "stays", "leaves")
	}
	r, err := search(kactus.Engine{}, d, partition.Space{}, engine.Set{Columns: []int{0}, K: 4})
	if err != nil || r.Len() != 2 || !r.Labels(0)[r.Region(0)[0]].Null {
		t.Errorf("%v: got %+v, want the nulls first", err, r)
	}
}

// TestWithoutClass releases everything as one group.
func TestWithoutClass(t *testing.T) {
	d := visitors()
	d.Classes = nil
	for _, e := range []kactus.Engine{{}, {Prune: true}} {
		r, err := search(e, d, partition.Space{}, engine.Set{Columns: []int{0, 1, 2}, K: 4})
		if err != nil || r.Len() != 1 || r.Suppressed != 24 {
			t.Errorf("%v: got %+v", err, r)
		}
	}
}

// TestSearchKeepsToTheBudget grants too little memory for a tree of thousands of nodes.
func TestSearchKeepsToTheBudget(t *testing.T) {
	d, e := enginetest.Adult(t, enginetest.EightAttributes...), kactus.Engine{MinObjects: 1}
	set := engine.Set{Columns: []int{0, 1, 2, 3, 4, 5, 6, 7}, K: 2}
	bytes := d.Table(e.Plan(engine.Requirement{Sets: []engine.Set{set}})).Groupings[0].Bytes()
	budget := spill.NewBudget(bytes + 256<<10)
	if _, err := search(e, d, partition.Space{Budget: budget, Share: 1 << 30}, set); !errors.Is(err,
		spill.ErrBudget) {
		t.Errorf("got %v, want ErrBudget", err)
	}
	if budget.Used() != 0 {
		t.Errorf("%d bytes are not returned", budget.Used())
	}
}
