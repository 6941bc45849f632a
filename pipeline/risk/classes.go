package risk

import (
	"math"
	"slices"
)

// Refine makes figures of some columns no smaller than those of a part of these, which each row of
// a class that is alike on all is alike on: estimates of both might contradict each other.
func (f *Figures) Refine(part *Figures) {
	f.Unique, f.Below, f.Classes = max(f.Unique, part.Unique), max(f.Below, part.Below), max(f.Classes, part.Classes)
	f.Prosecutor.Highest = max(f.Prosecutor.Highest, part.Prosecutor.Highest)
	f.Prosecutor.Average = max(f.Prosecutor.Average, part.Prosecutor.Average)
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
}

// FiguresOf tells of rows with these hashes, which are sorted by that, what their classes are like,
// of which those below k are small.
func FiguresOf(hashes []uint64, k int) *Figures {
	slices.Sort(hashes)
	c := Classes{K: k}
	for i := 0; i < len(hashes); {
		first := i
		for i++; i < len(hashes) && hashes[i] == hashes[first]; i++ {
		}
		c.Add(int64(i - first))
	}
	return c.figures(int64(len(hashes)), 0)
}

// Classes sums up classes of rows that are alike, of which those below K are small.
type Classes struct {
	K             int
	number        float64
	unique, below float64 // rows
	squares       float64 // of the sizes of classes that are small
	smallest      int64
}

// Add adds a class.
func (c *Classes) Add(rows int64) {
	if c.number++; c.number == 1 || rows < c.smallest {
		c.smallest = rows
	}
	if rows == 1 {
		c.unique++
	}
	if rows < int64(c.K) {
		c.below += float64(rows)
		c.squares += float64(rows) * float64(rows)
	}
}

// Smallest returns the size of the smallest class, 0 if there is none.
func (c *Classes) Smallest() int64 { return c.smallest }

// Figures tells of so many rows what the classes are like, all of which were added.
func (c *Classes) Figures(rows int64) *Figures { return c.figures(rows, 0) }

// figures tells of so many rows what the classes are like, when those were counted whose hash
// begins with so many zero bits.
func (c *Classes) figures(rows int64, zeros uint) *Figures {
	f := &Figures{}
	if c.number == 0 {
		return f
	}
	part := math.Ldexp(1, -int(zeros))
	share := func(n float64) float64 { return min(n/part/float64(rows), 1) }
	f.Unique, f.Below, f.Classes = share(c.unique), share(c.below), min(int64(c.number/part), rows)
	f.Prosecutor = Risk{Highest: 1 / float64(c.smallest), Average: share(c.number)}
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
	if zeros > 0 {
		f.Part = part
		f.Error = share(2 * math.Sqrt(max(c.unique, c.squares)*(1-part)))
	}
	return f
}
