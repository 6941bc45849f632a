package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/labels"
)

// comparison sets released rows beside those that they were made from, for a classifier that learns which are which
// (as propensity scores do: Woo and others, 2009). So that labels alone do not tell, a released row has in place of
// each a value that is drawn from those that it covers.
type comparison struct {
	*trial
	covers   [][]cover.Cover  // by attribute
	features []labels.Feature // of the attributes, then of the kept columns
	row      uint64           // the number of the next one, of all that are masked
	columns  [][]uint32       // scratch: by feature, then the class and the origin
}

// mostCompared is about how many rows of a part are compared at most.
const mostCompared = 100_000

// The origins of rows: what the classifier tells.
const (
	original = iota
	released
	origins
)

// propensity returns how much better than chance a tree tells released rows from their originals: 0 as well as chance,
// 1 always. It learns from training rows, and is tested on test rows.
func (t *trial) propensity(ctx context.Context, recoding engine.Recoding) (propensity float64, err error) {
	c, err := t.comparison(recoding)
	if err != nil {
		return 0, err
	}
	sides := []*tally{training: c.tally(), test: c.tally()}
	if err = c.show(ctx, t.source, recoding, sides); err == nil && !t.RulesFromAll {
		err = c.show(ctx, t.parts.test, recoding.Unsearched(), sides)
	}
	if err != nil {
		return 0, err
	}
	var data [2]classify.Data
	for side, y := range sides {
		data[side] = classify.Data{Columns: c.shown(), Classes: origins}
		if data[side].Table, err = y.ordered(ctx); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, data[side].Table.Discard(t.space())) }()
	}
	outcome, err := t.try(ctx, classify.Tree{}, data[training], data[test])
	if err != nil {
		return 0, fmt.Errorf("tell released rows from original ones: %w", err)
	}
	return 2*outcome.AUC() - 1, nil
}

// comparison returns one of a recoding. What it takes is drawn.
func (t *trial) comparison(recoding engine.Recoding) (*comparison, error) {
	c, bytes := &comparison{trial: t}, int64(0)
	for a := range t.Attributes {
		c.covers = append(c.covers, cover.Of(&t.attributes[a], recoding, a))
		c.features = append(c.features, labels.Raw(&t.Attributes[a]))
		for i := range c.covers[a] {
			bytes += c.covers[a][i].Bytes()
		}
	}
	for a := range t.Kept {
		c.features = append(c.features, labels.Raw(&t.Kept[a]))
	}
	c.columns = make([][]uint32, len(c.features)+2)
	return c, t.budget.Draw("values of labels", bytes)
}

// shown returns the columns that the classifier is shown: the features and the class.
func (c *comparison) shown() (columns []classify.Column) {
	for i := range c.features {
		columns = append(columns, c.features[i].Column)
	}
	return append(columns, classify.Column{Domain: c.kinds() + 1}) // no class is missing
}

// tally returns one of what the classifier is shown, and the origin.
func (c *comparison) tally() *tally {
	var domains []int
	for _, column := range c.shown() {
		domains = append(domains, column.Domain)
	}
	return c.trial.tally(append(domains, origins), int(both))
}

// show masks the rows of a part one by one, and adds them, and what is released of them, to the tally of their side.
func (c *comparison) show(ctx context.Context, p *part, recoding engine.Recoding, sides []*tally) error {
	masker, takes, counts := newMasker(recoding, c.pools), sampler(mostCompared), make([][]uint64, len(sides))
	add := func(b *block, origin uint32) error {
		c.code(b, origin)
		for side, y := range sides {
			if err := y.add(counts[side], c.columns); err != nil {
				return err
			}
		}
		return nil
	}
	return p.each(ctx, true, func(b *block) error {
		for side := range sides {
			counts[side] = counts[side][:0]
			for i, tested := range b.tested {
				n := uint64(0)
				if int(tested) == side && takes(c.row+uint64(i), 1, p.rows) > 0 {
					n = 1
				}
				counts[side] = append(counts[side], n)
			}
		}
		if err := add(b, original); err != nil {
			return err
		}
		masker.mask(b)
		for i, label := range b.columns[0] {
			for side := range sides {
				if label == engine.DroppedLabel {
					counts[side][i] = 0
				}
			}
			if label != engine.DroppedLabel {
				c.draw(b, i)
			}
			c.row++
		}
		return add(b, released)
	})
}

// draw replaces the labels of a row by values.
func (c *comparison) draw(b *block, row int) {
	random := engine.Mix(c.row)
	for a, labels := range b.masked() {
		covers := &c.covers[a][labels[row]]
		number, _ := bits.Mul64(engine.Mix(random+uint64(a)), covers.Values)
		labels[row] = covers.Value(number)
	}
}

// code makes what the classifier is shown of a block.
func (c *comparison) code(b *block, origin uint32) {
	for i := range c.features {
		c.columns[i] = c.columns[i][:0]
		for _, code := range b.columns[i] {
			c.columns[i] = append(c.columns[i], c.features[i].Code(code))
		}
	}
	n := len(c.features)
	c.columns[n], c.columns[n+1] = b.class(), c.columns[n+1][:0]
	for range b.counts {
		c.columns[n+1] = append(c.columns[n+1], origin)
	}
}
