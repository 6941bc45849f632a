package topdown

import (
	"container/heap"
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
)

// outlierSearch is the state of a search that may suppress or drop records, so that one rare value
// need not keep all others masked.
//
// A record is an outlier of a set when its class has fewer than k records there. Refining makes
// more outliers, never fewer: a refinement that makes too many always would, and taking all away in
// the end has the same result as taking each away when it became one. Taking away the outliers of
// one set may make more of them in another. The search does not count these: it uses the sum over
// the sets, and counts them in the end. If they are too many, the search undoes its last steps:
// every prefix of the steps is a release.
type outlierSearch struct {
	requirement engine.Requirement
	outliers    uint64 // records that may be taken away; 0: the search looks for none
	undoable    bool   // the sets are counted in the end, and steps may then be undone
	taken       uint64 // records that must be taken away, summed over the sets
	performed   []performedStep
}

// performedStep is a step that is reported once it is known that it will not be undone.
type performedStep struct {
	engine.Step
	node    int
	reached []reached // one for each set with its column
}

// isUndoable reports whether the search does not count everything: records may be taken away, or
// have no weight and so are in none of the sets' groupings.
func isUndoable(table *engine.Table, requirement engine.Requirement) bool {
	return requirement.Suppressible() > 0 || hasWeightless(table)
}

// hasWeightless reports whether there are records without weight.
func hasWeightless(table *engine.Table) bool {
	return table.Kinds != nil && slices.Contains(table.Kinds.Weight, 0)
}

// undone returns the reason for a value whose refinement was undone.
func (o *outlierSearch) undone() engine.Stop {
	if o.outliers == 0 {
		return engine.Stop{Why: engine.WhyRecords}
	}
	return engine.Stop{Why: engine.WhyOutliers}
}

// moreOutliers returns the number of outliers that refining a value would make, summed over the
// sets.
func (s *search) moreOutliers(value int32) (records uint64) {
	for _, i := range s.with[s.queue.candidates[value].column] {
		records += s.sets[i].MoreOutliers(value)
	}
	return records
}

// isOver reports whether refining a value would make too many outliers.
func (s *search) isOver(value int32) bool { return s.taken+s.moreOutliers(value) > s.outliers }

// killOutliers kills the values whose refinement would make too many outliers, and those that have
// only outliers in some set: refining them would disclose nothing about others. It looks at the
// values with the largest known numbers.
func (s *search) killOutliers() {
	for _, value := range s.stale {
		s.noteOver(value)
	}
	taken := uint64(0)
	for _, set := range s.sets {
		taken += set.Outliers()
	}
	s.taken = max(s.taken, taken)
	if taken > 0 {
		for _, set := range s.sets {
			s.stale = set.Emptied(s.stale)
		}
	}
	for s.queue.overs.Len() > 0 && s.taken+s.queue.overs.List[0].more > s.outliers {
		value := heap.Pop(&s.queue.overs).(over).value
		s.queue.candidates[value].over = 0
		switch {
		case s.view.Dead(value):
		case s.isOver(value):
			s.view.Kill(value)
			s.stale = append(s.stale, value)
		default:
			s.noteOver(value)
		}
	}
}

// noteOver notes the number of outliers that refining a value would make, if it exceeds the noted
// number.
func (s *search) noteOver(value int32) {
	c := &s.queue.candidates[value]
	if more := s.moreOutliers(value); more > c.over && !s.view.Dead(value) {
		c.over = more
		heap.Push(&s.queue.overs, over{more, value})
	}
}

// suppress returns the cut of the longest prefix of the steps that does not take away too many
// records, and reports these steps. It consumes the table's last grouping.
func (s *search) suppress(ctx context.Context, table *engine.Table) (cut *engine.Cut, err error) {
	in := *table
	in.Groupings = table.Groupings[len(s.asked):]
	cut, steps := s.cut(), len(s.performed)
	if s.taken > 0 || hasWeightless(table) {
		cut, steps, err = s.lastThatFits(ctx, &in)
	}
	if err = errors.Join(err, in.Groupings[0].Discard(s.options.Space)); err != nil {
		return nil, err
	}
	for i := range s.performed[:steps] {
		s.reportStep(&s.performed[i])
	}
	return cut, nil
}

// lastThatFits returns the cut of the longest prefix of the steps that does not take away too many
// records of a table, and its length. It goes back by growing distances, and from there finds the
// length by halving.
func (s *search) lastThatFits(ctx context.Context, table *engine.Table) (cut *engine.Cut, fits int,
	err error) {
	fits = len(s.performed)
	over := fits + 1
	for back := 1; ; back *= 2 {
		if cut, err = s.cutOf(ctx, table, fits); err != nil || cut != nil {
			break
		}
		fits, over = max(0, fits-back), fits
	}
	for err == nil && over-fits > 1 {
		var finer *engine.Cut
		middle := (fits + over) / 2
		if finer, err = s.cutOf(ctx, table, middle); finer == nil {
			over = middle
		} else {
			fits, cut = middle, finer
		}
	}
	return cut, fits, err
}

// cutOf returns the cut of a prefix of the steps with its outliers taken away, or nil if they are
// too many.
func (s *search) cutOf(ctx context.Context, table *engine.Table, steps int) (*engine.Cut, error) {
	for i, p := range s.performed {
		s.columns[p.Attribute].undo(p.node, i >= steps)
	}
	cut := s.cut()
	var codes []engine.CodeMerge
	for _, c := range s.columns {
		codes = append(codes, c.codes())
	}
	are, err := recheck.SuppressOutliers(ctx, table, s.requirement, cut, codes, s.options.Space)
	broken := new(recheck.Broken)
	switch {
	case errors.As(err, &broken):
		return nil, nil
	case err != nil || are:
		return cut, err
	}
	plain := s.cut() // without marks
	plain.Reached = cut.Reached
	return plain, nil
}
