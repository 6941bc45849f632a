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
// generalization of every step, and shares nothing with the engine but the input.
type naive struct {
	data  enginetest.Data
	sets  []engine.Set
	loss  bottomup.Loss
	roots []*enginetest.Taxon
	rows  [][]*enginetest.Taxon // by row and column: the node of the cut
}

// naiveSearch returns the steps and the released rows. It fails the test where the paper's
// Theorem 1 does not hold.
func naiveSearch(t *testing.T, data enginetest.Data, sets []engine.Set, e bottomup.Engine) ([]engine.Step, [][]engine.Label) {
	t.Helper()
	n := newNaive(data, sets, e)
	var steps []engine.Step
	for !n.done() {
		g := n.best(t)
		if g == nil {
			t.Fatal("nothing can be generalized")
		}
		n.apply(g.to)
		step := engine.Step{
			Number: len(steps) + 1, Attribute: g.column, Value: g.to.Label,
			InfoGain: g.loss, AnonyLoss: float64(g.gain), Score: g.loss,
		}
		if g.gain > 0 {
			step.Score = g.loss / float64(g.gain)
		}
		for _, c := range g.to.Children {
			step.Children = append(step.Children, c.Label)
		}
		for _, set := range n.sets {
			step.Anonymity = append(step.Anonymity, n.anonymity(set, nil))
		}
		steps = append(steps, step)
	}
	released := make([][]engine.Label, len(n.rows))
	for r, row := range n.rows {
		for _, taxon := range row {
			released[r] = append(released[r], taxon.Label)
		}
	}
	return steps, released
}

func newNaive(data enginetest.Data, sets []engine.Set, e bottomup.Engine) *naive {
	n := &naive{data: data, sets: withoutImplied(sets), loss: e.Loss, rows: make([][]*enginetest.Taxon, len(data.Rows))}
	for c := range data.Columns {
		root := data.Hierarchy(c, e.Bins)
		n.roots = append(n.roots, root)
		for r, row := range data.Rows {
			for _, taxon := range root.All() {
				if len(taxon.Children) == 0 && taxon.Values[row[c]] {
					n.rows[r] = append(n.rows[r], taxon)
				}
			}
		}
	}
	return n
}

// withoutImplied drops sets one at a time while another one implies it, the later first.
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

// counts returns a(vid) of every vid, after a generalization if there is one.
func (n *naive) counts(set engine.Set, after *enginetest.Taxon) map[string]uint64 {
	counts := map[string]uint64{}
	for _, row := range n.rows {
		counts[n.vid(row, set.Columns, after)]++
	}
	return counts
}

func (n *naive) vid(row []*enginetest.Taxon, columns []int, after *enginetest.Taxon) string {
	text := ""
	for _, c := range columns {
		taxon := row[c]
		if after != nil && taxon.Parent == after {
			taxon = after
		}
		text += fmt.Sprint(c, " ", taxon.Order, ";")
	}
	return text
}

func (n *naive) anonymity(set engine.Set, after *enginetest.Taxon) uint64 {
	least := uint64(math.MaxUint64)
	for _, count := range n.counts(set, after) {
		least = min(least, count)
	}
	return least
}

func (n *naive) done() bool {
	for _, set := range n.sets {
		if !enginetest.Holds(set, n.anonymity(set, nil)) {
			return false
		}
	}
	return true
}

func (n *naive) apply(to *enginetest.Taxon) {
	for _, row := range n.rows {
		for c := range row {
			if row[c].Parent == to {
				row[c] = to
			}
		}
	}
}

// naiveChoice is a valid generalization that helps an open set.
type naiveChoice struct {
	column int
	to     *enginetest.Taxon
	loss   float64
	gain   uint64
}

// best is the critical generalization with the least loss for its gain, else that with
// the least loss, the first in canonical order.
func (n *naive) best(t *testing.T) *naiveChoice {
	t.Helper()
	var all, critical []naiveChoice
	for _, set := range n.sets {
		if !enginetest.Holds(set, n.anonymity(set, nil)) {
			n.checkTheorem1(t, set)
		}
	}
	for c, root := range n.roots {
		for _, to := range root.All() {
			if !n.valid(c, to) {
				continue
			}
			choice, open := naiveChoice{column: c, to: to, loss: n.lost(c, to)}, false
			for _, set := range n.sets {
				before := n.anonymity(set, nil)
				if slices.Contains(set.Columns, c) && !enginetest.Holds(set, before) {
					open = true
					choice.gain += min(n.anonymity(set, to), set.K.Records()) - before
				}
			}
			if open {
				all = append(all, choice)
			}
			if choice.gain > 0 {
				critical = append(critical, choice)
			}
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

// valid: the node is not in the cut, and all its children are.
func (n *naive) valid(c int, to *enginetest.Taxon) bool {
	for _, child := range to.Children {
		if !slices.ContainsFunc(n.rows, func(row []*enginetest.Taxon) bool { return row[c] == child }) {
			return false
		}
	}
	return len(to.Children) > 0
}

// lost is I(G).
func (n *naive) lost(c int, to *enginetest.Taxon) float64 {
	whole, size := map[string]int{}, 0
	parts, sizes := map[*enginetest.Taxon]map[string]int{}, map[*enginetest.Taxon]int{}
	for r, row := range n.rows {
		if row[c].Parent != to {
			continue
		}
		class := ""
		if len(n.data.Classes) > 0 {
			class = n.data.Classes[r]
		}
		if parts[row[c]] == nil {
			parts[row[c]] = map[string]int{}
		}
		whole[class]++
		parts[row[c]][class]++
		size++
		sizes[row[c]]++
	}
	lost := enginetest.Entropy(whole)
	for child, classes := range parts {
		lost -= float64(sizes[child]) / float64(size) * enginetest.Entropy(classes)
	}
	if n.loss == bottomup.Size {
		lost *= float64(size) / float64(len(n.rows))
	}
	return lost
}

// checkTheorem1: a critical generalization merges every anonymity vid with a sibling of the
// index, and at most one of a column does.
func (n *naive) checkTheorem1(t *testing.T, set engine.Set) {
	t.Helper()
	before := n.anonymity(set, nil)
	for i, c := range set.Columns {
		candidates := 0
		for _, to := range n.roots[c].All() {
			if !n.valid(c, to) {
				continue
			}
			if n.isCandidate(set, i, to) {
				candidates++
			} else if n.anonymity(set, to) > before {
				t.Errorf("%v is critical, but does not merge all anonymity vids", to.Label)
			}
		}
		if candidates > 1 {
			t.Errorf("%d candidates of column %d", candidates, c)
		}
	}
}

// isCandidate is the only-if condition of Theorem 1: every anonymity vid is in a segment
// of more than one sibling.
func (n *naive) isCandidate(set engine.Set, position int, to *enginetest.Taxon) bool {
	counts, before := n.counts(set, nil), n.anonymity(set, nil)
	above, here := set.Columns[:position], set.Columns[position:position+1]
	segments := map[string]map[string]bool{} // children of the node, by what is above them in the index
	for _, row := range n.rows {
		if row[here[0]].Parent != to {
			continue
		}
		prefix := n.vid(row, above, nil)
		if segments[prefix] == nil {
			segments[prefix] = map[string]bool{}
		}
		segments[prefix][n.vid(row, here, nil)] = true
	}
	for _, row := range n.rows {
		if counts[n.vid(row, set.Columns, nil)] > before {
			continue
		}
		if row[here[0]].Parent != to || len(segments[n.vid(row, above, nil)]) < 2 {
			return false
		}
	}
	return true
}
