package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// TestDrawChoosesTheSmallestKeys draws among more copies than are sorted at once, and among few. No
// chosen key is greater than one that is not chosen.
func TestDrawChoosesTheSmallestKeys(t *testing.T) {
	a := engine.Attribute{Mask: engine.Suppress}
	const values = 3000
	table := &partition.Table{Layout: partition.NewLayout([]int{2, values})}
	r := rand.New(rand.NewPCG(1, 1))
	all := map[uint64]uint64{} // numbers of copies by code of the first column
	for v := range uint64(values) {
		a.Texts = append(a.Texts, fmt.Sprint(v))
		code := uint64(r.IntN(2))
		count := 1 + r.IntN(30)
		table.Keys = append(table.Keys, code|v<<1)
		table.Counts = append(table.Counts, uint64(count))
		all[code] += uint64(count)
	}
	first := engine.Attribute{Mask: engine.Suppress, Texts: []string{"x", "y"}}
	keys := engine.NewRowKeys(&engine.Table{Attributes: []engine.Attribute{first, a}})
	keys.Fields = table.Layout.Fields
	keys.Enter(5, "here")
	consumed := *table
	cells, err := cells.New(&consumed, 0, partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	if all[1] <= fewKeys {
		t.Fatalf("only %d copies", all[1])
	}
	for _, n := range []uint64{1, 2, 1000, all[1] / 2, all[1] - 1, all[1]} {
		d := draw{keys: &keys, field: keys.Fields[0], lot: lot{code: 1}}
		if err := d.choose(context.Background(), cells, n, all[1]); err != nil {
			t.Fatal(err)
		}
		chosen, greatest, least := uint64(0), uint64(0), ^uint64(0)
		for i, count := range table.Counts {
			key := table.Keys[i : i+1]
			if d.field.Code(key) != 1 {
				continue
			}
			left := d.left(key, count)
			chosen += left
			below := uint64(0)
			for j := range count {
				switch k := engine.CopyKey(keys.Cell(key), j); {
				case k <= d.key:
					below++
					greatest = max(greatest, k)
				default:
					least = min(least, k)
				}
			}
			if below != left {
				t.Errorf("%d copies of a cell are chosen, %d have small keys", left, below)
			}
		}
		if chosen != n || greatest >= least {
			t.Errorf("%d copies chosen of %d, keys up to %x and from %x", chosen, n, greatest,
				least)
		}
	}
}
