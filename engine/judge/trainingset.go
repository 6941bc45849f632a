package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
)

// trainingSet is the training data of classifiers: counts of features and the class. A nil training
// set counts nothing.
type trainingSet struct {
	*counter
	features
	shown *featureReader
}

// features are the features for classifiers: those of the attributes, unless they are hidden, then
// those of the kept columns.
type features []labels.Feature

// trainingSet returns an empty training set, or nil if no classifier learns.
func (t *Trial) trainingSet(f features) *trainingSet {
	if len(t.Learners) == 0 {
		return nil
	}
	return t.newTrainingSet(f, max(1, t.Classes))
}

func (t *Trial) newTrainingSet(f features, classes int) *trainingSet {
	var domains []int
	for i := range f {
		domains = append(domains, f[i].Domain)
	}
	return &trainingSet{
		features: f, counter: newCounter(append(domains, classes), t.Space, counters),
		shown: &featureReader{features: f},
	}
}

// show adds the records of a block.
func (s *trainingSet) show(b *Block) error {
	if s == nil {
		return nil
	}
	return s.shown.block(b, func(columns [][]uint32, b *Block) error {
		return s.add(b.Counts, append(columns[:len(columns):len(columns)], b.Classes))
	})
}

// data returns the training data.
func (s *trainingSet) data(ctx context.Context) (d classify.Data, err error) {
	d.Classes = s.domains[len(s.features)]
	for i := range s.features {
		d.Columns = append(d.Columns, s.features[i].Column)
	}
	if d.Table, err = s.table(ctx); err != nil {
		return d, err
	}
	return d, d.Table.Order(ctx, s.space)
}

// teach lets a learner learn in the rest of the trial's space, and calls use with the classifier.
func (t *Trial) teach(
	ctx context.Context, l classify.Learner, training classify.Data,
	use func(classify.Classifier, partition.Space) error,
) error {
	space := t.Space
	space.Share = space.Budget.Left()
	space.Budget = space.Budget.Part(space.Share)
	defer func() { space.Budget.Return(space.Budget.Used()) }()
	training.Space = space
	c, err := l.Learn(ctx, training)
	if err == nil {
		err = use(c, space)
	}
	if err != nil {
		return fmt.Errorf("train the %s classifier: %w", l.Name(), err)
	}
	return nil
}

// examine lets all learners learn the training data, one after the other, and tests them with a
// source's records.
func (t *Trial) examine(
	ctx context.Context, learned *trainingSet, shown features, test Source,
) error {
	if learned == nil {
		return nil
	}
	data, err := learned.data(ctx)
	if err != nil {
		return err
	}
	records := func(to Examiner) error { return test(ctx, shown.examined(t.TrainedOn, to)) }
	examine := func(c classify.Classifier, space partition.Space) error {
		return t.Examine(c, space, records)
	}
	for i := 0; i < len(t.Learners) && err == nil; i++ {
		err = t.teach(ctx, t.Learners[i], data, examine)
	}
	return errors.Join(err, data.Table.Discard(learned.space))
}

// Examiner gets test records: their features, their class, and their count.
type Examiner func(tuple []uint32, class uint32, records uint64)

// examined returns a function that passes the records of a block to an examiner. The first record
// has the given number.
func (f features) examined(first uint64, to Examiner) func(*Block) error {
	shown, tuple := &featureReader{features: f, next: first}, make([]uint32, len(f))
	return func(b *Block) error {
		return shown.block(b, func(columns [][]uint32, b *Block) error {
			for i, n := range b.Counts {
				if n == 0 {
					continue
				}
				for f := range tuple {
					tuple[f] = columns[f][i]
				}
				to(tuple, b.Classes[i], n)
			}
			return nil
		})
	}
}
