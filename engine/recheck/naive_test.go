package recheck

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// naiveSuppression takes rows away until every set holds, as the rule reads: those of classes
// below k, again and again; then, as long as the suppressed rows are too few for a set, those
// of its smallest class.
type naiveSuppression struct {
	rows  [][]uint32 // label numbers, by attribute
	marks []uint32
	sets  []engine.Set
	most  int
	taken []bool // by row
}

func (n *naiveSuppression) count() (taken int) {
	for _, is := range n.taken {
		if is {
			taken++
		}
	}
	return taken
}

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

// small returns the rows of a set's classes below k, when some rows are suppressed already.
func (n *naiveSuppression) small(set engine.Set, suppressed int) (rows []int) {
	marks := labelKey(n.marks, set.Columns)
	for key, of := range n.classes(set) {
		size := len(of)
		if key == marks {
			size += suppressed
		}
		if !enginetest.Holds(set, size) {
			rows = append(rows, of...)
		}
	}
	return rows
}

// spread takes the classes away that are too small, of all sets at a time, until there is none.
func (n *naiveSuppression) spread() {
	for {
		var rows []int
		for _, set := range n.sets {
			rows = append(rows, n.small(set, n.count())...)
		}
		if len(rows) == 0 {
			return
		}
		n.suppressClass(rows)
	}
}

// enough reports whether the suppressed rows, if there are any, are as many as every set asks for.
func (n *naiveSuppression) enough() bool {
	return n.count() == 0 || !slices.ContainsFunc(n.sets, func(set engine.Set) bool {
		return !enginetest.Holds(set, n.count()+len(n.classes(set)[labelKey(n.marks, set.Columns)]))
	})
}

// takeSmallest takes the smallest class, the first by set, then by labels. It returns false if
// there is none.
func (n *naiveSuppression) takeSmallest() bool {
	var smallest []int
	for _, set := range n.sets {
		classes := n.classes(set)
		for _, key := range slices.Sorted(maps.Keys(classes)) {
			if smallest == nil || len(classes[key]) < len(smallest) {
				smallest = classes[key]
			}
		}
	}
	n.suppressClass(smallest)
	return smallest != nil
}

// run returns false when more rows than may be would have to be taken.
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
