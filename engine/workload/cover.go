package workload

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
)

// cover is what a label covers: runs of codes, ascending and apart.
type cover struct {
	attribute *engine.Attribute
	runs      []run
	values    uint64 // that all codes stand for
}

// run has the codes lo ≤ code < hi.
type run struct{ lo, hi uint32 }

// What a label's cover and querySet take, and a run of it.
const (
	labelBytes = 112
	runBytes   = 8
)

// common returns how many values are covered and in a range.
func (c *cover) common(r Range) (values uint64) {
	for _, run := range c.runs {
		if lo, hi := max(run.lo, r.Lo), min(run.hi, r.Hi); lo < hi {
			values += valuesOf(c.attribute, lo, hi)
		}
	}
	return values
}

// valuesOf returns how many values some codes stand for: one each, but for pruned leaves.
func valuesOf(a *engine.Attribute, lo, hi uint32) uint64 {
	if a.Mask != engine.Generalize {
		return uint64(hi - lo)
	}
	leaves := uint32(len(a.Texts))
	return uint64(a.Tree.ValuesIn(int(min(lo, leaves)), int(min(hi, leaves)))) + uint64(max(hi, leaves)-max(lo, leaves))
}

// coversOf returns what every label of an attribute covers.
func coversOf(a *engine.Attribute, recoding engine.Recoding, attribute int) []cover {
	labels := recoding.Labels(attribute)
	covers := make([]cover, len(labels))
	all, null := []run{{0, uint32(a.Len())}}, []run{{a.NullCode(), a.NullCode() + 1}}
	var starts map[string]uint32
	if a.Mask == engine.Discretize {
		starts = startsOf(a, recoding.Intervals(attribute))
	}
	for i, label := range labels {
		c := &covers[i]
		c.attribute = a
		switch {
		case label.Null:
			c.runs = null
		case label.Mark || label.Text == a.Widest():
			c.runs = all
		case a.Mask == engine.Discretize:
			c.runs = interval(a, recoding.Intervals(attribute)[i], starts)
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
			covers[i].values += valuesOf(a, run.lo, run.hi)
		}
	}
	return covers
}

// startsOf returns the codes whose bounds are ends of intervals, by these's texts.
func startsOf(a *engine.Attribute, intervals []engine.Interval) map[string]uint32 {
	starts := make(map[string]uint32)
	for _, i := range intervals {
		starts[i.Lower], starts[i.Upper] = 0, 0
	}
	for code := range a.Texts {
		if _, ends := starts[a.Bound(code)]; ends {
			starts[a.Bound(code)] = uint32(code)
		}
	}
	return starts
}

// interval returns the codes of an interval that has not all of them.
func interval(a *engine.Attribute, i engine.Interval, starts map[string]uint32) []run {
	r := run{hi: uint32(len(a.Texts))}
	if i.Lower != a.LowerText {
		r.lo = starts[i.Lower]
	}
	if i.Upper != "" && !strings.HasSuffix(i.Label, "]") {
		r.hi = starts[i.Upper]
	}
	return []run{r}
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
func undisclosed(a *engine.Attribute, labels []engine.Label, covers []cover) {
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
