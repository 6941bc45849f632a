package mondrian_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// people returns records like Adult's: an ordered attribute and some categorical ones, of
// which the last has no taxonomy. Smaller codes are more frequent, and the class leans on
// some attributes.
func people(rows int) enginetest.Codes {
	c := enginetest.Codes{Rows: rows, Classes: 2}
	r := rand.New(rand.NewPCG(7, 7))
	lean := make([]float64, rows)
	for i, values := range []int{74, 8, 16, 7, 14, 5, 2, 41} {
		c.Attributes = append(c.Attributes, personAttribute(i, values))
		codes := make([]uint32, rows)
		for row := range codes {
			x := r.Float64() * r.Float64()
			codes[row] = uint32(x * float64(values))
			if i%3 == 0 {
				lean[row] += x
			}
		}
		c.Columns = append(c.Columns, codes)
	}
	for row := range rows {
		class := uint32(0)
		if r.Float64() < lean[row]/3 {
			class = 1
		}
		c.Class = append(c.Class, class)
	}
	return c
}

func personAttribute(i, values int) engine.Attribute {
	a := engine.Attribute{Name: fmt.Sprint("a", i), Mask: engine.Generalize}
	root := taxonomy.Node{Name: "all"}
	for v := range values {
		text := fmt.Sprint(v)
		if v%6 == 0 {
			root.Children = append(root.Children, taxonomy.Node{Name: "group" + text})
		}
		group := &root.Children[len(root.Children)-1]
		group.Children = append(group.Children, taxonomy.Node{Name: text})
		a.Texts, a.Positions = append(a.Texts, text), append(a.Positions, float64(v))
	}
	switch {
	case i == 0:
		a.Mask, a.Upper = engine.Discretize, float64(values-1)
	case values == 41:
		a.Mask = engine.Suppress
	default:
		tree, err := taxonomy.NewTree(root)
		if err != nil {
			panic(err)
		}
		a.Tree, a.Texts = tree, tree.Leaves()
	}
	return a
}

func allColumns(c enginetest.Codes, k int) engine.Requirement {
	set := engine.Set{K: engine.KAnonymity(k)}
	for a := range c.Attributes {
		set.Columns = append(set.Columns, a)
	}
	return engine.Requirement{Sets: []engine.Set{set}}
}

func classNames(c enginetest.Codes) (names []engine.Label) {
	for class := range c.Classes {
		names = append(names, engine.Label{Text: fmt.Sprint(class)})
	}
	return names
}

var benchmarked = map[string]mondrian.Engine{
	"hierarchy": {}, "ordered": {Ordered: true}, "relaxed": {Ordered: true, Relaxed: true}, "infogain": {InfoGain: true},
}

func BenchmarkSearch(b *testing.B) {
	benchmarkSearch(b, people(1_000_000), func(*engine.Table) partition.Space { return partition.Space{} })
}

// benchmarkSearch searches for groups of 100 records in the space that a table is given.
func benchmarkSearch(b *testing.B, codes enginetest.Codes, space func(*engine.Table) partition.Space) {
	requirement := allColumns(codes, 100)
	for name, e := range benchmarked {
		b.Run(name, func(b *testing.B) {
			regions := 0
			for range b.N {
				b.StopTimer()
				table := codes.Table(e.Plan(requirement))
				table.ClassNames = classNames(codes)
				options := engine.Options{Space: space(table)}
				b.StartTimer()
				recoding, err := e.Search(context.Background(), table, requirement, options)
				if err != nil {
					b.Fatal(err)
				}
				regions = recoding.(*engine.Regions).Len()
			}
			b.ReportMetric(float64(regions), "regions")
		})
	}
}

// BenchmarkSearchSpilled has a share of a third of the table.
func BenchmarkSearchSpilled(b *testing.B) {
	store, err := spill.Open(b.TempDir(), spill.Options{Budget: spill.NewBudget(64 << 20)})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	benchmarkSearch(b, people(1_000_000), func(t *engine.Table) partition.Space {
		budget := spill.NewBudget(1 << 30)
		if err := budget.Draw("table", t.Groupings[0].Bytes()); err != nil {
			b.Fatal(err)
		}
		return partition.Space{Budget: budget, Store: store, Share: t.Groupings[0].Bytes() / 3}
	})
}

func BenchmarkRecode(b *testing.B) {
	codes := people(1_000_000)
	requirement := allColumns(codes, 100)
	for name, e := range benchmarked {
		b.Run(name, func(b *testing.B) {
			table := codes.Table(e.Plan(requirement))
			table.ClassNames = classNames(codes)
			recoding, err := e.Search(context.Background(), table, requirement, engine.Options{})
			if err != nil {
				b.Fatal(err)
			}
			labels := make([][]uint32, len(codes.Attributes))
			for a := range labels {
				labels[a] = make([]uint32, codes.Rows)
			}
			for b.Loop() {
				rows := engine.Rows{N: codes.Rows, Codes: codes.Columns, Classes: codes.Class, Taken: make([]uint64, recoding.Cells())}
				recoding.Recode(rows, labels)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(codes.Rows), "ns/row")
			b.ReportMetric(float64(recoding.Cells()), "cells")
		})
	}
}
