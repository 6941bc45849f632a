package recheck

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// onlyDistinct leaves out the protections of sensitive values that remaining records may lose when
// others are taken away: with these the result depends on the order.
func onlyDistinct(sets []engine.Set) {
	for i := range sets {
		sets[i].Others = slices.DeleteFunc(slices.Clone(sets[i].Others),
			func(p engine.Protection) bool {
				return p.(*engine.Limit).Measure != engine.DistinctL
			})
	}
}

// naiveSuppression takes rows away until every set holds, as the rule reads: again and again those
// of classes below k; then, as long as the suppressed rows are too few for a set, those of its
// smallest class.
type naiveSuppression struct {
	data  enginetest.Data
	rows  [][]uint32 // label numbers, by attribute
	marks []uint32
	sets  []engine.Set
	most  int
	taken []bool // by row
}

// suppressed returns the rows that are taken away.
func (n *naiveSuppression) suppressed() (rows []int) {
	for row, is := range n.taken {
		if is {
			rows = append(rows, row)
		}
	}
	return rows
}

func (n *naiveSuppression) count() (taken int) { return len(n.suppressed()) }

func labelKey(labels []uint32, columns []int) string {
	var key []byte
	for _, a := range columns {
		key = binary.BigEndian.AppendUint32(key, labels[a])
	}
	return string(key)
}

// classes returns the rows of every class of a set that are left, by its labels.
func (n *naiveSuppression) classes(set engine.Set) map[string][]int {
	classes := make(map[string][]int)
	for row, labels := range n.rows {
		if !n.taken[row] {
			key := labelKey(labels, set.Columns)
			classes[key] = append(classes[key], row)
		}
	}
	return classes
}

func (n *naiveSuppression) suppressClass(rows []int) {
	for _, row := range rows {
		n.taken[row] = true
	}
}

// small returns the rows of a set's classes below k, given the rows that are suppressed already.
func (n *naiveSuppression) small(set engine.Set, suppressed []int) (rows []int) {
	marks := labelKey(n.marks, set.Columns)
	for key, of := range n.classes(set) {
		all := of
		if key == marks {
			all = slices.Concat(of, suppressed)
		}
		if !set.Holds(n.data.Stats(all)) {
			rows = append(rows, of...)
		}
	}
	return rows
}

// spread takes away the classes that are too small, of all sets at a time, until there is none.
func (n *naiveSuppression) spread() {
	for {
		var rows []int
		for _, set := range n.sets {
			rows = append(rows, n.small(set, n.suppressed())...)
		}
		if len(rows) == 0 {
			return
		}
		n.suppressClass(rows)
	}
}

// enough reports whether the suppressed rows, if there are any, suffice for every set.
func (n *naiveSuppression) enough() bool {
	return n.count() == 0 || !slices.ContainsFunc(n.sets, func(set engine.Set) bool {
		return !set.Holds(n.data.Stats(slices.Concat(n.suppressed(),
			n.classes(set)[labelKey(n.marks, set.Columns)])))
	})
}

// takeSmallest takes the smallest class, the first by set, then by labels. It returns false if
// there is none.
func (n *naiveSuppression) takeSmallest() bool {
	var smallest []int
	size := func(rows []int) uint64 { return n.data.Stats(rows).Size }
	for _, set := range n.sets {
		classes := n.classes(set)
		for _, key := range slices.Sorted(maps.Keys(classes)) {
			if smallest == nil || size(classes[key]) < size(smallest) {
				smallest = classes[key]
			}
		}
	}
	n.suppressClass(smallest)
	return smallest != nil
}

// run returns false when more rows would have to be taken than allowed.
func (n *naiveSuppression) run() bool {
	for {
		n.spread()
		switch {
		case n.count() > n.most:
			return false
		case n.enough():
			return true
		case !n.takeSmallest():
			return false
		}
	}
}
