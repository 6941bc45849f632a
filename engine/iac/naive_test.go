package iac_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

// naive is the algorithm as its description reads, on rows. It shares nothing with the engine
// except the input.
type naive struct {
	iac.Engine
	data  enginetest.Data
	sets  []engine.Set
	union []int
	trees []*engine.ValueTree // the test of ValueTree compares them with the text of the rows
	rows  [][]int             // by row and column: the node of its generalization
	whole []uint64            // by row: its weight; nil: k counts records
	gone  []bool              // by row: suppressed
}

// outcome is the result of a naive run. A dropped row is nil.
type outcome struct {
	released            [][]engine.Label
	suppressed, dropped uint64
	unreached           bool
}

func runNaive(data enginetest.Data, sets []engine.Set, e iac.Engine) outcome {
	n := &naive{
		Engine: e,
		data:   data,
		sets:   sets,
		rows:   make([][]int, len(data.Rows)),
		whole:  data.Weights(),
		gone:   make([]bool, len(data.Rows)),
	}
	for _, set := range sets {
		n.union = append(n.union, set.Columns...)
	}
	slices.Sort(n.union)
	n.union = slices.Compact(n.union)
	codes := data.Codes()
	histograms := codes.Table(engine.Plan{Histograms: true}).Histograms
	for c := range data.Columns {
		tree := engine.NewValueTree(&codes.Attributes[c], histograms[c].Sizes(), e.Bins)
		n.trees = append(n.trees, tree)
		of := make([]int, len(n.rows)) // the root
		if slices.Contains(n.union, c) {
			of = n.level(tree, codes.Columns[c])
		}
		for r, node := range of {
			n.rows[r] = append(n.rows[r], node)
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
	if e.TopUp {
		n.topUp(k)
	}
	return n.outcome(k)
}

// level returns the nodes of a column's rows in its best level.
func (n *naive) level(tree *engine.ValueTree, codes []uint32) []int {
	var levels [][]int // most specific first
	var normalized []float64
	for depth := tree.Height(); depth > 0; depth-- {
		of := make([]int, len(codes))
		for r, code := range codes {
			for of[r] = tree.Leaf(int(code)); tree.Depth(of[r]) > depth; {
				of[r] = tree.Parent(of[r])
			}
		}
		m, own := n.information(of, nil)
		levels, normalized = append(levels, of), append(normalized, ratio(m, own))
	}
	if len(levels) == 0 {
		return make([]int, len(codes))
	}
	most := slices.Max(normalized)
	return levels[slices.IndexFunc(normalized, func(x float64) bool { return x >= most-1e-9 })]
}

func ratio(x, y float64) float64 {
	if y <= 1e-12 {
		return 0
	}
	return x / y
}

// information returns I(A;C) and H(A) of the rows that are not gone.
func (n *naive) information(of []int, gone []bool) (mutual, own float64) {
	values, classes, pairs := map[string]int{}, map[string]int{}, map[string]int{}
	for r, node := range of {
		if gone != nil && gone[r] {
			continue
		}
		value, class := fmt.Sprint(node), n.class(r)
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

// classes returns the rows that are not gone, by their values of some columns.
func (n *naive) classes(columns []int) map[string][]int {
	classes := map[string][]int{}
	for r, row := range n.rows {
		key := ""
		for _, c := range columns {
			key += fmt.Sprintf("%06d ", row[c])
		}
		if !n.gone[r] {
			classes[key] = append(classes[key], r)
		}
	}
	return classes
}

// core suppresses classes below k, of any set, while there are any.
func (n *naive) core() {
	for again := true; again; {
		again = false
		for _, set := range n.sets {
			for _, rows := range n.classes(set.Columns) {
				if !set.Holds(n.data.Stats(rows)) {
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

// suppressed returns the rows that are gone.
func (n *naive) suppressed() (rows []int) {
	for r, gone := range n.gone {
		if gone {
			rows = append(rows, r)
		}
	}
	return rows
}

// few reports whether rows are fewer than k records or entities.
func (n *naive) few(rows []int, k int) bool { return n.data.Stats(rows).Size < uint64(k) }

// weight returns what k counts of rows.
func (n *naive) weight(rows []int) (weight uint64) {
	if n.whole == nil {
		return uint64(len(rows))
	}
	for _, r := range rows {
		weight += n.whole[r]
	}
	return weight
}

// smallest returns the rows of the smallest class of the union, the first of several.
func (n *naive) smallest() []int {
	classes := n.classes(n.union)
	best := ""
	for key, rows := range classes {
		size, least := n.weight(rows), n.weight(classes[best])
		if best == "" || size < least || size == least && key < best {
			best = key
		}
	}
	return classes[best]
}

func (n *naive) topUp(k int) {
	for s := n.suppressed(); len(s) > 0 && n.few(s, k) && len(s) < len(n.rows); s = n.suppressed() {
		n.suppress(n.smallest())
		if !n.Capped {
			n.core()
		}
	}
}

// suppressCapped suppresses sizes of classes while no cap is exceeded, and returns the smallest
// class left.
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
	of := make([]int, len(n.rows))
	before, after := map[int]float64{}, map[int]float64{}
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
	for node, count := range before {
		divergence += count / total * math.Log2(count/max(1, after[node]))
		largest += count / total * math.Log2(count)
	}
	mutualAfter, ownAfter := n.information(of, n.gone)
	if len(n.suppressed()) == len(n.rows) {
		mutualAfter, ownAfter = 0, 0
	}
	changed := math.Abs(ratio(mutualAfter, ownAfter) - ratio(mutual, own))
	return divergence/own > n.Delta*largest/own+1e-9 ||
		changed > n.Epsilon*enginetest.Entropy(classes)/own+1e-9
}

func (n *naive) outcome(k int) outcome {
	s := n.suppressed()
	drop := n.few(s, k)
	o := outcome{suppressed: uint64(len(s))}
	if drop {
		o = outcome{dropped: uint64(len(s))}
	}
	for r, row := range n.rows {
		var labels []engine.Label
		for c, node := range row {
			if n.gone[r] {
				node = 0
			}
			if !n.gone[r] || !drop {
				labels = append(labels, n.trees[c].Label(node))
			}
		}
		o.released = append(o.released, labels)
	}
	return o
}
