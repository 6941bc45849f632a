package topdown

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
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

// patience is how many levels of nodes are grown before the search at most.
const patience = 64

// subtrees are grown to their ends when there are so many: several for every goroutine, since
// they differ in size. How nodes are numbered depends on it, and must not on the goroutines.
const subtrees = 128

// newRefined returns a column whose nodes are grown ahead on the given number of goroutines.
func newRefined(p profile, s shape, threads int) *refined {
	r := &refined{profile: p, shape: s, least: math.MaxUint64}
	r.nodes = []node{r.measure(s.root(), make([]uint64, p.histogram.Classes))}
	r.growAhead(threads)
	r.number()
	return r
}

// growAhead grows the nodes: the first levels one after the other, and once there are enough
// of them all that is below each.
func (r *refined) growAhead(threads int) {
	for first, depth := 0, 0; first < len(r.nodes) && depth < patience; {
		levels, movers := 1, 1 // one goroutine moves the few nodes of a level sooner than several
		if len(r.nodes)-first >= subtrees {
			levels, movers = patience-depth, threads
		}
		grown, turns := make([][]node, len(r.nodes)-first), r.largestFirst(first)
		each(len(grown), threads, func(turn int) {
			n := turns[turn]
			grown[n-first] = r.subtree(r.nodes[n], levels)
		})
		first, depth = r.attach(first, grown, movers), depth+levels
	}
}

// largestFirst returns the nodes from first on in the turns in which they are grown: those of few
// codes come last, and make up for the others' differences.
func (r *refined) largestFirst(first int) []int {
	turns := make([]int, len(r.nodes)-first)
	for i := range turns {
		turns[i] = first + i
	}
	codes := func(n int) int { return r.nodes[n].hi - r.nodes[n].lo }
	slices.SortStableFunc(turns, func(i, j int) int { return codes(j) - codes(i) })
	return turns
}

// attach puts subtrees in the place of the nodes from first on, and returns where what is
// below these begins.
func (r *refined) attach(first int, grown [][]node, threads int) (below int) {
	below = len(r.nodes)
	starts, end := make([]int, len(grown)), below
	for i, nodes := range grown {
		starts[i], end = end, end+len(nodes)-1
	}
	r.nodes = slices.Grow(r.nodes, end-below)[:end]
	each(len(grown), threads, func(i int) {
		nodes := grown[i]
		for n := range nodes {
			nodes[n].first += starts[i] - 1
		}
		r.nodes[first+i] = nodes[0]
		copy(r.nodes[starts[i]:], nodes[1:])
	})
	return below
}

// grow finds the children of a node that was not grown ahead.
func (r *refined) grow(n int) {
	if !r.nodes[n].grown {
		r.attach(n, [][]node{r.subtree(r.nodes[n], 1)}, 1)
	}
}

// subtree returns a node and those below it, grown by so many levels. It only reads the column.
func (r *refined) subtree(top node, levels int) []node {
	classes := r.histogram.Classes
	g := growth{refined: r, nodes: []node{top}, classes: make([]uint64, classes), scratch: make([]uint64, classes)}
	for n := 0; n < len(g.nodes) && levels > 0; levels-- {
		for end := len(g.nodes); n < end; n++ {
			g.grow(n)
		}
	}
	return g.nodes
}

// growth is a subtree that grows.
type growth struct {
	*refined
	nodes            []node
	classes, scratch []uint64 // of the node that grows, and of a child
	parts            []part   // its children
}

// grow finds what a node is refined into: nothing, and why, when that is not beneficial, or
// makes a child that no set lets stand alone.
func (g *growth) grow(n int) {
	whole := g.nodes[n]
	whole.grown, whole.why, whole.first = true, engine.WhyRecords, len(g.nodes)
	clear(g.classes)
	g.count(g.classes, whole.lo, whole.hi)
	if !g.beneficial(g.classes) {
		whole.why = engine.WhyClass
	} else if g.divide(&whole) {
		whole.children, whole.gain = len(g.parts), g.gainOf(whole.part, g.parts...)
	}
	g.nodes[n] = whole
}

// divide appends the children of a node, and reports whether it has any.
func (g *growth) divide(whole *node) bool {
	g.parts = g.parts[:0]
	for _, s := range g.shape.children(whole.span, g.classes) {
		child := g.measure(s, g.scratch)
		if child.size > 0 && !g.standsAlone(child.size) {
			g.nodes = g.nodes[:whole.first]
			return false
		}
		g.nodes, g.parts = append(g.nodes, child), append(g.parts, child.part)
	}
	return len(g.parts) > 0
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

func (r *refined) codes() engine.CodeMerge {
	last := len(r.code) - 1
	return engine.CodeMerge{Codes: r.code[:last], Domain: max(1, int(r.code[last]))}
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
	value := tips.None
	if whole.children > 0 {
		value = s.add(candidate{column: r.index, node: n, order: whole.lo}, r.occupied(n))
	}
	for c := r.code[whole.lo]; c < r.code[whole.hi]; c++ {
		v.Value[c] = value
	}
	if value == tips.None {
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
