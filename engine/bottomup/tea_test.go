package bottomup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
)

// tea is the index of the paper (section 5.1): a level for every attribute, a path for every
// vid, and links to the parents of every generalization's segments. The engine is held to what
// it says of every step, and measured beside it.
type tea struct {
	columns []*column
	k       uint64
	links   []map[int32][]*teaNode // by level and generalization; some are out of date
	vids    map[uint64][]*teaNode  // by a(vid), below k; some are out of date
	o       []int                  // O[i]: how many vids have i records; O[k]: k or more
	walks   int                    // along links
}

type teaNode struct {
	parent   *teaNode
	value    int32
	children []*teaNode
	count    uint64 // a(vid), of a leaf
	gone     bool   // merged into another one
	seen     int    // the last walk that came by
}

// newTEA returns the index of a set.
func newTEA(q *qid) *tea {
	columns, k, table := q.columns, q.k, q.table
	x := &tea{columns: columns, k: k, o: make([]int, k+1), vids: map[uint64][]*teaNode{}}
	for range columns {
		x.links = append(x.links, map[int32][]*teaNode{})
	}
	type record struct {
		values []int32
		count  uint64
	}
	var records []record
	for i, n := range table.Counts {
		r := record{count: uint64(n)}
		for c, f := range table.Layout.Fields {
			r.values = append(r.values, q.nodes[c][f.Code(table.Keys[i*table.Layout.Words:])])
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int { return slices.Compare(a.values, b.values) })
	root := &teaNode{value: -1}
	for _, r := range records {
		at := root
		for level, value := range r.values {
			if last := len(at.children) - 1; last < 0 || at.children[last].value != value {
				x.adopt(level, at, &teaNode{value: value})
			}
			at = at.children[len(at.children)-1]
		}
		at.count += r.count
	}
	x.each(root, len(columns), func(leaf *teaNode) { x.note(leaf) })
	return x
}

func (x *tea) each(n *teaNode, depth int, leaf func(*teaNode)) {
	if depth == 0 {
		leaf(n)
	}
	for _, child := range n.children {
		x.each(child, depth-1, leaf)
	}
}

// adopt makes a node the child of another one, and links that to the child's generalization.
func (x *tea) adopt(level int, parent, child *teaNode) {
	child.parent = parent
	parent.children = append(parent.children, child)
	to := int32(x.columns[level].tree.Parent(int(child.value)))
	x.links[level][to] = append(x.links[level][to], parent)
}

// note counts a new vid.
func (x *tea) note(leaf *teaNode) {
	x.o[min(leaf.count, x.k)]++
	if leaf.count < x.k {
		x.vids[leaf.count] = append(x.vids[leaf.count], leaf)
	}
}

// anonymity is A(VID), or k if that is less.
func (x *tea) anonymity() uint64 { return least(x.o) }

func least(o []int) uint64 {
	for i, n := range o {
		if n > 0 {
			return uint64(i)
		}
	}
	return math.MaxUint64
}

// segments calls f with the parents of a generalization's segments, and these.
func (x *tea) segments(level int, to int32, f func(parent *teaNode, segment []*teaNode)) {
	x.walks++
	for _, parent := range x.links[level][to] {
		if parent.gone || parent.seen == x.walks {
			continue
		}
		parent.seen = x.walks
		var segment []*teaNode
		for _, child := range parent.children {
			if x.columns[level].tree.Parent(int(child.value)) == int(to) {
				segment = append(segment, child)
			}
		}
		if len(segment) > 0 {
			f(parent, segment)
		}
	}
}

// candidates is step 1 (section 5.2): the generalizations of which a segment of more than one
// node generalizes every anonymity vid, by level.
func (x *tea) candidates() (list []generalization) {
	a := x.anonymity()
	var at []*teaNode
	for _, leaf := range x.vids[a] {
		if !leaf.gone && leaf.count == a {
			at = append(at, leaf)
		}
	}
	for level := len(x.columns) - 1; level >= 0; level-- {
		to := x.columns[level].up(at[0].value)
		fits := to >= 0
		for i, n := range at {
			fits = fits && x.columns[level].up(n.value) == to && slices.ContainsFunc(n.parent.children, func(s *teaNode) bool {
				return s != n && x.columns[level].tree.Parent(int(s.value)) == int(to)
			})
			at[i] = n.parent
		}
		if fits {
			list = append(list, generalization{level, to})
		}
	}
	slices.Reverse(list)
	return list
}

// after is step 2 (section 5.3): A(VID) after a generalization, or k if that is less.
func (x *tea) after(g generalization) uint64 {
	o := slices.Clone(x.o)
	x.segments(g.column, g.node, func(_ *teaNode, segment []*teaNode) { x.count(g.column, segment, o) })
	return least(o)
}

// count counts the vids that become of the nodes when they are merged.
func (x *tea) count(level int, nodes []*teaNode, o []int) {
	if level == len(x.columns)-1 {
		sum := uint64(0)
		for _, n := range nodes {
			o[min(n.count, x.k)]--
			sum += n.count
		}
		o[min(sum, x.k)]++
		return
	}
	for _, same := range byValue(nodes) {
		x.count(level+1, same, o)
	}
}

// byValue returns the children of nodes, those of one value together.
func byValue(nodes []*teaNode) (groups [][]*teaNode) {
	var children []*teaNode
	for _, n := range nodes {
		children = append(children, n.children...)
	}
	slices.SortFunc(children, func(a, b *teaNode) int { return int(a.value - b.value) })
	for from, to := 0, 0; from < len(children); from = to {
		for to = from; to < len(children) && children[to].value == children[from].value; to++ {
		}
		groups = append(groups, children[from:to])
	}
	return groups
}

// apply merges the segments of a generalization (section 5.1).
func (x *tea) apply(g generalization) {
	x.segments(g.column, g.node, func(parent *teaNode, segment []*teaNode) {
		parent.children = slices.DeleteFunc(parent.children, func(n *teaNode) bool { return slices.Contains(segment, n) })
		merged := x.merge(g.column, segment)
		merged.value = g.node
		x.adopt(g.column, parent, merged)
	})
	delete(x.links[g.column], g.node)
}

// merge returns the first of the nodes, which all others become part of.
func (x *tea) merge(level int, nodes []*teaNode) *teaNode {
	first := nodes[0]
	if len(nodes) == 1 {
		return first
	}
	for _, n := range nodes[1:] {
		n.gone = true
	}
	if level == len(x.columns)-1 {
		for i, n := range nodes {
			x.o[min(n.count, x.k)]--
			if i > 0 {
				first.count += n.count
			}
		}
		x.note(first)
		return first
	}
	groups := byValue(nodes)
	first.children = nil
	for _, same := range groups {
		x.adopt(level+1, first, x.merge(level+1, same))
	}
	return first
}

// TestSearchAgreesWithTEA: in every step of random searches no more than one generalization of
// an attribute is examined, and of these the critical ones are those of the index.
func TestSearchAgreesWithTEA(t *testing.T) {
	steps, examined, critical := 0, 0, 0
	cases := enginetest.Cases(t, 150, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 60)
		e := Engine{Bins: 1 + r.IntN(8), witnesses: r.IntN(4)}
		requirement := engine.Requirement{Sets: c.Sets}
		table := c.Data.Table(e.Plan(requirement))
		s := newSearch(e, table, reduce(requirement), engine.Options{})
		if err := s.settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		var indices []*tea
		for _, q := range s.sets {
			indices = append(indices, newTEA(q))
		}
		for ; s.isOpen(); steps++ {
			for i, q := range s.sets {
				got, err := q.examine(t.Context(), partition.Space{})
				if err != nil {
					t.Fatal(err)
				}
				n, m := agree(t, q, got, indices[i])
				examined, critical = examined+n, critical+m
			}
			best, err := s.best(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range s.sets {
				if column := slices.Index(q.index, best.attribute); column >= 0 {
					indices[i].apply(generalization{column, int32(best.node)})
				}
			}
			s.perform(best)
			if err := s.settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Logf("%d cases, %d steps, %d generalizations examined, %d of them critical", cases, steps, examined, critical)
	if cases >= 100 && (steps < cases || critical < cases/4 || examined == critical) {
		t.Error("cases are too alike")
	}
}

// agree compares what a set's search has examined in a step with what its index says, and
// returns how many that are, and how many of them critical.
func agree(t *testing.T, q *qid, got []gain, x *tea) (examined, critical int) {
	t.Helper()
	if a := x.anonymity(); a != min(q.anonymity, q.k) {
		t.Fatalf("A(QID) is %d, the index says %d", q.anonymity, a)
	}
	if !q.isOpen() {
		if len(got) > 0 {
			t.Fatal("a set that holds is examined")
		}
		return 0, 0
	}
	var list, want []generalization
	for i, g := range got {
		if slices.ContainsFunc(got[:i], func(other gain) bool { return other.column == g.column }) {
			t.Fatalf("column %d is examined twice in a step: %v", g.column, got)
		}
		if g.after > q.anonymity {
			list = append(list, g.generalization)
		}
	}
	for _, g := range x.candidates() {
		if x.after(g) > x.anonymity() {
			want = append(want, g)
		}
	}
	if !slices.Equal(list, want) {
		t.Fatalf("critical are %v, the index says %v", list, want)
	}
	return len(got), len(list)
}

// BenchmarkTEA searches the tables of BenchmarkPaper, and takes the same steps on the index.
func BenchmarkTEA(b *testing.B) {
	codes := enginetest.Adult(b, enginetest.EightAttributes[1:]...).Codes()
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2, 3, 4, 5, 6}, K: 150}}}
	for _, changed := range []int{1, 3, 4} {
		table := codes.BlowUp(30*codes.Rows, changed).Table(Engine{}.Plan(requirement))
		b.Run(fmt.Sprint("rho=", changed), func(b *testing.B) {
			var times teaTimes
			for range b.N {
				times.add(b, table, requirement)
			}
			times.report(b)
		})
	}
}

// teaTimes are seconds, and what the index takes.
type teaTimes struct{ search, build, steps, mib float64 }

func (m *teaTimes) report(b *testing.B) {
	n := float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(m.search/n, "search-s")
	b.ReportMetric(m.build/n, "index-s")
	b.ReportMetric(m.steps/n, "index-steps-s")
	b.ReportMetric(m.mib/n, "index-MiB")
}

// add searches, then makes the index, and performs the search's steps on it, after it has
// examined before each of them what there is to be examined.
func (m *teaTimes) add(b *testing.B, table *engine.Table, requirement engine.Requirement) {
	b.Helper()
	root, began := *table.Groupings[0], time.Now()
	steps := searchSteps(b, table, requirement)
	m.search += time.Since(began).Seconds()
	table.Groupings[0] = &root

	s := newSearch(Engine{}, table, requirement, engine.Options{})
	held := heap()
	began = time.Now()
	x := newTEA(s.sets[0])
	m.build += time.Since(began).Seconds()
	m.mib += float64(heap()-held) / (1 << 20)
	began = time.Now()
	for _, step := range steps {
		for _, g := range x.candidates() {
			x.after(g)
		}
		x.apply(generalization{step.attribute, int32(step.node)})
		s.columns[step.attribute].generalize(step.node)
	}
	m.steps += time.Since(began).Seconds()
	if x.anonymity() < x.k {
		b.Fatal("the index is not where the search ended")
	}
}

// searchSteps returns what a search performs.
func searchSteps(b *testing.B, table *engine.Table, requirement engine.Requirement) (steps []choice) {
	b.Helper()
	s := newSearch(Engine{}, table, requirement, engine.Options{})
	err := s.settle(b.Context())
	for err == nil && s.isOpen() {
		var best choice
		if best, err = s.best(b.Context()); err == nil {
			steps = append(steps, best)
			s.perform(best)
			err = s.settle(b.Context())
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return steps
}

// heap returns the bytes that are alive.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
