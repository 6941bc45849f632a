package topdown_test

import (
	"math"
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

func (n *naive) candidates(c int) []*naiveCandidate {
	switch n.data.Columns[c].Mask {
	case engine.Generalize:
		return n.nodes(c)
	case engine.Discretize:
		return n.splits(c)
	}
	return n.disclosures(c)
}

// nodes returns the candidates of a generalized column.
func (n *naive) nodes(c int) []*naiveCandidate {
	var candidates []*naiveCandidate
	state := &n.columns[c]
	for at, v := range state.cut {
		if len(v.node.Children) == 0 {
			continue
		}
		x := &naiveCandidate{
			column:  c,
			order:   v.preorder,
			value:   engine.Label{Text: v.node.Name},
			penalty: n.nodePenalty(c, v.node, v.root),
		}
		x.rows = n.under(c, v.node, v.root)
		var below []naiveNode
		preorder := v.preorder + 1
		for _, child := range v.node.Children {
			label := engine.Label{Text: child.Name}
			x.children = append(x.children, label)
			x.parts = append(x.parts, naivePart{label, n.under(c, child, false),
				n.nodePenalty(c, child, false)})
			below = append(below, naiveNode{node: child, preorder: preorder})
			preorder += len(names(child))
		}
		if nulls := n.nulls(c); v.root && len(nulls) > 0 {
			x.children = append(x.children, engine.Label{Null: true})
			x.parts = append(x.parts, naivePart{engine.Label{Null: true}, nulls, 0})
		}
		x.apply = func() { state.cut = slices.Replace(state.cut, at, at+1, below...) }
		candidates = append(candidates, x)
	}
	return candidates
}

// names returns the names of all nodes of a tree.
func names(node taxonomy.Node) []string {
	all := []string{node.Name}
	for _, child := range node.Children {
		all = append(all, names(child)...)
	}
	return all
}

func leafNames(node taxonomy.Node) []string {
	if len(node.Children) == 0 {
		return []string{node.Name}
	}
	var all []string
	for _, child := range node.Children {
		all = append(all, leafNames(child)...)
	}
	return all
}

// values returns the number of values that the leaves of a tree represent.
func values(node taxonomy.Node) int {
	if len(node.Children) == 0 {
		return max(1, node.Values)
	}
	all := 0
	for _, child := range node.Children {
		all += values(child)
	}
	return all
}

func (n *naive) nodePenalty(c int, node taxonomy.Node, root bool) float64 {
	if len(node.Children) == 0 && node.Values == 0 {
		return 0
	}
	under, all := values(node), values(n.data.Columns[c].Tree)
	if len(n.nulls(c)) > 0 {
		all++
		if root {
			under++
		}
	}
	return float64(under) / float64(all)
}

func (n *naive) under(c int, node taxonomy.Node, root bool) (rows []int) {
	leaves := leafNames(node)
	for r, row := range n.data.Rows {
		if row[c].Null && root || !row[c].Null && slices.Contains(leaves, row[c].Text) {
			rows = append(rows, r)
		}
	}
	return rows
}

func (n *naive) nulls(c int) (rows []int) {
	for r, row := range n.data.Rows {
		if row[c].Null {
			rows = append(rows, r)
		}
	}
	return rows
}

// splits returns the candidates of a discretized column.
func (n *naive) splits(c int) []*naiveCandidate {
	var candidates []*naiveCandidate
	state := &n.columns[c]
	for at, v := range state.intervals {
		var best *naiveCandidate
		seen := map[string]bool{}
		var values []string
		for _, r := range n.between(c, v) {
			if text := n.data.Rows[r][c].Text; !seen[text] {
				seen[text] = true
				values = append(values, text)
			}
		}
		sort.Slice(values, func(i, j int) bool {
			return enginetest.Number(values[i]) < enginetest.Number(values[j])
		})
		for i := 1; i < len(values); i++ {
			if !n.parts(c, values[i-1], values[i]) {
				continue
			}
			if !n.wide(c, v, enginetest.Number(values[i])) {
				continue
			}
			x := n.split(c, at, v, values[i])
			if best == nil || x.gain > best.gain {
				best = x
			}
		}
		if best != nil {
			candidates = append(candidates, best)
		}
	}
	return candidates
}

// parts reports whether a bound may lie above a number and not above the next one. A rounded bound
// must be a multiple.
func (n *naive) parts(c int, below, text string) bool {
	round := n.data.Columns[c].Round
	for x := int(enginetest.Number(below)) + 1; x <= int(enginetest.Number(text)); x++ {
		if round == 0 || x%round == 0 {
			return true
		}
	}
	return false
}

// wide reports whether the parts of an interval that is split at a bound are wide enough.
func (n *naive) wide(c int, v naiveInterval, bound float64) bool {
	column := n.data.Columns[c]
	lower, upper := v.lo, v.hi
	if v.lower == "" && column.Lower != "" {
		lower = enginetest.Number(column.Lower)
	}
	if v.upper == "" && column.Upper != "" {
		upper = enginetest.Number(column.Upper)
	}
	return bound-lower >= float64(column.MinWidth) && upper-bound >= float64(column.MinWidth)
}

func (n *naive) split(c, at int, v naiveInterval, text string) *naiveCandidate {
	left := naiveInterval{lower: v.lower, lo: v.lo, upper: text, hi: enginetest.Number(text)}
	right := naiveInterval{lower: text, lo: enginetest.Number(text), upper: v.upper, hi: v.hi}
	x := &naiveCandidate{
		column:  c,
		order:   at,
		value:   engine.Label{Text: n.data.Columns[c].Interval(v.lower, v.upper)},
		penalty: n.width(c, v),
	}
	x.rows = n.between(c, v)
	for _, child := range []naiveInterval{left, right} {
		label := engine.Label{Text: n.data.Columns[c].Interval(child.lower, child.upper)}
		x.children = append(x.children, label)
		x.parts = append(x.parts, naivePart{label, n.between(c, child), n.width(c, child)})
	}
	if nulls := n.nulls(c); v.root && len(nulls) > 0 {
		x.rows = append(x.rows, nulls...)
		x.children = append(x.children, engine.Label{Null: true})
		x.parts = append(x.parts, naivePart{engine.Label{Null: true}, nulls, 0})
	}
	x.gain = n.gain(x.rows, x.penalty, x.parts)
	state := &n.columns[c]
	x.apply = func() { state.intervals = slices.Replace(state.intervals, at, at+1, left, right) }
	return x
}

func (n *naive) between(c int, v naiveInterval) (rows []int) {
	for r, row := range n.data.Rows {
		if !row[c].Null && enginetest.Number(row[c].Text) >= v.lo &&
			enginetest.Number(row[c].Text) < v.hi {
			rows = append(rows, r)
		}
	}
	return rows
}

// width returns an interval's share of the number line.
func (n *naive) width(c int, v naiveInterval) float64 {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, row := range n.data.Rows {
		if !row[c].Null {
			lowest, highest = min(lowest, enginetest.Number(row[c].Text)),
				max(highest, enginetest.Number(row[c].Text))
		}
	}
	if text := n.data.Columns[c].Lower; text != "" {
		lowest = enginetest.Number(text)
	}
	if text := n.data.Columns[c].Upper; text != "" {
		highest = enginetest.Number(text)
	}
	if highest == lowest {
		return 0
	}
	return (min(v.hi, highest) - max(v.lo, lowest)) / (highest - lowest)
}

// disclosures returns the candidates of a suppressed column.
func (n *naive) disclosures(c int) []*naiveCandidate {
	state := &n.columns[c]
	var hidden []engine.Label
	var rows []int
	for r, row := range n.data.Rows {
		if !state.disclosed[row[c]] {
			rows = append(rows, r)
			if !slices.Contains(hidden, row[c]) {
				hidden = append(hidden, row[c])
			}
		}
	}
	sort.Slice(hidden, func(i, j int) bool {
		if hidden[i].Null != hidden[j].Null {
			return hidden[j].Null
		}
		return hidden[i].Text < hidden[j].Text
	})
	var candidates []*naiveCandidate
	for order, v := range hidden {
		x := &naiveCandidate{
			column:   c,
			order:    order,
			value:    v,
			children: []engine.Label{v},
			rows:     rows,
			penalty:  1,
		}
		shown, rest := naivePart{label: v}, naivePart{label: engine.Label{Text: "*"}, penalty: 1}
		for _, r := range rows {
			if n.data.Rows[r][c] == v {
				shown.rows = append(shown.rows, r)
			} else {
				rest.rows = append(rest.rows, r)
			}
		}
		x.parts = []naivePart{shown, rest}
		x.apply = func() { state.disclosed[v] = true }
		candidates = append(candidates, x)
	}
	return candidates
}
