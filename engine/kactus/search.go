package kactus

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// search is the second phase (section 4.2.2): it visits the tree from the leaves up.
type search struct {
	Engine
	set   engine.Set // of all attributes
	k     uint64     // k of the set
	table *engine.Table
	keys  engine.RowKeys

	bags   []bag          // of nodes whose parents are not done
	groups map[int]uint64 // by released node: number of records
	kinds  *kindSearch    // state where there are kinds; else nil
	// cells with records that are released further up than the tree says; places are nodes
	moved engine.DividedCells

	spare    uint64 // number of records that the groups have above k
	recruits draw   // those of them that may complete the leftovers

	suppressed, dropped uint64

	account *spill.Account
	held    int64 // memory of the bags
}

// bag is the records left at a node when all nodes below it are done.
type bag struct {
	node   int
	size   uint64
	cells  []cell   // of fewer than k records: all
	lowest []ticket // of k or more: the copies that move first, none of the last k
}

// cell is a cell's records in a bag.
type cell struct {
	key   []uint64
	count uint64
}

func newSearch(e Engine, table *engine.Table, set engine.Set, budget *spill.Budget) *search {
	s := &search{
		Engine: e,
		set:    set,
		k:      set.K.Size(),
		groups: map[int]uint64{},
		table:  table,
		keys:   engine.NewRowKeys(table),
	}
	s.recruits = draw{keys: &s.keys, keep: s.k - 1}
	s.account = spill.NewAccount(budget, "groups")
	return s
}

// holds reports whether a number of records can be a group.
func (s *search) holds(size uint64) bool { return s.set.Holds(engine.Stats{Size: size}) }

// tree is the part of the decision tree that the search needs.
type tree interface {
	Parent(node int) int
	Number(node int) int
}

// Leaf adds a leaf's records.
func (s *search) Leaf(ctx context.Context, t *induce.Tree, leaf int, cells *cells.Cells) error {
	return s.pack(ctx, t, leaf, cells)
}

// Close ends a node after all nodes below it.
func (s *search) Close(_ context.Context, t *induce.Tree, node int) error {
	return s.suppress(t, node)
}

// pack makes a bag of the records of a leaf.
func (s *search) pack(ctx context.Context, t tree, leaf int, cells *cells.Cells) error {
	b := bag{node: leaf, size: cells.Size()}
	d, err := s.draw(t, b)
	if err != nil {
		return err
	}
	if s.holds(b.size) && d.keep == 0 {
		return s.leave(t, b)
	}
	err = cells.Each(ctx, func(key []uint64, count uint64) {
		if s.holds(b.size) {
			d.offer(cell{key, count})
		} else {
			b.cells = append(b.cells, cell{slices.Clone(key), count})
		}
	})
	if err != nil {
		return err
	}
	b.lowest = d.finish()
	return s.leave(t, b)
}

// suppress is the loop of figure 5: it releases the children of a node that hold, after moving the
// missing records from them to the others, which are left at the node.
func (s *search) suppress(t tree, node int) error {
	first := len(s.bags)
	for ; first > 0 && t.Parent(s.bags[first-1].node) == node; first-- {
		s.held -= s.bytes(s.bags[first-1])
	}
	children := s.bags[first:]
	b, spare := bag{node: node}, uint64(0)
	for _, c := range children {
		if !s.holds(c.size) {
			b.size += c.size
		} else {
			spare += c.size - s.k
		}
	}
	if 0 < b.size && !s.holds(b.size) && b.size+spare >= s.k {
		s.topUp(node, children, s.k-b.size)
		b.size = s.k
	} else if err := s.collect(t, &b, children); err != nil {
		return err
	}
	for _, c := range children {
		if s.holds(c.size) {
			s.release(c)
		}
	}
	s.bags = s.bags[:first]
	return s.leave(t, b)
}

// topUp moves the missing number of records from larger children to their parent.
func (s *search) topUp(parent int, children []bag, missing uint64) {
	var all []ticket
	for _, c := range children {
		all = append(all, c.lowest[:min(uint64(len(c.lowest)), missing)]...)
	}
	slices.SortFunc(all, s.recruits.compare)
	for _, t := range all[:missing] {
		s.move(t, parent)
	}
	for i := range children {
		c := &children[i]
		taken, last := slices.BinarySearchFunc(c.lowest, all[missing-1], s.recruits.compare)
		if last {
			taken++
		}
		c.lowest, c.size = c.lowest[taken:], c.size-uint64(taken)
	}
}

// move moves a copy up to a node.
func (s *search) move(t ticket, node int) {
	cell, added := s.moved.Add(t.cell)
	if added {
		s.moved.Send(cell, t.node, uint64(t.of))
	}
	s.moved.Move(cell, node)
}

// collect fills a bag with the records of smaller children.
func (s *search) collect(t tree, b *bag, children []bag) error {
	for _, c := range children {
		b.cells = append(b.cells, c.cells...)
	}
	if !s.holds(b.size) {
		return nil
	}
	d, err := s.draw(t, *b)
	if err != nil {
		return err
	}
	for _, c := range b.cells {
		d.offer(c)
	}
	b.cells, b.lowest = nil, d.finish()
	return nil
}

// release makes a bag a group.
func (s *search) release(b bag) {
	s.groups[b.node] = b.size
	s.spare += b.size - s.k
	if s.Recruit {
		for _, t := range b.lowest {
			s.recruits.add(t)
		}
	}
}

// leave ends a node.
func (s *search) leave(t tree, b bag) error {
	if t.Parent(b.node) < 0 {
		s.finish(b)
		return nil
	}
	s.bags = append(s.bags, b)
	s.held += s.bytes(b)
	return s.hold(0)
}

// hold makes sure that the memory of the search, and more bytes, are drawn.
func (s *search) hold(more int64) error {
	return s.account.Draw(s.held + s.groupsBytes() +
		int64(s.moved.Len())*(movedBytes+movedColumnBytes*int64(len(s.keys.Fields))) +
		s.recruits.bytes(s.recruits.tickets) + more)
}

// groupsBytes returns the memory of the groups, and in the end of their regions.
func (s *search) groupsBytes() int64 {
	return int64(len(s.groups)) * (groupBytes + groupColumnBytes*int64(len(s.table.Attributes)))
}

// finish decides about the records left at the root.
func (s *search) finish(b bag) {
	recruited := s.k - b.size
	switch {
	case b.size == 0:
		return
	case s.holds(b.size):
		recruited = 0
	case !s.Recruit || s.spare < recruited:
		s.dropped = b.size
		return
	}
	for _, t := range s.recruits.finish()[:recruited] {
		s.move(t, b.node)
		s.groups[t.node]--
	}
	s.suppressed = b.size + recruited
	s.groups[b.node] = s.suppressed
}

// The memory of the parts of a search, in bytes; cells and tickets without their keys.
const (
	groupBytes       = 120 // and in the end, for each of its attributes:
	groupColumnBytes = 16
	movedBytes       = 300 // of a cell that has moved, and for each of its columns:
	movedColumnBytes = 12
	bagBytes         = 64
	cellBytes        = 48
	ticketBytes      = 64
)

// bytes returns the memory of a bag.
func (s *search) bytes(b bag) int64 {
	return bagBytes + int64(cap(b.cells))*(cellBytes+s.recruits.keyBytes()) +
		s.recruits.bytes(b.lowest)
}
