package iac

import (
	"math"

	"github.com/kcut/kcut/partition"
)

// caps watch how suppression changes every attribute (section 4): how far the shares of its
// values move, by the Kullback-Leibler divergence, and what it tells of the class.
type caps struct {
	tuples  *tuples
	classes *classCounts
	changes []*change // by column
}

// change is that of one attribute.
type change struct {
	field         partition.Field
	before, after frequencies // the second of the records that are not suppressed
	told          information // before
	largest       float64     // divergence, when one record of every value is left
}

// newCaps returns the caps with nothing suppressed.
func (s *search) newCaps(t *tuples, classes *classCounts) caps {
	c := caps{tuples: t, classes: classes}
	for i := range s.attributes {
		x := &change{field: t.layout.Fields[i]}
		x.before = newFrequencies(s.domains[i], max(1, s.input.Classes))
		x.after = newFrequencies(s.domains[i], max(1, s.input.Classes))
		for tuple := range t.sizes {
			value := int(x.field.Code(t.index.Key(tuple)))
			for _, n := range classes.of(tuple) {
				x.before.add(value, n.class, n.size)
				x.after.add(value, n.class, n.size)
			}
		}
		x.told, x.largest = inform(x.before), divergence(x.before.sizes, nil, x.before.total)
		c.changes = append(c.changes, x)
	}
	return c
}

// suppress takes out the records of a tuple.
func (c caps) suppress(tuple int) {
	key := c.tuples.index.Key(tuple)
	for _, x := range c.changes {
		value := int(x.field.Code(key))
		for _, n := range c.classes.of(tuple) {
			x.after.remove(value, n.class, n.size)
		}
	}
}

// exceeded reports whether an attribute has changed by more than the given shares of the
// largest divergence and of the largest information. One with a single value cannot change.
func (c caps) exceeded(delta, epsilon float64) bool {
	for _, x := range c.changes {
		if x.told.own <= 0 {
			continue
		}
		moved := divergence(x.before.sizes, x.after.sizes, x.before.total)
		if !reaches(delta*x.largest/x.told.own, moved/x.told.own) {
			return true
		}
		told := math.Abs(inform(x.after).normalized() - x.told.normalized())
		if !reaches(epsilon*x.told.class/x.told.own, told) {
			return true
		}
	}
	return false
}

// divergence returns D(before || after) in bits, shares being of all n records. Of a value
// that is gone, and of every value when there are no sizes after, one record counts as left.
func divergence(before, after []uint64, n uint64) (bits float64) {
	for v, size := range before {
		if size == 0 {
			continue
		}
		left := uint64(1)
		if after != nil {
			left = max(left, after[v])
		}
		share := float64(size) / float64(n)
		bits += float64(share * math.Log2(float64(size)/float64(left)))
	}
	return bits
}
