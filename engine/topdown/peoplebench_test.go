package topdown_test

import (
	"fmt"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// BenchmarkPeople searches records whose people come from a population ten times as large, with k
// alone and with k and k_map.
func BenchmarkPeople(b *testing.B) {
	for _, of := range []struct {
		name   string
		rows   int
		values []int
	}{
		{"few", 1_000_000, []int{74, 16, 7, 50, 2, 5}},
		{"some", 300_000, []int{74, 120, 16, 7, 50, 2, 5}},
		{"many", 300_000, []int{74, 3000, 16, 120, 100, 99, 50, 2, 5}},
	} {
		all := enginetest.People(10*of.rows, 3, of.values...)
		codes := all
		codes.Rows, codes.Class, codes.Columns = of.rows, all.Class[:of.rows], nil
		columns := []int{}
		for a, column := range all.Columns {
			codes.Columns = append(codes.Columns, column[:of.rows])
			columns = append(columns, a)
		}
		for _, kmap := range []uint64{0, 50, 200} {
			with := codes
			if kmap > 0 {
				with.People = all.Columns
			}
			requirement := engine.Requirement{Sets: []engine.Set{{Columns: columns, K: 10,
				Population: engine.Population{KMap: kmap}}}, PeopleOfRecord: min(kmap, 1)}
			b.Run(fmt.Sprintf("%s/kmap=%d", of.name, kmap), func(b *testing.B) {
				var m measured
				for range b.N {
					space := partition.Space{Budget: spill.NewBudget(1 << 40), Share: 1 << 40}
					table, err := with.Merged(b.Context(), topdown.Engine{}, requirement, space)
					if err != nil {
						b.Fatal(err)
					}
					m = measure(b, table, requirement, partition.Space{Threads: 1})
				}
				m.report(b)
			})
		}
	}
}
