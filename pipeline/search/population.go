package search

import (
	"context"

	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/resources"
)

// CheckPeople refuses a population that lacks a combination of the input's values in a set with
// limits on it, and one that does not meet these as a whole. The search gets to know how many
// people the combinations have.
func (s *Search) CheckPeople(ctx context.Context) error {
	b, presence := s.Bound, 0.0
	if b.Population == nil {
		return nil
	}
	for _, set := range b.Requirement.Sets {
		if !set.Population.Asked() {
			continue
		}
		r := &check.Request{Dataset: b.Dataset, Population: b.Population.Dataset, Entity: -1,
			Household: -1, Weight: -1}
		for _, a := range set.Columns {
			r.Columns = append(r.Columns, b.Masked[a])
			r.PopulationColumns = append(r.PopulationColumns, b.PopulationField(a))
		}
		counting := count.ResourcesOf(s.Run, resources.StageCompress, b.Dataset.Rows())
		found, err := check.Count(ctx, r, counting)
		if err != nil {
			return err
		}
		presence = max(presence, found.Register.MaxPresence)
	}
	if presence > 0 {
		s.Populate(uint64(1 / presence))
	}
	return b.CheckAllPeople(b.Job)
}
