package recheck

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/kcut/kcut/engine/enginetest"
)

// indexCase are labels that cover codes, and regions of them.
type indexCase struct {
	released []uint32
	labels   []int
	covers   [][][]uint32
}

// newIndexCase makes regions of records that were divided by cuts at codes, or of any labels.
func newIndexCase(r *rand.Rand) (c indexCase) {
	columns := 1 + r.IntN(4)
	domains := make([]int, columns)
	for a := range domains {
		domains[a] = 1 + r.IntN(40)
	}
	c.labels = make([]int, columns)
	c.covers = make([][][]uint32, columns)
	for a := range domains {
		c.covers[a] = make([][]uint32, domains[a])
	}
	switch r.IntN(3) {
	case 0:
		c.scatter(r, domains)
	case 1:
		c.cut(r, make([]int, columns), domains, 1+r.IntN(200))
	case 2: // the rest is for a region of all
		c.cut(r, make([]int, columns), domains, 1+r.IntN(200))
		c.released = c.released[:columns*r.IntN(1+len(c.released)/columns)]
		c.add(make([]int, columns), domains)
	}
	return c
}

// scatter makes labels that cover any codes, and regions of any of them.
func (c *indexCase) scatter(r *rand.Rand, domains []int) {
	for a := range domains {
		c.labels[a] = 1 + r.IntN(20)
		wide := 1 + r.IntN(5)
		for code := range domains[a] {
			for label := range c.labels[a] {
				if r.IntN(6) < wide {
					c.covers[a][code] = append(c.covers[a][code], uint32(label))
				}
			}
		}
	}
	for range r.IntN(300) {
		for a := range domains {
			c.released = append(c.released, r.Uint32N(uint32(c.labels[a])))
		}
	}
}

// cut divides codes until there is a number of regions.
func (c *indexCase) cut(r *rand.Rand, from, to []int, regions int) {
	a := r.IntN(len(from))
	if wide := to[a] - from[a]; regions > 1 && wide > 1 {
		at := from[a] + 1 + r.IntN(wide-1)
		left := slices.Clone(to)
		left[a] = at
		c.cut(r, from, left, regions/2)
		right := slices.Clone(from)
		right[a] = at
		c.cut(r, right, to, regions-regions/2)
		return
	}
	c.add(from, to)
}

// add adds the region of some codes.
func (c *indexCase) add(from, to []int) {
	for a := range from {
		label := uint32(c.labels[a])
		c.labels[a]++
		for code := from[a]; code < to[a]; code++ {
			c.covers[a][code] = append(c.covers[a][code], label)
		}
		c.released = append(c.released, label)
	}
}

// first returns the first region that covers a tuple, or -1.
func (c *indexCase) first(tuple []uint32) int32 {
	columns := len(c.covers)
	for region := 0; region*columns < len(c.released); region++ {
		covered := true
		for a, label := range c.released[region*columns:][:columns] {
			covered = covered && slices.Contains(c.covers[a][tuple[a]], label)
		}
		if covered {
			return int32(region)
		}
	}
	return -1
}

// TestRegionIndex compares the regions of tuples with those of a linear search, and the memory of
// the index with the drawn bytes.
func TestRegionIndex(t *testing.T) {
	found, lacking, cuts := 0, 0, 0
	enginetest.Cases(t, 500, func(r *rand.Rand) {
		c := newIndexCase(r)
		var columns []Coverage
		for a, covers := range c.covers {
			columns = append(columns, CoverageOf(covers, c.labels[a]))
		}
		x := NewRegionIndex(c.released, columns)
		const n = 50
		codes := make([][]uint32, len(c.covers))
		for a := range codes {
			for range n {
				codes[a] = append(codes[a], r.Uint32N(uint32(len(c.covers[a]))))
			}
		}
		regions := make([]int32, n)
		x.Locate(n, codes, regions)
		for i, got := range regions {
			var tuple []uint32
			for a := range codes {
				tuple = append(tuple, codes[a][i])
			}
			want := c.first(tuple)
			if got != want {
				t.Fatalf("%d is in region %d, want %d", tuple, got, want)
			}
			if found++; want < 0 {
				lacking++
			}
		}
		cuts += len(x.nodes) - 1
		all := len(c.released) / len(c.covers)
		taken := len(x.nodes)*int(unsafe.Sizeof(regionNode{})) + 4*len(x.listed)
		if len(x.listed) > 2*all || taken > regionIndexBytes*all+16 {
			t.Errorf("%d regions are listed %d times in %d nodes", all, len(x.listed), len(x.nodes))
		}
	})
	if lacking == 0 || lacking == found || cuts == 0 {
		t.Errorf("%d of %d tuples were in no region, and there were %d cuts", lacking, found, cuts)
	}
}
