package induce_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// TestAgreesWithNaiveGrowth compares trees, pruned and not.
func TestAgreesWithNaiveGrowth(t *testing.T) {
	nodes, pruned := 0, 0
	cases := enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 50)
		codes := c.Data.Codes()
		for _, mdl := range []bool{true, false} {
			i := inducer(codes)
			i.MDL, i.MinObjects = mdl, uint64(1+r.IntN(4))
			tree, want := grow(t, i, codes), c.Data.Grow(int(i.MinObjects), mdl)
			difference := compare(codes, tree, want)
			nodes += tree.Len()
			if difference == "" {
				want.Prune()
				want.Renumber()
				i.Prune = true
				p := grow(t, i, codes)
				difference = compare(codes, p, want)
				pruned += tree.Len() - p.Len()
			}
			if difference != "" {
				t.Fatalf("%+v: %s\n%s", i, difference, c)
			}
		}
	})
	t.Logf("%d cases, %d nodes, %d pruned", cases, nodes, pruned)
	if cases >= 100 && (nodes < 6*cases || pruned < cases/2) {
		t.Errorf("only %d nodes, %d of them pruned", nodes, pruned)
	}
}

// compare tells the first difference of two trees.
func compare(codes enginetest.Codes, tree *induce.Tree, want *enginetest.Decision) string {
	next := 0
	var visit func(*enginetest.Decision) string
	visit = func(want *enginetest.Decision) string {
		n := next
		next++
		switch {
		case n == tree.Len():
			return "nodes are missing"
		case tree.Number(n) != want.Number:
			return fmt.Sprintf("node %d has number %d, want %d", n, tree.Number(n), want.Number)
		case tree.Size(n) != uint64(len(want.Rows)):
			return fmt.Sprintf("node %d has %d records, want %d", n, tree.Size(n), len(want.Rows))
		case codes.Classes > 0 && !agree(tree, n, want.Classes()):
			return fmt.Sprintf("node %d has not the class counts %v", n, want.Classes())
		case tree.IsLeaf(n) != (want.Column < 0):
			return fmt.Sprintf("node %d is a leaf: %t", n, tree.IsLeaf(n))
		case want.Column < 0:
			return ""
		}
		column, split := tree.Test(n)
		if column != want.Column || want.Split != "" && codes.Attributes[column].Texts[split] != want.Split {
			return fmt.Sprintf("node %d tests column %d at code %d, want column %d at %q", n, column, split, want.Column, want.Split)
		}
		for branch, child := range want.Children {
			if len(child.Rows) == 0 {
				continue
			}
			if next < tree.Len() && (tree.Parent(next) != n || tree.Branch(next) != uint32(branch)) {
				return fmt.Sprintf("node %d is branch %d of %d, want branch %d of %d", next, tree.Branch(next), tree.Parent(next), branch, n)
			}
			if difference := visit(child); difference != "" {
				return difference
			}
		}
		return ""
	}
	if difference := visit(want); difference != "" || next == tree.Len() {
		return difference
	}
	return "there are more nodes"
}

// agree compares the class counts of a node.
func agree(tree *induce.Tree, n int, want map[string]int) bool {
	classes, counts := tree.Classes(n)
	var got, labels []int
	for _, label := range slices.Sorted(maps.Keys(want)) {
		labels = append(labels, want[label])
	}
	for _, n := range counts {
		got = append(got, int(n))
	}
	return slices.IsSorted(classes) && slices.Equal(got, labels)
}

func inducer(codes enginetest.Codes) induce.Inducer {
	i := induce.Inducer{Classes: codes.Classes, MDL: true}
	for a := range codes.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&codes.Attributes[a]))
	}
	return i
}

// table counts all columns and the class.
func table(codes enginetest.Codes) *partition.Table {
	var all []int
	for a := range codes.Attributes {
		all = append(all, a)
	}
	plan := engine.Plan{Groupings: []engine.Grouping{{Columns: all, Class: true}}}
	return codes.Table(plan).Groupings[0]
}

func grow(tb testing.TB, i induce.Inducer, codes enginetest.Codes) *induce.Tree {
	tb.Helper()
	cells, err := cells.New(table(codes), i.Classes, partition.Space{})
	if err != nil {
		tb.Fatal(err)
	}
	tree, err := i.Grow(context.Background(), cells, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}
