package mondrian

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// kind says how a dimension is cut.
type kind uint8

const (
	continuous kind = iota // by number, nulls first
	ordered                // by rank
	hierarchy              // into the children of a node
)

// dimension is one attribute as Mondrian sees it.
type dimension struct {
	*engine.Attribute
	kind  kind
	codes int    // the null's included
	top   uint32 // codes below it are measured; with a null apart, it is the null's
	leaf  []int  // Generalize: the node of every code but the null
	most  uint64 // Suppress: how many values a label may name, the largest K of the sets with the attribute
	division
}

func newDimension(a *engine.Attribute, e Engine) *dimension {
	d := &dimension{Attribute: a, codes: a.Len(), top: uint32(a.Len())}
	switch {
	case a.Mask == engine.Discretize:
		d.kind = continuous
	case a.Mask == engine.Suppress, e.Ordered && !e.InfoGain:
		d.kind = ordered
	default:
		d.kind = hierarchy
	}
	if a.HasNull && a.Mask != engine.Suppress {
		d.top--
	}
	if a.Mask == engine.Generalize {
		d.leaf = leaves(a.Tree)
	}
	return d
}

// leaves returns the nodes of a tree's leaves by code.
func leaves(t *engine.Tree) []int {
	var nodes []int
	for n := range t.Len() {
		if t.IsLeaf(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// isNull reports whether all records of an extent are nulls, which it knows of those that
// are measured apart.
func isNull(e partition.Extent) bool { return e.Lo > e.Hi }

// width returns the normalized width of the values present (ICDE 2006, section 4.1): the
// range of numbers or ranks, or the leaves below their lowest common ancestor.
func (d *dimension) width(e partition.Extent) float64 {
	switch {
	case isNull(e) || d.codes == 1:
		return 0
	case d.kind == continuous:
		return d.numbers(e)
	case d.kind == hierarchy:
		return float64(d.leavesBelow(d.ancestor(e))-1) / float64(d.codes-1)
	}
	hi := e.Hi
	if e.Above {
		hi = d.top
	}
	return float64(hi-e.Lo) / float64(d.codes-1)
}

// numbers returns the width of numbers. Beside nulls it is 1.
func (d *dimension) numbers(e partition.Extent) float64 {
	if e.Above {
		return 1
	}
	whole := d.Positions[len(d.Positions)-1] - d.Positions[0]
	if e.Lo == e.Hi || whole == 0 {
		return 0
	}
	return (d.Positions[e.Hi] - d.Positions[e.Lo]) / whole
}

// ancestor returns the lowest common ancestor of the values present.
func (d *dimension) ancestor(e partition.Extent) int {
	if e.Above {
		return 0
	}
	n := d.leaf[e.Lo]
	for {
		if _, hi := d.Tree.Range(n); hi > int(e.Hi) {
			return n
		}
		n = d.Tree.Parent(n)
	}
}

// leavesBelow returns the number of leaves below a node; the null is one of the root's.
func (d *dimension) leavesBelow(node int) int {
	if node == 0 {
		return d.codes
	}
	lo, hi := d.Tree.Range(node)
	return hi - lo
}

// below returns the codes of the child of a node that a code belongs to: lo ≤ code < hi.
// A root that is a leaf is a child beside the null.
func (d *dimension) below(node int, code uint32) (lo, hi uint32) {
	if code == d.top {
		return code, code + 1
	}
	n := d.leaf[code]
	for n != node && d.Tree.Parent(n) != node {
		n = d.Tree.Parent(n)
	}
	l, h := d.Tree.Range(n)
	return uint32(l), uint32(h)
}
