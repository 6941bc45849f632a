package bottomup_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// figure1 is the table of Figure 1. In its hierarchies e1 has no value that occurs, and the figure
// does not show the other children of g3.
func figure1() enginetest.Data {
	node := func(name string, children ...taxonomy.Node) taxonomy.Node {
		return taxonomy.Node{Name: name, Children: children}
	}
	d := enginetest.Data{Columns: []enginetest.Column{
		{
			Name: "Relationship",
			Tree: node("ANY", node("e1", node("a1"), node("b1")),
				node("f1", node("c1"), node("d1"))),
		},
		{
			Name: "Race",
			Tree: node("ANY", node("e2", node("a2"), node("b2")),
				node("f2", node("c2"), node("d2"))),
		},
		{
			Name: "Workclass",
			Tree: node("ANY", node("a3"), node("e3"),
				node("g3", node("f3", node("c3"), node("d3")), node("b3"))),
		},
	}}
	for _, vid := range []struct {
		text string
		y, n int
	}{
		{"c1 b2 a3", 0, 4}, {"c1 b2 c3", 0, 4}, {"c1 b2 d3", 0, 3}, {"c1 c2 a3", 2, 1},
		{"c1 c2 b3", 2, 2},
		{"d1 c2 b3", 4, 0}, {"d1 c2 e3", 2, 0}, {"d1 d2 b3", 2, 1}, {"d1 d2 e3", 2, 0},
	} {
		for i := range vid.y + vid.n {
			d.Rows = append(d.Rows, enginetest.Values(strings.Fields(vid.text)...))
			if i < vid.y {
				d.Classes = append(d.Classes, "Y")
			} else {
				d.Classes = append(d.Classes, "N")
			}
		}
	}
	return d
}

// TestPaperExample1: for K = 3, one generalization is enough.
func TestPaperExample1(t *testing.T) {
	steps, released, err := search(bottomup.Engine{}, figure1(),
		[]engine.Set{{Columns: []int{0, 1, 2}, K: 3}})
	if err != nil || len(steps) != 1 {
		t.Fatalf("got %v and %d steps, want 1", err, len(steps))
	}
	s := steps[0]
	if s.Value.Text != "f2" || !reflect.DeepEqual(s.Children, enginetest.Values("c2", "d2")) ||
		s.AnonyLoss != 1 || s.Anonymity[0] != 3 {
		t.Errorf("got %+v, want {c2, d2} -> f2, which gains 1", s)
	}
	if math.Abs(s.InfoGain-0.000805) > 5e-7 || s.Score != s.InfoGain {
		t.Errorf("I(f2) is %f, IP(f2) %f, want 0.000805", s.InfoGain, s.Score)
	}
	counts := map[string]int{}
	for _, row := range released {
		counts[row[0].Text+row[1].Text+row[2].Text]++
	}
	want := map[string]int{"c1b2a3": 4, "c1b2c3": 4, "c1b2d3": 3, "c1f2a3": 3, "c1f2b3": 4,
		"d1f2b3": 7, "d1f2e3": 4}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("got %v, want %v (Figure 2)", counts, want)
	}
}

// TestPaperExample2 checks the naive search by the example: among the valid generalizations f1 and
// f2 may be critical, and f2 is.
func TestPaperExample2(t *testing.T) {
	set := engine.Set{Columns: []int{0, 1, 2}, K: 3}
	n := newNaive(figure1(), []engine.Set{set}, bottomup.Engine{})
	if a := n.anonymity(set, none); a != 2 {
		t.Errorf("A(VID) is %d, want 2", a)
	}
	type facts struct{ candidate, critical bool }
	got := map[string]facts{}
	for _, g := range n.valid() {
		name := n.trees[g.column].Label(g.to).Text
		got[name] = facts{n.isCandidate(set, g.column, g), n.anonymity(set, g) > 2}
		if name == "f1" && math.Abs(n.lost(g)-0.358) > 5e-4 {
			t.Errorf("I(f1) is %f, want 0.358", n.lost(g))
		}
	}
	want := map[string]facts{"f1": {true, false}, "e2": {}, "f2": {true, true}, "f3": {}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPaperStep1 checks which generalizations step 1 of the search leaves for step 2 (section 5.2).
func TestPaperStep1(t *testing.T) {
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 3}}}
	e := bottomup.Engine{}
	got := bottomup.FirstStep(t, e, figure1().Table(e.Plan(requirement)), requirement)
	if want := (map[string]uint64{"f1": 2, "f2": 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSearchWithAllRecordsAlike(t *testing.T) {
	steps, released, err := search(bottomup.Engine{}, figure1(),
		[]engine.Set{{Columns: []int{0, 1, 2}, K: 29}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range released {
		if row[0].Text != "ANY" || row[1].Text != "ANY" || row[2].Text != "ANY" {
			t.Fatalf("after %d steps a row is %v", len(steps), row)
		}
	}
}
