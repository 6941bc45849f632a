package topdown

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// search is the state of one search.
type search struct {
	options    engine.Options
	columns    []column // by attribute
	asked      []engine.Set
	sets       []*tips.TIPS   // of every set that is asked for
	with       [][]*tips.TIPS // by attribute: the sets with that column
	view       tips.View
	candidates []candidate // by value of the view
	queue      queue
	stale      []int32 // values whose score changed, or who died, since the last update
}

// newSearch returns the search at its start, everything masked.
func newSearch(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options, pool *tips.Pool) (*search, error) {
	n := len(table.Attributes)
	s := &search{options: options, asked: requirement.Sets, columns: make([]column, n), with: make([][]*tips.TIPS, n)}
	s.queue.candidates = &s.candidates
	s.view.Columns = make([]tips.Column, n)
	profiles := make([]profile, n)
	each(n, options.Space.Threads, func(a int) {
		profiles[a] = newProfile(table, a, requirement)
		s.columns[a] = newColumn(profiles[a], options.Space.Threads)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for a, profile := range profiles {
		codes := s.columns[a].codes()
		s.view.Columns[a] = tips.NewColumn(codes.Domain)
		s.view.Columns[a].Records = profile.records(codes)
		s.columns[a].start(s)
	}
	groupings, err := s.recodeAll(table, requirement.Sets)
	if err != nil {
		return nil, err
	}
	for i, set := range requirement.Sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tips, err := tips.New(ctx, groupings[i], set.Columns, set.K.Records(), &s.view, pool)
		if err != nil {
			return nil, err
		}
		s.sets = append(s.sets, tips)
		for _, a := range set.Columns {
			s.with[a] = append(s.with[a], tips)
		}
	}
	return s, nil
}

// recodeAll returns the groupings in the search's codes.
func (s *search) recodeAll(table *engine.Table, sets []engine.Set) ([]*partition.Table, error) {
	if table.Merged {
		return table.Groupings, nil
	}
	for i := range sets {
		if table.Groupings[i].Spilled() {
			return nil, fmt.Errorf("recode the counts of quasi-identifier set %d: they are spilled", i+1)
		}
	}
	groupings := make([]*partition.Table, len(sets))
	threads := s.options.Space.Threads
	each(len(sets), threads, func(i int) { groupings[i] = s.recode(table.Groupings[i], sets[i].Columns, threads) })
	return groupings, nil
}

// each calls do for 0 to n−1 on up to so many goroutines. A panic of one is raised again.
func each(n, threads int, do func(i int)) {
	workers.Must(workers.Each(n, threads, func(_ workers.Worker, i int) error {
		do(i)
		return nil
	}))
}

// recode replaces the attributes' codes by the search's, on some goroutines.
func (s *search) recode(table *partition.Table, columns []int, threads int) *partition.Table {
	maps, domains := make([][]uint32, len(columns)), make([]int, len(columns))
	for i, a := range columns {
		coarse := s.columns[a].codes()
		maps[i], domains[i] = coarse.Codes, coarse.Domain
	}
	return table.Coarsen(maps, domains, threads)
}

// add makes a value of the view a candidate.
func (s *search) add(c candidate, children int) int32 {
	s.candidates = append(s.candidates, c)
	value := s.view.Add(c.column, children)
	s.stale = append(s.stale, value)
	return value
}

// run performs the best candidate until there is none or the steps are used up (TDS, section 5.1;
// TDR, section 4.1).
func (s *search) run(ctx context.Context) error {
	s.update(true)
	for number := 1; s.options.MaxSteps < 0 || number <= s.options.MaxSteps; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		best, ok := s.queue.best()
		if !ok {
			return nil
		}
		step := s.describe(best, number)
		fell, err := s.perform(ctx, best)
		if err != nil {
			return err
		}
		s.update(fell && s.options.Score != engine.ScoreInfoGain)
		s.report(step)
	}
	return nil
}

// perform refines a value in its column, the view and the sets (TDS, section 5.3; TDR, section
// 4.3). It reports whether the anonymity of one fell.
func (s *search) perform(ctx context.Context, value int32) (fell bool, err error) {
	c := s.candidates[value]
	s.view.Kill(value)
	s.stale = append(s.stale, value)
	refinement := s.columns[c.column].refine(s, c.node)
	if s.subdivided() {
		s.view.Lookahead = s.predict()
	}
	for _, set := range s.with[c.column] {
		before := set.Anonymity()
		if err := set.Refine(ctx, &refinement); err != nil {
			return false, err
		}
		fell = fell || set.Anonymity() < before
	}
	return fell, nil
}

// subdivided reports whether a set divides its partitions by what is predicted, too.
func (s *search) subdivided() bool {
	return slices.ContainsFunc(s.sets, (*tips.TIPS).Subdivided)
}

// update rescores the stale candidates, or all of them (TDS, section 5.4; TDR, section 4.4).
func (s *search) update(all bool) {
	for _, set := range s.sets {
		s.stale = set.Changed(s.stale)
	}
	many := all || len(s.stale) > len(s.queue.values)/8
	for _, value := range s.stale {
		if s.view.Dead(value) {
			s.queue.remove(value)
			continue
		}
		c := &s.candidates[value]
		c.gain = s.columns[c.column].gain(c.node)
		s.rescore(value)
		if many {
			s.queue.append(value)
		} else {
			s.queue.put(value)
		}
	}
	s.stale = s.stale[:0]
	if all {
		for _, value := range s.queue.values {
			s.rescore(value)
		}
	}
	if many {
		s.queue.rebuild()
	}
}

// rescore computes a candidate's score.
func (s *search) rescore(value int32) {
	c := &s.candidates[value]
	if c.score = c.gain; s.options.Score != engine.ScoreInfoGain {
		c.score = score(s.options.Score, c.gain, s.loss(value))
	}
}

// score returns the score of a gain of information that lowers A(QID) by loss (TDS, section 4;
// TDR, section 3.2).
func score(by engine.Score, gain, loss float64) float64 {
	switch {
	case by == engine.ScoreTDR:
		return gain / (loss + 1)
	case by == engine.ScoreTDS && loss > 0:
		return gain / loss
	}
	return gain
}

// loss returns AnonyLoss: how far refining a value would lower A(QID), on average over the
// sets with its column.
func (s *search) loss(value int32) float64 {
	sets := s.with[s.candidates[value].column]
	sum := uint64(0)
	for _, set := range sets {
		sum += set.Anonymity() - set.After(value)
	}
	return float64(sum) / float64(len(sets))
}

// describe returns the step that performs a value, as far as it is known before.
func (s *search) describe(value int32, number int) engine.Step {
	c := s.candidates[value]
	step := engine.Step{Number: number, Attribute: c.column, InfoGain: c.gain, AnonyLoss: s.loss(value), Score: c.score}
	step.Value, step.Children = s.columns[c.column].labels(c.node)
	return step
}

// report completes a step after it is performed and hands it out.
func (s *search) report(step engine.Step) {
	if s.options.OnStep == nil {
		return
	}
	for _, set := range s.sets {
		step.Anonymity = append(step.Anonymity, set.Anonymity())
		step.Live += set.Live()
		step.Touched += set.Touched()
	}
	s.options.OnStep(step)
}

// cut returns the cut that was reached.
func (s *search) cut() *engine.Cut {
	cut := &engine.Cut{Stops: s.stops()}
	for _, set := range s.sets {
		cut.Reached = append(cut.Reached, set.Anonymity())
	}
	for _, c := range s.columns {
		cut.Columns = append(cut.Columns, c.cut())
	}
	return cut
}
