package topdown

import (
	"cmp"
	"context"
	"encoding/binary"
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
	populations
	sets  []*tips.TIPS // one for each set that the search asked for
	with  [][]int      // by attribute: the sets with that column
	view  tips.View
	queue *queue
	stale []int32 // values whose score changed, or that died, since the last update

	rescored []bool // by attribute: all scores of its candidates have changed since then
	// by attribute: they changed because of gains with bounds, or only because of the balance
	regained []bool
	key      []byte  // scratch of groupOf
	scored   []int32 // scratch of findBest
	reported reported
	balance
}

// newSearch returns the search at its start, with everything masked. It consumes the groupings of
// sets; on an error, all groupings.
func newSearch(
	ctx context.Context, table *engine.Table, people []*partition.Table,
	requirement engine.Requirement, options engine.Options, pool *tips.Pool,
	worker workers.Worker,
) (_ *search, err error) {
	taken := 0 // groupings that the pool has taken
	defer func() {
		if err == nil {
			return // suppress uses the rest
		}
		for _, left := range slices.Concat(table.Groupings[taken:], people) {
			err = errors.Join(err, left.Discard(options.Space))
		}
	}()
	n := len(table.Attributes)
	s := &search{
		options: options,
		asked:   requirement.Sets,
		kinds:   table.Kinds,
		columns: make([]column, n),
		with:    make([][]int, n),
	}
	s.balance = newBalance(options, n)
	requirement.MaxSuppressed = requirement.Suppressible()
	s.outlierSearch = outlierSearch{
		requirement: requirement, outliers: requirement.MaxSuppressed, undoable: isUndoable(table,
			requirement),
	}
	s.inspection = newInspection(requirement, table.Stats().Size)
	s.populations.each = requirement.PeopleOfRecord
	s.view.Columns = make([]tips.Column, n)
	s.queue, s.rescored, s.regained = newQueue(n, s.view.Dead), slices.Repeat([]bool{true}, n),
		make([]bool, n)
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
			if records > 0 { // otherwise the code may have no place
				s.view.Columns[a].Records[codes.Codes[code]] += records
			}
		}
		s.queue.columns[a].bounded = s.columns[a].bounds() != nil
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
		if s.ofRecords {
			protection = newProtection(set, s.kinds, pool.Threads())
		}
		tips, err := tips.New(ctx, grouping, set.Columns, s.kinds.LeastWeight(set.K.Size()),
			s.outliers > 0, protection, &s.view, pool)
		if err != nil {
			return nil, err
		}
		s.sets = append(s.sets, tips)
		for _, a := range set.Columns {
			s.with[a] = append(s.with[a], i)
		}
	}
	for _, grouping := range people {
		people = people[1:]
		if err := s.addPopulation(ctx, table, grouping, pool); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// recode returns the grouping of a set in the codes of the search.
func (s *search) recode(table *engine.Table, set int) (*partition.Table, error) {
	kinds := 0
	if len(table.Groupings[set].Layout.Fields) > len(s.asked[set].Columns) {
		kinds = table.KindsLen()
	}
	return s.recoded(table, table.Groupings[set], set, kinds)
}

// recoded returns a grouping of the columns of a set, and of a number of kinds if it is not 0, in
// the codes of the search.
func (s *search) recoded(
	table *engine.Table, grouping *partition.Table, set, kinds int,
) (*partition.Table, error) {
	if table.Merged {
		return grouping, nil
	}
	if grouping.Spilled() {
		return nil, fmt.Errorf("recode the counts of quasi-identifier set %d: they are spilled",
			set+1)
	}
	var maps [][]uint32
	var domains []int
	for _, a := range s.asked[set].Columns {
		merge := s.columns[a].codes()
		maps, domains = append(maps, merge.Codes), append(domains, merge.Domain)
	}
	if kinds > 0 {
		same := engine.Identity(kinds)
		maps, domains = append(maps, same.Codes), append(domains, same.Domain)
	}
	return grouping.Coarsen(maps, domains, s.options.Space.Threads), nil
}

// add makes a value of the view a candidate.
func (s *search) add(c candidate, children int) int32 {
	c.group = noGroup
	s.queue.candidates = append(s.queue.candidates, c)
	value := s.view.Add(c.column, children)
	s.stale = append(s.stale, value)
	return value
}

// run performs the best candidate until there is none or the steps are used up (TDS, section 5.1;
// TDR, section 4.1).
func (s *search) run(ctx context.Context) error {
	s.begin()
	s.update()
	for number := 1; s.options.MaxSteps < 0 || number <= s.options.MaxSteps; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		best, ok, err := s.best(ctx)
		if err != nil || !ok {
			return err
		}
		c := s.queue.candidates[best]
		of := &s.queue.groups[c.group]
		step := engine.Step{
			Number:    number,
			Attribute: c.column,
			InfoGain:  of.gain,
			AnonyLoss: s.loss(best),
			Score:     of.score,
		}
		step.Value, step.Children = s.columns[c.column].labels(c.node)
		if err := s.perform(ctx, best); err != nil {
			return err
		}
		s.update()
		s.report(c.node, step)
	}
	return nil
}

// perform refines a value in its column, the view and the sets (TDS, section 5.3; TDR, section
// 4.3), and notes the columns whose scores all change: those of the sets whose anonymity falls.
func (s *search) perform(ctx context.Context, value int32) error {
	c := s.queue.candidates[value]
	s.view.Kill(value)
	s.stale = append(s.stale, value)
	refinement := s.columns[c.column].refine(s, c.node)
	for _, i := range s.with[c.column] {
		before := s.sets[i].Anonymity()
		if err := s.sets[i].Refine(ctx, &refinement); err != nil {
			return err
		}
		if s.options.Score != engine.ScoreInfoGain && s.sets[i].Anonymity() < before {
			for _, a := range s.asked[i].Columns {
				s.rescored[a] = true
			}
		}
	}
	if err := s.populations.refine(ctx, &refinement); err != nil {
		return err
	}
	if s.options.Balance > 0 {
		s.balance.count(c.column)
		s.regained[c.column] = true
	}
	return nil
}

// update updates the queue for the stale candidates, and for all candidates of the columns whose
// scores all changed (TDS, section 5.4; TDR, section 4.4).
func (s *search) update() {
	for _, set := range s.sets {
		s.stale = set.Changed(s.stale)
	}
	if s.outliers > 0 {
		s.killOutliers()
	}
	slices.SortFunc(s.stale, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.queue.candidates[a].column, s.queue.candidates[b].column),
			cmp.Compare(a, b))
	})
	s.stale = slices.Compact(s.stale)
	for rest := s.stale; len(rest) > 0; {
		column, n := s.queue.candidates[rest[0]].column, 1
		for n < len(rest) && s.queue.candidates[rest[n]].column == column {
			n++
		}
		s.updateColumn(column, rest[:n])
		rest = rest[n:]
	}
	s.stale = s.stale[:0]
	for column := range s.columns {
		if s.rescored[column] || s.regained[column] {
			s.updateColumn(column, nil)
		}
	}
}

// updateColumn assigns candidates of a column to groups, and groups to places.
func (s *search) updateColumn(column int, stale []int32) {
	q, c := s.queue, &s.queue.columns[column]
	rescored := s.rescored[column] || s.regained[column] && s.columns[column].bounds() == nil
	all := rescored || s.mustRenew(column) || len(stale) > len(c.groups)/8
	for _, value := range stale {
		was, g := q.candidates[value].group, noGroup
		if !s.view.Dead(value) {
			g = s.groupOf(value)
		}
		if g != was {
			q.move(value, g)
		}
		if g != noGroup && !rescored {
			s.place(g)
		}
		switch {
		case all && was != noGroup && was != g:
			q.first(was)
		case !all && was != noGroup && was != g:
			q.settle(was)
		}
		switch {
		case g == noGroup:
		case !all:
			q.settle(g)
		case q.groups[g].place == 0:
			c.Push(g)
		}
	}
	if all {
		s.rebuild(column, rescored)
	}
	s.rescored[column], s.regained[column] = false, false
	s.findBest(column)
}

// groupOf returns the group for a candidate. In a suppressed column its members have the same
// classes and the same loss, with the present knowledge.
func (s *search) groupOf(value int32) int32 {
	c := &s.queue.candidates[value]
	of := s.columns[c.column].bounds()
	if of == nil {
		if c.group == noGroup {
			return s.queue.group(c.column, -1, nil)
		}
		return c.group
	}
	kind := of.kind[c.node]
	key := binary.AppendUvarint(s.key[:0], uint64(kind))
	if s.options.Score != engine.ScoreInfoGain {
		for _, i := range s.with[c.column] {
			key = binary.AppendUvarint(key, s.sets[i].Least(value))
		}
		if s.outliers > 0 {
			key = binary.AppendUvarint(key, s.moreOutliers(value))
			if s.inspects && s.isInspected(value) {
				key = append(key, 1)
			}
		}
	}
	s.key = key
	return s.queue.group(c.column, kind, key)
}

// place computes the loss of a group and the score or bound that determines its place in its
// column.
func (s *search) place(g int32) {
	of := &s.queue.groups[g]
	of.loss = s.loss(of.members.List[0])
	of.isLeast = s.inspects && s.outliers > 0 && !s.isInspected(of.members.List[0])
	if s.columns[of.column].bounds() == nil {
		s.rescore(g)
	} else {
		s.bound(g)
	}
}

// rescore computes the score of a group's candidates.
func (s *search) rescore(g int32) {
	of := &s.queue.groups[g]
	of.gain = s.columns[of.column].gain(s.queue.candidates[of.members.List[0]].node)
	of.score = s.balanced(of.column, s.scoreOf(of, of.gain))
}

// scoreOf returns the score of a gain of a group's candidates, before it is balanced. It rises with
// the gain, in proportion unless the gain is negative.
func (s *search) scoreOf(of *group, gain float64) float64 {
	switch {
	case s.options.Score == engine.ScoreInfoGain:
		return gain
	case of.isLeast:
		return atMost(s.options.Score, gain, of.loss, len(s.with[of.column]))
	}
	return score(s.options.Score, gain, of.loss)
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

// after returns the A(QID) of a set after refining a value.
func (s *search) after(set int, value int32) uint64 {
	return s.kinds.Entities(s.sets[set].After(value))
}

// report reports a step after it is performed, unless it may be undone.
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
	s.reportStep(&p)
}

// cut returns the present cut.
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

// stop returns the reason why a candidate was not performed.
func (s *search) stop(value int32) engine.Stop {
	if !s.view.Dead(value) {
		return engine.Stop{Why: engine.WhySteps}
	}
	if s.outliers > 0 && s.isOver(value) {
		return engine.Stop{Why: engine.WhyOutliers}
	}
	if stop, ok := s.refused[value]; ok {
		return stop
	}
	for _, i := range s.with[s.queue.candidates[value].column] {
		if s.asked[i].Prunable(s.after(i, value)) {
			return engine.Stop{Why: engine.WhySet, Set: i}
		}
	}
	return engine.Stop{Why: engine.WhyRecords}
}
