package mondrian

import "github.com/kcut/kcut/engine"

// sampled is the Locator of relaxed regions by cell: it draws again. A cell that no cut has
// divided goes where its first copy does, so that none has to be listed; of a divided one
// that is some region that it has records in.
type sampled struct {
	tree *tree
	keys engine.RowKeys
	lots []lot // of the nodes that share their median's records
}

// lot is what a draw has decided.
type lot struct {
	node int32    // of the tree
	code uint32   // the median
	part uint64   // the number of the part, of which the keys are
	key  uint64   // of the last copy that goes left
	cell []uint32 // nil: all copies that have this key go left, else those of cells up to this one
}

// lotBytes is what a lot takes.
const lotBytes = 56

// add takes down what the last node's draw has decided.
func (d *sampled) add(draw *draw, part uint64) {
	l := lot{node: int32(len(d.tree.nodes) - 1), code: draw.code, part: part, key: draw.last.key}
	if draw.last.cell != nil {
		for _, f := range draw.keys.Fields {
			l.cell = append(l.cell, f.Code(draw.last.cell))
		}
	}
	d.lots = append(d.lots, l)
	d.tree.nodes[l.node].lot = int32(len(d.lots))
}

// Bytes returns about how much memory the lots take.
func (d *sampled) Bytes() int64 { return lotBytes * int64(cap(d.lots)) }

// Locate finds the regions of cells: codes and then the class, if there is one.
func (d *sampled) Locate(n int, codes [][]uint32, regions []int32) {
	t := d.tree
	for i := range n {
		at := t.root
		for at >= 0 {
			node := &t.nodes[at]
			code := codes[node.column][i]
			child := t.child(node, code)
			if node.lot > 0 && d.lots[node.lot-1].code == code {
				child = d.draw(&d.lots[node.lot-1], codes, i)
			}
			at = t.links[node.links+child]
		}
		regions[i] = -1 - at
	}
}

// draw returns the child that the first copy of a cell of the median goes to.
func (d *sampled) draw(l *lot, codes [][]uint32, i int) (child int32) {
	key := engine.CopyKey(d.keys.Row(l.part, codes, i), 0)
	if key < l.key || key == l.key && l.precedes(codes, i) {
		return 0
	}
	return 1
}

// precedes reports whether a cell is none after the last one that goes left.
func (l *lot) precedes(codes [][]uint32, i int) bool {
	for column, code := range l.cell {
		if c := codes[column][i]; c != code {
			return c < code
		}
	}
	return true
}
