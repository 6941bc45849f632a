package mondrian

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// entropy finds the split of a part after which the classes' entropy is least.
type entropy struct {
	best  engine.Best[split]
	left  []uint64
	right []uint64
	found []option           // of a guided search: the best split of every column
	order []int              // of a suppressed column's values
	fold  *cells.Folding     // of kinds to classes; nil: they are classes
	soft  cells.FrequencySet // of a guided search: the masses of a frequency set
	bits  int                // by which a record's weight is shifted there
}

func newEntropy(table *engine.Table) entropy {
	classes := max(1, table.Classes)
	x := entropy{left: make([]uint64, classes), right: make([]uint64, classes)}
	if table.Kinds != nil {
		x.fold = &cells.Folding{Class: table.Kinds.Class, Classes: classes}
	}
	return x
}

// split is a candidate. The fields that matter depend on the dimension.
type split struct {
	column int
	at     uint32 // of numbers: the first code on the right
	prefix int    // of suppressed values: how many go left
	class  uint32 // by whose share they are ordered
	left   uint64 // of two sides: the records on the left
	loss   float64
}

// cutByEntropy cuts a part by the allowable split that leaves the least entropy or, of a guided search, gains most for its sides.
func (s *search) cutByEntropy(ctx context.Context, p part) (done bool, err error) {
	chosen, ok, err := s.choose(ctx, p.cells)
	if err != nil || !ok {
		return false, err
	}
	if d := s.dimensions[chosen.column]; d.kind == continuous {
		return true, s.halve(ctx, p, chosen.column, chosen.at)
	}
	return true, s.divide(ctx, p, chosen.column)
}

// choose returns the split of cells that is to be made. The dimension, if it is not continuous, is divided by it.
func (s *search) choose(ctx context.Context, of *cells.Cells) (chosen split, ok bool, err error) {
	if s.guide != nil {
		return s.guide.choose(ctx, of)
	}
	s.entropy.best.Reset(float64(of.Size()))
	err = of.Histograms(ctx, s.columns, func(column int, set *cells.FrequencySet) error {
		s.offer(column, set, of.Size())
		return nil
	})
	if chosen, ok = s.entropy.best.First(); err == nil && ok && s.dimensions[chosen.column].kind == ordered {
		err = s.arrange(ctx, of, chosen)
	}
	return chosen, ok, err
}

// arrange divides the dimension of a split by it, unless it is continuous: meanwhile values were in another order, or other cells were looked at.
func (s *search) arrange(ctx context.Context, of *cells.Cells, by split) error {
	x, d := &s.entropy, s.dimensions[by.column]
	if d.kind == continuous {
		return nil
	}
	return of.Histograms(ctx, []int{by.column}, func(_ int, set *cells.FrequencySet) error {
		if d.kind == ordered {
			x.sort(x.classes(set), by.class)
			d.prefix(set, x.order, by.prefix)
		} else if d.children(set) && s.guide != nil {
			s.pool(set, &d.division)
		}
		return nil
	})
}

// offer lists the allowable splits of a dimension as candidates, in canonical order.
func (s *search) offer(column int, kinds *cells.FrequencySet, size uint64) {
	x, d := &s.entropy, s.dimensions[column]
	set := x.classes(kinds)
	switch {
	case len(set.Codes) < 2:
	case d.kind == hierarchy:
		complies := s.allHold
		if s.guide != nil {
			complies = s.pool
		}
		if d.children(kinds) && complies(kinds, &d.division) {
			loss := x.lossOf(set, d)
			x.best.Offer(loss, split{column: column, loss: loss})
		}
	case d.kind == ordered:
		for class := range s.orders() {
			x.sort(set, class)
			s.offerHalves(kinds, set, size, split{column: column, class: class})
		}
	default:
		x.natural(set)
		first := split{column: column}
		if d.nullsApart(set) {
			first.prefix = len(set.Codes) - 2
		}
		s.offerHalves(kinds, set, size, first)
	}
}

// orders returns how many orders values without one of their own have: one, or when a guided search has more than two classes, one a
// class, since no single order is sure to have the best split in it then.
func (s *search) orders() uint32 {
	if s.guide != nil && s.guide.classes > 2 {
		return uint32(s.guide.classes)
	}
	return 1
}

// offerHalves lists the splits of values in their order: those with more on the left than first has.
func (s *search) offerHalves(kinds, set *cells.FrequencySet, size uint64, first split) {
	x := &s.entropy
	clear(x.left)
	clear(x.right)
	for i, class := range set.Class {
		x.right[class] += set.Count[i]
	}
	s.begin(kinds)
	left, candidate := uint64(0), first
	for n, i := range x.order[:len(x.order)-1] {
		left += x.shift(set, i) >> x.bits
		s.shift(kinds, i, i+1)
		if n >= first.prefix && s.allowable(left, size-left) {
			candidate.at, candidate.prefix, candidate.left, candidate.loss = set.Codes[x.order[n+1]], n+1, left, x.loss(size<<x.bits)
			x.best.Offer(candidate.loss, candidate)
		}
	}
}

// classes returns a frequency set by class of one by kind.
func (x *entropy) classes(kinds *cells.FrequencySet) *cells.FrequencySet {
	switch {
	case x.bits > 0:
		x.soft.Codes, x.soft.Histogram = kinds.Codes, kinds.Masses
		return &x.soft
	case x.fold == nil:
		return kinds
	}
	return x.fold.Fold(kinds)
}

// natural orders values as they come.
func (x *entropy) natural(set *cells.FrequencySet) {
	x.order = x.order[:0]
	for i := range set.Codes {
		x.order = append(x.order, i)
	}
}

// sort orders values by the share of their records that a class has, then by code.
func (x *entropy) sort(set *cells.FrequencySet, class uint32) {
	x.natural(set)
	slices.SortFunc(x.order, func(i, j int) int {
		hi, lo := bits.Mul64(ofClass(set, i, class), set.Size(j))
		otherHi, otherLo := bits.Mul64(ofClass(set, j, class), set.Size(i))
		if order := cmp.Compare(hi, otherHi); order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(lo, otherLo), cmp.Compare(i, j))
	})
}

// ofClass returns the number of records of a value that have a class.
func ofClass(set *cells.FrequencySet, i int, class uint32) uint64 {
	for e := set.Start[i]; e < set.Start[i+1] && set.Class[e] <= class; e++ {
		if set.Class[e] == class {
			return set.Count[e]
		}
	}
	return 0
}

// shift moves the records of a value to the left, and returns how many there are.
func (x *entropy) shift(set *cells.FrequencySet, i int) (size uint64) {
	for e := set.Start[i]; e < set.Start[i+1]; e++ {
		n := set.Count[e]
		x.left[set.Class[e]] += n
		x.right[set.Class[e]] -= n
		size += n
	}
	return size
}

// loss returns the number of records on both sides times their entropy.
func (x *entropy) loss(size uint64) float64 {
	left, sum := uint64(0), 0.0
	for class, n := range x.left {
		left += n
		sum += engine.NLog(n) + engine.NLog(x.right[class])
	}
	return engine.NLog(left) + engine.NLog(size-left) - sum
}

// lossOfAll is loss before any split.
func (x *entropy) lossOfAll(set *cells.FrequencySet, size uint64) float64 {
	clear(x.left)
	for e, class := range set.Class {
		x.left[class] += set.Count[e]
	}
	return x.addPart(0, size, x.left)
}

// lossOf is loss for the parts of a division. The rest is the last one.
func (x *entropy) lossOf(set *cells.FrequencySet, d *dimension) (loss float64) {
	clear(x.left)
	clear(x.right)
	for i, code := range set.Codes {
		part, to := d.part[code], x.left
		if int(part) == d.rest {
			to = x.right
		}
		for e := set.Start[i]; e < set.Start[i+1]; e++ {
			to[set.Class[e]] += set.Count[e]
		}
		if int(part) != d.rest && (i+1 == len(set.Codes) || d.part[set.Codes[i+1]] != part) {
			loss = x.addPart(loss, d.sizes[part], x.left)
		}
	}
	if d.rest >= 0 {
		loss = x.addPart(loss, d.sizes[d.rest], x.right)
	}
	return loss
}

// addPart adds the loss of a part of so many records, whose classes are cleared.
func (x *entropy) addPart(loss float64, size uint64, classes []uint64) float64 {
	loss += engine.NLog(size << x.bits)
	for _, n := range classes {
		loss -= engine.NLog(n)
	}
	clear(classes)
	return loss
}
