package induce

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// Inducer grows trees.
type Inducer struct {
	Columns    []Column // of the cells, the class not among them
	Classes    int      // that the class column may have; 0: there is no such column
	MinObjects uint64   // records that at least two branches of every test must have, at least 1
	MDL        bool     // whether numeric tests gain less for having been chosen among many
	Prune      bool     // whether subtrees are replaced that are not expected to err less than a leaf
	Ledger     *spill.Ledger
}

// Grow grows a tree from cells, which are consumed, depth first. They must have been made for
// as many classes. The visitor, which may be nil, and must be when the tree is pruned, is told
// of it meanwhile. What the tree takes is drawn by the ledger.
func (i Inducer) Grow(ctx context.Context, cells *cells.Cells, visitor Visitor) (*Tree, error) {
	t := &Tree{columns: i.Columns}
	g := grower{Inducer: i, visitor: visitor, selection: newSelection(i, cells.Size())}
	g.descent = newDescent(t, &g)
	if err := g.run(ctx, cells, g.visit); err != nil {
		return nil, fmt.Errorf("grow a decision tree: %w", err)
	}
	return t, nil
}

// GrowFrom grows a tree from counts of tuples, which stay as they are.
func (i Inducer) GrowFrom(ctx context.Context, counts *partition.Table, space partition.Space) (*Tree, error) {
	var maps [][]uint32
	var domains []int
	for _, c := range i.Columns {
		domains = append(domains, c.Domain)
	}
	if i.Classes > 0 {
		domains = append(domains, i.Classes)
	}
	for _, domain := range domains {
		maps = append(maps, engine.Identity(domain).Codes)
	}
	copied, err := counts.Aggregate(ctx, maps, domains, space)
	if err != nil {
		return nil, err
	}
	records, err := cells.New(copied, i.Classes, space)
	if err != nil {
		return nil, err
	}
	tree, err := i.Grow(ctx, records, nil)
	return tree, errors.Join(err, records.Close())
}

// grower grows one tree.
type grower struct {
	Inducer
	descent
	visitor   Visitor
	selection selection
	errors    []float64 // that are expected below the nodes

	tested  []bool // by column
	columns []int
	classes []uint32
	counts  []uint64
}

// visit makes a part a node.
func (g *grower) visit(ctx context.Context, p part) (node int, err error) {
	if err := g.count(ctx, p.cells); err != nil {
		return 0, err
	}
	node = g.tree.open(p.parent, p.link, p.cells.Size(), g.classes, g.counts)
	if err := g.Ledger.Draw(g.tree.Bytes()); err != nil {
		return 0, err
	}
	if len(g.classes) < 2 || p.cells.Size() < 2*g.MinObjects {
		return node, nil
	}
	g.selection.begin(p.cells.Size(), g.counts)
	g.open(node)
	err = p.cells.Histograms(ctx, g.columns, func(i int, set *cells.FrequencySet) error {
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
		for i, class := range set.Codes {
			g.classes, g.counts = append(g.classes, class), append(g.counts, set.Size(i))
		}
		return nil
	})
}

// open lists the columns that a node may test: not nominal ones that were tested above,
// which have one code left.
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

// Leaf lets what prunes, or the visitor, know.
func (g *grower) Leaf(ctx context.Context, t *Tree, leaf int, cells *cells.Cells) error {
	if g.Prune {
		g.prune(leaf)
	}
	if g.visitor == nil {
		return nil
	}
	return g.visitor.Leaf(ctx, t, leaf, cells)
}

// Close numbers the branches without records, and prunes, or tells the visitor.
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
