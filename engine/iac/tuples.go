package iac

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/partition"
)

// tuples are distinct generalized tuples and their records, in memory.
type tuples struct {
	layout partition.Layout
	index  *partition.Index
	sizes  []uint64 // by number of the index
	gone   []bool   // by number: suppressed
}

// tupleBytes is what a tuple takes besides its place in the index: its size, whether it is
// gone, and its number in a list.
const tupleBytes = 8 + 1 + 8

func newTuples(layout partition.Layout, n int) *tuples {
	return &tuples{layout: layout, index: partition.NewIndex(layout, n), sizes: make([]uint64, n), gone: make([]bool, n)}
}

// collect returns the tuples that keep tells to. What they take is drawn.
func (s *search) collect(ctx context.Context, keep func(key []uint64) bool) (*tuples, error) {
	table := s.table
	n := 0
	err := s.each(ctx, table, func(key []uint64, _ uint64) {
		if keep(key) {
			n++
		}
	})
	if err == nil {
		err = s.draw("generalized tuples", partition.IndexBytes(table.Layout, n)+int64(n)*tupleBytes)
	}
	if err != nil {
		return nil, err
	}
	t := newTuples(table.Layout, n)
	err = s.each(ctx, table, func(key []uint64, size uint64) {
		if keep(key) {
			t.sizes[t.index.Add(key)] += size
		}
	})
	t.sizes, t.gone = t.sizes[:t.index.Len()], t.gone[:t.index.Len()]
	return t, err
}

// each hands out the records of a table.
func (s *search) each(ctx context.Context, table *partition.Table, visit func(key []uint64, size uint64)) error {
	return table.Scan(ctx, s.space, func(block *partition.Table) error {
		w := block.Layout.Words
		for i, n := range block.Counts {
			visit(block.Keys[i*w:(i+1)*w], uint64(n))
		}
		return nil
	})
}

// left returns the numbers of the tuples that are not suppressed, and their records.
func (t *tuples) left() (numbers []int, size uint64) {
	for i, n := range t.sizes {
		if !t.gone[i] {
			numbers, size = append(numbers, i), size+n
		}
	}
	return numbers, size
}

// compare orders tuples by their codes.
func (t *tuples) compare(i, j int) int {
	a, b := t.index.Key(i), t.index.Key(j)
	for _, f := range t.layout.Fields {
		if c := cmp.Compare(f.Code(a), f.Code(b)); c != 0 {
			return c
		}
	}
	return 0
}

// bySize orders tuples by their records, then by their codes.
func (t *tuples) bySize(numbers []int) {
	slices.SortFunc(numbers, func(i, j int) int {
		return cmp.Or(cmp.Compare(t.sizes[i], t.sizes[j]), t.compare(i, j))
	})
}
