package cutfile

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/job"
)

// comparison compares the cuts of one column: which labels of either cover which of the other.
type comparison struct {
	from, to *Column
	above    func(upper, lower string) bool // of nodes; nil: names do not tell
	root     string                         // of the taxonomy
	regions  bool                           // labels of several levels stand beside each other
}

func newComparison(from, to *Column, t job.Taxonomy) (*comparison, error) {
	c := &comparison{from: from, to: to}
	switch {
	case t.Tree != nil:
		tree, err := engine.NewTree(job.TreeOf(t.Tree))
		if err != nil {
			return nil, fmt.Errorf("make the taxonomy of column %s: %w", from.Name, err)
		}
		c.root, c.above = tree.Name(0), func(upper, lower string) bool { return isAbove(tree, upper, lower) }
	case t.Generated():
		generator, err := job.GeneratorOf(t)
		if err != nil {
			return nil, fmt.Errorf("make the taxonomy of column %s: %w", from.Name, err)
		}
		path, _ := engine.Ancestry(generator, "")
		c.root, c.above = path[0], func(upper, lower string) bool {
			path, _ := engine.Ancestry(generator, lower)
			return slices.Contains(path, upper)
		}
	}
	return c, nil
}

// isAbove reports whether a node is another one or above it. One that the tree lacks was
// an unknown value, under the root.
func isAbove(tree *engine.Tree, upper, lower string) bool {
	u, known := tree.Node(upper)
	l, ok := tree.Node(lower)
	switch {
	case upper == lower:
		return true
	case !known || !ok:
		return known && u == 0
	}
	for l = tree.Parent(l); l >= 0; l = tree.Parent(l) {
		if l == u {
			return true
		}
	}
	return false
}

// within reports whether every label of one cut is covered by one of the other, but for
// those that have nothing to do with any.
func (c *comparison) within(fine, coarse *Column) bool {
	if fine.Mask == job.MaskSuppress { // what is not disclosed is the mark
		return len(missing(coarse.Cut, fine.Cut)) == 0
	}
	for _, label := range missing(fine.Cut, coarse.Cut) {
		covers := func(l Label) bool { return c.covers(coarse, l, label) }
		covered := func(l Label) bool { return c.covers(fine, label, l) }
		if !slices.ContainsFunc(coarse.Cut, covers) && (slices.ContainsFunc(coarse.Cut, covered) || fine.Mask == job.MaskDiscretize && !label.Null) {
			return false
		}
	}
	return true
}

// covers reports whether a label of a cut covers another label.
func (c *comparison) covers(of *Column, label, other Label) bool {
	switch {
	case label.Null || other.Null:
		return label.Null && other.Null || other.Null && c.isAll(of, label)
	case of.Mask == job.MaskDiscretize:
		return compareEnds(label.Lower, other.Lower, -1) <= 0 && compareEnds(other.Upper, label.Upper, 1) <= 0
	case of.Mask == job.MaskGeneralize:
		return label.Label == other.Label || c.above != nil && c.above(label.Label, other.Label)
	}
	values := label.Values()
	return !slices.ContainsFunc(other.Values(), func(value string) bool { return !slices.Contains(values, value) })
}

// isAll reports whether a label covers everything, nulls too.
func (c *comparison) isAll(of *Column, label Label) bool {
	if of.Mask == job.MaskGeneralize {
		return c.above != nil && label.Label == c.root
	}
	return len(of.Cut) == 1 || label.Lower == nil && label.Upper == nil
}

// compareEnds orders two ends of intervals. Open ones are beyond all others, on their side.
func compareEnds(a, b []byte, side int) int {
	x, closed := EndText(a)
	y, other := EndText(b)
	switch {
	case !closed && !other:
		return 0
	case !closed:
		return side
	case !other:
		return -side
	}
	p, number := new(big.Rat).SetString(x)
	q, both := new(big.Rat).SetString(y)
	if number && both {
		return p.Cmp(q)
	}
	return strings.Compare(x, y)
}
