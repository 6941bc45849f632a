package partition

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

// TestDivide compares the parts with the records of every child, which it finds one by one.
func TestDivide(t *testing.T) {
	seed := seedtest.Seed(t)
	for i := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		domains := []int{1 + r.IntN(300), 1 << 40, 1 << 20}[:1+r.IntN(3)]
		table := randomTable(r, 1+r.IntN(3000), domains, NewLayout(domains))
		column := r.IntN(len(domains))
		refinement := randomRefinement(r, column, min(domains[column], 400))
		lo := r.IntN(table.Len())
		parent := table.Rows(lo, lo+1+r.IntN(table.Len()-lo))
		f := table.Layout.Fields[column]
		want := map[uint32]map[string]uint64{}
		for child := range uint32(refinement.Children) {
			of := &Table{Layout: table.Layout}
			for at := parent.Lo; at < parent.Hi; at++ {
				key := table.Keys[at*table.Layout.Words:][:table.Layout.Words]
				if refinement.ChildOf(f.Code(key)) == child {
					of.Put(key, table.Counts[at])
				}
			}
			if of.Len() > 0 {
				want[child] = of.tuples(nil)
			}
		}
		others := []Rows{{Hi: parent.Lo}, {Lo: parent.Hi, Hi: table.Len()}}
		before := []map[string]uint64{
			table.Slice(others[0]).tuples(nil), table.Slice(others[1]).tuples(nil),
		}
		var division Division
		if division.Parallel.Threads = 1 + r.IntN(3); division.Parallel.Threads > 1 {
			division.Parallel.Least = 1 + r.IntN(500)
		}
		at := parent.Lo
		for k, part := range division.Divide(table, parent, f, refinement) {
			child := division.Present[k]
			of := table.Slice(part)
			if part.Lo != at || part.Size != of.Size() || !maps.Equal(of.tuples(nil), want[child]) {
				t.Fatalf("seed %d, case %d: child %d of %d has %+v",
					seed, i, child, refinement.Children, part)
			}
			at = part.Hi
		}
		if at != parent.Hi || len(division.Present) != len(want) ||
			!slices.IsSorted(division.Present) {
			t.Fatalf("seed %d, case %d: children %v, want %d", seed, i, division.Present, len(want))
		}
		for k, rows := range others {
			if !maps.Equal(table.Slice(rows).tuples(nil), before[k]) {
				t.Fatalf("seed %d, case %d: other records have changed", seed, i)
			}
		}
	}
}

// randomRefinement returns a refinement of a column. Its codes belong to several children, or all
// belong to one child.
func randomRefinement(r *rand.Rand, column, domain int) *Refinement {
	of := &Refinement{Column: column, Children: 2, First: uint32(r.IntN(domain))}
	if r.IntN(2) > 0 {
		of.Children += r.IntN(20)
	}
	most := 1 + r.IntN(of.Children)
	for range r.IntN(domain) + 1 {
		of.Child = append(of.Child, uint32(r.IntN(most)))
	}
	return of
}

// BenchmarkDivide divides more records than fit into a cache.
func BenchmarkDivide(b *testing.B) {
	const records, codes = 4 << 20, 1 << 15
	for words := range 3 {
		r := rand.New(rand.NewPCG(1, 2))
		table := newTable(NewLayout(slices.Repeat([]int{codes}, 4*words+4)), records, records)
		for i := range table.Keys {
			table.Keys[i] = r.Uint64() & (1<<60 - 1)
		}
		for i := range table.Counts {
			table.Counts[i] = 1
		}
		for _, children := range []int{2, 10, 1000} {
			by := &Refinement{Children: children}
			for range codes {
				by.Child = append(by.Child, uint32(r.IntN(children)))
			}
			name := fmt.Sprintf("words=%d/children=%d", table.Layout.Words, children)
			b.Run(name, func(b *testing.B) {
				fields := table.Layout.Fields
				var division Division
				for i := 0; b.Loop(); i++ {
					division.Divide(table, Rows{Hi: records}, fields[i%len(fields)], by)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
			})
		}
	}
}
