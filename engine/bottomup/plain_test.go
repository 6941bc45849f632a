package bottomup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
)

// plain is the index of the paper (section 5.1) as plain as can be: nodes that point to each other, a
// level for every attribute in the set's order, and links to the parents of every
// generalization's segments. The engine is held to what it says of every step.
type plain struct {
	columns []*column
	k       uint64
	links   []map[int32][]*plainNode // by level and generalization; some are out of date
	vids    map[uint64][]*plainNode  // by a(vid), below k; some are out of date
	o       []int                    // O[i]: how many vids have i records; O[k]: k or more
	walks   int                      // along links
}

type plainNode struct {
	parent   *plainNode
	value    int32
	children []*plainNode
	count    uint64 // a(vid), of a leaf
	gone     bool   // merged into another one
	seen     int    // the last walk that came by
}

// newPlain returns the index of a set at the start.
func newPlain(q *qid) *plain {
	columns, k, table := q.columns, q.k, q.census.table
	x := &plain{columns: columns, k: k, o: make([]int, k+1), vids: map[uint64][]*plainNode{}}
	for range columns {
		x.links = append(x.links, map[int32][]*plainNode{})
	}
	type record struct {
		values []int32
		count  uint64
	}
	var records []record
	for i, n := range table.Counts {
		r := record{count: uint64(n)}
		for c, f := range table.Layout.Fields {
			r.values = append(r.values, q.census.nodes[c][f.Code(table.Keys[i*table.Layout.Words:])])
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int { return slices.Compare(a.values, b.values) })
	root := &plainNode{value: -1}
	for _, r := range records {
		at := root
		for level, value := range r.values {
			if last := len(at.children) - 1; last < 0 || at.children[last].value != value {
				x.adopt(level, at, &plainNode{value: value})
			}
			at = at.children[len(at.children)-1]
		}
		at.count += r.count
	}
	x.each(root, len(columns), func(leaf *plainNode) { x.note(leaf) })
	return x
}

func (x *plain) each(n *plainNode, depth int, leaf func(*plainNode)) {
	if depth == 0 {
		leaf(n)
	}
	for _, child := range n.children {
		x.each(child, depth-1, leaf)
	}
}

// adopt makes a node the child of another one, and links that to the child's generalization.
func (x *plain) adopt(level int, parent, child *plainNode) {
	child.parent = parent
	parent.children = append(parent.children, child)
	to := int32(x.columns[level].tree.Parent(int(child.value)))
	x.links[level][to] = append(x.links[level][to], parent)
}

// note counts a new vid.
func (x *plain) note(leaf *plainNode) {
	x.o[min(leaf.count, x.k)]++
	if leaf.count < x.k {
		x.vids[leaf.count] = append(x.vids[leaf.count], leaf)
	}
}

// anonymity is A(VID), or k if that is less.
func (x *plain) anonymity() uint64 { return least(x.o) }

func least(o []int) uint64 {
	for i, n := range o {
		if n > 0 {
			return uint64(i)
		}
	}
	return math.MaxUint64
}

// segments calls f with the parents of a generalization's segments, and these.
func (x *plain) segments(level int, to int32, f func(parent *plainNode, segment []*plainNode)) {
	x.walks++
	for _, parent := range x.links[level][to] {
		if parent.gone || parent.seen == x.walks {
			continue
		}
		parent.seen = x.walks
		var segment []*plainNode
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
func (x *plain) candidates() (list []generalization) {
	a := x.anonymity()
	var at []*plainNode
	for _, leaf := range x.vids[a] {
		if !leaf.gone && leaf.count == a {
			at = append(at, leaf)
		}
	}
	for level := len(x.columns) - 1; level >= 0; level-- {
		to := x.columns[level].up(at[0].value)
		fits := to >= 0
		for i, n := range at {
			fits = fits && x.columns[level].up(n.value) == to && slices.ContainsFunc(n.parent.children, func(s *plainNode) bool {
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
func (x *plain) after(g generalization) uint64 {
	o := slices.Clone(x.o)
	x.segments(g.column, g.node, func(_ *plainNode, segment []*plainNode) { x.count(g.column, segment, o) })
	return least(o)
}

// count counts the vids that become of the nodes when they are merged.
func (x *plain) count(level int, nodes []*plainNode, o []int) {
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
func byValue(nodes []*plainNode) (groups [][]*plainNode) {
	var children []*plainNode
	for _, n := range nodes {
		children = append(children, n.children...)
	}
	slices.SortFunc(children, func(a, b *plainNode) int { return int(a.value - b.value) })
	for from, to := 0, 0; from < len(children); from = to {
		for to = from; to < len(children) && children[to].value == children[from].value; to++ {
		}
		groups = append(groups, children[from:to])
	}
	return groups
}

// apply merges the segments of a generalization (section 5.1).
func (x *plain) apply(g generalization) {
	x.segments(g.column, g.node, func(parent *plainNode, segment []*plainNode) {
		parent.children = slices.DeleteFunc(parent.children, func(n *plainNode) bool { return slices.Contains(segment, n) })
		merged := x.merge(g.column, segment)
		merged.value = g.node
		x.adopt(g.column, parent, merged)
	})
	delete(x.links[g.column], g.node)
}

// merge returns the first of the nodes, which all others become part of.
func (x *plain) merge(level int, nodes []*plainNode) *plainNode {
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
		e := Engine{Bins: 1 + r.IntN(8), limited: limits{witnesses: r.IntN(4), indexed: Thresholds[r.IntN(len(Thresholds))]}}
		requirement := engine.Requirement{Sets: c.Sets}
		table := c.Data.Table(e.Plan(requirement))
		s := newSearch(e, table, requirement.Ordered(), engine.Options{})
		var indices []*plain
		for _, q := range s.sets {
			indices = append(indices, newPlain(q))
		}
		if err := s.update(t.Context()); err != nil {
			t.Fatal(err)
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
				if column := slices.Index(q.Columns, best.attribute); column >= 0 {
					indices[i].apply(generalization{column, int32(best.node)})
				}
			}
			s.perform(best)
			if err := s.update(t.Context()); err != nil {
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
func agree(t *testing.T, q *qid, got []gain, x *plain) (examined, critical int) {
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

// BenchmarkCrossover searches tables with indices of up to so many vids, and reports the least
// CPU time that it took.
func BenchmarkCrossover(b *testing.B) {
	eight := enginetest.Adult(b, enginetest.EightAttributes...).Codes()
	seven := enginetest.Adult(b, enginetest.EightAttributes[1:]...).Codes()
	for _, c := range []struct {
		name  string
		codes enginetest.Codes
	}{
		{"eight", eight}, {"rho=1", seven.BlowUp(30*seven.Rows, 1)},
		{"rho=3", seven.BlowUp(30*seven.Rows, 3)}, {"rho=4", seven.BlowUp(30*seven.Rows, 4)},
	} {
		set := engine.Set{K: 150}
		for column := range c.codes.Attributes {
			set.Columns = append(set.Columns, column)
		}
		requirement := engine.Requirement{Sets: []engine.Set{set}}
		table := c.codes.Table(Engine{}.Plan(requirement))
		for _, most := range []int{-1, 1 << 12, maxIndexed, 1 << 17, math.MaxInt} {
			b.Run(fmt.Sprint(c.name, "/vids=", most), func(b *testing.B) {
				least := math.Inf(1)
				for range b.N {
					records := *table.Groupings[0]
					began := cpu(b)
					if _, err := (Engine{limited: limits{indexed: most}}).Search(b.Context(), table, requirement, engine.Options{}); err != nil {
						b.Fatal(err)
					}
					least = min(least, cpu(b)-began)
					*table.Groupings[0] = records
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(least, "cpu-ms")
			})
		}
	}
}

// cpu returns the CPU time so far, in milliseconds.
func cpu(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}
