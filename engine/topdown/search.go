package topdown

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/tips"
)

// search is the state of one search.
type search struct {
	options engine.Options
	columns []column // by attribute
	asked   []engine.Set
	kinds   *engine.Kinds
	outlierSearch
	inspection
	sets  []*tips.TIPS // of every set that is asked for
	with  [][]int      // by attribute: the sets with that column
	view  tips.View
	queue queue
	stale []int32 // values whose score changed, or who died, since the last update
	told  told
	balance
}

// newSearch returns the search at its start, everything masked. The groupings of sets are consumed, on an
// error all.
func newSearch(
	ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options, pool *tips.Pool, worker workers.Worker,
) (_ *search, err error) {
	taken := 0 // groupings that are the pool's
	defer func() {
		if err == nil {
			return // what is left is for suppress
		}
		for _, left := range table.Groupings[taken:] {
			err = errors.Join(err, left.Discard(options.Space))
		}
	}()
	n := len(table.Attributes)
	s := &search{options: options, asked: requirement.Sets, kinds: table.Kinds, columns: make([]column, n), with: make([][]int, n)}
	s.balance = newBalance(options, n)
	requirement.MaxSuppressed = requirement.Suppressible()
	s.outlierSearch = outlierSearch{
		requirement: requirement, outliers: requirement.MaxSuppressed, undoable: isUndoable(table, requirement),
	}
	s.inspection = newInspection(requirement)
	s.view.Columns = make([]tips.Column, n)
	profiles := newProfiles(table, requirement)
	workers.Must(worker.Each(n, func(w workers.Worker, a int) error {
		s.columns[a] = newColumn(profiles[a], w)
		return nil
	}))
	for a := range s.columns {
		codes := s.columns[a].codes()
		s.view.Columns[a] = tips.NewColumn(codes.Domain)
		s.view.Columns[a].Records = make([]uint64, codes.Domain)
		sizes := table.Histograms[a].Sizes()
		if table.Sizes != nil {
			sizes = table.Sizes[a]
		}
		for code, records := range sizes {
			if records > 0 { // else the code may have no place
				s.view.Columns[a].Records[codes.Codes[code]] += records
			}
		}
		s.columns[a].start(s)
	}
	for i, set := range requirement.Sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		grouping, err := s.recode(table, i)
		if err != nil {
			return nil, err
		}
		taken++
		var protection *tips.Protection
		if s.inspects {
			protection = newProtection(set, s.kinds, pool.Threads())
		}
		tips, err := tips.New(ctx, grouping, set.Columns, s.kinds.LeastWeight(set.K.Size()), s.outliers > 0, protection, &s.view, pool)
		if err != nil {
			return nil, err
		}
		s.sets = append(s.sets, tips)
		for _, a := range set.Columns {
			s.with[a] = append(s.with[a], i)
		}
	}
	return s, nil
}

// recode returns the grouping of a set in the search's codes.
func (s *search) recode(table *engine.Table, set int) (*partition.Table, error) {
	grouping := table.Groupings[set]
	if table.Merged {
		return grouping, nil
	}
	if grouping.Spilled() {
		return nil, fmt.Errorf("recode the counts of quasi-identifier set %d: they are spilled", set+1)
	}
	var maps [][]uint32
	var domains []int
	for _, a := range s.asked[set].Columns {
		merge := s.columns[a].codes()
		maps, domains = append(maps, merge.Codes), append(domains, merge.Domain)
	}
	if len(grouping.Layout.Fields) > len(maps) {
		kinds := engine.Identity(table.KindsLen())
		maps, domains = append(maps, kinds.Codes), append(domains, kinds.Domain)
	}
	return grouping.Coarsen(maps, domains, s.options.Space.Threads), nil
}

// add makes a value of the view a candidate.
func (s *search) add(c candidate, children int) int32 {
	s.queue.candidates = append(s.queue.candidates, c)
	value := s.view.Add(c.column, children)
	s.stale = append(s.stale, value)
	return value
}

// run performs the best candidate until there is none or the steps are used up (TDS, section 5.1;
// TDR, section 4.1).
func (s *search) run(ctx context.Context) error {
	s.begin()
	s.update(true, none)
	for number := 1; s.options.MaxSteps < 0 || number <= s.options.MaxSteps; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		best, ok, err := s.best(ctx)
		if err != nil || !ok {
			return err
		}
		c := s.queue.candidates[best]
		step := engine.Step{Number: number, Attribute: c.column, InfoGain: c.gain, AnonyLoss: s.loss(best), Score: c.score}
		step.Value, step.Children = s.columns[c.column].labels(c.node)
		fell, err := s.perform(ctx, best)
		if err != nil {
			return err
		}
		changed := none // the column whose candidates all have another score
		if s.options.Balance > 0 {
			changed = c.column
			s.balance.count(changed)
		}
		s.update((fell || s.inspects && s.outliers > 0) && s.options.Score != engine.ScoreInfoGain, changed)
		s.report(c.node, step)
	}
	return nil
}

// perform refines a value in its column, the view and the sets (TDS, section 5.3; TDR, section
// 4.3). It reports whether the anonymity of one fell.
func (s *search) perform(ctx context.Context, value int32) (fell bool, err error) {
	c := s.queue.candidates[value]
	s.view.Kill(value)
	s.stale = append(s.stale, value)
	refinement := s.columns[c.column].refine(s, c.node)
	if slices.ContainsFunc(s.sets, (*tips.TIPS).Subdivided) {
		s.view.Lookahead = s.predict()
	}
	for _, i := range s.with[c.column] {
		before := s.sets[i].Anonymity()
		if err := s.sets[i].Refine(ctx, &refinement); err != nil {
			return false, err
		}
		fell = fell || s.sets[i].Anonymity() < before
	}
	return fell, nil
}

// none is no column.
const none = -1

// update rescores the stale candidates, those of a column that has changed, or all (TDS, section 5.4; TDR, section 4.4).
func (s *search) update(all bool, changed int) {
	for _, set := range s.sets {
		s.stale = set.Changed(s.stale)
	}
	if s.outliers > 0 {
		s.killOutliers()
	}
	many := all || changed != none || len(s.stale) > len(s.queue.values)/8
	for _, value := range s.stale {
		if s.view.Dead(value) {
			s.queue.remove(value)
			continue
		}
		c := s.queue.append(value)
		c.gain = s.columns[c.column].gain(c.node)
		s.rescore(value)
		if !many {
			heap.Fix(&s.queue, c.place-1)
		}
	}
	s.stale = s.stale[:0]
	if all || changed != none {
		for _, value := range s.queue.values {
			if all || s.queue.candidates[value].column == changed {
				s.rescore(value)
			}
		}
	}
	if many {
		heap.Init(&s.queue)
	}
}

// rescore computes a candidate's score.
func (s *search) rescore(value int32) {
	c := &s.queue.candidates[value]
	switch {
	case s.options.Score == engine.ScoreInfoGain:
		c.score = s.balanced(c.column, c.gain)
	case s.inspects && s.outliers > 0 && !s.isInspected(value):
		c.score = s.balanced(c.column, atMost(s.options.Score, c.gain, s.loss(value), len(s.with[c.column])))
	default:
		c.score = s.balanced(c.column, score(s.options.Score, c.gain, s.loss(value)))
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
	sets := s.with[s.queue.candidates[value].column]
	sum := uint64(0)
	for _, i := range sets {
		sum += s.kinds.Entities(s.sets[i].Anonymity()) - s.after(i, value)
	}
	loss := float64(sum) / float64(len(sets))
	if s.outliers > 0 {
		loss += float64(s.moreOutliers(value))
	}
	return loss
}

// after returns what A(QID) of a set would be after refining a value.
func (s *search) after(set int, value int32) uint64 {
	return s.kinds.Entities(s.sets[set].After(value))
}

// report tells a step after it is performed, unless it may be undone.
func (s *search) report(node int, step engine.Step) {
	if s.options.OnStep == nil && !s.undoable {
		return
	}
	p := performedStep{Step: step, node: node}
	for _, i := range s.with[step.Attribute] {
		p.reached = append(p.reached, s.reached(i))
	}
	if s.undoable {
		s.performed = append(s.performed, p)
		return
	}
	s.tell(&p)
}

// cut returns the cut that was reached.
func (s *search) cut() *engine.Cut {
	cut := &engine.Cut{}
	for _, set := range s.sets {
		cut.Reached = append(cut.Reached, s.kinds.Entities(set.Anonymity()))
	}
	for _, c := range s.columns {
		cut.Columns, cut.Stops = append(cut.Columns, c.cut()), append(cut.Stops, c.stops(s))
	}
	return cut
}

// stop says why a candidate was not performed.
func (s *search) stop(value int32) engine.Stop {
	if !s.view.Dead(value) {
		return engine.Stop{Why: engine.WhySteps}
	}
	if s.outliers > 0 && s.isOver(value) {
		return engine.Stop{Why: engine.WhyOutliers}
	}
	if set, ok := s.refused[value]; ok {
		return engine.Stop{Why: engine.WhyProtection, Set: set}
	}
	for _, i := range s.with[s.queue.candidates[value].column] {
		if s.asked[i].Prunable(s.after(i, value)) {
			return engine.Stop{Why: engine.WhySet, Set: i}
		}
	}
	return engine.Stop{Why: engine.WhyRecords}
}

// candidate is a value that can be refined.
type candidate struct {
	column int // attribute
	node   int // the column's number for it
	order  int // among the column's candidates, for ties
	gain   float64
	score  float64
	place  int // in the heap, plus one; 0: not there
}

// before reports whether candidate c is performed rather than d.
func (c *candidate) before(d *candidate) bool {
	switch {
	case c.score != d.score:
		return c.score > d.score
	case c.gain != d.gain:
		return c.gain > d.gain
	case c.column != d.column:
		return c.column < d.column
	}
	return c.order < d.order
}

// queue is a heap of candidates, the best on top (TDS, section 5.2; TDR, section 4.2). Candidates
// are known by their value's number and remember their place.
type queue struct {
	candidates []candidate // by value of the view
	values     []int32
}

func (q *queue) at(i int) *candidate { return &q.candidates[q.values[i]] }

func (q *queue) Len() int { return len(q.values) }

func (q *queue) Less(i, j int) bool { return q.at(i).before(q.at(j)) }

func (q *queue) Swap(i, j int) {
	q.values[i], q.values[j] = q.values[j], q.values[i]
	q.at(i).place, q.at(j).place = i+1, j+1
}

// Push is not used: values are appended.
func (q *queue) Push(any) {}

func (q *queue) Pop() any {
	last := len(q.values) - 1
	q.at(last).place = 0
	q.values = q.values[:last]
	return nil
}

// append inserts a value, if it is not there, anywhere: the order is to be restored.
func (q *queue) append(value int32) *candidate {
	c := &q.candidates[value]
	if c.place == 0 {
		q.values = append(q.values, value)
		c.place = len(q.values)
	}
	return c
}

// remove takes a value out, if it is there.
func (q *queue) remove(value int32) {
	if place := q.candidates[value].place; place > 0 {
		heap.Remove(q, place-1)
	}
}
