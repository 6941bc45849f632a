package topdown

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// refined is a column with a taxonomy, given or grown: every node of its cut is refined
// into its children. Nodes are grown from the root, most of them before the search, to
// find those that never can be refined, the rest when they enter the cut.
type refined struct {
	profile
	shape shape
	nodes []node
	code  []uint32 // codes of the search, by code of the attribute and one more
	least uint64   // records of the cut's rarest value
}

// shape makes the nodes of a taxonomy.
type shape interface {
	root() span
	// children returns what a node is refined into, nothing for a leaf. Frequencies are the
	// classes of the node's records.
	children(of span, frequencies []uint64) []span
	// penalty returns the normalized certainty penalty of a node.
	penalty(of span) float64
	// finest reports whether a node stands for one value, so that nothing can be below it.
	finest(of span) bool
	label(of span) engine.Label
	// cut returns the cut through the given nodes, in order, the null's own left out.
	cut(through []span) engine.ColumnCut
}

// span is a node as its shape sees it: the codes lo ≤ code < hi, and for a given taxonomy
// the node's number there.
type span struct {
	lo, hi int
	node   int
}

// node is a value of the column.
type node struct {
	span
	part
	gain            float64
	first, children int        // its children in nodes; none: it cannot be refined
	why             engine.Why // grown, without children: why there are none
	grown           bool
	performed       bool
}

// patience bounds the growth before the search: it looks at each entry of the histogram
// at most so often, on average.
const patience = 64

// newRefined returns a column whose nodes are grown ahead on the given number of goroutines.
func newRefined(p profile, s shape, threads int) *refined {
	r := &refined{profile: p, shape: s, least: math.MaxUint64}
	r.nodes = []node{r.measure(s.root(), make([]uint64, p.histogram.Classes))}
	r.growAhead(threads)
	r.number()
	return r
}

// growAhead grows the nodes level by level.
func (r *refined) growAhead(threads int) {
	starts := r.histogram.Start
	left := patience * starts[len(starts)-1]
	for first := 0; first < len(r.nodes) && left >= 0; {
		level := r.nodes[first:]
		for n := range level {
			if left < 0 {
				level = level[:n]
				break
			}
			left -= starts[level[n].hi] - starts[level[n].lo]
		}
		growths := make([]growth, len(level))
		inParallel(len(level), threads, func(n int) { growths[n] = r.growthOf(&level[n]) })
		r.reserve(growths)
		for n, g := range growths {
			r.attach(first+n, g)
		}
		first += len(growths)
	}
}

// reserve makes room for what nodes are refined into, twice as much when there is none left:
// append would move many nodes more often.
func (r *refined) reserve(growths []growth) {
	children := 0
	for i := range growths {
		children += len(growths[i].children)
	}
	if len(r.nodes)+children > cap(r.nodes) {
		r.nodes = slices.Grow(r.nodes, max(len(r.nodes), children))
	}
}

// grow finds the children of a node that was not grown ahead.
func (r *refined) grow(n int) {
	if !r.nodes[n].grown {
		r.attach(n, r.growthOf(&r.nodes[n]))
	}
}

// growth is what a node is refined into: nothing, and why, when that is not beneficial, or
// makes a child that no set lets stand alone.
type growth struct {
	children []node
	gain     float64
	why      engine.Why
}

// growthOf returns the growth of a node, and only reads.
func (r *refined) growthOf(whole *node) growth {
	frequencies := make([]uint64, r.histogram.Classes)
	r.count(frequencies, whole.lo, whole.hi)
	if !r.beneficial(frequencies) {
		return growth{why: engine.WhyClass}
	}
	spans := r.shape.children(whole.span, frequencies)
	g := growth{why: engine.WhyRecords, children: make([]node, 0, len(spans))}
	parts := make([]part, 0, len(spans))
	for _, s := range spans {
		child := r.measure(s, frequencies)
		if child.size > 0 && child.size < r.k {
			return growth{why: engine.WhyRecords}
		}
		g.children, parts = append(g.children, child), append(parts, child.part)
	}
	if len(parts) > 0 {
		g.gain = r.gainOf(whole.part, parts...)
	}
	return g
}

// attach gives a node its growth.
func (r *refined) attach(n int, g growth) {
	whole := &r.nodes[n]
	whole.grown, whole.why, whole.gain = true, g.why, g.gain
	whole.first, whole.children = len(r.nodes), len(g.children)
	r.nodes = append(r.nodes, g.children...)
}

// measure returns the node of a span. Scratch is overwritten.
func (r *refined) measure(s span, scratch []uint64) node {
	clear(scratch)
	n := node{span: s}
	n.size = r.count(scratch, s.lo, s.hi)
	switch {
	case r.classes == 0:
		n.impurity = r.shape.penalty(s)
	case n.size > 0:
		n.impurity = engine.Entropy(scratch, n.size)
	}
	return n
}

// number gives the codes of the search: one to a node that cannot be refined, one to each
// code that occurs below nodes that are not grown yet.
func (r *refined) number() {
	r.code = make([]uint32, r.attribute.Len()+1)
	next := uint32(0)
	r.leaves(0, func(n *node) {
		for c := n.lo; c < n.hi; c++ {
			r.code[c] = next
			if !n.grown && r.occurs(c) {
				next++
			}
		}
		if n.grown && n.size > 0 {
			next++
		}
	})
	r.code[len(r.code)-1] = next
}

// leaves visits the nodes without children below n, in order.
func (r *refined) leaves(n int, visit func(*node)) {
	children, first := r.nodes[n].children, r.nodes[n].first
	if children == 0 {
		visit(&r.nodes[n])
	}
	for c := first; c < first+children; c++ {
		r.leaves(c, visit)
	}
}

func (r *refined) codes() engine.Coarsening {
	last := len(r.code) - 1
	return engine.Coarsening{Codes: r.code[:last], Domain: max(1, int(r.code[last]))}
}

func (r *refined) start(s *search) { r.enter(s, 0) }

// enter makes a node part of the cut: a candidate, if it can be refined.
func (r *refined) enter(s *search, n int) {
	r.grow(n)
	v := &s.view.Columns[r.index]
	whole := r.nodes[n]
	if whole.size > 0 {
		r.least = min(r.least, whole.size)
	}
	value := partition.None
	if whole.children > 0 {
		value = s.add(candidate{column: r.index, node: n, order: whole.lo}, r.occupied(n))
	}
	for c := r.code[whole.lo]; c < r.code[whole.hi]; c++ {
		v.Value[c] = value
	}
	if value == partition.None {
		return
	}
	child := uint32(0)
	for _, part := range r.nodes[whole.first : whole.first+whole.children] {
		if part.size > 0 {
			fill(v.Child[r.code[part.lo]:r.code[part.hi]], child)
			child++
		}
	}
}

// occupied returns the number of a node's children that have records.
func (r *refined) occupied(n int) int {
	children := 0
	for _, part := range r.nodes[r.nodes[n].first:][:r.nodes[n].children] {
		if part.size > 0 {
			children++
		}
	}
	return children
}

func (r *refined) refine(s *search, n int) partition.Refinement {
	v := &s.view.Columns[r.index]
	whole := &r.nodes[n]
	whole.performed = true
	lo, hi := r.code[whole.lo], r.code[whole.hi]
	refinement := partition.Refinement{
		Value:    v.Value[lo],
		Column:   r.index,
		Children: r.occupied(n),
		First:    lo,
		Child:    append([]uint32(nil), v.Child[lo:hi]...),
	}
	first, children := whole.first, whole.children
	for c := first; c < first+children; c++ {
		r.enter(s, c)
	}
	return refinement
}

func (r *refined) gain(n int) float64 { return r.nodes[n].gain }

func (r *refined) labels(n int) (value engine.Label, children []engine.Label) {
	for _, c := range r.nodes[r.nodes[n].first:][:r.nodes[n].children] {
		children = append(children, r.shape.label(c.span))
	}
	return r.shape.label(r.nodes[n].span), children
}

func (r *refined) outcome(n int) (made outcome) {
	whole := r.nodes[n]
	made.smallest = whole.size
	for c := whole.first; c < whole.first+whole.children; c++ {
		child := r.nodes[c]
		if child.size == 0 {
			continue
		}
		made.starts = append(made.starts, r.code[child.lo])
		made.smallest = min(made.smallest, child.size)
		if child.children > 0 {
			made.nodes = append(made.nodes, c)
		}
	}
	return made
}

func (r *refined) rarest() uint64 { return r.least }

// members returns the nodes of the cut, in order, without the null's own.
func (r *refined) members() []span {
	var members []span
	r.through(0, func(n int) {
		if r.nodes[n].lo < len(r.attribute.Texts) || n == 0 {
			members = append(members, r.nodes[n].span)
		}
	})
	return members
}

// through visits the nodes of the cut below n, in order.
func (r *refined) through(n int, visit func(n int)) {
	if !r.nodes[n].performed {
		visit(n)
		return
	}
	for c := range r.nodes[n].children {
		r.through(r.nodes[n].first+c, visit)
	}
}

func (r *refined) cut() engine.ColumnCut { return r.shape.cut(r.members()) }

func fill(codes []uint32, code uint32) {
	for i := range codes {
		codes[i] = code
	}
}
