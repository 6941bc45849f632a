package topdown

import "github.com/kcut/kcut/engine"

// taxonomy is the shape of a generalized column (TDR, section 3.1.1): the attribute's tree, in which a null is
// a leaf directly under the root.
type taxonomy struct{ profile }

// nullNode stands for the null's leaf, which no tree numbers.
const nullNode = -1

func (t *taxonomy) children(of span, _ []uint64) []span {
	if of.node == nullNode {
		return nil
	}
	var spans []span
	for _, c := range t.attribute.Tree.Children(of.node) {
		lo, hi := t.attribute.Tree.Range(c)
		spans = append(spans, span{lo: lo, hi: hi, node: c})
	}
	if of.node == 0 && t.attribute.HasNull && len(spans) > 0 {
		null := len(t.attribute.Texts)
		spans = append(spans, span{lo: null, hi: null + 1, node: nullNode})
	}
	return spans
}

// penalty is the share of all leaves that are under the node, 0 for a leaf.
func (t *taxonomy) penalty(of span) float64 {
	if t.finest(of) {
		return 0
	}
	tree := t.attribute.Tree
	// The root's span has the null in it.
	null := t.attribute.Len() - len(t.attribute.Texts)
	below := tree.Values(of.node)
	if of.node == 0 {
		below += null
	}
	return float64(below) / float64(tree.Values(0)+null)
}

// finest does not hold for a leaf that stands for all that was below it.
func (t *taxonomy) finest(of span) bool {
	tree := t.attribute.Tree
	return of.node == nullNode || tree.IsLeaf(of.node) && !tree.IsPruned(of.node)
}

func (t *taxonomy) label(of span) engine.Label {
	if of.node == nullNode {
		return engine.Label{Null: true}
	}
	return engine.Label{Text: t.attribute.Tree.Name(of.node)}
}

func (t *taxonomy) cut(through []span) engine.ColumnCut {
	nodes := make([]int, len(through))
	for i, s := range through {
		nodes[i] = s.node
	}
	return engine.CutTree(t.attribute, nodes)
}
