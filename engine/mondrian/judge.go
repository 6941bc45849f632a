package mondrian

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// judge decides which parts of the records can be regions, and so which cuts are allowable. Where
// there are kinds of records, the caller must report every value of a frequency set that moves to
// the left.
type judge struct {
	set         *engine.Set   // what a part must hold
	kinds       *engine.Kinds // nil: only sizes matter
	left, right []uint64      // by kind: numbers of records on the two sides
	stats       engine.Stats
}

func newJudge(kinds *engine.Kinds) judge {
	j := judge{kinds: kinds}
	if kinds != nil {
		j.left, j.right = make([]uint64, kinds.Len()), make([]uint64, kinds.Len())
	}
	return j
}

// begin puts all records of a frequency set on the right.
func (j *judge) begin(set *cells.FrequencySet) {
	if j.kinds == nil {
		return
	}
	clear(j.left)
	clear(j.right)
	for e, kind := range set.Class {
		j.right[kind] += set.Count[e]
	}
}

// shift moves the records of a frequency set's values from ≤ i < to to the left.
func (j *judge) shift(set *cells.FrequencySet, from, to int) {
	if j.kinds == nil {
		return
	}
	for e := set.Start[from]; e < set.Start[to]; e++ {
		kind, n := set.Class[e], set.Count[e]
		j.left[kind] += n
		j.right[kind] -= n
	}
}

// allowable reports whether a cut with these numbers of records on its sides is allowable.
func (j *judge) allowable(left, right uint64) bool {
	return j.holds(left, j.left) && j.holds(right, j.right)
}

// holds reports whether a number of records of these kinds can be a part. Fewer than k records
// never have k entities.
func (j *judge) holds(size uint64, kinds []uint64) bool {
	if j.kinds == nil {
		return j.set.Holds(engine.Stats{Size: size})
	}
	if size < j.set.K.Size() {
		return false
	}
	j.kinds.Stats(kinds, &j.stats)
	return j.set.Holds(j.stats)
}

// allHold reports whether all parts of a division of a frequency set hold.
func (j *judge) allHold(set *cells.FrequencySet, d *division) (all bool) {
	all = true
	j.eachPart(set, d, func(_ int, holds bool) bool {
		all = holds
		return holds
	})
	return all
}

// eachPart calls visit with every part of a division of a frequency set, whose values are adjacent
// there, and whether it holds, until visit returns false.
func (j *judge) eachPart(set *cells.FrequencySet, d *division,
	visit func(part int, holds bool) (more bool)) {
	first := 0
	for part, size := range d.sizes {
		after := first
		for after < len(set.Codes) && d.part[set.Codes[after]] == uint32(part) {
			after++
		}
		clear(j.left)
		j.shift(set, first, after)
		if !visit(part, j.holds(size, j.left)) {
			return
		}
		first = after
	}
}

// weight returns the weight of cells of a number of columns, where k does not count records.
func (j *judge) weight(ctx context.Context, of *cells.Cells, columns int) (weight uint64,
	err error) {
	if !j.kinds.Weighted() {
		return 0, nil
	}
	kind := of.Layout().Fields[columns]
	return weight, of.Each(ctx, func(key []uint64, count uint64) {
		weight += count * j.kinds.Weight[kind.Code(key)]
	})
}
