package recheck

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TestEach compares the classes of a gathered table with those of a map: all of them, and every
// second one.
func TestEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table := &partition.Table{Layout: partition.NewLayout([]int{300, 40})}
	want := make(map[uint32]map[uint32]uint64)
	for range 20_000 {
		class, kind, n := r.Uint32N(300), r.Uint32N(40), 1+r.Uint64N(9)
		fields := table.Layout.Fields
		table.Keys = append(table.Keys, uint64(class)<<fields[0].Shift|
			uint64(kind)<<fields[1].Shift)
		table.Counts = append(table.Counts, n)
		if want[class] == nil {
			want[class] = make(map[uint32]uint64)
		}
		want[class][kind] += n
	}
	budget := spill.NewBudget(1 << 20)
	c := &classes{
		table: &engine.Table{Kinds: &engine.Kinds{Class: make([]uint32, 40)}},
		sets:  []engine.Set{{Entities: true}},
		space: partition.Space{Budget: budget, Share: 1 << 20},
	}
	if err := table.Gather(t.Context(), c.space); err != nil {
		t.Fatal(err)
	}
	for _, each := range []uint32{1, 2} {
		got := make(map[uint32]map[uint32]uint64)
		label := table.Layout.Fields[0]
		isWanted := func(class []uint64) bool { return label.Code(class)%each == 0 }
		err := c.each(t.Context(), table, isWanted, func(class []uint64, of content) error {
			label := label.Code(class)
			if got[label] != nil {
				t.Errorf("class %d comes twice", label)
			}
			got[label] = make(map[uint32]uint64)
			for _, k := range of.of {
				got[label][k.Kind] += k.Records
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if budget.Used() != 0 {
			t.Errorf("%d bytes are not returned", budget.Used())
		}
		maps.DeleteFunc(want, func(class uint32, _ map[uint32]uint64) bool {
			return class%each != 0
		})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("every %d. class: the classes are not those of the table", each)
		}
	}
}
