package taxonomy

import (
	"reflect"
	"testing"
)

// TestAssembleTree takes trees apart and puts them together again.
func TestAssembleTree(t *testing.T) {
	for _, root := range []Node{
		{Name: "a"},
		{Name: "a", Values: 7},
		{Name: "a", Children: []Node{{Name: "b"}, {Name: "c", Children: []Node{{Name: "d"}}}, {Name: "e"}}},
		{Name: "a", Children: []Node{{Name: "b", Children: []Node{{Name: "c", Values: 2}, {Name: "d", Children: []Node{{Name: "e"}}}}}, {Name: "f", Values: 9}}},
	} {
		want, err := NewTree(root)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var parents, pruned []int
		for n := range want.Len() {
			names, parents, pruned = append(names, want.Name(n)), append(parents, want.Parent(n)), append(pruned, 0)
			if want.IsPruned(n) {
				pruned[n] = want.Values(n)
			}
		}
		got, err := AssembleTree(names, parents, pruned)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v became %+v, %v", want, got, err)
		}
	}
	for _, parents := range [][]int{{0, 0, 0}, {-1, 1, 0}, {-1, 0, 5}, {-1, -1, 0}, {-1, 0, -1}} {
		if _, err := AssembleTree([]string{"a", "b", "c"}, parents, make([]int, 3)); err == nil {
			t.Errorf("parents %v are no tree, and no error", parents)
		}
	}
	if _, err := AssembleTree([]string{"a", "b", "b"}, []int{-1, 0, 0}, make([]int, 3)); err == nil {
		t.Error("two nodes of one name, and no error")
	}
}
