package engine_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// TestValueTreeAgreesWithHierarchy compares the nodes, and cuts through them, with a hierarchy made
// from the text of the rows.
func TestValueTreeAgreesWithHierarchy(t *testing.T) {
	enginetest.Cases(t, 500, func(r *rand.Rand) {
		c, bins := enginetest.NewCase(r, 60), 1+r.IntN(8)
		codes := c.Data.Codes()
		histograms := codes.Table(engine.Plan{Histograms: true}).Histograms
		for a := range codes.Attributes {
			tree := engine.NewValueTree(&codes.Attributes[a], histograms[a].Sizes(), bins)
			want := hierarchy(c.Data, a, bins)
			if tree.Len() != len(want) {
				t.Fatalf("%d nodes, want %d", tree.Len(), len(want))
			}
			for n, taxon := range want {
				if tree.Label(n) != taxon.label || tree.Parent(n) != taxon.parent ||
					tree.Depth(n) != taxon.depth || tree.IsLeaf(n) != (len(taxon.children) == 0) {
					t.Fatalf("node %d is %v, want %v", n, tree.Label(n), taxon.label)
				}
			}
			nodes := randomCut(r, tree, 0)
			cut := tree.Cut(nodes)
			for row, code := range codes.Columns[a] {
				n := tree.Leaf(int(code))
				for !slices.Contains(nodes, n) {
					n = tree.Parent(n)
				}
				if got := cut.Labels[cut.Code[code]]; got != tree.Label(n) ||
					!want[n].values[c.Data.Rows[row][a]] {
					t.Fatalf("%v is released as %v, want %v", c.Data.Rows[row][a], got,
						tree.Label(n))
				}
			}
		}
	})
}

// taxon is a node of the hierarchy of a column's values in bottom-up generalization and full-domain
// recoding, made from the text of the rows as the definitions read.
type taxon struct {
	label    engine.Label
	values   map[engine.Label]bool // values that occur
	children []*taxon
	parent   int
	depth    int
}

// hierarchy returns the nodes of a column's hierarchy in preorder, without those under which no row
// is.
func hierarchy(d enginetest.Data, column, bins int) []*taxon {
	c := d.Columns[column]
	occurring := values(d, column)
	var root, null *taxon
	if last := len(occurring) - 1; occurring[last].Null {
		null, occurring = leaf(occurring[last]), occurring[:last]
	}
	switch c.Mask {
	case engine.Generalize:
		root = under(c.Tree, occurring)
	case engine.Discretize:
		root = binned(d, column, occurring, bins)
	default:
		root = &taxon{label: engine.Label{Text: engine.Suppressed}, values: map[engine.Label]bool{}}
		for _, value := range occurring {
			root.children = append(root.children, leaf(value))
		}
	}
	if null != nil && (len(root.children) > 0 || c.Mask == engine.Suppress ||
		len(c.Tree.Children) > 0) {
		root.children = append(root.children, null)
	} else if null != nil {
		root.values[null.label] = true
	}
	return root.number(nil, -1, 0)
}

// values returns the values of a column that occur, numbers ascending, others bytewise, the null
// last.
func values(d enginetest.Data, column int) (occurring []engine.Label) {
	for _, row := range d.Rows {
		if !slices.Contains(occurring, row[column]) {
			occurring = append(occurring, row[column])
		}
	}
	slices.SortFunc(occurring, func(a, b engine.Label) int {
		switch {
		case a.Null:
			return 1
		case b.Null:
			return -1
		case d.Columns[column].Mask == engine.Discretize:
			return cmp.Compare(enginetest.Number(a.Text), enginetest.Number(b.Text))
		}
		return cmp.Compare(a.Text, b.Text)
	})
	return occurring
}

func leaf(value engine.Label) *taxon {
	return &taxon{label: value, values: map[engine.Label]bool{value: true}}
}

// number sets the fields that follow from the shape, and appends the node and its subtree to all.
func (t *taxon) number(all []*taxon, parent, depth int) []*taxon {
	own := len(all)
	t.parent, t.depth, all = parent, depth, append(all, t)
	for _, c := range t.children {
		all = c.number(all, own, depth+1)
		maps.Copy(t.values, c.values)
	}
	return all
}

// under returns the part of a tree that contains values which occur: nil if there is none, unless
// it is the root.
func under(node taxonomy.Node, occurring []engine.Label) *taxon {
	t := &taxon{label: engine.Label{Text: node.Name}, values: map[engine.Label]bool{}}
	if len(node.Children) == 0 && slices.Contains(occurring, t.label) {
		return leaf(t.label)
	}
	for _, child := range node.Children {
		if below := under(child, occurring); len(below.children) > 0 || len(below.values) > 0 {
			t.children = append(t.children, below)
		}
	}
	return t
}

// binned returns the tree of equal-frequency bins.
func binned(d enginetest.Data, column int, occurring []engine.Label, bins int) *taxon {
	node := func(lo, hi int, children ...*taxon) *taxon { // a node of the values lo to hi-1
		lower, upper := "", ""
		if lo > 0 {
			lower = occurring[lo].Text
		}
		if hi < len(occurring) {
			upper = occurring[hi].Text
		}
		t := &taxon{
			label:    engine.Label{Text: d.Columns[column].Interval(lower, upper)},
			children: children,
			values:   map[engine.Label]bool{},
		}
		for _, value := range occurring[lo:hi] {
			t.values[value] = true
		}
		return t
	}
	if len(occurring) < 2 {
		return node(0, len(occurring))
	}
	var all []float64
	for _, row := range d.Rows {
		if !row[column].Null {
			all = append(all, enginetest.Number(row[column].Text))
		}
	}
	slices.Sort(all)
	var starts []int
	for i := range bins {
		start := slices.IndexFunc(occurring, func(value engine.Label) bool {
			before, _ := slices.BinarySearch(all, enginetest.Number(value.Text))
			return before*bins >= i*len(all)
		})
		if start >= 0 && !slices.Contains(starts, start) {
			starts = append(starts, start)
		}
	}
	bounds := append(starts, len(occurring))
	var level []*taxon
	for i, lo := range bounds[:len(starts)] {
		var values []*taxon
		for v := lo; v < bounds[i+1] && bounds[i+1]-lo > 1; v++ {
			values = append(values, node(v, v+1))
		}
		level = append(level, node(lo, bounds[i+1], values...))
	}
	for len(level) > 1 { // an odd one waits for the next level
		for i := 0; i+1 < len(level); i++ {
			level[i] = node(bounds[i], bounds[i+2], level[i], level[i+1])
			level, bounds = slices.Delete(level, i+1, i+2), slices.Delete(bounds, i+1, i+2)
		}
	}
	return level[0]
}

// randomCut returns a random cut below a node. Without a taxonomy it takes all values or none.
func randomCut(r *rand.Rand, tree *engine.ValueTree, node int) (nodes []int) {
	if tree.IsLeaf(node) || r.IntN(3) == 0 {
		return []int{node}
	}
	for _, c := range tree.Children(node) {
		nodes = append(nodes, randomCut(r, tree, c)...)
	}
	return nodes
}

// TestValueTreeBins has figures counted by hand: with 16 records in 4 bins, a bin starts at the
// first value with 0, 4, 8 or 12 records before it. Three bins are left; one is a single value; the
// odd one waits.
func TestValueTreeBins(t *testing.T) {
	a := &engine.Attribute{
		Mask:      engine.Discretize,
		Texts:     []string{"0", "1", "2", "3", "4", "5"},
		HasNull:   true,
		UpperText: "9",
	}
	tree := engine.NewValueTree(a, []uint64{1, 9, 0, 2, 1, 3, 2}, 4)
	var got []string
	for n := range tree.Len() {
		got = append(got, "      "[:2*tree.Depth(n)]+tree.Label(n).Text)
	}
	want := []string{"(,9]", "  (,4)", "    (,3)", "      (,1)", "      [1,3)", "    [3,4)",
		"  [4,9]", "    [4,5)", "    [5,9]", "  "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestValueTreeCutLeavesEmptySubtreesWhole: values that no record has get labels, too.
func TestValueTreeCutLeavesEmptySubtreesWhole(t *testing.T) {
	taxonomy, err := taxonomy.NewTree(taxonomy.Node{Name: "all", Children: []taxonomy.Node{
		{Name: "A", Children: []taxonomy.Node{{Name: "a1"}, {Name: "a2"}, {Name: "a3"}}},
		{Name: "B", Children: []taxonomy.Node{{Name: "b1"}, {Name: "b2"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	a := &engine.Attribute{
		Mask:    engine.Generalize,
		Tree:    taxonomy,
		Texts:   taxonomy.Leaves(),
		HasNull: true,
	}
	tree := engine.NewValueTree(a, []uint64{0, 5, 2, 0, 0, 1}, 0)
	cut := tree.Cut([]int{tree.Leaf(1), tree.Leaf(2), tree.Leaf(5)})
	var got []string
	for _, label := range cut.Labels {
		got = append(got, label.Text)
	}
	if want := []string{"a1", "a2", "a3", "B", ""}; !reflect.DeepEqual(got, want) ||
		!cut.Labels[4].Null {
		t.Errorf("got %q, want %q", got, want)
	}
	if whole := tree.Cut([]int{0}); len(whole.Labels) != 1 || whole.Code[5] != 0 {
		t.Errorf("the root does not cover the null: %+v", whole)
	}
}
