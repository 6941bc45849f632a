package taxonomy

import (
	"slices"
	"strings"
	"testing"
)

func branchNode(name string, children ...Node) Node { return Node{Name: name, Children: children} }

// education is the taxonomy of the TDS paper, Figure 1, without its lowest level.
var education = branchNode("ANY",
	branchNode("Secondary", branchNode("Junior"), branchNode("Senior")),
	branchNode("University", branchNode("Bachelors"), branchNode("Grad School")))

func mustTree(t *testing.T, root Node) *Tree {
	t.Helper()
	tree, err := NewTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTreeNumbersLeavesInPreorder(t *testing.T) {
	tree := mustTree(t, education)
	if want := []string{"Junior", "Senior", "Bachelors",
		"Grad School"}; !slices.Equal(tree.Leaves(), want) {
		t.Errorf("leaves %q, want %q", tree.Leaves(), want)
	}
	for code, leaf := range tree.Leaves() {
		if got, ok := tree.Code(leaf); !ok || got != uint32(code) {
			t.Errorf("code of %q is %d, %t, want %d", leaf, got, ok, code)
		}
	}
	if _, ok := tree.Code("Secondary"); ok {
		t.Error("an inner node has a code")
	}
	for n, want := range []struct {
		name   string
		parent int
		lo, hi int
	}{{"ANY", -1, 0, 4}, {"Secondary", 0, 0, 2}, {"Junior", 1, 0, 1}, {"Senior", 1, 1, 2},
		{"University", 0, 2, 4}, {"Bachelors", 4, 2, 3}, {"Grad School", 4, 3, 4}} {
		lo, hi := tree.Range(n)
		if tree.Name(n) != want.name || tree.Parent(n) != want.parent || lo != want.lo ||
			hi != want.hi {
			t.Errorf("node %d is %q under %d with [%d,%d), want %v", n, tree.Name(n),
				tree.Parent(n), lo, hi, want)
		}
		if tree.IsLeaf(n) != (len(tree.Children(n)) == 0) {
			t.Errorf("node %d: leaf %t, children %d", n, tree.IsLeaf(n), tree.Children(n))
		}
	}
	if got := tree.Children(0); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("children of the root %d, want 1 and 4", got)
	}
}

func TestNewTreeRefusesNames(t *testing.T) {
	for _, c := range []struct {
		root Node
		want string
	}{
		{branchNode(""), "node 1 has no name"},
		{branchNode("x", branchNode("", branchNode("y"))), "node 2 has no name"},
		{branchNode("secret", branchNode("x"), branchNode("secret")),
			"nodes 1 and 3 have the same name"},
	} {
		_, err := NewTree(c.root)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestAddLeavesExtendsTheRoot(t *testing.T) {
	tree := mustTree(t, education)
	for name, tree := range map[string]*Tree{"Senior": tree, "University": tree,
		"x": mustTree(t, branchNode("ANY"))} {
		if err := tree.AddLeaves([]string{name}); err == nil {
			t.Errorf("leaf %q added to a tree of %d nodes", name, tree.Len())
		}
	}
	if err := tree.AddLeaves([]string{"b", "a", "C", ""}); err != nil {
		t.Fatal(err)
	}
	if got := outline(tree, 0); got != "ANY(Secondary(Junior Senior) University(Bachelors Grad "+
		"School)  C a b)" {
		t.Errorf("got %s", got)
	}
	if code, ok := tree.Code("C"); !ok || code != 5 || tree.Values(0) != 8 {
		t.Errorf("leaf C has code %d, of %d", code, tree.Values(0))
	}
}
