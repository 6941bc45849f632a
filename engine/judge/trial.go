package judge

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Fold is a division of records into training and test records.
type Fold struct {
	*Records
	Training, Test      Source
	TrainedOn, TestedOn uint64 // numbers of their records; only for comparing releases
	RulesFromAll        bool   // rules are made from all records, the training part first

	Searched *engine.Table      // table of the records from which rules are made, without groupings
	Workload *workload.Workload // workload for these; nil: no costs
	Truth    *workload.Truth
}

// Prepare counts the records from which rules are made and, if costs are wanted, computes their
// answers to a workload. The memory of the counts stays drawn.
func (f *Fold) Prepare(ctx context.Context, costs bool, budget *spill.Budget) (err error) {
	if f.Searched, err = f.count(ctx, f.Source(), budget); err == nil && costs {
		f.Workload, f.Truth, err = ask(ctx, f.Searched, f.Source(), budget)
	}
	return err
}

// Source returns the source of the records from which rules are made.
func (f *Fold) Source() Source {
	if !f.RulesFromAll {
		return f.Training
	}
	return func(ctx context.Context, visit func(*Block) error) error {
		if err := f.Training(ctx, visit); err != nil {
			return err
		}
		return f.Test(ctx, visit)
	}
}

// Trial judges a way to mask records.
type Trial struct {
	*Fold
	Space    partition.Space // space that it may use
	Learners []classify.Learner

	// Examine tests a classifier in a space: test passes all test records to an Examiner.
	Examine func(c classify.Classifier, space partition.Space, test func(Examiner) error) error

	Nominal bool // labels of intervals are features without an order, not their midpoints
	Uniform bool // labels of intervals are numbers drawn uniformly from them
	Roots   bool // the widest labels are features, not missing values
	// RawTest shows test records unmasked. Other labels than intervals are then words drawn from
	// them, unless Nominal.
	RawTest bool
	Compare bool // released records are compared with their originals
	Place   bool // test records are masked by labels alone, as kcut apply masks, not as the search
}

// Release is a release to judge.
type Release struct {
	engine.Recoding
	Attributes []engine.Attribute // with the bounds of the release
	Pools      Pools              // pools of the search
	K          uint64             // k of the requirement
	Marks      []uint32           // labels of the region of suppressed records; nil: there is none
}

// counters is the number of counters of a trial that count at the same time.
const counters = 3

// Judge masks the records from which a recoding was made, and the test records.
func (t *Trial) Judge(ctx context.Context, r *Release) (costs Costs, err error) {
	if err := t.Space.Budget.Draw("regions", r.Bytes()); err != nil {
		return costs, err
	}
	covers, err := t.covers(r)
	if err != nil {
		return costs, err
	}
	shown, tested, penalties := t.describe(r, covers)
	learned, masker := t.trainingSet(shown), NewMasker(r.Recoding, r.Pools)
	counted, err := t.costing(r, penalties)
	if err != nil {
		return costs, err
	}
	compared := t.comparison(covers)
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
	} else if test, err = t.unseen(r); err != nil {
		return costs, err
	}
	if err == nil {
		costs, err = counted.costs(ctx, t.Truth, r.K)
	}
	if err == nil && t.Place && !t.RulesFromAll {
		costs.NoRegion, err = t.unplaced(ctx, test, r)
	}
	if err == nil {
		costs.Propensity, err = compared.propensity(ctx, test, t.TestedOn)
	}
	if err != nil {
		return costs, err
	}
	return costs, t.examine(ctx, learned, tested, t.tests(test))
}

// unseen returns the source of masked test records that the search has not seen.
func (t *Trial) unseen(r *Release) (Source, error) {
	if !t.Place {
		return NewMasker(r.Unsearched(), r.Pools).from(t.Test), nil
	}
	masker, err := t.placer(r)
	if err != nil {
		return nil, err
	}
	return masker.from(t.Test), nil
}

// tests returns the source of masked test records for classifiers.
func (t *Trial) tests(test Source) Source {
	switch {
	case t.RawTest:
		return t.Test
	case t.RulesFromAll: // records that are not released are not tested
		return func(ctx context.Context, visit func(*Block) error) error {
			return test(ctx, func(b *Block) error {
				b.drop()
				return visit(b)
			})
		}
	}
	return test
}

// Unmasked tests the learners on unmasked records, with their attributes or without.
func (t *Trial) Unmasked(ctx context.Context, attributes bool) error {
	f := t.raw()
	if !attributes {
		f = f[len(t.Attributes):]
	}
	learned := t.trainingSet(f)
	if learned == nil {
		return nil
	}
	if err := t.Training(ctx, learned.show); err != nil {
		return err
	}
	return t.examine(ctx, learned, f, t.Test)
}

// covers returns the values of all labels of a release, by attribute, if something is drawn from
// them. Their memory is drawn.
func (t *Trial) covers(r *Release) (covers [][]cover.Cover, err error) {
	if !t.Compare && !t.RawTest {
		return nil, nil
	}
	bytes := int64(0)
	for a := range t.Attributes {
		of := cover.Of(&r.Attributes[a], r.Recoding, a)
		for i := range of {
			bytes += of[i].Bytes()
		}
		covers = append(covers, of)
	}
	return covers, t.Space.Budget.Draw("values of labels", bytes)
}

// describe returns the features of training and of test records of a release, and the penalties of
// labels. Values for unmasked test records, which lack few, are drawn from the widest labels, too.
func (t *Trial) describe(
	r *Release, covers [][]cover.Cover,
) (shown, tested features, penalties [][]float64) {
	for a := range t.Attributes {
		of := labels.Of(&r.Attributes[a], r.Recoding, a)
		of.Roots = t.Roots
		drawn := t.RawTest && !t.Nominal
		if t.Attributes[a].Mask == engine.Discretize {
			drawn = t.Uniform
		}
		var masked, test labels.Feature
		switch {
		case drawn && t.RawTest:
			of.Roots = true
			masked, test = of.Drawn(covers[a])
		case drawn:
			masked, _ = of.Drawn(nil)
			test = masked
		case t.RawTest:
			masked, test = of.BesideRaw(t.Nominal)
		default:
			masked = of.Feature(t.Nominal)
			test = masked
		}
		shown, tested = append(shown, masked), append(tested, test)
		penalties = append(penalties, of.Penalties())
	}
	kept := t.raw()[len(t.Attributes):]
	return append(shown, kept...), append(tested, kept...), penalties
}

// raw returns the features of unmasked records: the attributes, then the kept columns.
func (t *Trial) raw() (f features) {
	for a := range t.Attributes {
		f = append(f, labels.Raw(&t.Attributes[a]))
	}
	for a := range t.Kept {
		f = append(f, labels.Raw(&t.Kept[a]))
	}
	return f
}

// leastTrial is the smallest budget of a trial that allows another one at the same time.
const leastTrial = 64 << 20

// Trials runs n trials, as many at a time as there are threads and memory for. Their draws are
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
