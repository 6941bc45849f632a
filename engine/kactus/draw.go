package kactus

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
)

// draw keeps the copies with the smallest keys among those offered.
type draw struct {
	keys    *engine.RowKeys
	node    int
	keep    uint64
	tickets []ticket // at most twice the number to keep
	full    bool
	last    ticket // when full: those above it are not kept
}

// ticket is one copy of a cell at a node. They are ordered by key, node, cell and number.
type ticket struct {
	key    uint64
	node   int
	cell   []uint64
	number uint64
	of     uint64 // number of the cell's copies at the node
}

// draw returns a draw among the copies of a bag: it keeps enough for the node's parent and later
// for the root. The last k are never needed.
func (s *search) draw(t tree, b bag) (draw, error) {
	d := draw{keys: &s.keys, node: b.node}
	if t.Parent(b.node) < 0 || b.size <= s.k {
		return d, nil
	}
	d.keep = s.k - 1
	if s.Recruit {
		d.keep *= 2
	}
	d.keep = min(d.keep, b.size-s.k)
	s.keys.Enter(s.Seed, fmt.Sprint("kactus:", t.Number(b.node)))
	return d, s.hold(2 * int64(d.keep) * (ticketBytes + d.keyBytes()))
}

// takes reports whether a copy may be among those to keep.
func (d *draw) takes(t ticket) bool { return d.keep > 0 && (!d.full || d.compare(t, d.last) <= 0) }

// offer offers the copies of a cell.
func (d *draw) offer(c cell) {
	hash, kept := d.keys.Cell(c.key), []uint64(nil)
	for j := range c.count {
		t := ticket{key: engine.CopyKey(hash, j), node: d.node, cell: c.key, number: j, of: c.count}
		if !d.takes(t) {
			continue
		}
		if kept == nil {
			kept = slices.Clone(c.key)
		}
		t.cell = kept
		d.add(t)
	}
}

// add offers one copy. Its cell is stored without a copy.
func (d *draw) add(t ticket) {
	if !d.takes(t) {
		return
	}
	d.tickets = append(d.tickets, t)
	if uint64(len(d.tickets)) >= 2*d.keep {
		d.cut()
	}
}

// cut drops all copies except those to keep.
func (d *draw) cut() {
	slices.SortFunc(d.tickets, d.compare)
	if uint64(len(d.tickets)) >= d.keep {
		clear(d.tickets[d.keep:])
		d.tickets, d.full = d.tickets[:d.keep], true
		d.last = d.tickets[d.keep-1]
	}
}

// finish returns the copies kept, in order.
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
	return cmp.Or(cmp.Compare(a.node, b.node), d.keys.Compare(a.cell, b.cell),
		cmp.Compare(a.number, b.number))
}

// bytes returns the memory of tickets.
func (d *draw) bytes(tickets []ticket) int64 {
	return int64(cap(tickets)) * (ticketBytes + d.keyBytes())
}

// keyBytes returns the memory of a cell's key.
func (d *draw) keyBytes() int64 { return 8 * int64(d.keys.Fields[len(d.keys.Fields)-1].Word+1) }
