package engine

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kcut/kcut/partition"
)

// Order has the values of a column that occur in a whole table, in their order, with the null last.
type Order struct {
	Rank  []uint32  // by code of a value
	below []float64 // by rank: share of the whole table's records with the value or a smaller one
	sums  []float64 // by rank, and for the rank after the last: the sum of those before it
}

// NewOrder makes an order from the places of values in any longer one, and the number of records of
// the whole table with each value, both by code. A value without records has no rank.
func NewOrder(places []uint32, whole []uint64) *Order {
	var codes []int
	for code, n := range whole {
		if n > 0 {
			codes = append(codes, code)
		}
	}
	slices.SortFunc(codes, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	o := &Order{Rank: make([]uint32, len(whole)), sums: make([]float64, 1, len(codes)+1)}
	all, below := float64(partition.Sum(whole)), uint64(0)
	for rank, code := range codes {
		o.Rank[code] = uint32(rank)
		below += whole[code]
		o.below = append(o.below, float64(below)/all)
		o.sums = append(o.sums, o.sums[rank]+o.below[rank])
	}
	return o
}

// distance returns the distance of a class's shares from those of the whole table, when a record
// moves from the first value to the last one for 1 and evenly in between: the mean difference of
// the shares up to each value except the last (Li and others 2007, Section 4.1).
func (o *Order) distance(h Histogram) float64 {
	type ranked struct {
		rank    int
		records uint64
	}
	last := len(o.below) - 1
	if last < 1 {
		return 0
	}
	class := []ranked{{}}
	for value, n := range h.Records {
		if n > 0 {
			class = append(class, ranked{int(h.Rank[value]), n})
		}
	}
	slices.SortFunc(class[1:], func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	all, below, moved := float64(partition.Sum(h.Records)), uint64(0), 0.0
	for i, value := range class {
		until := last
		if i+1 < len(class) {
			until = class[i+1].rank
		}
		below += value.records
		moved += o.apart(value.rank, until, float64(below)/all)
	}
	return max(0, moved/float64(last))
}

// apart returns the sum of the differences between a share and those of the whole table in a range
// of ranks.
func (o *Order) apart(from, to int, share float64) float64 {
	if from >= to {
		return 0
	}
	middle := from + sort.SearchFloat64s(o.below[from:to], share)
	return share*float64(2*middle-from-to) + o.sums[from] + o.sums[to] - 2*o.sums[middle]
}
