package topdown

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// shape makes the nodes of a taxonomy.
type shape interface {
	// children returns the children of a node, none for a leaf. Frequencies are the classes of the
	// node's records.
	children(of span, frequencies []uint64) []span
	// penalty returns the normalized certainty penalty of a node.
	penalty(of span) float64
	// finest reports whether a node is one value, so that nothing can be below it.
	finest(of span) bool
	label(of span) engine.Label
	// cut returns the cut through the given nodes, in order, without the node of the null.
	cut(through []span) engine.ColumnCut
}

// span is a node in its shape: the codes lo ≤ code < hi, and in a given taxonomy the number of the
// node.
type span struct {
	lo, hi int
	node   int
}

// intervals is the shape of a discretized column (TDR, section 3.1.3): it splits an interval in two
// at the code with the highest gain. The root's split has the null, if any, as a third child.
type intervals struct {
	profile
	line *engine.Attribute // the attribute, with finite widths on the number line
}

func (v *intervals) children(of span, frequencies []uint64) []span {
	numbers := len(v.attribute.Texts)
	end := min(of.hi, numbers)
	at := v.bestSplit(of.lo, end, frequencies, of.hi > numbers)
	if at < 0 {
		return nil
	}
	spans := []span{{lo: of.lo, hi: at}, {lo: at, hi: end}}
	if of.hi > numbers {
		spans = append(spans, span{lo: numbers, hi: of.hi})
	}
	return spans
}

// penalty returns the interval's share of the number line, 0 for the null.
func (v *intervals) penalty(of span) float64 {
	a := v.line
	width := a.Upper - a.Lower
	if width == 0 || of.lo == len(a.Texts) {
		return 0
	}
	lower, upper := a.Lower, a.Upper
	if of.lo > 0 {
		lower = a.Positions[of.lo]
	}
	if of.hi < len(a.Texts) {
		upper = a.Positions[of.hi]
	}
	return (upper - lower) / width
}

// finest does not count the null: with one number, or if all parts would be too narrow, no interval
// is split from it.
func (v *intervals) finest(of span) bool {
	before, end := false, min(of.hi, len(v.attribute.Texts))
	for code := of.lo; code < end; code++ {
		if before && v.occurs(code) && v.attribute.Splits(of.lo, code, end) {
			return false
		}
		before = before || v.occurs(code)
	}
	return true
}

func (v *intervals) label(of span) engine.Label {
	if of.lo == len(v.attribute.Texts) && of.lo > 0 {
		return engine.Label{Null: true}
	}
	return engine.Label{Text: v.attribute.Interval(of.lo, min(of.hi, len(v.attribute.Texts))).Label}
}

func (v *intervals) cut(through []span) engine.ColumnCut {
	starts := make([]int, len(through))
	for i, s := range through {
		starts[i] = s.lo
	}
	return engine.CutIntervals(v.attribute, starts)
}

// bestSplit returns the code that splits the codes lo ≤ code < hi with the highest gain; it is not
// the smallest code that occurs among them. If several codes are equally good, it returns the
// smallest. It returns -1 if only one code occurs, or if all parts would be too narrow. Frequencies
// are of all the records, including those of the null.
func (v *intervals) bestSplit(lo, hi int, frequencies []uint64, withNull bool) int {
	n := len(frequencies)
	room := make([]uint64, 3*n)
	onLeft, onRight, ofNull := room[:n], room[n:2*n], room[2*n:]
	copy(onRight, frequencies)
	var whole, left, right, null part
	whole.size = partition.Sum(frequencies)
	whole.impurity = v.impurity(frequencies, whole.size, v.penalty(span{lo: lo, hi: hi}))
	if withNull {
		null.size = v.count(ofNull, hi, hi+1)
		null.impurity = v.impurity(ofNull, null.size, v.penalty(span{lo: hi, hi: hi + 1}))
		for class, f := range ofNull {
			onRight[class] -= f
		}
	}
	right.size = whole.size - null.size
	best, highest, h := -1, 0.0, v.histogram
	for at := lo; at < hi; at++ {
		if left.size > 0 && v.occurs(at) && v.attribute.Splits(lo, at, hi) {
			left.impurity = v.impurity(onLeft, left.size, v.penalty(span{lo: lo, hi: at}))
			right.impurity = v.impurity(onRight, right.size, v.penalty(span{lo: at, hi: hi}))
			if gain := v.gainOf(whole, left, right, null); best < 0 || gain > highest {
				best, highest = at, gain
			}
		}
		for i := h.Start[at]; i < h.Start[at+1]; i++ {
			onLeft[h.Class[i]] += h.Count[i]
			onRight[h.Class[i]] -= h.Count[i]
			left.size += h.Count[i]
			right.size -= h.Count[i]
		}
	}
	return best
}

// taxonomy is the shape of a generalized column (TDR, section 3.1.1): the attribute's tree, in
// which a null is a leaf directly under the root.
type taxonomy struct{ profile }

// nullNode represents the leaf of the null, which has no number in any tree.
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

// penalty returns the share of all leaves that are under the node, 0 for a leaf.
func (t *taxonomy) penalty(of span) float64 {
	if t.finest(of) {
		return 0
	}
	tree := t.attribute.Tree
	// The root's span contains the null.
	null := t.attribute.Len() - len(t.attribute.Texts)
	below := tree.Values(of.node)
	if of.node == 0 {
		below += null
	}
	return float64(below) / float64(tree.Values(0)+null)
}

// finest is false for a leaf that replaces a subtree.
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
