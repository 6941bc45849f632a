package judge

import (
	"context"
	"errors"
	"math/bits"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
)

// comparison shows a classifier released records together with their originals; the classifier
// learns to separate them (as propensity scores do: Woo and others, 2009). So that the labels alone
// do not decide, each label of a released record is replaced by a random value that it covers. A
// nil comparison does nothing.
type comparison struct {
	*Trial
	*trainingSet
	covers [][]cover.Cover // by attribute
	next   uint64          // the number of the next record
	block  *Block          // records to compare; their origins are the classes
}

// mostCompared is the approximate largest number of compared records of a part.
const mostCompared = 100_000

// The origins of records: the classes of the propensity's classifier.
const (
	original = iota
	released
	origins
)

// comparison returns the comparison of a release whose labels have the given covers.
func (t *Trial) comparison(covers [][]cover.Cover) *comparison {
	if !t.Compare {
		return nil
	}
	c := &comparison{Trial: t, covers: covers}
	c.block = newBlock(len(t.Attributes), len(t.Kept)+1)
	class := engine.Attribute{Texts: make([]string, max(1, t.Classes))}
	c.trainingSet = t.newTrainingSet(append(t.raw(), labels.Raw(&class)), origins)
	return c
}

// learn shows the classifier the records of a masked block and their released form. The part has
// all records.
func (c *comparison) learn(b *Block, all uint64) error {
	if c == nil {
		return nil
	}
	return c.compare(b, all, c.show)
}

// compare calls visit with the records of a masked block and their released form. The part has all
// records.
func (c *comparison) compare(b *Block, all uint64, visit func(*Block) error) error {
	take := Sampler(mostCompared)
	for i, n := range b.Counts {
		some := take(c.next, n, all)
		if some > 0 {
			c.put(b, i, original, some)
		}
		for at := range some {
			if b.Labels[0][i] != engine.DroppedLabel {
				c.put(b, i, released, 1)
				c.draw(b, i, c.next+at)
			}
			if err := c.block.flush(blockRecords, visit); err != nil {
				return err
			}
		}
		c.next += n
	}
	return c.block.flush(1, visit)
}

// put adds records of a tuple in original form. Their class is a feature, in the place of the kind.
func (c *comparison) put(b *Block, tuple int, origin uint32, records uint64) {
	c.block.copy(b, tuple, records)
	last := len(c.block.Classes) - 1
	c.block.Columns[len(b.Columns)-1][last] = b.Classes[tuple]
	c.block.Classes[last] = origin
}

// draw draws values for a tuple's labels and gives them to the last record.
func (c *comparison) draw(b *Block, tuple int, number uint64) {
	random := engine.Mix(number)
	for a, codes := range c.block.Codes() {
		covers := &c.covers[a][b.Labels[a][tuple]]
		drawn, _ := bits.Mul64(engine.Mix(random+uint64(a)), covers.Values)
		codes[len(codes)-1] = covers.Value(drawn)
	}
}

// propensity returns how much better than chance a tree, after learning, separates the released
// records of a masked source from their originals: 0 means as well as chance, 1 means always. The
// source has all records.
func (c *comparison) propensity(
	ctx context.Context, test Source, all uint64,
) (propensity float64, err error) {
	if c == nil {
		return 0, nil
	}
	data, err := c.data(ctx)
	if err != nil {
		return 0, err
	}
	examine := func(tree classify.Classifier, space partition.Space) error {
		outcome, err := classify.NewOutcome(tree, origins, space)
		if err != nil {
			return err
		}
		examined := c.examined(0, outcome.Add)
		err = test(ctx, func(b *Block) error { return c.compare(b, all, examined) })
		propensity = 2*outcome.AUC() - 1
		return err
	}
	err = c.teach(ctx, classify.Tree{}, data, examine)
	return propensity, errors.Join(err, data.Table.Discard(c.space))
}

// Sampler selects about sample of all records: those with the smallest hashes of their positions.
// Of n equal records from a position on it takes a proportional share, rounded up or down by the
// hash of the first one.
func Sampler(sample uint64) func(first, n, all uint64) (taken uint64) {
	return func(first, n, all uint64) uint64 {
		if sample >= all {
			return n
		}
		hash, _ := bits.Mul64(engine.Mix(first), all)
		high, low := bits.Mul64(n, sample)
		low, carry := bits.Add64(low, all-1-hash, 0)
		taken, _ := bits.Div64(high+carry, low, all)
		return taken
	}
}
