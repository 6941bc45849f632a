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

// newTuples returns none, with room for n.
func newTuples(layout partition.Layout, n int) *tuples {
	return &tuples{layout: layout, index: partition.NewIndex(layout, n), sizes: make([]uint64, 0, n), gone: make([]bool, 0, n)}
}

// add adds records of a tuple, and returns its number.
func (t *tuples) add(key []uint64, size uint64) (number int) {
	number = t.index.Add(key)
	if number == len(t.sizes) {
		t.sizes, t.gone = append(t.sizes, 0), append(t.gone, false)
	}
	t.sizes[number] += size
	return number
}

// filter tells which records of a table matter.
type filter func(key []uint64, size uint64) bool

func everything([]uint64, uint64) bool { return true }

// each hands out the records of a table that a filter keeps.
func (s *search) each(ctx context.Context, table *partition.Table, keep filter, visit func(key []uint64, size uint64)) error {
	return table.Scan(ctx, s.space, func(block *partition.Table) error {
		w := block.Layout.Words
		for i, n := range block.Counts {
			if key := block.Keys[i*w : (i+1)*w]; keep(key, uint64(n)) {
				visit(key, uint64(n))
			}
		}
		return nil
	})
}

// count counts the records of a table that a filter keeps.
func (s *search) count(ctx context.Context, table *partition.Table, keep filter) (n int, err error) {
	err = s.each(ctx, table, keep, func([]uint64, uint64) { n++ })
	return n, err
}

// collect returns the tuples that a filter keeps. What they take is drawn.
func (s *search) collect(ctx context.Context, keep filter) (*tuples, error) {
	n, err := s.count(ctx, s.table, keep)
	if err == nil {
		err = s.draw("generalized tuples", partition.IndexBytes(s.table.Layout, n)+int64(n)*tupleBytes)
	}
	if err != nil {
		return nil, err
	}
	t := newTuples(s.table.Layout, n)
	return t, s.each(ctx, s.table, keep, func(key []uint64, size uint64) { t.add(key, size) })
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
