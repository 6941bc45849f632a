package induce_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// TestAgreesWithNaiveGrowth compares trees, pruned and not.
func TestAgreesWithNaiveGrowth(t *testing.T) {
	nodes, pruned := 0, 0
	cases := enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 50)
		codes := c.Data.Codes()
		i := inducer(codes)
		i.MinObjects = uint64(1 + r.IntN(4))
		n := naive{codes, int(i.MinObjects)}
		tree, want := grow(t, i, codes), n.tree()
		difference := n.compare(tree, want)
		nodes += tree.Len()
		if difference == "" {
			n.prune(want)
			want.renumber(0)
			i.Prune = true
			p := grow(t, i, codes)
			difference = n.compare(p, want)
			pruned += tree.Len() - p.Len()
		}
		if difference != "" {
			t.Fatalf("%+v: %s\n%s", i, difference, c)
		}
	})
	t.Logf("%d cases, %d nodes, %d pruned", cases, nodes, pruned)
	if cases >= 100 && (nodes < 6*cases || pruned < cases/2) {
		t.Errorf("only %d nodes, %d of them pruned", nodes, pruned)
	}
}

// compare returns the first difference between two trees.
func (n naive) compare(tree *induce.Tree, want *decision) string {
	next := 0
	var visit func(*decision) string
	visit = func(want *decision) string {
		at := next
		next++
		if at == tree.Len() {
			return "nodes are missing"
		}
		column, split := tree.Test(at)
		if tree.IsLeaf(at) {
			column, split = -1, 0
		}
		classes, counts := tree.Classes(at)
		got := map[uint32]int{}
		for i, class := range classes {
			got[class] = int(counts[i])
		}
		switch {
		case tree.Number(at) != want.number:
			return fmt.Sprintf("node %d has number %d, want %d", at, tree.Number(at), want.number)
		case tree.Size(at) != uint64(len(want.rows)):
			return fmt.Sprintf("node %d has %d records, want %d", at, tree.Size(at), len(want.rows))
		case n.Classes > 0 && (!slices.IsSorted(classes) || !maps.Equal(got, n.classes(want.rows))):
			return fmt.Sprintf("node %d has the class counts %v, want %v", at, got,
				n.classes(want.rows))
		case column != want.column || split != want.split:
			return fmt.Sprintf("node %d tests column %d at code %d, want column %d at %d", at,
				column, split, want.column, want.split)
		}
		for branch, child := range want.children {
			if len(child.rows) == 0 {
				continue
			}
			if next < tree.Len() && (tree.Parent(next) != at ||
				tree.Branch(next) != uint32(branch)) {
				return fmt.Sprintf("node %d is branch %d of %d, want branch %d of %d", next,
					tree.Branch(next), tree.Parent(next), branch, at)
			}
			if difference := visit(child); difference != "" {
				return difference
			}
		}
		return ""
	}
	if difference := visit(want); difference != "" || next == tree.Len() {
		return difference
	}
	return "there are more nodes"
}

// naive grows decision trees as the definitions read: it looks at all rows for everything.
type naive struct {
	enginetest.Codes
	minObjects int
}

// decision is a node of a tree.
type decision struct {
	column   int         // column of the test, -1 for a leaf
	split    uint32      // of numbers
	children []*decision // of all branches, also those without rows
	rows     []int
	number   int // in preorder
}

// tree returns the decision tree of all rows.
func (n naive) tree() *decision {
	var rows []int
	for r := range n.Rows {
		rows = append(rows, r)
	}
	root := n.grow(rows)
	root.renumber(0)
	return root
}

// renumber numbers the node and those below it, and returns the next number.
func (d *decision) renumber(next int) int {
	d.number = next
	next++
	for _, c := range d.children {
		next = c.renumber(next)
	}
	return next
}

// classes counts the classes of rows. Without classes all have the same.
func (n naive) classes(rows []int) map[uint32]int {
	counts := map[uint32]int{}
	for _, r := range rows {
		if n.Classes > 0 {
			counts[n.Class[r]]++
		} else {
			counts[0]++
		}
	}
	return counts
}

// decisionTest is a test of a node.
type decisionTest struct {
	column      int
	split       uint32
	parts       [][]int // of the rows
	gain, ratio float64
}

func (n naive) grow(rows []int) *decision {
	d := &decision{column: -1, rows: rows}
	if len(n.classes(rows)) < 2 || len(rows) < 2*n.minObjects {
		return d
	}
	var found []decisionTest
	sum, counted, allWide := 0.0, 0, true
	for c := range n.Attributes {
		allWide = allWide && n.isWide(c)
	}
	for c := range n.Attributes {
		test, ok := n.nominal(c, rows)
		if n.Attributes[c].Mask == engine.Discretize {
			test, ok = n.numeric(c, rows)
		}
		if !ok || test.gain <= 1e-6 {
			continue
		}
		found = append(found, test)
		if allWide || !n.isWide(c) {
			sum += test.gain
			counted++
		}
	}
	if counted == 0 {
		return d
	}
	found = slices.DeleteFunc(found, func(t decisionTest) bool {
		return t.gain < sum/float64(counted)-1e-3
	})
	best := first(found, func(t decisionTest) float64 { return t.ratio })
	d.column, d.split = best.column, best.split
	for _, part := range best.parts {
		d.children = append(d.children, n.grow(part))
	}
	return d
}

// first returns the first of the best tests; nearly equal ones count as equal.
func first(tests []decisionTest, measure func(decisionTest) float64) decisionTest {
	best := math.Inf(-1)
	for _, t := range tests {
		best = max(best, measure(t))
	}
	limit := best - 1e-9*max(1, math.Abs(best))
	return tests[slices.IndexFunc(tests, func(t decisionTest) bool { return measure(t) >= limit })]
}

// isWide reports whether a column has too many values for the average.
func (n naive) isWide(column int) bool {
	a := &n.Attributes[column]
	return a.Mask != engine.Discretize && float64(a.Len()) >= 0.3*float64(n.Rows)
}

func (n naive) nominal(column int, rows []int) (decisionTest, bool) {
	t := n.test(column, 0, rows)
	large := 0
	for _, part := range t.parts {
		if len(part) >= n.minObjects {
			large++
		}
	}
	t.ratio = t.gain / information(t.parts)
	return t, large >= 2
}

func (n naive) numeric(column int, rows []int) (decisionTest, bool) {
	var tests []decisionTest
	known := 0.0
	for split := range n.Attributes[column].Texts {
		t := n.test(column, uint32(split), rows)
		occurs := slices.ContainsFunc(rows, func(r int) bool {
			return n.Columns[column][r] == uint32(split)
		})
		known = float64(len(t.parts[0]) + len(t.parts[1]))
		least := max(float64(n.minObjects), min(25, 0.1*known/float64(n.Classes)))
		if occurs && float64(len(t.parts[0])) >= least && float64(len(t.parts[1])) >= least {
			tests = append(tests, t)
		}
	}
	if len(tests) == 0 {
		return decisionTest{}, false
	}
	t := first(tests, func(t decisionTest) float64 { return t.gain })
	t.gain -= math.Log2(float64(len(tests))) / known
	t.ratio = t.gain / information(t.parts)
	return t, true
}

// test divides rows by a test, and returns it with its gain.
func (n naive) test(column int, split uint32, rows []int) decisionTest {
	a := &n.Attributes[column]
	t := decisionTest{column: column, split: split, gain: enginetest.Entropy(n.classes(rows))}
	t.parts = make([][]int, a.Len())
	if a.Mask == engine.Discretize {
		t.parts = make([][]int, 2+a.Len()-len(a.Texts))
	}
	for _, r := range rows {
		b := branch(a, n.Columns[column][r], split)
		t.parts[b] = append(t.parts[b], r)
	}
	for _, part := range t.parts {
		t.gain -= float64(len(part)) / float64(len(rows)) * enginetest.Entropy(n.classes(part))
	}
	return t
}

// branch returns the branch of a test that a code takes.
func branch(a *engine.Attribute, code, split uint32) int {
	switch {
	case a.Mask != engine.Discretize:
		return int(code)
	case int(code) == len(a.Texts):
		return 2
	case code < split:
		return 0
	}
	return 1
}

// information is the entropy of the sizes of parts.
func information(parts [][]int) float64 {
	sizes := map[int]int{}
	for i, rows := range parts {
		sizes[i] = len(rows)
	}
	return enginetest.Entropy(sizes)
}

// prune replaces subtrees by leaves that are not expected to make more errors, and returns the
// expected number of errors.
func (n naive) prune(d *decision) float64 {
	leaf := n.expectedErrors(d.rows)
	if d.column < 0 {
		return leaf
	}
	below := 0.0
	for _, c := range d.children {
		below += n.prune(c)
	}
	if leaf > below+0.1 {
		return below
	}
	d.column, d.split, d.children = -1, 0, nil
	return leaf
}

// expectedErrors is C4.5's estimate at a confidence of 0.25.
func (n naive) expectedErrors(rows []int) float64 {
	size, most := float64(len(rows)), 0
	for _, count := range n.classes(rows) {
		most = max(most, count)
	}
	errors := size - float64(most)
	switch {
	case size == 0:
		return 0
	case errors == 0:
		return size * (1 - math.Exp(math.Log(0.25)/size))
	case errors+0.5 >= size:
		return size
	}
	const z = 0.6744897501960817 // a quarter of a normal distribution is above it
	share := (errors + 0.5) / size
	root := math.Sqrt(share/size - share*share/size + z*z/(4*size*size))
	return size * (share + z*z/(2*size) + z*root) / (1 + z*z/size)
}

func inducer(codes enginetest.Codes) induce.Inducer {
	i := induce.Inducer{Classes: codes.Classes}
	for a := range codes.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&codes.Attributes[a]))
	}
	return i
}

// table counts all columns and the class.
func table(codes enginetest.Codes) *partition.Table {
	var all []int
	for a := range codes.Attributes {
		all = append(all, a)
	}
	plan := engine.Plan{Groupings: []engine.Grouping{{Columns: all, Kind: true}}}
	return codes.Table(plan).Groupings[0]
}

func grow(tb testing.TB, i induce.Inducer, codes enginetest.Codes) *induce.Tree {
	tb.Helper()
	cells, err := cells.New(table(codes), i.Classes, partition.Space{})
	if err != nil {
		tb.Fatal(err)
	}
	tree, err := i.Grow(context.Background(), cells, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}
