package induce

import (
	"context"
	"slices"

	"github.com/kcut/kcut/partition/cells"
)

// Visitor visits a tree depth first, branch by branch.
type Visitor interface {
	// Leaf is called with a leaf and its records, which are freed afterwards.
	Leaf(ctx context.Context, t *Tree, leaf int, cells *cells.Cells) error
	// Close is called with an inner node after all nodes below it.
	Close(ctx context.Context, t *Tree, node int) error
}

// descent divides records along a tree, depth first, so that few parts that do not fit memory exist
// at a time.
type descent struct {
	tree    *Tree
	visitor Visitor
	pending []part
	ranks   [][]uint32 // of nominal columns: the position of a code among the branches taken
}

// part is the records of a branch.
type part struct {
	cells        *cells.Cells
	parent, link int32
}

func newDescent(t *Tree, visitor Visitor) descent {
	return descent{tree: t, visitor: visitor, ranks: make([][]uint32, len(t.columns))}
}

// run visits all parts. Visit makes a node of a part, and its test makes further parts. It consumes
// the cells.
func (d *descent) run(ctx context.Context, cells *cells.Cells,
	visit func(context.Context, part) (node int, err error)) error {
	d.pending = append(d.pending, part{cells: cells, parent: none})
	for len(d.pending) > 0 {
		last := len(d.pending) - 1
		p := d.pending[last]
		d.pending = d.pending[:last]
		n, err := visit(ctx, p)
		if err == nil && d.tree.IsLeaf(n) {
			err = d.leave(ctx, n, p.cells)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leave ends a leaf, and the nodes whose last leaf it was.
func (d *descent) leave(ctx context.Context, leaf int, cells *cells.Cells) error {
	if err := d.visitor.Leaf(ctx, d.tree, leaf, cells); err != nil {
		return err
	}
	if err := cells.Free(); err != nil {
		return err
	}
	open := none
	if last := len(d.pending) - 1; last >= 0 {
		open = int(d.pending[last].parent)
	}
	for n := d.tree.Parent(leaf); n != open; n = d.tree.Parent(n) {
		if err := d.visitor.Close(ctx, d.tree, n); err != nil {
			return err
		}
	}
	return nil
}

// divide replaces the records of an inner node by those of its branches.
func (d *descent) divide(ctx context.Context, n int, records *cells.Cells) error {
	divide := d.byCode
	if column, _ := d.tree.Test(n); d.tree.columns[column].Numeric {
		divide = d.bySplit
	}
	children, err := divide(ctx, records, n)
	if err != nil {
		return err
	}
	first := d.tree.nodes[n].links
	for i, child := range slices.Backward(children) {
		d.pending = append(d.pending, part{cells: child, parent: int32(n), link: first + int32(i)})
	}
	return nil
}

// byCode divides by a nominal column.
func (d *descent) byCode(ctx context.Context, records *cells.Cells, n int) ([]*cells.Cells, error) {
	column, _ := d.tree.Test(n)
	if d.ranks[column] == nil {
		d.ranks[column] = make([]uint32, d.tree.columns[column].Domain)
	}
	links := d.tree.linksOf(n)
	for i, l := range links {
		d.ranks[column][l.branch] = uint32(i)
	}
	return records.Divide(ctx, column, d.ranks[column], len(links))
}

// bySplit divides by a numeric column: first the nulls, if there are any, from the others.
func (d *descent) bySplit(ctx context.Context, records *cells.Cells, n int) (parts []*cells.Cells,
	err error) {
	column, split := d.tree.Test(n)
	none := func([]uint64, uint64) uint64 { return 0 }
	var nulls []*cells.Cells
	if len(d.tree.linksOf(n)) > 2 {
		halves, err := records.Halve(ctx, column, uint32(d.tree.columns[column].Domain-1), none)
		if err != nil {
			return nil, err
		}
		records, nulls = halves[0], halves[1:]
	}
	halves, err := records.Halve(ctx, column, split, none)
	return append(halves[:], nulls...), err
}

// Walk calls a visitor with the nodes of the tree, and with the records of its leaves. It consumes
// the records, which are those of the table from which the tree was grown.
func (t *Tree) Walk(ctx context.Context, cells *cells.Cells, visitor Visitor) error {
	d := newDescent(t, visitor)
	return d.run(ctx, cells, func(ctx context.Context, p part) (int, error) {
		n := 0
		if p.parent != none {
			n = int(t.links[p.link].node)
		}
		if t.IsLeaf(n) {
			return n, nil
		}
		return n, d.divide(ctx, n, p.cells)
	})
}
