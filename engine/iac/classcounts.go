package iac

import (
	"math"

	"github.com/kcut/kcut/partition"
)

// classCounts are the records of tuples by class.
type classCounts struct {
	start  []int // by tuple, and one more
	counts []classCount
}

type classCount struct {
	class int
	size  uint64
}

func (c *classCounts) of(tuple int) []classCount { return c.counts[c.start[tuple]:c.start[tuple+1]] }

// join joins cells, which are tuples with a class as last code, to tuples without. Without
// a class they are the tuples.
func (s *search) join(cells *tuples) (*tuples, *classCounts, error) {
	n := len(cells.sizes)
	const cellBytes = 8 + 16 + 2*8 // its tuple, its class count, and two places
	if err := s.draw("class counts", partition.IndexBytes(cells.layout, n)+int64(n)*(tupleBytes+cellBytes)); err != nil {
		return nil, nil, err
	}
	class, mask := partition.Field{}, make([]uint64, cells.layout.Words)
	for i := range mask {
		mask[i] = math.MaxUint64
	}
	if len(cells.layout.Fields) > len(s.attributes) {
		class = cells.layout.Fields[len(s.attributes)]
		mask[class.Word] &^= class.Mask << class.Shift
	}
	t, joined, key := newTuples(cells.layout, n), make([]int, n), make([]uint64, len(mask))
	c := &classCounts{start: make([]int, n+1), counts: make([]classCount, n)}
	for i, size := range cells.sizes {
		for w := range key {
			key[w] = cells.index.Key(i)[w] & mask[w]
		}
		joined[i] = t.index.Add(key)
		t.sizes[joined[i]] += size
		c.start[joined[i]+1]++
	}
	for i := range n {
		c.start[i+1] += c.start[i]
	}
	next := append([]int(nil), c.start[:n]...)
	for i, tuple := range joined {
		c.counts[next[tuple]] = classCount{class: int(class.Code(cells.index.Key(i))), size: cells.sizes[i]}
		next[tuple]++
	}
	t.sizes, t.gone = t.sizes[:t.index.Len()], t.gone[:t.index.Len()]
	return t, c, nil
}
