package engine_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// TestValueTreeAgreesWithHierarchy compares the nodes, and cuts through them, with those made
// from the text of the rows.
func TestValueTreeAgreesWithHierarchy(t *testing.T) {
	enginetest.Cases(t, 500, func(r *rand.Rand) {
		c, bins := enginetest.NewCase(r, 60), 1+r.IntN(8)
		codes := c.Data.Codes()
		histograms := codes.Table(engine.Plan{Histograms: true}).Histograms
		for a := range codes.Attributes {
			tree := engine.NewValueTree(&codes.Attributes[a], histograms[a].Sizes(), bins)
			want := c.Data.Hierarchy(a, bins).All()
			if tree.Len() != len(want) {
				t.Fatalf("%d nodes, want %d", tree.Len(), len(want))
			}
			for n, taxon := range want {
				parent := -1
				if taxon.Parent != nil {
					parent = taxon.Parent.Order
				}
				if tree.Label(n) != taxon.Label || tree.Parent(n) != parent || tree.Depth(n) != taxon.Depth || len(tree.Children(n)) != len(taxon.Children) || tree.IsLeaf(n) != (len(taxon.Children) == 0) {
					t.Fatalf("node %d is %v, want %v", n, tree.Label(n), taxon.Label)
				}
			}
			nodes := randomCut(r, tree, 0)
			cut := tree.Cut(nodes)
			for row, code := range codes.Columns[a] {
				n := tree.Leaf(int(code))
				for !slices.Contains(nodes, n) {
					n = tree.Parent(n)
				}
				if got := cut.Labels[cut.Code[code]]; got != tree.Label(n) || !want[n].Values[c.Data.Rows[row][a]] {
					t.Fatalf("%v is released as %v, want %v", c.Data.Rows[row][a], got, tree.Label(n))
				}
			}
		}
	})
}

// randomCut returns a cut of what is under a node: of values without a tree all or none.
func randomCut(r *rand.Rand, tree *engine.ValueTree, node int) (nodes []int) {
	if tree.IsLeaf(node) || r.IntN(3) == 0 {
		return []int{node}
	}
	for _, c := range tree.Children(node) {
		nodes = append(nodes, randomCut(r, tree, c)...)
	}
	return nodes
}

// TestValueTreeBins is counted by hand: of 16 records in 4 bins, a bin starts at the first
// value with 0, 4, 8 or 12 before it. Three are left; one is a value; the odd one waits.
func TestValueTreeBins(t *testing.T) {
	a := &engine.Attribute{Mask: engine.Discretize, Texts: []string{"0", "1", "2", "3", "4", "5"}, HasNull: true, UpperText: "9"}
	tree := engine.NewValueTree(a, []uint64{1, 9, 0, 2, 1, 3, 2}, 4)
	var got []string
	for n := range tree.Len() {
		got = append(got, "      "[:2*tree.Depth(n)]+tree.Label(n).Text)
	}
	want := []string{"(,9]", "  (,4)", "    (,3)", "      (,1)", "      [1,3)", "    [3,4)", "  [4,9]", "    [4,5)", "    [5,9]", "  "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestValueTreeCutLeavesEmptySubtreesWhole: values that no record has get labels, too.
func TestValueTreeCutLeavesEmptySubtreesWhole(t *testing.T) {
	leaf := func(name string) taxonomy.Node { return taxonomy.Node{Name: name} }
	taxonomy, err := taxonomy.NewTree(taxonomy.Node{Name: "all", Children: []taxonomy.Node{
		{Name: "A", Children: []taxonomy.Node{leaf("a1"), leaf("a2"), leaf("a3")}},
		{Name: "B", Children: []taxonomy.Node{leaf("b1"), leaf("b2")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	a := &engine.Attribute{Mask: engine.Generalize, Tree: taxonomy, Texts: taxonomy.Leaves(), HasNull: true}
	tree := engine.NewValueTree(a, []uint64{0, 5, 2, 0, 0, 1}, 0)
	cut := tree.Cut([]int{tree.Leaf(1), tree.Leaf(2), tree.Leaf(5)})
	var got []string
	for _, label := range cut.Labels {
		got = append(got, label.Text)
	}
	if want := []string{"a1", "a2", "a3", "B", ""}; !reflect.DeepEqual(got, want) || !cut.Labels[4].Null {
		t.Errorf("got %q, want %q", got, want)
	}
	if whole := tree.Cut([]int{0}); len(whole.Labels) != 1 || whole.Code[5] != 0 {
		t.Errorf("the root does not cover the null: %+v", whole)
	}
}
