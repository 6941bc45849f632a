package iac

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// suppressCapped is IACc: it suppresses the smallest classes, all of one size together, as long as
// no attribute changes by more than the caps allow (Algorithm 2).
func (s *search) suppressCapped(ctx context.Context) (*tuples, error) {
	t, cells, of, err := s.join(ctx)
	if err != nil {
		return nil, err
	}
	reached := s.suppressBySize(t, cells, of)
	if s.all.K <= 0 {
		s.all.K = engine.KAnonymity(reached)
	}
	if !s.all.Holds(engine.Stats{Size: reached}) {
		return nil, fmt.Errorf("reach k %d: it is %d: %w", s.all.K, reached, engine.ErrUnreached)
	}
	core, err := s.newCore(t, []set{newSet(s.sets[0], s.attributes, t.layout)})
	if err == nil {
		s.fill(core)
	}
	return t, err
}

// join collects cells, which are tuples followed by a class if there is one, joins them to tuples
// without the class, and returns the tuple of each cell.
func (s *search) join(ctx context.Context) (t, cells *tuples, of []int, err error) {
	if cells, err = s.collect(ctx, everything); err != nil {
		return nil, nil, nil, err
	}
	n := len(cells.sizes)
	const cellBytes = 8 + 8 // its tuple, and its place in an order
	if err := s.draw("tuples without class", partition.IndexBytes(cells.layout, n)+
		int64(n)*(tupleBytes+cellBytes)); err != nil {
		return nil, nil, nil, err
	}
	all := newSet(s.all, s.attributes, cells.layout)
	t, of = newTuples(cells.layout, n), make([]int, n)
	key := make([]uint64, cells.layout.Words)
	for cell, size := range cells.sizes {
		of[cell] = t.add(all.project(key, cells.index.Key(cell)), size)
	}
	return t, cells, of, nil
}

// suppressBySize suppresses the smallest classes while the caps allow it, and returns the k that is
// reached: the size of the smallest class left or, if none is left, the number of all records.
func (s *search) suppressBySize(t, cells *tuples, of []int) (k uint64) {
	caps := s.newCaps(cells)
	order, _, _ := cells.left()
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(t.sizes[of[a]], t.sizes[of[b]])
	})
	for first := 0; first < len(order); {
		size, last := t.sizes[of[order[first]]], first
		for ; last < len(order) && t.sizes[of[order[last]]] == size; last++ {
			caps.suppress(order[last])
		}
		if caps.exceeded(s.Delta, s.Epsilon) {
			return size
		}
		for _, cell := range order[first:last] {
			t.gone[of[cell]] = true
		}
		first = last
	}
	return s.input.Rows
}

// caps measure how suppression changes every attribute (section 4): the Kullback-Leibler divergence
// of the shares of its values, and the change of its information about the class.
type caps struct {
	cells   *tuples
	class   partition.Field // field of the cells' keys; empty: all have class 0
	changes []*change       // by column
}

// change is the change of one attribute.
type change struct {
	field         partition.Field
	before, after frequencies // after: of the records that are not suppressed
	initial       information // information before suppression
	largest       float64     // divergence when one record of every value is left
}

// newCaps returns the caps before suppression.
func (s *search) newCaps(cells *tuples) caps {
	c := caps{cells: cells}
	if fields := cells.layout.Fields; len(fields) > len(s.attributes) {
		c.class = fields[len(s.attributes)]
	}
	for i := range s.attributes {
		x := &change{field: cells.layout.Fields[i]}
		x.before = newFrequencies(s.domains[i], max(1, s.input.Classes))
		x.after = newFrequencies(s.domains[i], max(1, s.input.Classes))
		for cell, n := range cells.sizes {
			key := cells.index.Key(cell)
			value, class := int(x.field.Code(key)), int(c.class.Code(key))
			x.before.add(value, class, n)
			x.after.add(value, class, n)
		}
		x.initial, x.largest = inform(x.before), divergence(x.before.sizes, nil, x.before.total)
		c.changes = append(c.changes, x)
	}
	return c
}

// suppress removes the records of a cell from the counts.
func (c caps) suppress(cell int) {
	key := c.cells.index.Key(cell)
	for _, x := range c.changes {
		x.after.add(int(x.field.Code(key)), int(c.class.Code(key)), -c.cells.sizes[cell])
	}
}

// exceeded reports whether an attribute has changed by more than the given shares of the largest
// divergence and of the largest information. An attribute with a single value cannot change.
func (c caps) exceeded(delta, epsilon float64) bool {
	for _, x := range c.changes {
		if x.initial.own <= 0 {
			continue
		}
		moved := divergence(x.before.sizes, x.after.sizes, x.before.total)
		changed := math.Abs(inform(x.after).normalized() - x.initial.normalized())
		if !reaches(delta*x.largest/x.initial.own, moved/x.initial.own) ||
			!reaches(epsilon*x.initial.class/x.initial.own, changed) {
			return true
		}
	}
	return false
}

// reaches reports whether x is not below y, except for rounding errors of their sums.
func reaches(x, y float64) bool { return -x <= engine.AsGoodAs(-y, 1) }

// divergence returns D(before || after) in bits, with shares of all n records. A value without
// records afterwards counts with one record; so does every value when after is empty.
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
