package kactus

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
)

// draw keeps the copies with the smallest keys of those that it is offered.
type draw struct {
	keys    *engine.RowKeys
	node    int
	keep    uint64
	tickets []ticket // at most twice as many as are kept
	full    bool
	last    ticket // when full: those above it are not kept
}

// ticket is one copy of a cell at a node. They are ordered by key, node, cell and number.
type ticket struct {
	key    uint64
	node   int
	cell   []uint64
	number uint32
	of     uint32 // how many copies the cell has at the node
}

// draw returns a draw among the copies of a bag: for those that its parent may need, and
// those that the root may need then. The last k are never needed.
func (s *search) draw(t tree, b bag) (draw, error) {
	d := draw{keys: &s.keys, node: b.node}
	if t.Parent(b.node) < 0 || b.size <= s.k {
		return d, nil
	}
	d.keep = s.k - 1
	if s.Leftover == Recruit {
		d.keep *= 2
	}
	d.keep = min(d.keep, b.size-s.k)
	s.keys.Enter(s.Seed, fmt.Sprint("kactus:", t.Number(b.node)))
	return d, s.hold(2 * int64(d.keep) * (ticketBytes + d.keyBytes()))
}

// offer offers the copies of a cell.
func (d *draw) offer(c cell) {
	if d.keep == 0 {
		return
	}
	hash := d.keys.Cell(c.key)
	var key []uint64
	for j := range c.count {
		t := ticket{key: engine.CopyKey(hash, j), node: d.node, cell: c.key, number: j, of: c.count}
		if d.full && d.compare(t, d.last) > 0 {
			continue
		}
		if key == nil {
			key = slices.Clone(c.key)
		}
		t.cell = key
		d.add(t)
	}
}

// add offers one copy.
func (d *draw) add(t ticket) {
	if d.keep == 0 || d.full && d.compare(t, d.last) > 0 {
		return
	}
	d.tickets = append(d.tickets, t)
	if uint64(len(d.tickets)) >= 2*d.keep {
		d.cut()
	}
}

// cut drops all but those that are kept.
func (d *draw) cut() {
	slices.SortFunc(d.tickets, d.compare)
	if uint64(len(d.tickets)) >= d.keep {
		clear(d.tickets[d.keep:])
		d.tickets, d.full = d.tickets[:d.keep], true
		d.last = d.tickets[d.keep-1]
	}
}

// finish returns those that are kept, in order.
func (d *draw) finish() []ticket {
	if d.keep > 0 {
		d.cut()
	}
	return d.tickets
}

func (d *draw) compare(a, b ticket) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	if a.node != b.node {
		return cmp.Compare(a.node, b.node)
	}
	return cmp.Or(d.keys.Compare(a.cell, b.cell), cmp.Compare(a.number, b.number))
}

// bytes returns the memory that tickets take.
func (d *draw) bytes(tickets []ticket) int64 {
	return int64(cap(tickets)) * (ticketBytes + d.keyBytes())
}

// keyBytes returns the memory that a cell's key takes.
func (d *draw) keyBytes() int64 {
	words := 0
	for _, f := range d.keys.Fields {
		words = max(words, f.Word+1)
	}
	return 8 * int64(words)
}
