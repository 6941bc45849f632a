// Package induce grows decision trees from counts, by the rules of C4.5 release 8 as implemented in
// J48 (Quinlan, 1993 and 1996). kACTUS grows its tree with it, and the judging of releases uses it.
//
//	Cells ──class counts of every column──▶ best test ──divide──▶ Cells of its branches ──▶ …
//
// A node is a leaf if it is pure or has fewer than two times MinObjects records. Tests:
//
//   - A nominal column has a branch for each code, including the null's. At least two need
//     MinObjects records.
//   - A numeric column is split at a code s that records of the node have: below s, at or above s
//     and, if the column has nulls, the null. Both sides need MinObjects records and a tenth of the
//     average number of records of a class, of which 25 always suffice. The test takes the s with
//     the most information gain, the smallest of several; because s was chosen among n codes, the
//     gain of the test is reduced by log2(n)/records (MDL).
//
// Among the tests that gain something, and not less than their average by more than 0.001, the one
// with the best ratio of gain to the entropy of its branches' sizes is made, the first column of
// several. A nominal column with so many codes that it nearly identifies records does not count in
// the average. Numbers within 1e-9 are equal: rounding errors of sums decide nothing.
//
// Branches that no record takes are also leaves of the tree. They count in the numbers of its
// nodes, but take no memory.
//
// Limits: unknown values are a branch, unlike in C4.5; there is no subtree raising.
package induce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// Inducer grows trees.
type Inducer struct {
	Columns []Column      // of the cells, without the class
	Classes int           // number of classes in the class column; 0: there is no such column
	Kinds   *engine.Kinds // not nil: the last column has these kinds, which determine the class
	// number of records that at least two branches of every test must have, at least 1
	MinObjects uint64
	// subtrees are replaced if they are not expected to make fewer errors than a leaf
	Prune   bool
	Account *spill.Account
}

// Grow grows a tree depth first and consumes the cells. They must have been made for the same
// number of classes, or kinds. It calls the visitor meanwhile, which may be nil, and must be nil
// when the tree is pruned. The account draws the memory of the tree.
func (i Inducer) Grow(ctx context.Context, records *cells.Cells, visitor Visitor) (*Tree, error) {
	t := &Tree{columns: i.Columns}
	g := grower{Inducer: i, visitor: visitor, selection: newSelection(i, records.Size())}
	if i.Kinds != nil {
		g.fold = &cells.Folding{Class: i.Kinds.Class, Classes: max(1, i.Classes)}
	}
	g.descent = newDescent(t, &g)
	if err := g.run(ctx, records, g.visit); err != nil {
		return nil, fmt.Errorf("grow a decision tree: %w", err)
	}
	return t, nil
}

// GrowFrom grows a tree from counts of tuples, which are not changed.
func (i Inducer) GrowFrom(ctx context.Context, counts *partition.Table,
	space partition.Space) (*Tree, error) {
	var maps [][]uint32
	var domains []int
	for _, c := range i.Columns {
		domains = append(domains, c.Domain)
	}
	if last := i.Last(); last > 0 {
		domains = append(domains, last)
	}
	for _, domain := range domains {
		maps = append(maps, engine.Identity(domain).Codes)
	}
	copied, err := counts.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return nil, err
	}
	records, err := cells.New(copied, i.Last(), space)
	if err != nil {
		return nil, err
	}
	tree, err := i.Grow(ctx, records, nil)
	return tree, errors.Join(err, records.Close())
}

// Last returns the number of classes or, if there are kinds, of kinds in the last column; 0: there
// is no such column.
func (i Inducer) Last() int {
	if i.Kinds != nil {
		return i.Kinds.Len()
	}
	return i.Classes
}

// grower grows one tree.
type grower struct {
	Inducer
	descent
	visitor   Visitor
	selection selection
	errors    []float64 // expected numbers of errors below the nodes

	tested  []bool // by column
	columns []int
	classes []uint32
	counts  []uint64
	fold    *cells.Folding // from kinds to classes; nil: they are classes
}

// visit makes a part a node.
func (g *grower) visit(ctx context.Context, p part) (node int, err error) {
	if err := g.count(ctx, p.cells); err != nil {
		return 0, err
	}
	node = g.tree.open(p.parent, p.link, p.cells.Size(), g.classes, g.counts)
	if err := g.Account.Draw(g.tree.Bytes()); err != nil {
		return 0, err
	}
	if len(g.classes) < 2 || p.cells.Size() < 2*g.MinObjects {
		return node, nil
	}
	g.selection.begin(p.cells.Size(), g.counts)
	g.open(node)
	err = p.cells.Histograms(ctx, g.columns, func(i int, set *cells.FrequencySet) error {
		if g.fold != nil {
			set = g.fold.Fold(set)
		}
		g.selection.offer(g.columns[i], set)
		return nil
	})
	if err != nil {
		return 0, err
	}
	c, ok := g.selection.choose()
	if !ok {
		return node, nil
	}
	g.tree.test(node, c.column, c.split, g.selection.branches(c))
	if g.Prune {
		g.errors = append(g.errors[:node], 0)
	}
	return node, g.divide(ctx, node, p.cells)
}

// count counts the classes of cells.
func (g *grower) count(ctx context.Context, of *cells.Cells) error {
	g.classes, g.counts = g.classes[:0], g.counts[:0]
	if g.Classes == 0 || of.Size() == 0 {
		return nil
	}
	return of.Histograms(ctx, []int{len(g.Columns)}, func(_ int, set *cells.FrequencySet) error {
		if g.fold != nil {
			g.classes, g.counts = g.fold.Sums(g.classes, g.counts, set)
			return nil
		}
		for i, class := range set.Codes {
			g.classes, g.counts = append(g.classes, class), append(g.counts, set.Size(i))
		}
		return nil
	})
}

// open lists the columns that a node may test: not nominal ones that were tested above, which have
// one code left.
func (g *grower) open(node int) {
	if g.tested == nil {
		g.tested = make([]bool, len(g.Columns))
	}
	clear(g.tested)
	for n := g.tree.Parent(node); n != none; n = g.tree.Parent(n) {
		column, _ := g.tree.Test(n)
		g.tested[column] = !g.Columns[column].Numeric
	}
	g.columns = g.columns[:0]
	for column, tested := range g.tested {
		if !tested {
			g.columns = append(g.columns, column)
		}
	}
}

// Leaf prunes, or calls the visitor.
func (g *grower) Leaf(ctx context.Context, t *Tree, leaf int, cells *cells.Cells) error {
	if g.Prune {
		g.prune(leaf)
	}
	if g.visitor == nil {
		return nil
	}
	return g.visitor.Leaf(ctx, t, leaf, cells)
}

// Close numbers the branches without records, and prunes, or calls the visitor.
func (g *grower) Close(ctx context.Context, t *Tree, node int) error {
	t.close(node)
	if g.Prune {
		g.prune(node)
	}
	if g.visitor == nil {
		return nil
	}
	return g.visitor.Close(ctx, t, node)
}

// The constants of pessimistic pruning.
const (
	confidence = 0.25 // C4.5's CF: a smaller value prunes more
	patience   = 0.1  // number of errors by which a leaf may be worse
)

// prune gets a leaf, or an inner node that is complete. It replaces a subtree as soon as it is
// complete if it is not expected to make fewer errors than a leaf (pessimistic pruning, only by
// replacement): decisions above it do not change, and memory holds only the final tree and one path
// down.
func (g *grower) prune(n int) {
	t := g.tree
	_, counts := t.Classes(n)
	leaf := expected(t.nodes[n].size, counts)
	if t.IsLeaf(n) {
		g.errors = append(g.errors[:n], leaf)
		return
	}
	for _, l := range t.linksOf(n) {
		g.errors[n] += g.errors[l.node]
	}
	if leaf <= g.errors[n]+patience {
		g.errors[n] = leaf
		t.fell(n)
	}
}

// expected returns the expected number of errors of a leaf.
func expected(size uint64, counts []uint64) float64 {
	if len(counts) == 0 {
		return 0
	}
	errors := float64(size - slices.Max(counts))
	return errors + moreErrors(float64(size), errors)
}

// moreErrors returns the expected number of additional errors of a leaf of n records with e errors:
// up to the end of the one-sided confidence interval.
func moreErrors(n, e float64) float64 {
	switch {
	case e == 0:
		return n * (1 - math.Pow(confidence, 1/n))
	case e+0.5 >= n:
		return max(n-e, 0)
	}
	z := math.Sqrt2 * math.Erfinv(1-2*confidence)
	f := (e + 0.5) / n
	r := (f + z*z/(2*n) + z*math.Sqrt(f/n-f*f/n+z*z/(4*n*n))) / (1 + z*z/n)
	return r*n - e
}
