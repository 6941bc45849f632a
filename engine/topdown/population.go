package topdown

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// populations have, for each set with limits on them, leaf partitions of the records and the people
// of the population together. They only decide whether a refinement is valid: each part must meet
// the limits. These are monotone, so that a refinement that is not valid never will be, whatever
// else is refined.
type populations struct {
	of  []*tips.TIPS
	set []int // of each: its set
	// of each: its columns
	columns [][]int
	changed []int32 // scratch
	each    uint64  // see engine.Requirement.PeopleOfRecord
}

// takePeopled takes the groupings with people from the end of the table's.
func takePeopled(table *engine.Table, requirement engine.Requirement) []*partition.Table {
	all := len(table.Groupings)
	for _, set := range requirement.Sets {
		if set.Population.Asked() {
			all--
		}
	}
	people := table.Groupings[all:]
	table.Groupings = table.Groupings[:all]
	return people
}

// addPopulation adds the leaf partition of the next set with such limits. It consumes its grouping.
func (s *search) addPopulation(
	ctx context.Context, table *engine.Table, grouping *partition.Table, pool *tips.Pool,
) error {
	p := &s.populations
	set := 0
	if len(p.set) > 0 {
		set = p.set[len(p.set)-1] + 1
	}
	for !s.asked[set].Population.Asked() {
		set++
	}
	asked := s.asked[set]
	grouping, err := s.recoded(table, grouping, set, 2)
	if err != nil {
		return err
	}
	limits, of := asked.Population, table.Stats().Size
	if people := partition.Sum(table.People[asked.Columns[0]]); !limits.Holds(of, people) {
		return fmt.Errorf("search quasi-identifier set %d: %w: %d records of %d people",
			set+1, engine.ErrPopulation, of, people)
	}
	// the first partition has the records and the people
	records := make([][]uint64, len(asked.Columns))
	for i, a := range asked.Columns {
		column, codes := &s.view.Columns[a], s.columns[a].codes().Codes
		column.Records, records[i] = slices.Clone(column.Records), column.Records
		for code, people := range table.People[a] {
			if people > 0 { // otherwise the code may have no place
				column.Records[codes[code]] += people
			}
		}
	}
	leaves, err := tips.New(ctx, grouping, asked.Columns, 0, false, &tips.Protection{
		Kinds: 2, Values: 2, Width: 1, Place: []uint32{engine.OfRecords, engine.OfPeople}, Unit: 1,
		// a part of people alone, which only MinPresence judges, is refused or holds for ever
		Follows: true, Needed: []bool{engine.OfRecords: true, engine.OfPeople: false},
		Holds: func(_ int, _ uint64, values []uint64) bool {
			return limits.Holds(values[engine.OfRecords], values[engine.OfPeople])
		},
	}, &s.view, pool)
	for i, a := range asked.Columns {
		s.view.Columns[a].Records = records[i]
	}
	p.of, p.set, p.columns = append(p.of, leaves), append(p.set, set),
		append(p.columns, asked.Columns)
	return err
}

// inspectPeople reports whether the parts that a refinement would make meet the limits. Classes
// with enough records need no inspection.
func (s *search) inspectPeople(
	ctx context.Context, r *partition.Refinement,
) (holds bool, err error) {
	p := &s.populations
	for i, of := range p.of {
		limits, after := s.asked[p.set[i]].Population, s.after(p.set[i], r.Value)
		if !slices.Contains(p.columns[i], r.Column) || limits.MetBy(after, p.each) {
			continue
		}
		if holds, err := of.Inspect(ctx, r); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// refine performs a refinement.
func (p *populations) refine(ctx context.Context, r *partition.Refinement) error {
	for i, of := range p.of {
		if !slices.Contains(p.columns[i], r.Column) {
			continue
		}
		if err := of.Refine(ctx, r); err != nil {
			return err
		}
		p.changed = of.Changed(p.changed[:0])
	}
	return nil
}
