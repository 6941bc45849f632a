package engine

import (
	"reflect"
	"slices"
	"testing"
)

func TestReduceDropsImpliedSets(t *testing.T) {
	set := func(k int, columns ...int) Set { return Set{Columns: columns, K: k} }
	for _, c := range []struct {
		name    string
		sets    []Set
		dropped []int
	}{
		{"one", []Set{set(5, 0, 1)}, nil},
		{"apart", []Set{set(5, 0, 1), set(5, 1, 2)}, nil},
		{"subset, smaller k", []Set{set(4, 1), set(5, 0, 1)}, []int{0}},
		{"subset, equal k", []Set{set(5, 0, 1), set(5, 1)}, []int{1}},
		{"subset, larger k", []Set{set(6, 1), set(5, 0, 1)}, nil},
		{"equal sets in another order", []Set{set(5, 0, 1), set(5, 1, 0)}, []int{1}},
		{"equal sets, the second stricter", []Set{set(5, 0, 1), set(6, 1, 0)}, []int{0}},
		{"a chain", []Set{set(1, 0), set(2, 0, 1), set(3, 0, 1, 2)}, []int{0, 1}},
	} {
		kept, dropped := Requirement{Sets: c.sets}.Reduce()
		if !slices.Equal(dropped, c.dropped) {
			t.Errorf("%s: dropped %d, want %d", c.name, dropped, c.dropped)
		}
		var want []Set
		for i, s := range c.sets {
			if !slices.Contains(c.dropped, i) {
				want = append(want, s)
			}
		}
		if !reflect.DeepEqual(kept.Sets, want) {
			t.Errorf("%s: kept %v, want %v", c.name, kept.Sets, want)
		}
	}
}
