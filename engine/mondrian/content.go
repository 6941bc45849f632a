package mondrian

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// content is what a region holds of a dimension, and so its label: a range of codes, a
// node, or a set of values.
type content struct {
	lo, hi uint32 // continuous: lo ≤ code < hi; hierarchy: the node; null's: both are nullCode
	values string // suppressed: the codes that its label names, four bytes each; empty when it names none
}

// nullCode stands for nulls alone.
const nullCode = math.MaxUint32

var nulls = content{lo: nullCode, hi: nullCode}

// content returns what a region holds of a dimension. Of relaxed cuts it holds the numbers
// present, of others all that the cuts have left.
func (s *search) content(ctx context.Context, p part, column int, e cells.Extent) (c content, err error) {
	d := s.dimensions[column]
	switch {
	case d.Mask == engine.Suppress:
		c.values, err = s.valuesOf(ctx, p.cells, column, e)
	case isNull(e):
		c = nulls
	case d.Mask == engine.Generalize:
		c.lo = uint32(d.ancestor(e))
	case e.Above:
		c.hi = uint32(len(d.Texts))
	case s.relaxed != nil:
		c.lo, c.hi = e.Lo, e.Hi+1
	default:
		c.lo, c.hi = p.bounds[column].lo, p.bounds[column].hi
	}
	return c, err
}

// valuesOf returns the values of a suppressed column that a label names: none when they are
// all, hold the rest, or are too many.
func (s *search) valuesOf(ctx context.Context, of *cells.Cells, column int, e cells.Extent) (string, error) {
	d := s.dimensions[column]
	s.values = s.values[:0]
	if e.Lo == e.Hi {
		if !d.IsRest(int(e.Lo)) {
			s.values = binary.BigEndian.AppendUint32(s.values, e.Lo)
		}
		return string(s.values), nil
	}
	err := of.Histograms(ctx, []int{column}, func(_ int, set *cells.FrequencySet) error {
		if d.named(set.Codes) {
			for _, code := range set.Codes {
				s.values = binary.BigEndian.AppendUint32(s.values, code)
			}
		}
		return nil
	})
	return string(s.values), err
}

// named reports whether the label of several values names them. It does not beside the rest:
// a label that stands for the rest must be wide enough to hide what is in it. It does not when
// they are too many either: what is known of so many values is little, and lists the column.
func (d *dimension) named(codes []uint32) bool {
	hasRest := d.HasRest && slices.Contains(codes, uint32(len(d.Texts)))
	return !hasRest && len(codes) < d.codes && uint64(len(codes)) <= d.most
}

// covers returns the number of codes under a content's label.
func (d *dimension) covers(c content) int {
	switch {
	case c == nulls:
		return 1
	case d.Mask == engine.Generalize:
		return d.leavesBelow(int(c.lo))
	case d.Mask == engine.Suppress && c.values != "":
		return len(c.values) / 4
	case d.Mask == engine.Discretize && int(c.hi-c.lo) < len(d.Texts):
		return int(c.hi - c.lo)
	}
	return d.codes
}

// Width returns how wide a content's label is: 0 for a value, 1 for all.
func (d *dimension) Width(c content) float64 {
	if d.codes == 1 {
		return 0
	}
	return d.share(d.covers(c))
}

// Compare orders contents by their first code, the wider first; nulls come last.
func (d *dimension) Compare(a, b content) int {
	first, other := a.lo, b.lo
	if d.Mask == engine.Suppress {
		first, other = a.first(), b.first()
	}
	return cmp.Or(cmp.Compare(first, other), cmp.Compare(d.covers(b), d.covers(a)), cmp.Compare(a.values, b.values))
}

// first returns the first code of some values.
func (c content) first() uint32 {
	if c.values == "" {
		return 0
	}
	return binary.BigEndian.Uint32([]byte(c.values[:4]))
}

// Label returns the released value, and of an interval its ends.
func (d *dimension) Label(c content) (engine.Label, *engine.Interval) {
	switch {
	case c == nulls:
		return engine.Label{Null: true}, nil
	case d.Mask == engine.Discretize:
		interval := d.Interval(int(c.lo), int(c.hi))
		return engine.Label{Text: interval.Label}, &interval
	case d.Mask == engine.Generalize:
		return engine.Label{Text: d.Tree.Name(int(c.lo))}, nil
	case c.values == "":
		return engine.Label{Text: engine.Suppressed}, nil
	}
	var values []engine.Label
	for at := 0; at < len(c.values); at += 4 {
		values = append(values, d.Attribute.Label(int(content{values: c.values[at:]}.first())))
	}
	return engine.SetLabel(values), nil
}
