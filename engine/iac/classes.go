package iac

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// set is a quasi-identifier set over the columns of a table of tuples.
type set struct {
	k       uint64
	columns []bool   // by column of the table
	mask    []uint64 // by word of a key: the bits of the set's columns
	whole   bool     // all columns are
}

// newSet returns a set of attributes in a table whose columns are the given attributes.
func newSet(of engine.Set, attributes []int, layout partition.Layout) set {
	s := set{k: uint64(max(of.K, 0)), columns: make([]bool, len(layout.Fields)), mask: make([]uint64, layout.Words), whole: true}
	for _, a := range of.Columns {
		for i, attribute := range attributes {
			if a == attribute {
				s.columns[i] = true
			}
		}
	}
	for i, f := range layout.Fields {
		if s.columns[i] {
			s.mask[f.Word] |= f.Mask << f.Shift
		}
		s.whole = s.whole && s.columns[i]
	}
	return s
}

// project writes the set's part of a key.
func (s *set) project(to, key []uint64) []uint64 {
	for w, mask := range s.mask {
		to[w] = key[w] & mask
	}
	return to
}

// large returns the equivalence classes of a set that have k records.
func (s *search) large(ctx context.Context, of set) (*partition.Index, error) {
	classes := s.table
	if !of.whole {
		maps, domains := s.projection(of)
		projected, err := s.table.Aggregate(ctx, maps, domains, s.beside())
		if err != nil {
			return nil, err
		}
		classes = projected
	}
	n := 0
	err := s.each(ctx, classes, func(_ []uint64, size uint64) {
		if size >= of.k {
			n++
		}
	})
	if err == nil {
		err = s.draw("equivalence classes", partition.IndexBytes(classes.Layout, n))
	}
	if err != nil {
		return nil, err
	}
	index := partition.NewIndex(classes.Layout, n)
	err = s.each(ctx, classes, func(key []uint64, size uint64) {
		if size >= of.k {
			index.Add(key)
		}
	})
	if err == nil && !of.whole {
		err = classes.Discard(s.space)
	}
	return index, err
}

// projection maps the codes of the columns that a set does not have to 0. Keys keep their layout.
func (s *search) projection(of set) (maps [][]uint32, domains []int) {
	for i, domain := range s.domains {
		codes := make([]uint32, domain)
		if of.columns[i] {
			codes = engine.Identity(domain).Codes
		}
		maps, domains = append(maps, codes), append(domains, domain)
	}
	return maps, domains
}

// core suppresses the tuples in classes below some set's k, until there are none. What is
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

// settle suppresses until no class is too small.
func (c *core) settle() {
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
		if c.sizes[j][c.classes[j][tuple]] < c.sets[j].k {
			return true
		}
	}
	return false
}
