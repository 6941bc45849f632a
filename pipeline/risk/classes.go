package risk

import (
	"math"
	"slices"
)

// Refine raises figures on some columns to at least the figures on a part of these columns. Rows
// that are equal on all columns are equal on a part of them, but estimates of both might contradict
// that.
func (f *Figures) Refine(part *Figures) {
	f.Unique, f.Below, f.Classes = max(f.Unique, part.Unique), max(f.Below, part.Below),
		max(f.Classes, part.Classes)
	f.Prosecutor.Highest = max(f.Prosecutor.Highest, part.Prosecutor.Highest)
	f.Prosecutor.Average = max(f.Prosecutor.Average, part.Prosecutor.Average)
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
}

// FiguresOf returns the class sizes of rows with the given hashes. It sorts the hashes. Classes of
// fewer than k rows are small.
func FiguresOf(hashes []uint64, k int) *Figures {
	slices.Sort(hashes)
	c := ClassSizes{K: k}
	for i := 0; i < len(hashes); {
		first := i
		for i++; i < len(hashes) && hashes[i] == hashes[first]; i++ {
		}
		c.Add(int64(i - first))
	}
	return c.figures(int64(len(hashes)), 0)
}

// ClassSizes sums up the sizes of classes of equal rows. Classes of fewer than K rows are small.
type ClassSizes struct {
	K             int
	number        float64
	unique, below float64 // rows
	squares       float64 // of the sizes of small classes
	smallest      int64

	Sizes map[int64]int64 // numbers of classes by size; nil: not collected
}

// Add adds a class.
func (c *ClassSizes) Add(rows int64) {
	if c.number++; c.number == 1 || rows < c.smallest {
		c.smallest = rows
	}
	if c.Sizes != nil {
		c.Sizes[rows]++
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
func (c *ClassSizes) Smallest() int64 { return c.smallest }

// Figures returns the figures of a table of the given number of rows. All its classes were added.
func (c *ClassSizes) Figures(rows int64) *Figures { return c.figures(rows, 0) }

// figures returns the figures of a table of the given number of rows. Only the classes whose hashes
// begin with the given number of zero bits were added.
func (c *ClassSizes) figures(rows int64, zeros uint) *Figures {
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
