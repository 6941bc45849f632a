package mondrian

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// guide is the additional state of a guided search: the probabilities in cells, and the subtrees
// that may still be pruned.
type guide struct {
	*search
	classes  int
	whole    outcome   // outcome of all records
	tries    int       // largest number of splits to try for a part
	byGain   bool      // splits are ranked by gain, not by gain ratio
	other    growth    // the growth that is not active
	subtrees []subtree // subtrees that are growing, each below the one before it
	leaf     outcome   // scratch
	rolled   []rolled  // parts of rollouts, by the hashes of their cells
}

// subtree is a node with all nodes below it.
type subtree struct {
	part                             // the part that it replaces
	nodes, links, steps, regions int // their numbers before it
	missing                      int // number of children that are not finished
	outcome
}

func newGuide(s *search, table *engine.Table) *guide {
	other := newGrowth(table, s.regions.Ordered)
	g := &guide{search: s, classes: max(1, table.Classes), other: other}
	g.leaf.reset(g.classes)
	if g.probabilities() > 0 {
		s.entropy.bits = cells.MassBits
	}
	return g
}

// probabilities returns the number of probabilities in a record: the last class has the remainder.
func (g *guide) probabilities() int {
	if g == nil {
		return 0
	}
	return g.classes - 1
}

// growTwice cuts the cells by gain ratio and then again by gain, keeps the growth with less loss,
// the first of equals, and consumes the cells. Gain ratio cuts off small pure parts; where those
// are not significant, cutting by gain uses the records better.
func (g *guide) growTwice(ctx context.Context, of *cells.Cells) error {
	if err := g.look(ctx, of, &g.whole); err != nil {
		return err
	}
	same, err := of.Copy(ctx)
	if err != nil {
		return err
	}
	if g.tries > 1 {
		g.rolled = make([]rolled, rolledOut)
	}
	if err := g.grow(ctx, of); err != nil {
		return err
	}
	g.rolled = nil
	g.swap()
	g.byGain, g.tries = true, 1
	if err := g.grow(ctx, same); err != nil {
		return err
	}
	if asGood(g.other.loss, g.loss) {
		g.swap()
	}
	g.other = growth{}
	return nil
}

func (g *guide) swap() { g.growth, g.other = g.other, g.growth }

// open begins the subtree that replaces a part.
func (g *guide) open(p part, children int) {
	n := len(g.subtrees)
	if n == cap(g.subtrees) {
		g.subtrees = append(g.subtrees, subtree{})
	}
	g.subtrees = g.subtrees[:n+1]
	t := &g.subtrees[n]
	t.outcome.reset(g.classes)
	t.part, t.missing = p, children
	t.nodes, t.links, t.steps, t.regions = len(g.tree.nodes), len(g.tree.links), len(g.tree.steps),
		g.regions.Len()
}

// finish makes a part a region, and prunes the subtrees that end with it: if the regions of a
// subtree do not have less loss than one region in its place, that region replaces it.
func (g *guide) finish(ctx context.Context, p part) error {
	o := &g.leaf
	err := g.look(ctx, p.cells, o)
	if err != nil {
		return err
	}
	if o.weight, err = g.weight(ctx, p.cells, len(g.dimensions)); err != nil {
		return err
	}
	o.loss = o.surprise(&g.whole)
	if err := g.release(p, o); err != nil {
		return err
	}
	for last := len(g.subtrees) - 1; last >= 0; last-- {
		t := &g.subtrees[last]
		t.add(o)
		if t.missing--; t.missing > 0 {
			break
		}
		g.subtrees, o = g.subtrees[:last], &t.outcome
		if alone := o.surprise(&g.whole); asGood(alone, o.loss) {
			o.loss = alone
			g.tree.truncate(t.nodes, t.links, t.steps)
			g.regions.Truncate(t.regions)
			if err := g.release(t.part, o); err != nil {
				return err
			}
		}
	}
	if len(g.subtrees) == 0 {
		g.loss = o.loss
	}
	return p.cells.Free()
}

// look adds up the sizes, classes and probabilities of cells, and the risk, but neither weight nor
// loss.
func (g *guide) look(ctx context.Context, of *cells.Cells, o *outcome) (err error) {
	o.reset(g.classes)
	o.size = of.Size()
	if g.classes == 1 {
		o.masses[0] = o.size << cells.MassBits
		return nil
	}
	class, probabilities := g.fields[len(g.dimensions)], g.fields[len(g.dimensions)+1:]
	err = of.Each(ctx, func(key []uint64, count uint64) {
		o.classes[g.kinds.ClassOf(class.Code(key))] += count
		for c, f := range probabilities {
			o.masses[c] += count * uint64(f.Code(key))
		}
	})
	last := g.classes - 1
	o.masses[last] = o.size << cells.MassBits
	for _, mass := range o.masses[:last] {
		o.masses[last] -= mass
	}
	o.risk = o.wrong()
	return err
}

// release makes a part a region. Its labels are those that the cuts leave.
func (g *guide) release(p part, o *outcome) error {
	g.put(p, g.onPath(p), o.size, o.weight)
	subtrees := int64(cap(g.subtrees)) * int64(pendingBytes+24*len(g.dimensions)+16*g.classes)
	return g.account.Draw(g.Bytes() + g.other.Bytes() + subtrees +
		int64(len(g.rolled))*rolledBytes)
}
