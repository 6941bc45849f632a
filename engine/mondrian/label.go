package mondrian

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
)

// content is what a region holds of a dimension, and so its label: a range of codes, a
// node, or a set of values.
type content struct {
	lo, hi uint32 // continuous: lo ≤ code < hi; hierarchy: the node; null's: both are nullCode
	set    string // suppressed: the codes that its label names, four bytes each; empty when it names none
}

// nullCode stands for nulls alone.
const nullCode = math.MaxUint32

var nulls = content{lo: nullCode, hi: nullCode}

func appendCode(set []byte, code uint32) []byte { return binary.BigEndian.AppendUint32(set, code) }

// covers returns the number of codes under a content's label.
func (d *dimension) covers(c content) int {
	switch {
	case c == nulls:
		return 1
	case d.Mask == engine.Generalize:
		return d.leavesBelow(int(c.lo))
	case d.Mask == engine.Suppress && c.set != "":
		return len(c.set) / 4
	case d.Mask == engine.Discretize && int(c.hi-c.lo) < len(d.Texts):
		return int(c.hi - c.lo)
	}
	return d.codes
}

// share returns how wide a content's label is: 0 for a value, 1 for all.
func (d *dimension) share(c content) float64 {
	if d.codes == 1 {
		return 0
	}
	return float64(d.covers(c)-1) / float64(d.codes-1)
}

// named reports whether the label of several values names them. It does not beside the rest:
// a label that stands for the rest must be wide enough to hide what is in it. It does not when
// they are too many either: what is known of so many values is little, and lists the column.
func (d *dimension) named(codes []uint32) bool {
	hasRest := d.HasRest && slices.Contains(codes, uint32(len(d.Texts)))
	return !hasRest && len(codes) < d.codes && uint64(len(codes)) <= d.most
}

// compare orders contents by their first code, the wider first; nulls come last.
func (d *dimension) compare(a, b content) int {
	first, other := a.lo, b.lo
	if d.Mask == engine.Suppress {
		first, other = a.first(), b.first()
	}
	return cmp.Or(cmp.Compare(first, other), cmp.Compare(d.covers(b), d.covers(a)), cmp.Compare(a.set, b.set))
}

// first returns the first code of a set.
func (c content) first() uint32 {
	if c.set == "" {
		return 0
	}
	return binary.BigEndian.Uint32([]byte(c.set[:4]))
}

// label returns the released value, and of an interval its ends.
func (d *dimension) label(c content) (engine.Label, engine.Interval) {
	switch {
	case c == nulls:
		return engine.Label{Null: true}, engine.Interval{}
	case d.Mask == engine.Discretize:
		interval := d.Interval(int(c.lo), int(c.hi))
		return engine.Label{Text: interval.Label}, interval
	case d.Mask == engine.Generalize:
		return engine.Label{Text: d.Tree.Name(int(c.lo))}, engine.Interval{}
	}
	return d.setLabel(c.set), engine.Interval{}
}

// setLabel returns the label of a set of values of a suppressed attribute.
func (d *dimension) setLabel(set string) engine.Label {
	if set == "" {
		return engine.Label{Text: engine.Suppressed}
	}
	var values []engine.Label
	for at := 0; at < len(set); at += 4 {
		values = append(values, d.Label(int(content{set: set[at:]}.first())))
	}
	return engine.SetLabel(values)
}
