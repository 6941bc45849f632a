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
	taxonomy engine.Generator // nil: names do not tell which node is above which
	regions  bool             // labels of several levels stand beside each other
}

func newComparison(from, to *Column, t job.Taxonomy) (c *comparison, err error) {
	c = &comparison{from: from, to: to}
	if t.Tree == nil && !t.Generated() {
		return c, nil
	}
	if c.taxonomy, err = job.GeneratorOf(t); err != nil {
		return nil, fmt.Errorf("make the taxonomy of column %s: %w", from.Name, err)
	}
	return c, nil
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
		return label.Label == other.Label || c.taxonomy != nil && slices.Contains(c.above(other.Label), label.Label)
	}
	values := label.Values()
	return !slices.ContainsFunc(other.Values(), func(value string) bool { return !slices.Contains(values, value) })
}

// above returns the names of a node of the taxonomy and of those above it, from the root on.
func (c *comparison) above(node string) []string {
	path, _ := engine.Ancestry(c.taxonomy, node)
	return path
}

// isAll reports whether a label covers everything, nulls too.
func (c *comparison) isAll(of *Column, label Label) bool {
	if of.Mask == job.MaskGeneralize {
		return c.taxonomy != nil && label.Label == c.above("")[0]
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
