package kactus_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// naiveKinds suppresses rows along a tree where there are kinds of records, as the definitions
// read.
type naiveKinds struct {
	*naive
	set    engine.Set
	groups []rowGroup
}

// rowGroup is the rows that are released with a node's labels.
type rowGroup struct {
	node   int
	labels []engine.Label
	rows   []int
}

func (n *naiveKinds) protects(rows []int) bool {
	return len(rows) > 0 && n.set.Holds(n.Stats(rows))
}

// left returns the rows left at a node, after groups were made below it.
func (n *naiveKinds) left(node int, labels []engine.Label) (left []int) {
	for row, leaf := range n.leaves {
		if leaf == node {
			left = append(left, row)
		}
	}
	for child := range n.tree.Len() {
		if n.tree.Parent(child) != node {
			continue
		}
		column, split := n.tree.Test(node)
		below := slices.Clone(labels)
		below[column] = n.narrow(labels[column], column, split, n.tree.Branch(child))
		if rows := n.left(child, below); n.protects(rows) {
			n.groups = append(n.groups, rowGroup{child, below, rows})
		} else {
			left = append(left, rows...)
		}
	}
	return left
}

// released returns the labels of every row, nil for those that are dropped, and the number of
// suppressed rows.
func (n *naiveKinds) released() (released [][]engine.Label, suppressed, joined int) {
	root := n.left(0, n.top())
	released = make([][]engine.Label, len(n.Rows))
	slices.SortFunc(n.groups, func(a, b rowGroup) int {
		return cmp.Or(cmp.Compare(len(a.rows), len(b.rows)), cmp.Compare(a.node, b.node))
	})
	dropped := !n.engine.Recruit && n.Stats(root).Size < uint64(n.k)
	for !dropped && len(root) > 0 && !n.protects(root) {
		root, n.groups = append(root, n.groups[0].rows...), n.groups[1:]
		joined++
	}
	if !dropped {
		n.groups, suppressed = append(n.groups, rowGroup{0, n.top(), root}), len(root)
	}
	for _, g := range n.groups {
		for _, row := range g.rows {
			released[row] = g.labels
		}
	}
	return released, suppressed, joined
}

// TestAgreesWithNaiveSearchWhereThereAreKinds compares the labels of every row.
func TestAgreesWithNaiveSearchWhereThereAreKinds(t *testing.T) {
	regions, infeasible, dropped, joined := 0, 0, 0, 0 // all except the first are numbers of cases
	cases := enginetest.Cases(t, 400, func(r *rand.Rand) {
		c, protect := newCase(r), 1+r.IntN(3)
		c.Protect(r, protect&1 > 0, protect&2 > 0)
		n := &naiveKinds{naive: c.naive(t), set: c.requirement().United()}
		n.set.K = engine.KAnonymity(n.k)
		all := make([]int, len(c.Data.Rows))
		for row := range all {
			all[row] = row
		}
		if !n.protects(all) {
			infeasible++
			if _, err := c.engine.Search(context.Background(), c.table(), c.requirement(),
				engine.Options{}); !errors.Is(err, engine.ErrInfeasible) {
				t.Fatalf("got %v, want ErrInfeasible", err)
			}
			return
		}
		got := c.search(t)
		want, suppressed, groups := n.released()
		rows := c.Data.Released(got)
		if !reflect.DeepEqual(rows, want) || got.Suppressed != uint64(suppressed) {
			t.Fatalf("%+v\ngot  %v, %d suppressed\nwant %v and %d\n%s", c.engine, rows,
				got.Suppressed, want, suppressed, c)
		}
		if c.Data.CheckProtected(t, rows, c.Sets); t.Failed() {
			t.Fatalf("%+v\n%s", c.engine, c)
		}
		regions, dropped, joined = regions+got.Len(), dropped+int(min(got.DroppedRecords, 1)),
			joined+min(groups, 1)
	})
	t.Logf("%d cases, %d regions, %d infeasible, %d times records dropped, %d times groups joined",
		cases, regions, infeasible, dropped, joined)
	if cases >= 100 && (regions < 2*cases || infeasible == 0 || dropped == 0 || joined == 0) {
		t.Errorf("too few of them")
	}
}
