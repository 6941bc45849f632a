package topdown

import (
	"context"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/tips"
)

// inspection is used when the sizes of leaf partitions are not enough to check the protections, or
// do not give the number of records: the search inspects candidates, record by record, when they
// are the best ones. A candidate that does not hold never will. Scores do not depend on inspections
// unless records may be suppressed or dropped: then a candidate that is not yet inspected has its
// highest possible score.
type inspection struct {
	inspects  bool // something is inspected
	ofRecords bool // the records of the sets are
	// mostClasses is the largest number of classes of a set; 0: any. The number only rises under
	// refinement, and refining a value later leaves no fewer classes.
	mostClasses uint64
	refused     map[int32]engine.Stop // by value: what it would break
}

// newInspection returns the inspection for a requirement of a number of records.
func newInspection(requirement engine.Requirement, records uint64) inspection {
	all := requirement.United()
	i := inspection{
		ofRecords: all.NeedsKinds() || all.Entities && requirement.Suppressible() > 0,
		refused:   make(map[int32]engine.Stop),
	}
	if requirement.BoundsRisk() {
		i.mostClasses = engine.MostClasses(requirement.AverageRisk, records)
	}
	i.inspects = i.ofRecords || i.mostClasses > 0 || all.Population.Asked()
	return i
}

// newProtection returns the protection of the parts of a set's partitions, for a number of workers.
func newProtection(set engine.Set, kinds *engine.Kinds, workers int) *tips.Protection {
	p := &tips.Protection{
		Kinds:  kinds.Len(),
		Width:  len(kinds.Sensitive),
		Weight: kinds.Weight,
		Unit:   max(1, kinds.Unit),
	}
	if kinds.Weight == nil {
		p.Unit = 1
	}
	starts := []int{0}
	for _, column := range kinds.Sensitive {
		p.Values += len(column.Values)
		starts = append(starts, p.Values)
	}
	p.Place = make([]uint32, kinds.Len()*p.Width)
	for s, column := range kinds.Sensitive {
		for kind, code := range column.Code {
			p.Place[kind*p.Width+s] = uint32(starts[s]) + code
		}
	}
	stats := make([]engine.Stats, workers)
	for i := range stats {
		stats[i].Values = make([][]uint64, p.Width)
	}
	p.Holds = func(worker int, size uint64, values []uint64) bool {
		of := stats[worker]
		of.Size = kinds.Entities(size)
		for s := range of.Values {
			of.Values[s] = values[starts[s]:starts[s+1]]
		}
		return set.Holds(of)
	}
	return p
}

// best returns the next candidate to perform, if there is one. If it needs an inspection, it has
// passed.
func (s *search) best(ctx context.Context) (value int32, ok bool, err error) {
	for {
		if value, ok = s.queue.best(); !ok || !s.inspects {
			return value, ok, nil
		}
		if isKnown, err := s.inspect(ctx, value); err != nil || isKnown {
			return value, err == nil, err
		}
	}
}

// inspect inspects the parts that refining the best candidate would make. It reports whether they
// hold and the candidate is still the best one.
func (s *search) inspect(ctx context.Context, value int32) (ok bool, err error) {
	c := &s.queue.candidates[value]
	refinement := s.columns[c.column].refinement(s, c.node)
	holds, isNew := true, false
	with := s.with[c.column]
	if !s.ofRecords && s.mostClasses == 0 {
		with = nil
	}
	for _, i := range with {
		if s.outliers > 0 && s.sets[i].Inspected(value) {
			continue
		}
		isNew = true
		stop := engine.Stop{Why: engine.WhyProtection, Set: i}
		if s.ofRecords {
			holds, err = s.sets[i].Inspect(ctx, &refinement)
		}
		if err == nil && holds && s.mostClasses > 0 {
			stop.Why = engine.WhyRisk
			holds, err = s.sets[i].KeepsWithin(ctx, &refinement, s.mostClasses)
		}
		if err != nil {
			return false, err
		}
		if s.outliers > 0 {
			holds = !s.isOver(value)
		} else if !holds {
			s.refused[value] = stop
		}
		if !holds {
			s.view.Kill(value)
			s.updateColumn(c.column, []int32{value})
			return false, nil
		}
	}
	if holds, err := s.inspectPeople(ctx, &refinement); err != nil || !holds {
		if err == nil {
			s.refused[value] = engine.Stop{Why: engine.WhyPopulation}
			s.view.Kill(value)
			s.updateColumn(c.column, []int32{value})
		}
		return false, err
	}
	if s.outliers > 0 && isNew {
		s.noteOver(value)
		s.updateColumn(c.column, []int32{value})
	}
	best, _ := s.queue.best()
	return best == value, nil
}

// isInspected reports whether the number of outliers that refining a value would make is known in
// all its sets.
func (s *search) isInspected(value int32) bool {
	for _, i := range s.with[s.queue.candidates[value].column] {
		if !s.sets[i].Inspected(value) {
			return false
		}
	}
	return true
}

// atMost returns the highest score of a gain whose loss is loss or more. A loss of 0 may stand for
// a loss below one record: then it is, on average over the sets with the column, at least one
// record of one of them.
func atMost(by engine.Score, gain, loss float64, sets int) float64 {
	if gain < 0 {
		return 0
	}
	most := score(by, gain, loss)
	if loss == 0 {
		most = math.Max(most, score(by, gain, 1/float64(sets)))
	}
	return most
}
