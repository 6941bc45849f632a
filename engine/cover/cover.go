// Package cover tells which values a released label may stand for: what somebody can tell who has the release and
// nothing else. The records of a label are spread evenly over these values, whatever their other labels are.
//
//	an interval             the attribute's codes in it; the whole range: and the null
//	a node of a taxonomy    the leaves below it, whether they occur or not; the root: and the null
//	{a|b}                   its members
//	*                       all values; where labels depend on their own column alone, as the cut tells,
//	                        all but those that are always disclosed
//	a suppressed record     all values
//	a null                  the null
//
// A leaf of a pruned taxonomy counts as all values below it.
//
// Contract: a cover depends on the attribute and the recoding's labels alone. What it takes, Bytes tells, for the
// caller to draw.
package cover

import (
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
)

// Cover is what a label covers: runs of codes, ascending and apart.
type Cover struct {
	Values uint64 // that all its codes stand for

	attribute *engine.Attribute
	runs      []run
}

// run has the codes lo ≤ code < hi.
type run struct{ lo, hi uint32 }

// What a cover takes, and a run of it.
const (
	coverBytes = 48
	runBytes   = 8
)

// Bytes returns about how much memory the cover takes.
func (c *Cover) Bytes() int64 { return coverBytes + runBytes*int64(cap(c.runs)) }

// Common returns how many values are covered and have one of the codes from ≤ code < to.
func (c *Cover) Common(from, to uint32) (values uint64) {
	for _, run := range c.runs {
		if lo, hi := max(run.lo, from), min(run.hi, to); lo < hi {
			values += valuesOf(c.attribute, lo, hi)
		}
	}
	return values
}

// Value returns the code of one of the covered values, by its number, which is below Values.
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

// valuesOf returns how many values some codes stand for: one each, but for pruned leaves.
func valuesOf(a *engine.Attribute, lo, hi uint32) uint64 {
	if a.Mask != engine.Generalize {
		return uint64(hi - lo)
	}
	leaves := uint32(len(a.Texts))
	return uint64(a.Tree.ValuesIn(int(min(lo, leaves)), int(min(hi, leaves)))) + uint64(max(hi, leaves)-max(lo, leaves))
}

// Of returns what every label of an attribute covers that a recoding gives it, by its number.
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
		case a.Mask == engine.Generalize:
			node, _ := a.Tree.Node(label.Text)
			lo, hi := a.Tree.Range(node)
			c.runs = []run{{uint32(lo), uint32(hi)}}
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

// members returns the code of a value of a suppressed attribute, or those of a set.
func members(a *engine.Attribute, label engine.Label) (runs []run) {
	values := []engine.Label{label}
	if _, own := slices.BinarySearch(a.Texts, label.Text); !own {
		values = engine.Members(label)
	}
	for _, v := range values { // in the order of codes
		code, known := slices.BinarySearch(a.Texts, v.Text)
		switch {
		case v.Null:
			code = int(a.NullCode())
		case !known:
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].hi == uint32(code) {
			runs[n-1].hi++
		} else {
			runs = append(runs, run{uint32(code), uint32(code) + 1})
		}
	}
	return runs
}

// undisclosed takes what is always disclosed from what suppressed values may be, if something is left.
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
