package tips

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
)

// TestMergerMergesBelowDeadFields wants records that differ in dead fields alone merged,
// their own counts kept, and the attempt given up where it does not pay.
func TestMergerMergesBelowDeadFields(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	domains := []int{50, 8, 1 << 20}
	layout := partition.NewLayout(domains)
	for _, tt := range []struct {
		name   string
		fields []active
		merges bool
	}{
		{"two small fields alive", []active{{field: 0}, {field: 1}}, true},
		{"a large field alive", []active{{field: 2}}, false},
		{"all alive", []active{{field: 0}, {field: 1}, {field: 2}}, false},
	} {
		table := partitiontest.RandomTable(r, 8000, domains, layout)
		var alive [][]uint32 // codes, all 0 in dead fields
		for i, d := range domains {
			codes := make([]uint32, d)
			for code := range codes {
				if position(tt.fields, i) >= 0 {
					codes[code] = uint32(code)
				}
			}
			alive = append(alive, codes)
		}
		sums := partitiontest.Tuples(table, alive)
		var j merger
		j.begin(layout, tt.fields, table.Keys[:layout.Words])
		j.level(table, 0, table.Len())
		all := j.merge(table, 0, table.Len())
		if got := all.Len() <= 50*8; got != tt.merges {
			t.Errorf("%s: %d records left of %d", tt.name, all.Len(), table.Len())
		}
		if !maps.Equal(partitiontest.Tuples(all, alive), sums) {
			t.Errorf("%s: other sums", tt.name)
		}
	}
}
