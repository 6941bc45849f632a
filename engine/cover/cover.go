// Package cover finds the values that a released label may represent for somebody who has only the
// release. The records of a label count as spread evenly over these values, whatever their other
// labels are.
//
//	an interval             the attribute's codes in it; the whole range, or a set: and the null
//	a node of a taxonomy    the leaves below it, whether they occur or not; the root: and the null
//	{a|b}                   its members: values, or the leaves below nodes
//	*                       all values; where labels depend only on their own column, as in a cut,
//	                        all except those that are always disclosed
//	a suppressed record     all values
//	a null                  the null
//
// A leaf of a pruned taxonomy counts as all values below it.
//
// Contract: a cover depends only on the attribute and the recoding's labels. Bytes returns its
// memory, which the caller draws.
package cover

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
)

// Cover is the codes that a label covers, as ascending runs with gaps between them.
type Cover struct {
	Values uint64 // number of values of all its codes

	attribute *engine.Attribute
	runs      []run
}

// run is the codes lo ≤ code < hi.
type run struct{ lo, hi uint32 }

// The memory of a cover, and of one of its runs.
const (
	coverBytes = 48
	runBytes   = 8
)

// Bytes returns the approximate memory of the cover.
func (c *Cover) Bytes() int64 { return coverBytes + runBytes*int64(cap(c.runs)) }

// Span returns the first and the last covered code, and the number of covered codes; 0: there is
// none.
func (c *Cover) Span() (low, high, codes uint32) {
	for i, run := range c.runs {
		if i == 0 {
			low = run.lo
		}
		high, codes = run.hi-1, codes+run.hi-run.lo
	}
	return low, high, codes
}

// Has reports whether a code is covered.
func (c *Cover) Has(code uint32) bool {
	return slices.ContainsFunc(c.runs, func(r run) bool { return r.lo <= code && code < r.hi })
}

// Common returns the number of covered values with one of the codes from ≤ code < to.
func (c *Cover) Common(from, to uint32) (values uint64) {
	for _, run := range c.runs {
		if lo, hi := max(run.lo, from), min(run.hi, to); lo < hi {
			values += valuesOf(c.attribute, lo, hi)
		}
	}
	return values
}

// Value returns the code of a covered value by its number, which is below Values.
func (c *Cover) Value(number uint64) uint32 {
	for _, run := range c.runs {
		n := valuesOf(c.attribute, run.lo, run.hi)
		if number >= n {
			number -= n
			continue
		}
		if n == uint64(run.hi-run.lo) {
			return run.lo + uint32(number)
		}
		return run.lo + uint32(sort.Search(int(run.hi-run.lo), func(i int) bool {
			return valuesOf(c.attribute, run.lo, run.lo+uint32(i)+1) > number
		}))
	}
	panic("cover: the number of a value is not below Values")
}

// valuesOf returns the number of values of some codes: one for each code, more for a pruned leaf.
func valuesOf(a *engine.Attribute, lo, hi uint32) uint64 {
	if a.Mask != engine.Generalize {
		return uint64(hi - lo)
	}
	leaves := uint32(len(a.Texts))
	return uint64(a.Tree.ValuesIn(int(min(lo, leaves)), int(min(hi, leaves)))) +
		uint64(max(hi, leaves)-max(lo, leaves))
}

// Of returns, by number, the covers of all labels that a recoding gives an attribute.
func Of(a *engine.Attribute, recoding engine.Recoding, attribute int) []Cover {
	labels := recoding.Labels(attribute)
	covers := make([]Cover, len(labels))
	all, null := []run{{0, uint32(a.Len())}}, []run{{a.NullCode(), a.NullCode() + 1}}
	for i, label := range labels {
		c := &covers[i]
		c.attribute = a
		switch {
		case label.Null:
			c.runs = null
		case label.Mark || label.Text == a.Widest():
			c.runs = all
		case a.Mask == engine.Discretize:
			of := recoding.Intervals(attribute)[i]
			c.runs = []run{{uint32(of.Lo), uint32(of.Hi)}}
			if of.HasNull() {
				c.runs = joined(append(c.runs, null...))
			}
		case a.Mask == engine.Generalize:
			c.runs = nodes(a, label)
		default:
			c.runs = members(a, label)
		}
	}
	if a.Mask == engine.Suppress && recoding.Codes(attribute) != nil {
		undisclosed(a, labels, covers)
	}
	for i := range covers {
		for _, run := range covers[i].runs {
			covers[i].Values += valuesOf(a, run.lo, run.hi)
		}
	}
	return covers
}

// members returns the codes of a label of a suppressed attribute: of one value or of a set.
func members(a *engine.Attribute, label engine.Label) (runs []run) {
	values := []engine.Label{label}
	if _, own := a.Find(label.Text); !own {
		values = engine.Members(label)
	}
	var codes []uint32
	for _, v := range values {
		if v.Null {
			codes = append(codes, a.NullCode())
		} else if code, known := a.Find(v.Text); known {
			codes = append(codes, code)
		}
	}
	for _, code := range codes {
		runs = append(runs, run{code, code + 1})
	}
	return joined(runs)
}

// nodes returns the codes of a label of a generalized attribute: of one node or of a set.
func nodes(a *engine.Attribute, label engine.Label) (runs []run) {
	for _, node := range a.NodesIn(label) {
		if node == engine.NullNode {
			runs = append(runs, run{a.NullCode(), a.NullCode() + 1})
			continue
		}
		lo, hi := a.Tree.Range(int(node))
		runs = append(runs, run{uint32(lo), uint32(hi)})
	}
	return joined(runs)
}

// joined returns disjoint runs in ascending order, with gaps between them: the cut of another job
// may have another order.
func joined(runs []run) (ascending []run) {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.lo, b.lo) })
	for _, next := range runs {
		if n := len(ascending); n > 0 && ascending[n-1].hi == next.lo {
			ascending[n-1].hi = next.hi
		} else {
			ascending = append(ascending, next)
		}
	}
	return ascending
}

// undisclosed removes from the cover of suppressed values those that are always disclosed, if
// something is left.
func undisclosed(a *engine.Attribute, labels []engine.Label, covers []Cover) {
	var left []run
	next := uint32(0)
	disclosed := func(r run) {
		if r.lo > next {
			left = append(left, run{next, r.lo})
		}
		next = r.hi
	}
	for i, label := range labels {
		if label.Null || label.Text != engine.Suppressed {
			disclosed(covers[i].runs[0])
		}
	}
	disclosed(run{uint32(a.Len()), uint32(a.Len())})
	for i, label := range labels {
		if !label.Null && label.Text == engine.Suppressed && len(left) > 0 {
			covers[i].runs = left
		}
	}
}
