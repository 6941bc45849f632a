package kactus

import (
	"encoding/binary"
	"slices"

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

// moved returns the cells of which copies are in another region than the tree says, by
// ascending codes and class. Regions are by node.
func (m *moves) moved(fields []partition.Field, columns int, regions []int32) []engine.MovedCell {
	var cells []engine.MovedCell
	for _, c := range m.cells {
		d := engine.MovedCell{Parts: c.parts(regions)}
		if len(d.Parts) == 1 && d.Parts[0].Region == regions[c.from] {
			continue
		}
		for _, f := range fields {
			d.Codes = append(d.Codes, f.Code(c.key))
		}
		if len(d.Codes) > columns {
			d.Codes, d.Class = d.Codes[:columns], d.Codes[columns]
		}
		cells = append(cells, d)
	}
	slices.SortFunc(cells, func(a, b engine.MovedCell) int {
		if order := slices.Compare(a.Codes, b.Codes); order != 0 {
			return order
		}
		return int(a.Class) - int(b.Class)
	})
	return cells
}

// parts returns where the copies of a cell are, from the most specific group to the least.
func (c *movedCell) parts(regions []int32) (parts []engine.Part) {
	add := func(node int, count uint64) {
		last, region := len(parts)-1, regions[node]
		switch {
		case count == 0:
		case last >= 0 && parts[last].Region == region:
			parts[last].Count += count
		default:
			parts = append(parts, engine.Part{Region: region, Count: count})
		}
	}
	add(c.from, c.left)
	for _, s := range c.to {
		add(s.node, s.count)
	}
	return parts
}
