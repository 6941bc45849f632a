package mondrian

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// entropy finds the split of a part that leaves the least entropy of classes.
type entropy struct {
	best  engine.Best[split]
	left  []uint64
	right []uint64
	found []option       // in a guided search: the best split of every column
	order []int          // scratch: an order of a suppressed column's values
	fold  *cells.Folding // from kinds to classes; nil: they are classes
	// Balanced: the entropy of the classes of all records and, by column, that of their values
	whole  float64
	values []float64
	soft   cells.FrequencySet // in a guided search: the masses of a frequency set
	bits   int                // number of bits by which a record's weight is shifted there
}

func newEntropy(table *engine.Table) entropy {
	classes := max(1, table.Classes)
	x := entropy{left: make([]uint64, classes), right: make([]uint64, classes)}
	if table.Kinds != nil {
		x.fold = &cells.Folding{Class: table.Kinds.Class, Classes: classes}
	}
	return x
}

// split is a candidate. The dimension decides which fields have a meaning.
type split struct {
	column int
	at     uint32 // of numbers: the first code on the right
	nulls  bool   // of numbers: the part has nulls, which go right
	prefix int    // of suppressed values: number of values that go left
	class  uint32 // the class by whose share the values are ordered
	left   uint64 // of two sides: number of records on the left
	loss   float64
}

// cutByEntropy cuts a part by the allowable split with the least loss or, in a guided search, the
// best gain for its sides.
func (s *search) cutByEntropy(ctx context.Context, p part) (done bool, err error) {
	chosen, ok, err := s.choose(ctx, p.cells)
	if err != nil || !ok {
		return false, err
	}
	if d := s.dimensions[chosen.column]; d.kind == continuous {
		return true, s.halve(ctx, p, chosen.column, chosen.at, chosen.nulls)
	}
	return true, s.divide(ctx, p, chosen.column)
}

// choose returns the split to make. It divides the dimension by it, unless that is continuous.
func (s *search) choose(ctx context.Context, of *cells.Cells) (chosen split, ok bool, err error) {
	if s.guide != nil {
		return s.guide.choose(ctx, of)
	}
	s.entropy.best.Reset(float64(of.Size()))
	err = of.Histograms(ctx, s.columns, func(column int, set *cells.FrequencySet) error {
		s.offer(column, set, of.Size())
		return nil
	})
	if chosen, ok = s.entropy.best.First(); err == nil && ok &&
		s.dimensions[chosen.column].kind == nominal {
		err = s.arrange(ctx, of, chosen)
	}
	return chosen, ok, err
}

// arrange divides the dimension of a split by it, unless that is continuous: since the split was
// found, values had another order, or other cells were examined.
func (s *search) arrange(ctx context.Context, of *cells.Cells, by split) error {
	x, d := &s.entropy, s.dimensions[by.column]
	if d.kind == continuous {
		return nil
	}
	return of.Histograms(ctx, []int{by.column}, func(_ int, set *cells.FrequencySet) error {
		if d.kind == nominal {
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
	s.set = s.asked[column]
	switch {
	case s.set == nil, len(set.Codes) < 2:
	case d.kind == hierarchy:
		complies := s.allHold
		if s.guide != nil {
			complies = s.pool
		}
		if d.children(kinds) && complies(kinds, &d.division) {
			loss := x.balanced(column, x.lossOf(set, d), size, d.sizes...)
			x.best.Offer(loss, split{column: column, loss: loss})
		}
	case d.kind == nominal:
		for class := range s.orders() {
			x.sort(set, class)
			s.offerHalves(kinds, set, size, split{column: column, class: class})
		}
	default:
		x.natural(set)
		first := split{column: column, nulls: d.mixed(set)}
		parts := first.nulls && s.partsNulls(kinds, size)
		switch {
		case parts && x.values != nil:
			s.offerNulls(kinds, set, size, first)
			return
		case parts, first.nulls && s.guide == nil && x.values == nil:
			first.prefix = len(set.Codes) - 2
		}
		s.offerHalves(kinds, set, size, first)
	}
}

// orders returns the number of orders for values without an order of their own: one, or one for
// each class in a guided search with more than two classes, since then no single order is sure to
// contain the best split.
func (s *search) orders() uint32 {
	if s.guide != nil && s.guide.classes > 2 {
		return uint32(s.guide.classes)
	}
	return 1
}

// offerHalves lists the splits of ordered values: those with more records on the left than first.
func (s *search) offerHalves(kinds, set *cells.FrequencySet, size uint64, first split) {
	x := &s.entropy
	x.begin(set)
	s.begin(kinds)
	left, candidate := uint64(0), first
	for n, i := range x.order[:len(x.order)-1] {
		left += x.shift(set, i) >> x.bits
		s.shift(kinds, i, i+1)
		if n >= first.prefix && s.allowable(left, size-left) {
			candidate.at, candidate.prefix, candidate.left,
				candidate.loss = set.Codes[x.order[n+1]], n+1, left,
				x.balanced(candidate.column, x.loss(size<<x.bits), size, left, size-left)
			x.best.Offer(candidate.loss, candidate)
		}
	}
}

// ownWeight is the weight of a column's own entropy that a split takes away, where that of the
// classes has the weight 1. Of ten tables of 400 to 40,000 records, columns such as the sex kept
// little with less; with more, classifiers learned less.
const ownWeight = 0.05

// setEntropies sets the entropies of all records.
func (s *search) setEntropies(ctx context.Context, all *cells.Cells) error {
	x, n := &s.entropy, all.Size()
	x.values = make([]float64, len(s.columns))
	return all.Histograms(ctx, s.columns, func(column int, kinds *cells.FrequencySet) error {
		set := x.classes(kinds)
		x.whole = x.lossOfAll(set, n) / float64(n)
		loss := engine.NLog(n)
		for i := range set.Codes {
			loss -= engine.NLog(set.Size(i))
		}
		x.values[column] = loss / float64(n)
		return nil
	})
}

// balanced returns the loss by which splits are compared, given the loss of classes and the sizes
// of the sides: where splits are balanced, both the classes and the values of the split's column
// are targets, each relative to its entropy in all records.
func (x *entropy) balanced(column int, loss float64, size uint64, sides ...uint64) float64 {
	if x.values == nil {
		return loss
	}
	own := engine.NLog(size)
	for _, n := range sides {
		own -= engine.NLog(n)
	}
	if x.whole > 0 {
		loss /= x.whole
	}
	return loss - float64(ownWeight*own/x.values[column])
}

// offerNulls lists the cut between numbers and nulls with the loss that the best cut of the numbers
// leaves after it: alone it says little, and it comes before all other cuts of the numbers.
func (s *search) offerNulls(kinds, set *cells.FrequencySet, size uint64, cut split) {
	x, last := &s.entropy, len(set.Codes)-1
	x.begin(set)
	nulls := x.shift(set, last)
	apart, rest := x.addPart(0, nulls, x.left), size-nulls
	cut.at, cut.prefix, cut.left = set.Codes[last], last, rest
	cut.loss = x.balanced(cut.column, apart+x.loss(rest), size, nulls, rest)
	s.begin(kinds)
	s.shift(kinds, last, last+1)
	clear(s.left)
	left := uint64(0)
	for i := range last - 1 {
		left += x.shift(set, i)
		if s.shift(kinds, i, i+1); s.allowable(left, rest-left) {
			cut.loss = min(cut.loss,
				x.balanced(cut.column, apart+x.loss(rest), size, nulls, left, rest-left))
		}
	}
	x.best.Offer(cut.loss, cut)
}

// classes converts a frequency set by kind to one by class.
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

// natural leaves values in their own order.
func (x *entropy) natural(set *cells.FrequencySet) {
	x.order = x.order[:0]
	for i := range set.Codes {
		x.order = append(x.order, i)
	}
}

// sort orders values by the share of a class among their records, then by code.
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

// begin puts all records on the right.
func (x *entropy) begin(set *cells.FrequencySet) {
	clear(x.left)
	clear(x.right)
	for e, class := range set.Class {
		x.right[class] += set.Count[e]
	}
}

// shift moves the records of a value to the left, and returns their number.
func (x *entropy) shift(set *cells.FrequencySet, i int) (size uint64) {
	for e := set.Start[i]; e < set.Start[i+1]; e++ {
		n := set.Count[e]
		x.left[set.Class[e]] += n
		x.right[set.Class[e]] -= n
		size += n
	}
	return size
}

// loss returns the sum of records times entropy over both sides.
func (x *entropy) loss(size uint64) float64 {
	left, sum := uint64(0), 0.0
	for class, n := range x.left {
		left += n
		sum += engine.NLog(n) + engine.NLog(x.right[class])
	}
	return engine.NLog(left) + engine.NLog(size-left) - sum
}

// lossOfAll returns the loss before any split.
func (x *entropy) lossOfAll(set *cells.FrequencySet, size uint64) float64 {
	x.begin(set)
	return x.addPart(0, size, x.right)
}

// lossOf returns the loss for the parts of a division. The rest is the last one.
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

// addPart adds the loss of a part, and clears the counts of its classes.
func (x *entropy) addPart(loss float64, size uint64, classes []uint64) float64 {
	loss += engine.NLog(size << x.bits)
	for _, n := range classes {
		loss -= engine.NLog(n)
	}
	clear(classes)
	return loss
}
