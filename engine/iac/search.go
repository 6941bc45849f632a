package iac

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// search is the state of one search.
type search struct {
	Engine
	input      *engine.Table
	attributes []int   // of the sets: the table's columns
	levels     []level // by attribute
	sets       []engine.Set
	space      partition.Space
	drawn      int64  // drawn bytes, without those of tables
	weight     uint64 // the number that k counts, of all records

	// the union of all sets: must hold for the records that are released with everything masked
	all engine.Set
	// table of generalized tuples, with the class as last column if it was asked for
	table   *partition.Table
	domains []int // by column
}

func newSearch(e Engine, table *engine.Table, requirement engine.Requirement,
	space partition.Space) *search {
	kept, _ := requirement.Reduce()
	s := &search{
		Engine: e,
		input:  table,
		all:    requirement.United(),
		sets:   kept.Sets,
		space:  space,
		table:  table.Groupings[0],
		weight: table.Rows,
	}
	for a := range table.Attributes {
		s.levels = append(s.levels, e.bestLevel(&table.Attributes[a], table.Histograms[a]))
	}
	s.attributes = s.all.Columns
	if e.Capped {
		s.sets = []engine.Set{s.all}
	}
	return s
}

// run generalizes, suppresses, and returns the drawn bytes.
func (s *search) run(ctx context.Context) (regions *engine.Regions, err error) {
	defer func() {
		s.space.Return(s.drawn)
		err = errors.Join(err, s.table.Discard(s.space))
	}()
	if err := s.generalize(ctx); err != nil {
		return nil, err
	}
	suppress := s.suppressSmall
	switch {
	case s.Capped:
		suppress = s.suppressCapped
	case s.input.Kinds.Weighted():
		suppress = s.suppressFew
	}
	t, err := suppress(ctx)
	if err != nil {
		return nil, err
	}
	return s.release(t), nil
}

// generalize replaces the table's codes by those of the levels, unless it has them.
func (s *search) generalize(ctx context.Context) error {
	var merges []engine.CodeMerge
	for _, a := range s.attributes {
		merges = append(merges, s.levels[a].merge())
	}
	if len(s.table.Layout.Fields) > len(merges) {
		merges = append(merges, engine.Identity(s.input.KindsLen()))
	}
	var maps [][]uint32
	for _, m := range merges {
		maps, s.domains = append(maps, m.Codes), append(s.domains, m.Domain)
	}
	if s.input.Merged {
		return nil
	}
	table, err := s.table.Aggregate(ctx, maps, s.domains, s.remaining())
	if err != nil {
		return err
	}
	err = s.table.Discard(s.space)
	s.table = table
	return err
}

// remaining returns the space without the bytes that are drawn.
func (s *search) remaining() partition.Space {
	space := s.space
	space.Share -= s.drawn + s.table.Bytes()
	return space
}

// draw draws bytes until the search ends.
func (s *search) draw(what string, bytes int64) error {
	if err := s.remaining().Draw(what, bytes); err != nil {
		return err
	}
	s.drawn += bytes
	return nil
}

// suppressSmall is IACk: it suppresses all records in classes that do not hold (Algorithm 1).
func (s *search) suppressSmall(ctx context.Context) (*tuples, error) {
	var sets []set
	var large []*partition.Index
	for _, of := range s.sets {
		set := newSet(of, s.attributes, s.table.Layout)
		index, err := s.large(ctx, set)
		if err != nil {
			return nil, err
		}
		sets, large = append(sets, set), append(large, index)
	}
	key := make([]uint64, s.table.Layout.Words)
	t, err := s.collect(ctx, func(tuple []uint64, _ uint64) bool {
		for j := range sets {
			if large[j].Find(sets[j].project(key, tuple)) < 0 {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return t, s.suppressIn(t, sets)
}

// suppressFew is IACk where k counts entities: the weight of a class is known when all its kinds
// are.
func (s *search) suppressFew(ctx context.Context) (*tuples, error) {
	t, cells, of, err := s.join(ctx)
	if err == nil {
		err = s.draw("weights of tuples", 8*int64(len(t.sizes)))
	}
	if err != nil {
		return nil, err
	}
	kind := cells.layout.Fields[len(s.attributes)]
	t.weights, s.weight = make([]uint64, len(t.sizes)), 0
	for cell, size := range cells.sizes {
		weight := size * s.input.Kinds.Weight[kind.Code(cells.index.Key(cell))]
		t.weights[of[cell]] += weight
		s.weight += weight
	}
	var sets []set
	for _, set := range s.sets {
		sets = append(sets, newSet(set, s.attributes, t.layout))
	}
	return t, s.suppressIn(t, sets)
}

// suppressIn suppresses tuples until all classes of the sets hold.
func (s *search) suppressIn(t *tuples, sets []set) error {
	c, err := s.newCore(t, sets)
	if err == nil {
		c.spread()
		s.fill(c)
	}
	return err
}

// holds reports whether a set holds for records with a weight.
func (s *search) holds(set *engine.Set, weight uint64) bool {
	return set.Holds(engine.Stats{Size: s.input.Kinds.Entities(weight)})
}

// large returns the equivalence classes of a set that hold.
func (s *search) large(ctx context.Context, of set) (index *partition.Index, err error) {
	classes := s.table
	if !of.whole {
		maps, domains := of.projection(classes.Layout)
		if classes, err = s.table.Aggregate(ctx, maps, domains, s.remaining()); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, classes.Discard(s.space)) }()
	}
	holds := func(_ []uint64, size uint64) bool { return of.asked.Holds(engine.Stats{Size: size}) }
	n, err := s.count(ctx, classes, holds)
	if err == nil {
		err = s.draw("equivalence classes", partition.IndexBytes(classes.Layout, n))
	}
	if err != nil {
		return nil, err
	}
	index = partition.NewIndex(classes.Layout, n)
	return index, s.each(ctx, classes, holds, func(key []uint64, _ uint64) { index.Add(key) })
}
