package mondrian

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// demand says which cuts of a part are allowable, by the sets that are open in it. A cut of a
// column must leave sides that hold for the sets with the column. It closes the other sets that do
// not hold on a side. No cut below is in a column of a closed set, so all records of the part where
// the set was closed, which hold, keep the same labels in it.
//
// As long as a cut is allowable that closes no set, the search makes no other one. It first cuts
// the columns of the open sets with the largest k: others would part the records that these need.
type demand struct {
	open []engine.Set
	// by column: what the sides of a cut must hold so that it closes no set, of the columns of the
	// sets with the largest k and of the others, and so that it is allowable; nil: no cut is, since
	// the column is none of these, or a set with it is closed
	first, rest, own []*engine.Set
	// by column: the content of the part in which a set with the column was closed; nil: none was
	contents []*engine.Content
}

// newDemand returns the demand of a part in which all sets are open. They have all columns.
func newDemand(sets []engine.Set, columns int) *demand {
	d := &demand{contents: make([]*engine.Content, columns)}
	d.ask(sets)
	return d
}

// ask sets the open sets.
func (d *demand) ask(open []engine.Set) {
	r := engine.Requirement{Sets: open}
	columns, all := len(d.contents), r.United()
	d.open, d.own = open, make([]*engine.Set, columns)
	d.first, d.rest = make([]*engine.Set, columns), make([]*engine.Set, columns)
	for column, own := range r.ByAttribute(columns) {
		if d.contents[column] != nil {
			continue
		}
		d.own[column] = &own
		if own.K.Size() == all.K.Size() {
			d.first[column] = &all
		} else {
			d.rest[column] = &all
		}
	}
}

// close returns the demand of the sides of a cut that closes some of the open sets. The contents of
// the part are for their columns.
func (d *demand) close(closes []bool, contents []engine.Content) *demand {
	of := &demand{contents: slices.Clone(d.contents)}
	var open []engine.Set
	for i, set := range d.open {
		if !closes[i] {
			open = append(open, set)
			continue
		}
		for _, column := range set.Columns {
			if of.contents[column] == nil {
				of.contents[column] = &contents[column]
			}
		}
	}
	of.ask(open)
	return of
}

// least returns the least number of records that a side needs; 0: no cut is allowable.
func least(asked []*engine.Set) (k uint64) {
	for _, set := range asked {
		if set != nil && (k == 0 || set.K.Size() < k) {
			k = max(1, set.K.Size())
		}
	}
	return k
}

// demandBytes is the memory of a demand for each column.
const demandBytes = 248

// closing closes the sets of a part that do not hold on some side of a cut of a column, where cuts
// may close sets: side returns the number of a code's side. A number of records on side 1, shared,
// goes to side 0.
func (s *search) closing(ctx context.Context, p *part, column, sides int,
	side func(code uint32) uint32, shared uint64) error {
	if !s.closes {
		return nil
	}
	sizes, kinds := make([]uint64, sides), make([][]uint64, sides)
	for i := range kinds {
		kinds[i] = make([]uint64, len(s.left))
	}
	err := p.cells.Histograms(ctx, []int{column}, func(_ int, set *cells.FrequencySet) error {
		for i, code := range set.Codes {
			to := side(code)
			sizes[to] += set.Size(i)
			for e := set.Start[i]; s.kinds != nil && e < set.Start[i+1]; e++ {
				kinds[to][set.Class[e]] += set.Count[e]
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if shared > 0 {
		sizes[0], sizes[1] = sizes[0]+shared, sizes[1]-shared
	}
	closes := make([]bool, len(p.demand.open))
	for i := range closes {
		s.set = &p.demand.open[i]
		for to, size := range sizes {
			closes[i] = closes[i] || !s.holds(size, kinds[to])
		}
	}
	if !slices.Contains(closes, true) {
		return nil
	}
	contents, err := s.contents(ctx, *p)
	if err != nil {
		return err
	}
	p.demand = p.demand.close(closes, contents)
	return nil
}
