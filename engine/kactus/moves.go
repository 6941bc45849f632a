package kactus

import (
	"encoding/binary"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// moves are the copies of cells that are released further up than the tree says.
type moves struct {
	cells  []movedCell
	number map[string]int
	packed []byte
}

// movedCell is a cell some copies of which have moved.
type movedCell struct {
	key  []uint64
	from int    // the node where all are
	left uint64 // of which so many stay
	to   []stop // in the order of the moves, which is upwards
}

// stop is a node to which copies have moved.
type stop struct {
	node  int
	count uint64
}

// add moves a copy up to a node.
func (m *moves) add(t ticket, node int) {
	c := m.cell(t)
	c.left--
	if last := len(c.to) - 1; last >= 0 && c.to[last].node == node {
		c.to[last].count++
	} else {
		c.to = append(c.to, stop{node, 1})
	}
}

// cell returns the cell of a copy.
func (m *moves) cell(t ticket) *movedCell {
	m.packed = m.packed[:0]
	for _, word := range t.cell {
		m.packed = binary.LittleEndian.AppendUint64(m.packed, word)
	}
	i, ok := m.number[string(m.packed)]
	if !ok {
		i = len(m.cells)
		m.number[string(m.packed)] = i
		m.cells = append(m.cells, movedCell{key: t.cell, from: t.node, left: uint64(t.of)})
	}
	return &m.cells[i]
}

// bytes returns the memory that the moves take, now and in a release of so many columns.
func (m *moves) bytes(columns int) int64 { return int64(len(m.cells)) * (300 + 12*int64(columns)) }

// reassigned returns the cells of which copies are in another region than the tree says, by
// ascending codes and class. Regions are by node.
func (m *moves) reassigned(fields []partition.Field, columns int, regions []int32) []engine.ReassignedCell {
	var cells []engine.ReassignedCell
	for i := range m.cells {
		c := &m.cells[i]
		moved := engine.NewReassignedCell(c.key, fields, columns)
		moved.Send(regions[c.from], c.left)
		for _, s := range c.to {
			moved.Send(regions[s.node], s.count)
		}
		if len(moved.Parts) > 1 || moved.Parts[0].Region != regions[c.from] {
			cells = append(cells, moved)
		}
	}
	engine.SortReassignedCells(cells)
	return cells
}
