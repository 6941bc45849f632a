package bottomup_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
)

// naive is the search as the definitions read: it rescans all rows, as text, for every
// generalization of every step, and shares nothing with the engine except the input.
type naive struct {
	data     enginetest.Data
	sets     []engine.Set
	weighted bool
	trees    []*engine.ValueTree // the test of ValueTree compares them with the text of the rows
	rows     [][]int             // by row and column: the node of the cut
}

// naiveSearch returns the steps and the released rows. It fails the test where the paper's Theorem
// 1 does not hold.
func naiveSearch(t *testing.T, data enginetest.Data, sets []engine.Set,
	e bottomup.Engine) ([]engine.Step, [][]engine.Label) {
	t.Helper()
	n := newNaive(data, sets, e)
	var steps []engine.Step
	for !n.done() {
		g := n.best(t)
		if g == nil {
			t.Fatal("nothing can be generalized")
		}
		n.apply(g)
		step := engine.Step{
			Number: len(steps) + 1, Attribute: g.column, Value: n.trees[g.column].Label(g.to),
			InfoGain: g.loss, AnonyLoss: float64(g.gain), Score: g.loss,
		}
		if g.gain > 0 {
			step.Score = g.loss / float64(g.gain)
		}
		for _, child := range n.trees[g.column].Children(g.to) {
			step.Children = append(step.Children, n.trees[g.column].Label(child))
		}
		for _, set := range n.sets {
			step.Anonymity = append(step.Anonymity, n.anonymity(set, none))
		}
		steps = append(steps, step)
	}
	released := make([][]engine.Label, len(n.rows))
	for r, row := range n.rows {
		for c, node := range row {
			released[r] = append(released[r], n.trees[c].Label(node))
		}
	}
	return steps, released
}

func newNaive(data enginetest.Data, sets []engine.Set, e bottomup.Engine) *naive {
	n := &naive{
		data:     data,
		sets:     withoutImplied(sets),
		weighted: e.Weighted,
		rows:     make([][]int, len(data.Rows)),
	}
	codes := data.Codes()
	histograms := codes.Table(engine.Plan{Histograms: true}).Histograms
	for c := range data.Columns {
		tree := engine.NewValueTree(&codes.Attributes[c], histograms[c].Sizes(), e.Bins)
		n.trees = append(n.trees, tree)
		for r, code := range codes.Columns[c] {
			n.rows[r] = append(n.rows[r], tree.Leaf(int(code)))
		}
	}
	return n
}

// isUnder reports whether a row's node is one of the children that a generalization replaces.
func (n *naive) isUnder(row []int, g generalization) bool {
	return g != none && n.trees[g.column].Parent(row[g.column]) == g.to
}

// generalization replaces the children of a node by the node.
type generalization struct{ column, to int }

var none = generalization{column: -1}

// withoutImplied drops sets one at a time while another set implies them, later sets first.
func withoutImplied(sets []engine.Set) []engine.Set {
	sets = slices.Clone(sets)
	for i := len(sets) - 1; i >= 0; i-- {
		for j := range sets {
			if i == j || sets[i].K > sets[j].K {
				continue
			}
			outside := func(c int) bool { return !slices.Contains(sets[j].Columns, c) }
			if !slices.ContainsFunc(sets[i].Columns, outside) {
				sets = slices.Delete(sets, i, i+1)
				break
			}
		}
	}
	return sets
}

// counts returns a(vid) of every vid, after a generalization if one is given.
func (n *naive) counts(set engine.Set, after generalization) map[string]uint64 {
	counts := map[string]uint64{}
	for _, row := range n.rows {
		counts[n.vid(row, set.Columns, after)]++
	}
	return counts
}

func (n *naive) vid(row, columns []int, after generalization) string {
	text := ""
	for _, c := range columns {
		node := row[c]
		if c == after.column && n.isUnder(row, after) {
			node = after.to
		}
		text += fmt.Sprint(c, " ", node, ";")
	}
	return text
}

func (n *naive) anonymity(set engine.Set, after generalization) uint64 {
	least := uint64(math.MaxUint64)
	for _, count := range n.counts(set, after) {
		least = min(least, count)
	}
	return least
}

func (n *naive) done() bool {
	for _, set := range n.sets {
		if !enginetest.Holds(set, n.anonymity(set, none)) {
			return false
		}
	}
	return true
}

func (n *naive) apply(g *naiveChoice) {
	for _, row := range n.rows {
		if n.isUnder(row, g.generalization) {
			row[g.column] = g.to
		}
	}
}

// naiveChoice is a valid generalization that helps an open set.
type naiveChoice struct {
	generalization
	loss float64
	gain uint64
}

// best returns the critical generalization with the least loss for its gain; if none is critical,
// the one with the least loss. Ties go to the first in canonical order.
func (n *naive) best(t *testing.T) *naiveChoice {
	t.Helper()
	var all, critical []naiveChoice
	for _, set := range n.sets {
		if !enginetest.Holds(set, n.anonymity(set, none)) {
			n.checkTheorem1(t, set)
		}
	}
	for _, g := range n.valid() {
		choice, open := naiveChoice{generalization: g, loss: n.lost(g)}, false
		for _, set := range n.sets {
			before := n.anonymity(set, none)
			if slices.Contains(set.Columns, g.column) && !enginetest.Holds(set, before) {
				open = true
				choice.gain += min(n.anonymity(set, g), set.K.Size()) - before
			}
		}
		if open {
			all = append(all, choice)
		}
		if choice.gain > 0 {
			critical = append(critical, choice)
		}
	}
	if len(critical) > 0 {
		return first(critical, func(c naiveChoice) float64 { return c.loss / float64(c.gain) })
	}
	return first(all, func(c naiveChoice) float64 { return c.loss })
}

func first(choices []naiveChoice, score func(naiveChoice) float64) *naiveChoice {
	least := math.Inf(1)
	for _, c := range choices {
		least = min(least, score(c))
	}
	for i, c := range choices {
		if score(c) <= least+1e-9*max(1, math.Abs(least)) {
			return &choices[i]
		}
	}
	return nil
}

// valid returns the generalizations to nodes that are not in the cut but whose children all are.
func (n *naive) valid() (list []generalization) {
	for c, tree := range n.trees {
		for to := range tree.Len() {
			missing := func(child int) bool {
				return !slices.ContainsFunc(n.rows, func(row []int) bool { return row[c] == child })
			}
			if !tree.IsLeaf(to) && !slices.ContainsFunc(tree.Children(to), missing) {
				list = append(list, generalization{c, to})
			}
		}
	}
	return list
}

// lost returns I(G).
func (n *naive) lost(g generalization) float64 {
	whole, size := map[string]int{}, 0
	parts, sizes := map[int]map[string]int{}, map[int]int{}
	for r, row := range n.rows {
		if !n.isUnder(row, g) {
			continue
		}
		class, child := "", row[g.column]
		if len(n.data.Classes) > 0 {
			class = n.data.Classes[r]
		}
		if parts[child] == nil {
			parts[child] = map[string]int{}
		}
		whole[class]++
		parts[child][class]++
		size++
		sizes[child]++
	}
	lost := enginetest.Entropy(whole)
	for child, classes := range parts {
		lost -= float64(sizes[child]) / float64(size) * enginetest.Entropy(classes)
	}
	if n.weighted {
		lost *= float64(size) / float64(len(n.rows))
	}
	return lost
}

// checkTheorem1 checks that a critical generalization merges every anonymity vid with a sibling of
// the index, and that at most one generalization of a column does.
func (n *naive) checkTheorem1(t *testing.T, set engine.Set) {
	t.Helper()
	before, candidates := n.anonymity(set, none), map[int]int{}
	for _, g := range n.valid() {
		position := slices.Index(set.Columns, g.column)
		switch {
		case position < 0:
		case n.isCandidate(set, position, g):
			if candidates[g.column]++; candidates[g.column] > 1 {
				t.Errorf("several candidates of column %d", g.column)
			}
		case n.anonymity(set, g) > before:
			t.Errorf("%v is critical, but does not merge all anonymity vids", g)
		}
	}
}

// isCandidate is the necessary condition of Theorem 1: every anonymity vid is in a segment of more
// than one sibling.
func (n *naive) isCandidate(set engine.Set, position int, g generalization) bool {
	counts, before := n.counts(set, none), n.anonymity(set, none)
	above := set.Columns[:position]
	// children of the node, by the nodes above them in the index
	segments := map[string]map[int]bool{}
	for _, row := range n.rows {
		if !n.isUnder(row, g) {
			continue
		}
		prefix := n.vid(row, above, none)
		if segments[prefix] == nil {
			segments[prefix] = map[int]bool{}
		}
		segments[prefix][row[g.column]] = true
	}
	return !slices.ContainsFunc(n.rows, func(row []int) bool {
		return counts[n.vid(row, set.Columns, none)] == before &&
			(!n.isUnder(row, g) || len(segments[n.vid(row, above, none)]) < 2)
	})
}
