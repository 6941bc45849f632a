package kactus_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// adultSets are the attributes that the paper takes for quasi-identifiers (section 5.4).
var adultSets = [][]string{
	enginetest.EightAttributes,
	append(slices.Clone(enginetest.EightAttributes), "relationship", "hours-per-week", "education-num"),
	nil, // all 14
}

// TestAdult recounts and checks releases of real data, for more k with KCUT_LONG=1.
func TestAdult(t *testing.T) {
	ks := []int{50}
	if os.Getenv("KCUT_LONG") != "" {
		ks = []int{10, 50, 100, 500}
	}
	for _, names := range adultSets {
		d := enginetest.Adult(t, names...)
		codes := d.Codes()
		for _, k := range ks {
			requirement := all(codes, k)
			e := kactus.Engine{Seed: 1}
			table := codes.Table(e.Plan(requirement))
			table.ClassNames = []engine.Label{{Text: "<=50K"}, {Text: ">50K"}}
			recoding, err := e.Search(context.Background(), table, requirement, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := recoding.(*engine.Regions)
			t.Logf("%d attributes, k %d: %d regions, %d divided cells, %d records suppressed, %d dropped", len(d.Columns), k, r.Len(), r.Cells(), r.Suppressed, r.DroppedRecords)
			released := d.Released(r)
			d.CheckTrue(t, released)
			enginetest.CheckAnonymous(t, released, requirement.Sets)
			dropped := 0
			for _, row := range released {
				if row == nil {
					dropped++
				}
			}
			if dropped >= k || uint64(dropped) != r.DroppedRecords {
				t.Errorf("%d attributes, k %d: %d records dropped, %d said to be", len(d.Columns), k, dropped, r.DroppedRecords)
			}
		}
	}
}

var benchmarked = []kactus.Engine{{Seed: 1}, {Seed: 1, MinObjects: 2}, {Seed: 1, MinObjects: 2, Prune: true}}

// BenchmarkAdult searches 1,356,660 records, as many as the paper has at most (section 5.8).
func BenchmarkAdult(b *testing.B) {
	benchmarkSearch(b, blownUp(b), func(*engine.Table) partition.Space { return partition.Space{} })
}

// BenchmarkAdultSpilled has a share of a third of the table.
func BenchmarkAdultSpilled(b *testing.B) {
	store, err := spill.Open(b.TempDir(), spill.Options{Budget: spill.NewBudget(64 << 20)})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	benchmarkSearch(b, blownUp(b), func(t *engine.Table) partition.Space {
		budget := spill.NewBudget(1 << 30)
		if err := budget.Draw("table", t.Groupings[0].Bytes()); err != nil {
			b.Fatal(err)
		}
		return partition.Space{Budget: budget, Store: store, Share: t.Groupings[0].Bytes() / 3}
	})
}

func blownUp(b *testing.B) enginetest.Codes {
	codes := enginetest.Adult(b, enginetest.EightAttributes...).Codes()
	return codes.BlowUp(30*codes.Rows, 3)
}

// benchmarkSearch searches for groups of 50 records in the space that a table is given.
func benchmarkSearch(b *testing.B, blown enginetest.Codes, space func(*engine.Table) partition.Space) {
	requirement := all(blown, 50)
	for _, e := range benchmarked {
		b.Run(fmt.Sprintf("min %d pruned %t", e.MinObjects, e.Prune), func(b *testing.B) {
			var r *engine.Regions
			for range b.N {
				b.StopTimer()
				table := blown.Table(e.Plan(requirement))
				b.ReportMetric(float64(table.Groupings[0].Len()), "cells")
				options := engine.Options{Space: space(table)}
				b.StartTimer()
				recoding, err := e.Search(context.Background(), table, requirement, options)
				if err != nil {
					b.Fatal(err)
				}
				r = recoding.(*engine.Regions)
			}
			b.ReportMetric(float64(r.Len()), "regions")
			b.ReportMetric(float64(r.Cells()), "divided")
		})
	}
}

// BenchmarkRecode is per row.
func BenchmarkRecode(b *testing.B) {
	blown := blownUp(b)
	requirement := all(blown, 50)
	e := benchmarked[0]
	recoding, err := e.Search(context.Background(), blown.Table(e.Plan(requirement)), requirement, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	labels := make([][]uint32, len(blown.Attributes))
	for a := range labels {
		labels[a] = make([]uint32, blown.Rows)
	}
	b.ReportAllocs()
	for b.Loop() {
		rows := engine.Rows{N: blown.Rows, Codes: blown.Columns, Classes: blown.Class, Taken: make([]uint64, recoding.Cells())}
		recoding.Recode(rows, labels)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*blown.Rows), "ns/row")
}
