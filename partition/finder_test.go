package partition

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A finder finds the tuples whose labels its index has, with their numbers, and no others.
func TestFinder(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		const codes, labels = 12, 4
		n, tuples := 1+r.IntN(1200), make([][]uint32, 3)
		for column := range tuples {
			for range n {
				tuples[column] = append(tuples[column], uint32(r.IntN(codes)))
			}
		}
		columns := r.Perm(len(tuples))[:1+r.IntN(len(tuples))]
		layout := NewLayout(slices.Repeat([]int{labels}, len(columns)))
		f := Finder{Index: NewIndex(layout, 0)}
		for i, column := range columns {
			c := FinderColumn{Column: column, Field: layout.Fields[i]}
			for range codes {
				c.Labels = append(c.Labels, uint32(r.IntN(labels)))
			}
			f.Columns = append(f.Columns, c)
		}
		labelsOf := func(tuple int) (of []uint32) {
			for _, c := range f.Columns {
				of = append(of, c.Labels[tuples[c.Column][tuple]])
			}
			return of
		}
		var wanted [][]uint32 // by number
		for range r.IntN(7) {
			of, key := labelsOf(r.IntN(n)), make([]uint64, layout.Words)
			for i, field := range layout.Fields {
				key[field.Word] |= uint64(of[i]) << field.Shift
			}
			if f.Index.Add(key) == len(wanted) {
				wanted = append(wanted, of)
			}
		}
		got := slices.Repeat([]int{-1}, n)
		f.Find(n, tuples, func(tuple, number int) { got[tuple] = number })
		for tuple, number := range got {
			of := labelsOf(tuple)
			is := func(other []uint32) bool { return slices.Equal(of, other) }
			if want := slices.IndexFunc(wanted, is); number != want {
				t.Fatalf("seed %d: tuple %d is found as %d, want %d", seed, tuple, number, want)
			}
		}
	}
}
