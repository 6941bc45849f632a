package topdown

import (
	"container/heap"
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
)

// outlierSearch is what a search knows of records that may be taken away, so that one rare value need not
// keep all others masked.
//
// A record is an outlier of a set when it is with fewer than k others there. Refining makes more outliers,
// never fewer: what would make too many always would, and taking all away in the end is the same as
// taking each away when it became one. What is left of the others when those of all sets are gone is not
// counted during the search, which goes by the sum over the sets, but in the end. If that takes away too
// many, the last steps are undone: every prefix of the steps is a release.
type outlierSearch struct {
	requirement engine.Requirement
	outliers    uint64 // records that may be taken away; 0: none is looked for
	undoable    bool   // the sets are counted in the end, and steps may be undone then
	taken       uint64 // that have to be, summed over the sets
	performed   []performedStep
}

// performedStep is a step that is told when it is known not to be undone.
type performedStep struct {
	engine.Step
	node    int
	reached []reached // by every set with its column
}

// isUndoable reports whether what a search of the sets counts is not all that is to be known: records may be
// taken away, or have no weight, and so are in none of the sets' groupings.
func isUndoable(table *engine.Table, requirement engine.Requirement) bool {
	return requirement.Suppressible() > 0 || hasWeightless(table)
}

// hasWeightless reports whether there are records without weight.
func hasWeightless(table *engine.Table) bool {
	return table.Kinds != nil && slices.Contains(table.Kinds.Weight, 0)
}

// undone says why a value is no finer whose refinement was undone.
func (o *outlierSearch) undone() engine.Stop {
	if o.outliers == 0 {
		return engine.Stop{Why: engine.WhyRecords}
	}
	return engine.Stop{Why: engine.WhyOutliers}
}

// moreOutliers returns how many records refining a value would make outliers, summed over the sets.
func (s *search) moreOutliers(value int32) (records uint64) {
	for _, i := range s.with[s.queue.candidates[value].column] {
		records += s.sets[i].MoreOutliers(value)
	}
	return records
}

// isOver reports whether refining a value would make too many outliers.
func (s *search) isOver(value int32) bool { return s.taken+s.moreOutliers(value) > s.outliers }

// killOutliers kills the values that would make too many outliers, and those that have none but
// outliers in some set: refining them would tell of nobody else. It looks at those of which the most is known.
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
	for s.queue.overs.Len() > 0 && s.taken+s.queue.overs.list[0].more > s.outliers {
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

// noteOver notes how many outliers refining a value would make, if that is more than was noted.
func (s *search) noteOver(value int32) {
	c := &s.queue.candidates[value]
	if more := s.moreOutliers(value); more > c.over && !s.view.Dead(value) {
		c.over = more
		heap.Push(&s.queue.overs, over{more, value})
	}
}

// suppress returns the cut of as many of the first steps as do not take away too many records, and
// tells these. It consumes the table's last grouping.
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
		s.tell(&s.performed[i])
	}
	return cut, nil
}

// lastThatFits returns the cut of as many steps as do not take away too many records of a table, and their
// number. It goes back further and further, and from there ahead by halves.
func (s *search) lastThatFits(ctx context.Context, table *engine.Table) (cut *engine.Cut, fits int, err error) {
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

// cutOf returns the cut of so many of the first steps, with its outliers taken away, or nil if they are
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
