package judge

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Fold is how records are dealt.
type Fold struct {
	*Records
	Training, Test      Source
	TrainedOn, TestedOn uint64 // records of both; what compares releases needs them
	RulesFromAll        bool   // rules are made from all records, the training part first

	Searched *engine.Table      // of the records that rules are made from, without groupings
	Workload *workload.Workload // that these are asked; nil: costs are not counted
	Truth    *workload.Truth
}

// Prepare counts the records that rules are made from and, where costs are to be counted, asks them
// a workload. What is counted stays drawn.
func (f *Fold) Prepare(ctx context.Context, costs bool, budget *spill.Budget) (err error) {
	if f.Searched, err = f.count(ctx, f.Source(), budget); err == nil && costs {
		f.Workload, f.Truth, err = ask(ctx, f.Searched, f.Source(), budget)
	}
	return err
}

// Source returns the source of the records that rules are made from.
func (f *Fold) Source() Source {
	if f.RulesFromAll {
		return f.Training.then(f.Test)
	}
	return f.Training
}

// Trial judges a way to mask records.
type Trial struct {
	*Fold
	Space    partition.Space // what it may take
	Learners []classify.Learner

	// Examine finds out how a classifier does, in a space: test tells an Examiner of all test
	// records.
	Examine func(c classify.Classifier, space partition.Space, test func(Examiner) error) error

	Nominal bool // labels of intervals are features without an order, instead of their midpoints
	Roots   bool // the widest labels are features, instead of missing values
	RawTest bool // test records are shown as they are
	Compare bool // released records are compared with their originals
}

// Release is what is judged.
type Release struct {
	engine.Recoding
	Attributes []engine.Attribute // with the bounds that the release has
	Pools      Pools              // of what was searched
	K          uint64             // that was asked for
}

// tallies is how many tallies of a trial count at the same time.
const tallies = 3

// Judge masks the records that a recoding was made from, and those for testing.
func (t *Trial) Judge(ctx context.Context, r *Release) (costs Costs, err error) {
	if err := t.Space.Budget.Draw("regions", r.Bytes()); err != nil {
		return costs, err
	}
	shown, tested, penalties := t.describe(r)
	learned, masker := t.sight(shown), NewMasker(r.Recoding, r.Pools)
	counted, err := t.costing(r, penalties)
	if err != nil {
		return costs, err
	}
	compared, err := t.comparison(r)
	if err != nil {
		return costs, err
	}
	err = t.Training(ctx, func(b *Block) error {
		b = masker.Mask(b)
		err := compared.learn(b, t.TrainedOn)
		return errors.Join(err, counted.add(b, b.drop()), learned.show(b))
	})
	if err != nil {
		return costs, err
	}
	test := masker.from(t.Test)
	if t.RulesFromAll {
		err = test(ctx, func(b *Block) error { return counted.add(b, b.drop()) })
	} else {
		test = NewMasker(r.Unsearched(), r.Pools).from(t.Test)
	}
	if err == nil {
		costs, err = counted.costs(ctx, t.Truth, r.K)
	}
	if err == nil {
		costs.Propensity, err = compared.propensity(ctx, test, t.TestedOn)
	}
	if err != nil {
		return costs, err
	}
	return costs, t.examine(ctx, learned, tested, t.tests(test))
}

// tests returns what classifiers are examined by, of masked test records.
func (t *Trial) tests(test Source) Source {
	switch {
	case t.RawTest:
		return t.Test
	case t.RulesFromAll: // what is not released is not tested
		return func(ctx context.Context, visit func(*Block) error) error {
			return test(ctx, func(b *Block) error {
				b.drop()
				return visit(b)
			})
		}
	}
	return test
}

// Unmasked shows the learners records as they are, with their attributes or without.
func (t *Trial) Unmasked(ctx context.Context, attributes bool) error {
	f := t.raw()
	if !attributes {
		f = f[len(t.Attributes):]
	}
	learned := t.sight(f)
	if learned == nil {
		return nil
	}
	if err := t.Training(ctx, learned.show); err != nil {
		return err
	}
	return t.examine(ctx, learned, f, t.Test)
}

// describe returns what learners are shown of a release, and of test records, and the penalties of
// labels.
func (t *Trial) describe(r *Release) (shown, tested features, penalties [][]float64) {
	for a := range t.Attributes {
		of := labels.Of(&r.Attributes[a], r.Recoding, a)
		of.Roots = t.Roots
		masked := of.Feature(t.Nominal)
		test := masked
		if t.RawTest {
			masked, test = of.BesideRaw(t.Nominal)
		}
		shown, tested = append(shown, masked), append(tested, test)
		penalties = append(penalties, of.Penalties())
	}
	kept := t.raw()[len(t.Attributes):]
	return append(shown, kept...), append(tested, kept...), penalties
}

// raw returns what learners are shown of records that are not masked: the attributes, then the kept
// columns.
func (t *Trial) raw() (f features) {
	for a := range t.Attributes {
		f = append(f, labels.Raw(&t.Attributes[a]))
	}
	for a := range t.Kept {
		f = append(f, labels.Raw(&t.Kept[a]))
	}
	return f
}

// leastTrial is the budget of a trial beside which there may be another one.
const leastTrial = 64 << 20

// Trials makes n trials, as many at a time as there are threads and memory for. What they draw is
// returned.
func Trials(n int, space partition.Space, try func(i int, space partition.Space) error) error {
	left := space.Budget.Grant(&spill.Trials)
	threads := max(1, min(int64(space.Threads), left/leastTrial))
	return workers.Each(n, int(threads), func(_ workers.Worker, i int) error {
		part := partition.Space{Store: space.Store, Threads: 1}
		part.Budget = space.Budget.Part(left / threads)
		defer func() { part.Budget.Return(part.Budget.Used()) }()
		return try(i, part)
	})
}
