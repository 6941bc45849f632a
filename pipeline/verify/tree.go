package verify

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// tree is the tree of the values of a sensitive column, which the cut has.
type tree struct {
	*engine.Hierarchy
	labels map[uint64]engine.Label // by hash of a leaf
	all    *engine.Spread          // nil: the tree lacks a value
}

// newTree returns the tree of a column if one of its measures needs it, else nil.
func newTree(of *cutfile.Sensitive) *tree {
	if of.THierarchical == nil {
		return nil
	}
	root := job.TreeOf(of.Taxonomy.Tree)
	t := &tree{Hierarchy: engine.NewHierarchy(root), labels: make(map[uint64]engine.Label)}
	t.add(&root)
	return t
}

// add adds the leaves at or below a node.
func (t *tree) add(n *engine.Node) {
	if len(n.Children) == 0 {
		t.labels[valueHash(n.Name)] = engine.Label{Text: n.Name}
	}
	for i := range n.Children {
		t.add(&n.Children[i])
	}
}

// leaf returns the node of a value with a hash, which may be null or one that the tree lacks.
func (t *tree) leaf(hash uint64) uint32 {
	label, found := t.labels[hash]
	label.Null = !found
	leaf, _ := t.Leaf(label)
	return leaf
}

// arrange spreads the counted values of all rows.
func (t *tree) arrange(counted *table) {
	var leaves []uint32
	var whole []uint64
	lacks := false
	for value, records := range counted.all() {
		_, found := t.labels[value[0]]
		lacks = lacks || !found && value[0] != nullHash
		leaves, whole = append(leaves, t.leaf(value[0])), append(whole, records)
	}
	if t.all = nil; !lacks {
		t.all = engine.NewSpread(t.Hierarchy, leaves, whole)
	}
}
