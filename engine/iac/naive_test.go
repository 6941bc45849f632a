package iac_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

// naive is the algorithm as its description reads, on rows. It shares nothing with the
// engine but the input.
type naive struct {
	iac.Engine
	data  enginetest.Data
	sets  []engine.Set
	union []int
	roots []*enginetest.Taxon
	rows  [][]*enginetest.Taxon // by row and column, generalized
	gone  []bool                // by row: suppressed
}

// outcome is what a naive run ends with. A dropped row is nil.
type outcome struct {
	released            [][]engine.Label
	suppressed, dropped uint64
	unreached           bool
}

func runNaive(data enginetest.Data, sets []engine.Set, e iac.Engine) outcome {
	n := &naive{Engine: e, data: data, sets: sets, rows: make([][]*enginetest.Taxon, len(data.Rows)), gone: make([]bool, len(data.Rows))}
	for _, set := range sets {
		n.union = append(n.union, set.Columns...)
	}
	slices.Sort(n.union)
	n.union = slices.Compact(n.union)
	for c := range data.Columns {
		root := data.Hierarchy(c, e.Bins)
		level := []*enginetest.Taxon{root}
		if slices.Contains(n.union, c) {
			level = n.level(c, root)
		}
		n.roots = append(n.roots, root)
		for r := range n.rows {
			n.rows[r] = append(n.rows[r], at(level, data.Rows[r][c]))
		}
	}
	k := 0
	for _, set := range sets {
		k = max(k, int(set.K))
	}
	if !e.Capped {
		n.core()
	} else if reached := n.suppressCapped(); k == 0 {
		k = reached
	} else if reached < k {
		return outcome{unreached: true}
	}
	if e.Small == iac.TopUp {
		n.topUp(k)
	}
	return n.outcome(k)
}

func at(level []*enginetest.Taxon, value engine.Label) *enginetest.Taxon {
	return level[slices.IndexFunc(level, func(t *enginetest.Taxon) bool { return t.Values[value] })]
}

// level is the best level of a column.
func (n *naive) level(c int, root *enginetest.Taxon) []*enginetest.Taxon {
	var levels [][]*enginetest.Taxon // most specific first
	var mutual, normalized []float64
	for depth := 1; ; depth++ {
		var level []*enginetest.Taxon
		deep := false
		for _, taxon := range root.All() {
			if taxon.Depth == depth || taxon.Depth < depth && len(taxon.Children) == 0 {
				level = append(level, taxon)
			}
			deep = deep || taxon.Depth == depth
		}
		if !deep {
			break
		}
		of := make([]*enginetest.Taxon, len(n.data.Rows))
		for r, row := range n.data.Rows {
			of[r] = at(level, row[c])
		}
		m, own := n.information(of, nil)
		levels, mutual, normalized = slices.Insert(levels, 0, level), slices.Insert(mutual, 0, m), slices.Insert(normalized, 0, ratio(m, own))
	}
	if len(levels) == 0 {
		return []*enginetest.Taxon{root}
	}
	least := n.MinInfo * slices.Max(mutual)
	most := 0.0
	for i := range levels {
		if mutual[i] >= least-1e-9 {
			most = max(most, normalized[i])
		}
	}
	for i := range levels {
		if mutual[i] >= least-1e-9 && normalized[i] >= most-1e-9 {
			return levels[i]
		}
	}
	return nil
}

func ratio(x, y float64) float64 {
	if y <= 1e-12 {
		return 0
	}
	return x / y
}

// information returns I(A;C) and H(A) of the rows that are not gone.
func (n *naive) information(of []*enginetest.Taxon, gone []bool) (mutual, own float64) {
	values, classes, pairs := map[string]int{}, map[string]int{}, map[string]int{}
	for r, taxon := range of {
		if gone != nil && gone[r] {
			continue
		}
		value, class := fmt.Sprint(taxon.Order), n.class(r)
		values[value]++
		classes[class]++
		pairs[value+" "+class]++
	}
	own = enginetest.Entropy(values)
	return own + enginetest.Entropy(classes) - enginetest.Entropy(pairs), own
}

func (n *naive) class(r int) string {
	if len(n.data.Classes) == 0 {
		return ""
	}
	return n.data.Classes[r]
}

// classes returns the rows, but those that are gone, by their values of some columns.
func (n *naive) classes(columns []int) map[string][]int {
	classes := map[string][]int{}
	for r, row := range n.rows {
		key := ""
		for _, c := range columns {
			key += fmt.Sprintf("%06d ", row[c].Order)
		}
		if !n.gone[r] {
			classes[key] = append(classes[key], r)
		}
	}
	return classes
}

// core suppresses classes below k, of whatever set, as long as there are any.
func (n *naive) core() {
	for again := true; again; {
		again = false
		for _, set := range n.sets {
			for _, rows := range n.classes(set.Columns) {
				if !enginetest.Holds(set, len(rows)) {
					n.suppress(rows)
					again = true
				}
			}
		}
	}
}

func (n *naive) suppress(rows []int) {
	for _, r := range rows {
		n.gone[r] = true
	}
}

func (n *naive) suppressed() (size int) {
	for _, gone := range n.gone {
		if gone {
			size++
		}
	}
	return size
}

// smallest returns the rows of the smallest class of the union, the first of several.
func (n *naive) smallest() []int {
	classes := n.classes(n.union)
	best := ""
	for key, rows := range classes {
		if best == "" || len(rows) < len(classes[best]) || len(rows) == len(classes[best]) && key < best {
			best = key
		}
	}
	return classes[best]
}

func (n *naive) topUp(k int) {
	for s := n.suppressed(); s > 0 && s < k && s < len(n.rows); s = n.suppressed() {
		n.suppress(n.smallest())
		if !n.Capped {
			n.core()
		}
	}
}

// suppressCapped suppresses sizes of classes while no cap is exceeded, and returns the
// smallest class left.
func (n *naive) suppressCapped() int {
	for {
		left := n.smallest()
		if left == nil {
			return len(n.rows)
		}
		before := slices.Clone(n.gone)
		for _, rows := range n.classes(n.union) {
			if len(rows) == len(left) {
				n.suppress(rows)
			}
		}
		for _, c := range n.union {
			if n.exceeded(c) {
				n.gone = before
				return len(left)
			}
		}
	}
}

func (n *naive) exceeded(c int) bool {
	of := make([]*enginetest.Taxon, len(n.rows))
	before, after := map[*enginetest.Taxon]float64{}, map[*enginetest.Taxon]float64{}
	classes := map[string]int{}
	for r, row := range n.rows {
		of[r] = row[c]
		before[row[c]]++
		classes[n.class(r)]++
		if !n.gone[r] {
			after[row[c]]++
		}
	}
	mutual, own := n.information(of, nil)
	if own <= 1e-12 {
		return false
	}
	divergence, largest, total := 0.0, 0.0, float64(len(n.rows))
	for taxon, count := range before {
		divergence += count / total * math.Log2(count/max(1, after[taxon]))
		largest += count / total * math.Log2(count)
	}
	mutualAfter, ownAfter := n.information(of, n.gone)
	if n.suppressed() == len(n.rows) {
		mutualAfter, ownAfter = 0, 0
	}
	told := math.Abs(ratio(mutualAfter, ownAfter) - ratio(mutual, own))
	return divergence/own > n.Delta*largest/own+1e-9 || told > n.Epsilon*enginetest.Entropy(classes)/own+1e-9
}

func (n *naive) outcome(k int) outcome {
	s := n.suppressed()
	drop := s < k && n.Small == iac.Drop
	o := outcome{suppressed: uint64(s)}
	if drop {
		o = outcome{dropped: uint64(s)}
	}
	for r, row := range n.rows {
		var labels []engine.Label
		for c, taxon := range row {
			if n.gone[r] {
				taxon = n.roots[c]
			}
			if !n.gone[r] || !drop {
				labels = append(labels, taxon.Label)
			}
		}
		o.released = append(o.released, labels)
	}
	return o
}
