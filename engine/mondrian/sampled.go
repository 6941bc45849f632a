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

// lot is what a draw has decided: which copies of the median's cells go left.
type lot struct {
	code   uint32   // the median
	part   uint64   // the number of the part, of which the keys are
	key    uint64   // of the last copy that goes left
	cell   []uint32 // the last one's; nil: all copies that have its key go left
	number uint32   // the last one's
}

// lotBytes is what a lot takes.
const lotBytes = 56

// takes reports whether a copy goes left, given its key, its number and its cell's codes.
func (l *lot) takes(key uint64, number uint32, code func(column int) uint32) bool {
	if key != l.key || l.cell == nil {
		return key <= l.key
	}
	for column, last := range l.cell {
		if c := code(column); c != last {
			return c < last
		}
	}
	return number <= l.number
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
func (d *sampled) draw(l *lot, codes [][]uint32, row int) (child int32) {
	key := engine.CopyKey(d.keys.Row(l.part, codes, row), 0)
	if l.takes(key, 0, func(column int) uint32 { return codes[column][row] }) {
		return 0
	}
	return 1
}
