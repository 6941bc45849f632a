package iac

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// core suppresses the tuples in classes that do not hold, until there are none. What is
// left is the largest table of these tuples that meets the requirement.
type core struct {
	*tuples
	sets    []set
	classes [][]uint32 // by set and tuple
	sizes   [][]uint64 // by set and class
}

// newCore finds the classes of all tuples that are left.
func (s *search) newCore(t *tuples, sets []set) (*core, error) {
	n := int64(len(t.sizes))
	bytes := int64(len(sets)) * (partition.IndexBytes(t.layout, len(t.sizes)) + 12*n)
	if err := s.draw("equivalence classes", bytes); err != nil {
		return nil, err
	}
	c := &core{tuples: t, sets: sets}
	for _, of := range sets {
		index, key := partition.NewIndex(t.layout, len(t.sizes)), make([]uint64, t.layout.Words)
		classes, sizes := make([]uint32, n), make([]uint64, n)
		for i, size := range t.sizes {
			class := index.Add(of.project(key, t.index.Key(i)))
			classes[i] = uint32(class)
			if !t.gone[i] {
				sizes[class] += size
			}
		}
		c.classes, c.sizes = append(c.classes, classes), append(c.sizes, sizes)
	}
	return c, nil
}

// suppress takes a tuple out of its classes.
func (c *core) suppress(tuple int) {
	c.gone[tuple] = true
	for j := range c.sets {
		c.sizes[j][c.classes[j][tuple]] -= c.tuples.sizes[tuple]
	}
}

// spread suppresses until no class is too small.
func (c *core) spread() {
	for again := true; again; {
		again = false
		for i := range c.gone {
			if !c.gone[i] && c.small(i) {
				c.suppress(i)
				again = true
			}
		}
	}
}

// small reports whether a tuple is in a class that is too small.
func (c *core) small(tuple int) bool {
	for j := range c.sets {
		if !c.sets[j].asked.Holds(engine.Stats{Records: c.sizes[j][c.classes[j][tuple]]}) {
			return true
		}
	}
	return false
}

// fill suppresses the smallest tuples, too, until there are none or enough suppressed
// records.
func (s *search) fill(c *core) {
	if s.Small != TopUp {
		return
	}
	numbers, size := c.left()
	c.bySize(numbers)
	for _, i := range numbers {
		if suppressed := s.input.Rows - size; suppressed == 0 || s.all.Holds(engine.Stats{Records: suppressed}) {
			return
		}
		if !c.gone[i] {
			c.suppress(i)
			c.spread()
			_, size = c.left()
		}
	}
}
