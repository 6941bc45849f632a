package iac

import (
	"context"
	"errors"

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
	s := set{asked: of, columns: make([]bool, len(layout.Fields)), mask: make([]uint64, layout.Words), whole: true}
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

// large returns the equivalence classes of a set that hold.
func (s *search) large(ctx context.Context, of set) (*partition.Index, error) {
	if of.whole {
		return s.largeOf(ctx, s.table, of.asked)
	}
	maps, domains := s.projection(of)
	classes, err := s.table.Aggregate(ctx, maps, domains, s.beside())
	if err != nil {
		return nil, err
	}
	index, err := s.largeOf(ctx, classes, of.asked)
	return index, errors.Join(err, classes.Discard(s.space))
}

// largeOf returns the keys of a table that are classes that hold.
func (s *search) largeOf(ctx context.Context, table *partition.Table, set engine.Set) (*partition.Index, error) {
	n := 0
	err := s.each(ctx, table, func(_ []uint64, size uint64) {
		if set.Holds(engine.Stats{Records: size}) {
			n++
		}
	})
	if err == nil {
		err = s.draw("equivalence classes", partition.IndexBytes(table.Layout, n))
	}
	if err != nil {
		return nil, err
	}
	index := partition.NewIndex(table.Layout, n)
	return index, s.each(ctx, table, func(key []uint64, size uint64) {
		if set.Holds(engine.Stats{Records: size}) {
			index.Add(key)
		}
	})
}

// projection maps the codes of the columns that a set does not have to 0. Keys keep their layout.
func (s *search) projection(of set) (maps [][]uint32, domains []int) {
	for i, f := range s.table.Layout.Fields {
		domain := int(f.Mask) + 1
		codes := make([]uint32, domain)
		if of.columns[i] {
			codes = engine.Identity(domain).Codes
		}
		maps, domains = append(maps, codes), append(domains, domain)
	}
	return maps, domains
}
