package choose

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// judging is the state of judging all candidates.
type judging struct {
	Engine
	*dealt
	requirement engine.Requirement
	options     engine.Options // of all searches, except their space
	space       partition.Space
	own         bool // candidates are judged by their own searches, not by sketches
}

// judge judges the candidates.
func (e Engine) judge(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (*Verdict, error) {
	space := options.Space
	options.OnStep = nil
	tuples, attributes := table.Groupings[0].Len(), len(table.Attributes)
	v := &Verdict{Estimates: e.admit(table.Groupings[0].Size(), tuples, attributes)}
	v.choose()
	first := v.Chosen
	if len(e.open(v.Estimates)) < 2 {
		return v, nil
	}
	before := space.Budget.Used()
	defer func() { space.Budget.Return(space.Budget.Used() - before) }()
	d, err := deal(ctx, table, e.most(), space)
	if err != nil {
		return nil, err
	}
	v.Records = d.size
	j := &judging{Engine: e, dealt: d, requirement: requirement, options: options, space: space}
	if err := j.contest(ctx, v); err != nil {
		return nil, err
	}
	if j.unfair(v) {
		j.own = true
		if err := j.contest(ctx, v); err != nil {
			return nil, err
		}
	}
	if v.Chosen < 0 { // a part of the records may be too small for all candidates
		v.Chosen = first
	}
	return v, nil
}

// contest judges the candidates that are not left out, and chooses one.
func (j *judging) contest(ctx context.Context, v *Verdict) error {
	c, table := newContest(v.Estimates, j.size), j.Table
	for round := range j.rounds(j.open(v.Estimates), j.size, table.Groupings[0].Len(),
		len(table.Attributes)) {
		if err := j.round(ctx, round, c); err != nil {
			return err
		}
		if j.Objective == Classification && c.drop() < 2 {
			break
		}
	}
	for i := range v.Estimates {
		if v.Estimates[i].LeftOut == "" {
			j.sum(&v.Estimates[i], &c.sums[i])
		}
	}
	if trusted := j.trusted(); trusted >= 0 && j.Objective == Classification {
		c.trust(trusted)
	}
	v.choose()
	return nil
}

// unfair reports whether a trusted candidate has lost by its sketch and may be judged again by its
// own search.
func (j *judging) unfair(v *Verdict) bool {
	trusted := j.trusted()
	return trusted >= 0 && v.Chosen != trusted && v.Estimates[trusted].LeftOut == "" &&
		j.mayJudgeAgain(j.size)
}

// mayJudgeAgain reports whether all candidates are judged again, by their own searches, when a
// trusted one has lost by its sketch: only where so few records are judged that this is fast.
func (e Engine) mayJudgeAgain(size uint64) bool {
	trusted := e.trusted()
	return trusted >= 0 && e.Candidates[trusted].Sketch != nil && e.Objective == Classification &&
		testFolds(size, uint64(e.most())) == 1
}

// trusted returns the trusted candidate, −1 if there is none.
func (e Engine) trusted() int {
	return slices.IndexFunc(e.Candidates, func(c Candidate) bool { return c.Trusted })
}

// open returns the candidates that are not left out.
func (e Engine) open(estimates []Estimate) (open []*Candidate) {
	for i := range estimates {
		if estimates[i].LeftOut == "" {
			open = append(open, &e.Candidates[i])
		}
	}
	return open
}

// round judges the candidates that are still in a contest.
func (j *judging) round(ctx context.Context, number int, c *contest) error {
	before := j.space.Budget.Used()
	defer func() { j.space.Budget.Return(j.space.Budget.Used() - before) }()
	f, err := j.newFold(ctx, number)
	if err == nil {
		tested := int64(j.size - f.Searched.Rows)
		err = j.space.Budget.Draw("what trees get wrong", int64(len(c.in))*tested)
	}
	if err != nil {
		return err
	}
	missed := make([][]bool, len(c.estimates))
	err = judge.Trials(len(missed), j.space, func(i int, space partition.Space) error {
		if !c.in[i] {
			return nil
		}
		began := time.Now()
		t := &trial{fold: f, Candidate: &j.Candidates[i], space: space}
		s, err := t.run(ctx)
		c.estimates[i].Took += time.Since(began)
		if err != nil && (errors.Is(err, spill.ErrBudget) || fault.ClassOf(err) != fault.Privacy) {
			return err
		}
		if err != nil {
			c.estimates[i].LeftOut, c.in[i] = err.Error(), false
			return nil
		}
		missed[i] = t.missed
		c.sums[i].add(s)
		return nil
	})
	c.compare(missed)
	return err
}

// fold is the training and the test records of a round, the same for all candidates.
type fold struct {
	*judging
	*judge.Fold
	requirement engine.Requirement // requirement for the training part
	removal     float64            // the error of queries when everything is masked
	// number of test records whose class is not the training part's most frequent one
	plain uint64
}

// newFold prepares a fold. Its memory stays drawn.
func (j *judging) newFold(ctx context.Context, number int) (f *fold, err error) {
	f = &fold{judging: j, Fold: &judge.Fold{
		Records: j.Records, Training: j.part(number, false), Test: j.part(number, true),
	}}
	if err := f.Prepare(ctx, j.Objective != Classification, j.space.Budget); err != nil {
		return nil, err
	}
	f.requirement = j.scaled(j.requirement, f.Searched.Rows)
	if f.Workload != nil {
		removed := f.Workload.Estimate(removal(f.Attributes))
		removed.Add(make([]uint32, len(f.Attributes)), f.Truth.Records)
		f.removal = removed.Error(f.Truth).Mean
	}
	if j.Objective == Balanced {
		err = f.guess(ctx)
	}
	return f, err
}

// guess counts the errors of predicting the most frequent class of the training part.
func (f *fold) guess(ctx context.Context) error {
	classes := make([]uint64, max(1, f.Classes))
	h := f.Searched.Histograms[0]
	for i, class := range h.Class {
		classes[class] += h.Count[i]
	}
	most := uint32(slices.Index(classes, slices.Max(classes)))
	return f.Test(ctx, func(b *judge.Block) error {
		for i, class := range b.Classes {
			if class != most {
				f.plain += b.Counts[i]
			}
		}
		return nil
	})
}

// removal returns the recoding that masks everything.
func removal(attributes []engine.Attribute) *engine.Cut {
	c := &engine.Cut{}
	for i := range attributes {
		tree := engine.NewValueTree(&attributes[i], make([]uint64, attributes[i].Len()), 0)
		c.Columns = append(c.Columns, tree.Cut([]int{0}))
	}
	return c
}

// score is the results of trials, summed over rounds.
type score struct {
	// numbers of test records; of those that the tree, and that the most frequent class of its
	// part, gets wrong
	tested, wrong, plain uint64
	trained              float64 // number of training records
	penalty              float64 // summed over training records
	queries, removal     float64 // summed over rounds
	telling              int     // number of rounds in which some column has several labels
	rounds               int
}

func (s *score) add(o score) {
	s.tested, s.wrong, s.plain = s.tested+o.tested, s.wrong+o.wrong, s.plain+o.plain
	s.trained, s.penalty = s.trained+o.trained, s.penalty+o.penalty
	s.queries, s.removal, s.rounds = s.queries+o.queries, s.removal+o.removal, s.rounds+1
	s.telling += o.telling
}

// sum computes an estimate from a score.
func (e Engine) sum(to *Estimate, s *score) {
	wrong, plain := float64(s.wrong)/float64(s.tested), float64(s.plain)/float64(s.tested)
	if e.Objective != Queries {
		to.Error = &wrong
	}
	to.Loss, to.Rounds, to.Blank = wrong, s.rounds, s.telling == 0
	if e.Objective == Classification {
		return
	}
	queries, penalty := s.queries/float64(s.rounds), s.penalty/s.trained
	to.QueryError, to.Penalty = &queries, &penalty
	to.Loss = (ratio(s.queries, s.removal) + penalty) / 2
	if e.Objective == Balanced {
		to.Loss = (to.Loss + ratio(wrong, plain)) / 2
	}
}

// ratio returns part/whole, or 0 if whole is 0.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// Tie is the difference up to which a loss counts as equal to the least one.
const Tie = 0.001

// choose chooses among the candidates that are not left out and were judged in the largest number
// of rounds: the first one whose loss counts as equal to the least. Candidates that mask everything
// are considered only if all do. A trusted one is chosen, unless the best one is surely better, or
// one before it is as good even if chance has favoured that one by a standard error.
func (v *Verdict) choose() {
	best, trusted := -1, -1
	telling := slices.ContainsFunc(v.Estimates, func(x Estimate) bool {
		return x.LeftOut == "" && !x.Blank
	})
	open := func(x *Estimate) bool { return x.LeftOut == "" && x.Blank != telling }
	for i := range v.Estimates {
		x := &v.Estimates[i]
		if open(x) && (best < 0 || cmp.Or(cmp.Compare(v.Estimates[best].Rounds, x.Rounds),
			cmp.Compare(x.Loss, v.Estimates[best].Loss)) < 0) {
			best = i
		}
	}
	if v.Chosen = best; best < 0 {
		return
	}
	least := &v.Estimates[best]
	for i := range v.Estimates {
		if x := &v.Estimates[i]; x.Trusted && open(x) && x.Rounds == least.Rounds &&
			x.Loss <= least.Loss+max(Tie, sure*least.Chance) {
			trusted = i
		}
	}
	v.Chosen = slices.IndexFunc(v.Estimates, func(x Estimate) bool {
		switch {
		case !open(&x) || x.Rounds < least.Rounds:
			return false
		case trusted < 0:
			return x.Loss <= least.Loss+Tie
		}
		return x.Trusted || x.Loss+x.Chance <= v.Estimates[trusted].Loss+Tie
	})
}
