package topdown

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// refined is a column with a taxonomy, given or grown: every node of its cut is refined into its
// children. Nodes are grown from the root, most of them before the search, to find those that can
// never be refined, the rest when they enter the cut.
type refined struct {
	profile
	shape shape
	nodes []node
	code  []uint32 // codes of the search, by code of the attribute, and one more
}

// node is a value of the column.
type node struct {
	span
	part
	gain            float64
	first, children int        // its children in nodes; none: it cannot be refined
	why             engine.Why // grown, without children: the reason
	grown           bool
	performed       bool
	undone          bool // it was performed and is not undone
}

// patience is the largest number of levels of nodes that are grown before the search.
const patience = 64

// newRefined returns the column with its nodes grown so far. The workers of the pool grow those of
// one level in parallel.
func newRefined(p profile, s shape, worker workers.Worker) *refined {
	r := &refined{profile: p, shape: s}
	r.nodes = []node{r.measure(span{hi: p.attribute.Len()}, make([]uint64, p.histogram.Classes))}
	for n, depth := 0, 0; n < len(r.nodes) && depth < patience; depth++ {
		level := r.nodes[n:]
		children := make([][]node, len(level))
		workers.Must(worker.Each(len(level), func(_ workers.Worker, i int) error {
			// if it has fewer, all may be taken away, so that little below it can never be refined
			if level[i].size > r.outliers {
				children[i] = r.divide(&level[i])
			}
			return nil
		}))
		for i := range level {
			r.adopt(n+i, children[i])
		}
		n += len(level)
	}
	r.number()
	return r
}

// adopt stores the children of a node.
func (r *refined) adopt(n int, children []node) {
	r.nodes[n].first, r.nodes[n].children = len(r.nodes), len(children)
	r.nodes = append(r.nodes, children...)
}

// divide grows a node, and returns its children: none, and the reason, when a refinement is not
// beneficial, or when its children are too small to stand alone in any set and have more records
// than may be taken away.
func (r *refined) divide(whole *node) (children []node) {
	room := make([]uint64, 2*r.histogram.Classes)
	classes, ofChild := room[:r.histogram.Classes], room[r.histogram.Classes:]
	whole.grown, whole.why = true, engine.WhyRecords
	r.count(classes, whole.lo, whole.hi)
	if !r.beneficial(classes) {
		whole.why = engine.WhyClass
		return nil
	}
	if !r.standAlone(whole.lo, whole.hi, whole.size) {
		return nil
	}
	var parts []part
	outliers := uint64(0)
	for _, s := range r.shape.children(whole.span, classes) {
		child := r.measure(s, ofChild)
		if child.size > 0 && !r.standAlone(child.lo, child.hi, child.size) {
			if outliers += child.size; outliers > r.outliers {
				return nil
			}
		}
		if !r.populated(child.lo, child.hi, child.size) {
			whole.why = engine.WhyPopulation
			return nil
		}
		children, parts = append(children, child), append(parts, child.part)
	}
	if len(children) > 0 {
		whole.gain = r.gainOf(whole.part, parts...)
	}
	return children
}

// measure returns the node of a span. It uses classes as scratch.
func (r *refined) measure(s span, classes []uint64) node {
	clear(classes)
	n := node{span: s}
	n.size = r.count(classes, s.lo, s.hi)
	n.impurity = r.impurity(classes, n.size, r.shape.penalty(s))
	return n
}

// number assigns the codes of the search: one to each node that cannot be refined, one to each code
// that occurs below nodes that are not grown yet. With a population every code may occur.
func (r *refined) number() {
	r.code = make([]uint32, r.attribute.Len()+1)
	next := uint32(0)
	r.leaves(0, func(n *node) {
		for c := n.lo; c < n.hi; c++ {
			r.code[c] = next
			if !n.grown && (r.people != nil || r.occurs(c)) {
				next++
			}
		}
		if n.grown && (r.people != nil || n.size > 0) {
			next++
		}
	})
	r.code[len(r.code)-1] = next
}

// below returns the children of a node.
func (r *refined) below(n int) []node {
	return r.nodes[r.nodes[n].first:][:r.nodes[n].children]
}

// leaves visits the nodes without children below n, in order.
func (r *refined) leaves(n int, visit func(*node)) {
	if r.nodes[n].children == 0 {
		visit(&r.nodes[n])
	}
	for i := range r.below(n) {
		r.leaves(r.nodes[n].first+i, visit)
	}
}

func (r *refined) codes() engine.CodeMerge {
	last := len(r.code) - 1
	domain := max(1, int(r.code[last]))
	if last > 0 { // codes at the end that no record has follow all others
		domain = max(domain, int(r.code[last-1])+1)
	}
	return engine.CodeMerge{Codes: r.code[:last], Domain: domain}
}

func (r *refined) start(s *search) { r.enter(s, 0) }

// enter makes a node part of the cut, and a candidate if it can be refined.
func (r *refined) enter(s *search, n int) {
	if !r.nodes[n].grown {
		r.adopt(n, r.divide(&r.nodes[n]))
	}
	v := &s.view.Columns[r.index]
	whole := r.nodes[n]
	value := tips.None
	if whole.children > 0 {
		child := uint32(0)
		for _, part := range r.below(n) {
			if r.people != nil || part.size > 0 {
				partition.Fill(v.Child[r.code[part.lo]:r.code[part.hi]], child)
				child++
			}
		}
		value = s.add(candidate{column: r.index, node: n, order: whole.lo}, int(child))
	}
	for c := r.code[whole.lo]; c < r.code[whole.hi]; c++ {
		v.Value[c] = value
	}
}

func (r *refined) refinement(s *search, n int) partition.Refinement {
	v := &s.view.Columns[r.index]
	lo, hi := r.code[r.nodes[n].lo], r.code[r.nodes[n].hi]
	child := v.Child[lo:hi]
	return partition.Refinement{
		Value:    v.Value[lo],
		Column:   r.index,
		First:    lo,
		Child:    child,
		Children: int(slices.Max(child)) + 1,
	}
}

func (r *refined) refine(s *search, n int) partition.Refinement {
	whole := &r.nodes[n]
	whole.performed = true
	refinement := r.refinement(s, n)
	refinement.Child = slices.Clone(refinement.Child)
	first, children := whole.first, whole.children
	for c := first; c < first+children; c++ {
		r.enter(s, c)
	}
	return refinement
}

func (r *refined) undo(n int, is bool) { r.nodes[n].performed, r.nodes[n].undone = !is, is }

func (r *refined) gain(n int) float64 { return r.nodes[n].gain }

func (r *refined) bounds() *suppressed { return nil }

func (r *refined) labels(n int) (value engine.Label, children []engine.Label) {
	for _, c := range r.below(n) {
		children = append(children, r.shape.label(c.span))
	}
	return r.shape.label(r.nodes[n].span), children
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

func (r *refined) cut() engine.ColumnCut {
	var members []span
	r.through(0, func(n int) {
		if r.nodes[n].lo < len(r.attribute.Texts) || n == 0 { // not the node of the null
			members = append(members, r.nodes[n].span)
		}
	})
	return r.shape.cut(members)
}

func (r *refined) stops(s *search) (stops []engine.Stop) {
	r.through(0, func(n int) { stops = append(stops, r.stop(s, n)) })
	return stops
}

// stop returns the reason why a node of the cut was not refined.
func (r *refined) stop(s *search, n int) engine.Stop {
	switch whole := &r.nodes[n]; {
	case whole.undone:
		return s.undone()
	case whole.children > 0:
		return s.stop(s.view.Columns[r.index].Value[r.code[whole.lo]])
	case whole.size == 0:
		return engine.Stop{Why: engine.WhyEmpty}
	case r.shape.finest(whole.span):
		return engine.Stop{Why: engine.WhyFinest}
	default:
		return engine.Stop{Why: whole.why}
	}
}
