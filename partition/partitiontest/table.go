// Package partitiontest makes tables for tests.
package partitiontest

import (
	"math/rand/v2"

	"github.com/kcut/kcut/partition"
)

// RandomTable returns a table of n records over the given domains, some equal.
func RandomTable(r *rand.Rand, n int, domains []int, layout partition.Layout) *partition.Table {
	t := &partition.Table{Layout: layout}
	for range n {
		key := make([]uint64, t.Layout.Words)
		for i, f := range t.Layout.Fields {
			key[f.Word] |= uint64(r.IntN(domains[i])) << f.Shift
		}
		t.Keys = append(t.Keys, key...)
		t.Counts = append(t.Counts, 1+uint64(r.IntN(3)))
	}
	return t
}
