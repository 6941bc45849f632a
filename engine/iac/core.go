package iac

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// set is a quasi-identifier set over the columns of a table of tuples.
type set struct {
	asked   engine.Set
	columns []bool   // by column of the table
	mask    []uint64 // by word of a key: the bits of the set's columns
	whole   bool     // all columns are
}

// newSet returns a set of attributes in a table whose columns are the given attributes.
func newSet(of engine.Set, attributes []int, layout partition.Layout) set {
	s := set{asked: of, columns: make([]bool, len(layout.Fields)), mask: make([]uint64, layout.Words)}
	for i, a := range attributes {
		if slices.Contains(of.Columns, a) {
			s.columns[i] = true
			f := layout.Fields[i]
			s.mask[f.Word] |= f.Mask << f.Shift
		}
	}
	s.whole = !slices.Contains(s.columns, false)
	return s
}

// project writes the set's part of a key.
func (s *set) project(to, key []uint64) []uint64 {
	for w, mask := range s.mask {
		to[w] = key[w] & mask
	}
	return to
}

// projection maps the codes of the columns that the set does not have to 0. Keys keep their layout.
func (s *set) projection(layout partition.Layout) (maps [][]uint32, domains []int) {
	for i, f := range layout.Fields {
		m := engine.Identity(int(f.Mask) + 1)
		if !s.columns[i] {
			clear(m.Codes)
		}
		maps, domains = append(maps, m.Codes), append(domains, m.Domain)
	}
	return maps, domains
}

// core suppresses the tuples in classes that do not hold, until there are none. What is
// left is the largest table of these tuples that meets the requirement.
type core struct {
	*tuples
	sets    []set
	classes [][]uint32 // by set and tuple
	records [][]uint64 // by set and class
}

// newCore finds the classes of all tuples that are left.
func (s *search) newCore(t *tuples, sets []set) (*core, error) {
	n := len(t.sizes)
	bytes := int64(len(sets)) * (partition.IndexBytes(t.layout, n) + 12*int64(n))
	if err := s.draw("equivalence classes", bytes); err != nil {
		return nil, err
	}
	c := &core{tuples: t, sets: sets}
	for _, of := range sets {
		index, key := partition.NewIndex(t.layout, n), make([]uint64, t.layout.Words)
		classes, records := make([]uint32, n), make([]uint64, n)
		for i, size := range t.sizes {
			class := index.Add(of.project(key, t.index.Key(i)))
			classes[i] = uint32(class)
			if !t.gone[i] {
				records[class] += size
			}
		}
		c.classes, c.records = append(c.classes, classes), append(c.records, records)
	}
	return c, nil
}

// suppress takes a tuple out of its classes.
func (c *core) suppress(tuple int) {
	c.gone[tuple] = true
	for j := range c.sets {
		c.records[j][c.classes[j][tuple]] -= c.sizes[tuple]
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
		if !c.sets[j].asked.Holds(engine.Stats{Records: c.records[j][c.classes[j][tuple]]}) {
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
