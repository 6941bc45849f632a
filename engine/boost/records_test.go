package boost

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/partition"
)

// A sample of a larger table has about as many tuples as asked for, that of another one has all.
func TestSample(t *testing.T) {
	r, domains := rand.New(rand.NewPCG(1, 1)), []int{1 << 20, 1 << 20, 2}
	const most = 1 << 15
	for _, all := range []int{0, most, most + 1, 3 * most} {
		table := &partition.Table{Layout: partition.NewLayout(domains)}
		for range all {
			key := make([]uint64, table.Layout.Words)
			for i, f := range table.Layout.Fields {
				key[f.Word] |= r.Uint64N(uint64(domains[i])) << f.Shift
			}
			table.Put(key, 1)
		}
		records := Records{Columns: []Column{{Domain: 1 << 20}, {Domain: 1 << 20}}, Classes: 2}
		if err := records.Sample(context.Background(), table, most, partition.Space{}); err != nil {
			t.Fatal(err)
		}
		taken := len(records.Counts)
		if taken < min(all, most-750) || taken > min(all, most+750) || all == most && taken < all {
			t.Errorf("%d of %d are taken", taken, all)
		}
		if len(records.Codes) != len(records.Columns) {
			t.Errorf("%d tuples have %d columns", taken, len(records.Codes))
		}
	}
}
