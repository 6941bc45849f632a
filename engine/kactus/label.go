package kactus

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
)

// content is the codes of an attribute that the tests on a path leave, lo ≤ code < hi: all,
// the null's alone, one value's, or an interval's.
type content struct{ lo, hi uint32 }

// contents returns what the tests on the path to a node leave of every attribute.
func (s *search) contents(t *induce.Tree, node int) []content {
	contents := make([]content, len(s.attributes))
	for a := range contents {
		contents[a] = content{hi: uint32(s.attributes[a].Len())}
	}
	for ; t.Parent(node) >= 0; node = t.Parent(node) {
		a, split := t.Test(t.Parent(node))
		contents[a] = contents[a].within(&s.attributes[a], t.Branch(node), split)
	}
	return contents
}

// within returns what a branch of a test leaves of a content.
func (c content) within(a *engine.Attribute, branch, split uint32) content {
	values := uint32(len(a.Texts))
	switch {
	case a.Mask != engine.Discretize:
		return content{branch, branch + 1}
	case branch == induce.Null:
		return content{values, values + 1}
	case branch == induce.Below:
		return content{c.lo, min(c.hi, split)}
	}
	return content{max(c.lo, split), min(c.hi, values)}
}

// label returns the released value, and of an interval its ends.
func (c content) label(a *engine.Attribute) (engine.Label, engine.Interval) {
	all := int(c.hi-c.lo) == a.Len()
	switch {
	case !all && int(c.lo) == len(a.Texts):
		return engine.Label{Null: true}, engine.Interval{}
	case a.Mask == engine.Discretize:
		i := a.Interval(int(c.lo), min(int(c.hi), len(a.Texts)))
		return engine.Label{Text: i.Label}, i
	case !all && a.Mask == engine.Suppress:
		return engine.SetLabel([]engine.Label{a.Label(int(c.lo))}), engine.Interval{}
	case !all:
		return a.Label(int(c.lo)), engine.Interval{}
	case a.Mask == engine.Generalize:
		return engine.Label{Text: a.Tree.Name(0)}, engine.Interval{}
	}
	return engine.Label{Text: engine.Suppressed}, engine.Interval{}
}

// column is the released side of an attribute.
type column struct {
	engine.RegionColumn
	number map[content]uint32 // of the contents' labels
	widths []float64          // by label: 0 for a value, 1 for all
}

// newColumn orders and labels what the groups hold of an attribute: by the first code, the
// wider first. A value may have the same label as all.
func newColumn(a *engine.Attribute, groups [][]content, attribute int) column {
	var contents []content
	for _, g := range groups {
		contents = append(contents, g[attribute])
	}
	slices.SortFunc(contents, func(x, y content) int {
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(y.hi, x.hi))
	})
	c := column{number: map[content]uint32{}}
	numbers := map[engine.Label]uint32{}
	for _, content := range slices.Compact(contents) {
		label, interval := content.label(a)
		n, ok := numbers[label]
		if !ok {
			n = uint32(len(c.Labels))
			numbers[label] = n
			c.Labels = append(c.Labels, label)
			c.widths = append(c.widths, float64(content.hi-content.lo-1)/max(1, float64(a.Len()-1)))
			if a.Mask == engine.Discretize && !label.Null {
				c.Intervals = append(c.Intervals, interval)
			}
		}
		c.number[content] = n
	}
	return c
}
