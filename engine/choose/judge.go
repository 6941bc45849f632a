package choose

import (
	"context"
	"errors"
	"math"
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
}

// judge judges the candidates.
func (e Engine) judge(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (*Verdict, error) {
	space := options.Space
	options.OnStep = nil
	size := sizeOf(table)
	v := &Verdict{Estimates: e.admit(size)}
	v.choose()
	first, open := v.Chosen, e.open(v.Estimates)
	if len(open) < 2 || e.rounds(open, size) == 0 {
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
	if v.Chosen < 0 { // a part of the records may be too few for all
		v.Chosen = first
	}
	return v, nil
}

// contest judges the candidates that are not left out, and chooses one.
func (j *judging) contest(ctx context.Context, v *Verdict) error {
	c := newContest(v.Estimates, j.size)
	for round := range j.rounds(j.open(v.Estimates), sizeOf(j.Table)) {
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
	if j.Objective == Classification {
		v.deviations = c.deviations()
	}
	v.choose()
	return nil
}

// sizeOf returns the size of a table.
func sizeOf(table *engine.Table) Size {
	return Size{
		Records:    table.Groupings[0].Size(),
		Tuples:     table.Groupings[0].Len(),
		Attributes: len(table.Attributes),
		Classes:    table.Classes,
	}
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
		err = j.space.Budget.Draw("losses of records", 4*int64(len(c.in))*tested)
	}
	if err != nil {
		return err
	}
	losses := make([][]uint32, len(c.estimates))
	err = judge.Trials(len(losses), j.space, func(i int, space partition.Space) error {
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
		losses[i] = t.losses
		c.sums[i].add(s)
		return nil
	})
	c.compare(losses)
	return err
}

// fold is the training and the test records of a round, the same for all candidates.
type fold struct {
	*judging
	*judge.Fold
	requirement engine.Requirement // requirement for the training part
	removal     float64            // the error of queries when everything is masked
	plain       uint64             // the loss of the shares of the training part's classes
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

// guess adds up the loss of the shares that the classes have of the training part.
func (f *fold) guess(ctx context.Context) error {
	shares := make([]float64, max(1, f.Classes)) // logarithms
	h := f.Searched.Histograms[0]
	for i, class := range h.Class {
		shares[class] += float64(h.Count[i])
	}
	for class, n := range shares {
		shares[class] = math.Log(n)
	}
	return f.Test(ctx, func(b *judge.Block) error {
		for i, class := range b.Classes {
			f.plain += b.Counts[i] * uint64(lossOf(shares, class))
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
	tested, wrong    uint64  // test records; those whose class is got wrong
	loss, plain      uint64  // in parts of lossUnit: of the classifier, and of the classes' shares
	trained          float64 // training records
	penalty          float64 // summed over training records
	queries, removal float64 // summed over rounds
	telling          int     // rounds in which some column has several labels
	rounds           int
}

func (s *score) add(o score) {
	s.tested, s.wrong = s.tested+o.tested, s.wrong+o.wrong
	s.loss, s.plain = s.loss+o.loss, s.plain+o.plain
	s.trained, s.penalty = s.trained+o.trained, s.penalty+o.penalty
	s.queries, s.removal, s.rounds = s.queries+o.queries, s.removal+o.removal, s.rounds+1
	s.telling += o.telling
}

// meanLoss returns the logarithmic loss of a test record, in bits.
func (s *score) meanLoss() float64 { return float64(s.loss) / lossUnit / float64(s.tested) }

// sum makes an estimate of a score.
func (e Engine) sum(to *Estimate, s *score) {
	if e.Objective != Queries {
		wrong := float64(s.wrong) / float64(s.tested)
		to.Error, to.Loss = &wrong, s.meanLoss()
	}
	to.Rounds, to.Blank = s.rounds, s.telling == 0
	if e.Objective == Classification {
		return
	}
	queries, penalty := s.queries/float64(s.rounds), s.penalty/s.trained
	to.QueryError, to.Penalty = &queries, &penalty
	to.Loss = (ratio(s.queries, s.removal) + penalty) / 2
	if e.Objective == Balanced {
		to.Loss = (to.Loss + ratio(float64(s.loss), float64(s.plain))) / 2
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

// choose chooses, of the candidates that are not left out and were judged in as many rounds as any,
// the trusted one, unless the one of the least loss is better by more than chance. A simpler one
// before the trusted one is chosen if its loss is as good, and chance does not explain that either.
// Without a trusted one it is the first one whose loss is as good as the least. Candidates that
// mask everything are looked at only if all do: a part of the records is too few for k then, and
// shows nothing against the trusted one.
func (v *Verdict) choose() {
	telling := slices.ContainsFunc(v.Estimates, func(x Estimate) bool {
		return x.LeftOut == "" && !x.Blank
	})
	rounds := 0
	for i := range v.Estimates {
		if x := &v.Estimates[i]; x.LeftOut == "" && x.Blank != telling {
			rounds = max(rounds, x.Rounds)
		}
	}
	open := func(i int) bool {
		x := &v.Estimates[i]
		return x.LeftOut == "" && x.Blank != telling && x.Rounds == rounds
	}
	best, trusted := -1, -1
	for i := range v.Estimates {
		if open(i) && (best < 0 || v.Estimates[i].Loss < v.Estimates[best].Loss) {
			best = i
		}
		if open(i) && v.Estimates[i].Trusted {
			trusted = i
		}
	}
	v.Chosen = best
	if trusted >= 0 {
		surely := max(Tie, sure*v.chance(trusted, best))
		if v.Estimates[trusted].Loss <= v.Estimates[best].Loss+surely {
			v.Chosen = trusted
		}
	}
	if !telling && v.Chosen == trusted {
		return
	}
	for i := range max(0, v.Chosen) {
		chance := 0.0
		if v.Chosen == trusted {
			chance = sure * v.chance(i, trusted)
		}
		if open(i) && v.Estimates[i].Loss+chance <= v.Estimates[v.Chosen].Loss+Tie {
			v.Chosen = i
			return
		}
	}
}

// chance returns the standard error of the difference of two candidates' losses.
func (v *Verdict) chance(i, o int) float64 {
	if v.deviations == nil {
		return 0
	}
	return v.deviations[i][o]
}
