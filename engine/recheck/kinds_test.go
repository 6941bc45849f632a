package recheck

import (
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TestEachOfInParts gathers classes that do not fit the memory together, and compares them with all at once.
func TestEachOfInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table := &partition.Table{Layout: partition.NewLayout([]int{300, 40})}
	want := make(map[string]map[uint32]uint64)
	for range 20_000 {
		class, kind, n := r.Uint32N(300), r.Uint32N(40), 1+r.Uint32N(9)
		fields := table.Layout.Fields
		table.Keys = append(table.Keys, uint64(class)<<fields[0].Shift|uint64(kind)<<fields[1].Shift)
		table.Counts = append(table.Counts, n)
		key := string(appendLabel(nil, class))
		if want[key] == nil {
			want[key] = make(map[uint32]uint64)
		}
		want[key][kind] += uint64(n)
	}
	for _, limit := range []int64{1 << 30, 100 << 10, 20 << 10, 1 << 10} {
		budget := spill.NewBudget(limit)
		c := &classes{space: partition.Space{Budget: budget, Share: limit}}
		got := make(map[string]map[uint32]uint64)
		scans := 0
		members := func(block *partition.Table, add func(member) error) error {
			scans++
			return labelsOf([]int{0}, everyClass)(block, add)
		}
		err := c.eachOf(t.Context(), table, members, func(class []byte, of []engine.KindCount) error {
			if got[string(class)] != nil {
				t.Errorf("a class comes twice")
			}
			got[string(class)] = make(map[uint32]uint64)
			for _, k := range of {
				got[string(class)][k.Kind] += k.Records
			}
			return nil
		})
		if budget.Used() != 0 {
			t.Errorf("limit %d: %d bytes are not returned", limit, budget.Used())
		}
		if limit < 2<<10 { // not even one class fits
			if !errors.Is(err, spill.ErrBudget) {
				t.Errorf("limit %d: got %v, want that the budget is exceeded", limit, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(got, want, func(a, b map[uint32]uint64) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("limit %d: the classes are not those of the table", limit)
		}
		if blocks := 5; (scans > blocks) != (limit < 1<<20) {
			t.Errorf("limit %d: %d blocks were looked at", limit, scans)
		}
	}
}
