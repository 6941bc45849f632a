package engine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestReduceDropsImpliedSets(t *testing.T) {
	set := func(k KAnonymity, columns ...int) Set { return Set{Columns: columns, K: k} }
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

// The largest k counts, at any position of its set in the list.
func TestLargestThresholds(t *testing.T) {
	sets := []Set{{Columns: []int{2, 0}, K: 3}, {Columns: []int{0, 1}, K: 7},
		{Columns: []int{1, 0}, K: 5}}
	for range sets {
		requirement := Requirement{Sets: sets}
		of := requirement.ByAttribute(4)
		for attribute, want := range []KAnonymity{7, 7, 3} {
			if of := of[attribute]; of.K != want || !slices.Equal(of.Columns, []int{attribute}) {
				t.Errorf("%v: the largest k of attribute %d is %d of columns %d, want %d", sets,
					attribute, of.K, of.Columns, want)
			}
		}
		if of[3].K != 0 || of[3].Columns != nil {
			t.Errorf("%v: attribute 3, which is in no set, has k %d", sets, of[3].K)
		}
		if all := requirement.United(); !slices.Equal(all.Columns, []int{0, 1, 2}) || all.K != 7 {
			t.Errorf("%v: the union is of columns %d with k %d, want 0 to 2 with 7", sets,
				all.Columns, all.K)
		}
		sets = append(sets[1:], sets[0])
	}
}

// By the definition, the sets that Reduce keeps imply those that it leaves out, for all sets of a
// few columns.
func TestReduceOfRandomSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	within := func(s, other Set) bool { // a release that meets other meets s
		return s.K <= other.K && !slices.ContainsFunc(s.Columns, func(c int) bool {
			return !slices.Contains(other.Columns, c)
		})
	}
	droppedSets := 0
	for range 2000 {
		sets := make([]Set, random.IntN(12))
		for i := range sets {
			sets[i] = Set{
				K:       KAnonymity(1 + random.IntN(3)),
				Columns: random.Perm(4)[:1+random.IntN(4)],
			}
		}
		var want []int
		for i, s := range sets {
			for j, other := range sets {
				if j != i && within(s, other) && (j < i || !within(other, s)) {
					want = append(want, i)
					break
				}
			}
		}
		kept, dropped := Requirement{Sets: sets}.Reduce()
		if !slices.Equal(dropped, want) || len(kept.Sets) != len(sets)-len(want) {
			t.Fatalf("%v: dropped %d and kept %v, want to drop %d", sets, dropped, kept.Sets, want)
		}
		droppedSets += len(dropped)
	}
	if droppedSets == 0 {
		t.Error("no set was implied")
	}
}
