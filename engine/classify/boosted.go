package classify

import (
	"context"

	"github.com/kcut/kcut/engine/boost"
)

// Boosted learns gradient-boosted trees (package boost), of at most mostBoosted tuples: of more it
// takes about as many, those with the least hashes.
type Boosted struct {
	Brief bool // fewer and larger steps: a fifth of the time, nearly as good
}

const mostBoosted = 1 << 17

// boostedOptions are near those that libraries of boosted trees have by default.
var boostedOptions = boost.Options{Rounds: 100, Leaves: 15, Least: 20, Rate: 0.1}

func (b Boosted) options() boost.Options {
	options := boostedOptions
	if b.Brief {
		options.Rounds, options.Rate = 20, 0.3
	}
	return options
}

// Trees returns the number of trees of a number of classes.
func (b Boosted) Trees(classes int) int { return b.options().TreesOfOne(classes) }

// Name returns "boosted".
func (Boosted) Name() string { return "boosted" }

// Learn fits the trees. What it takes is drawn from the budget of the data's space, and stays
// drawn.
func (b Boosted) Learn(ctx context.Context, d Data) (Classifier, error) {
	if len(d.Columns) == 0 { // the classes' shares are all there is
		return Bayes{}.Learn(ctx, d)
	}
	r := &boost.Records{Classes: d.Classes}
	for _, c := range d.Columns {
		r.Columns = append(r.Columns, boost.Column{Domain: c.Domain, Ordered: c.Numeric})
	}
	options, n := b.options(), boost.SampleLen(d.Table.Len(), mostBoosted)
	bytes := boost.LearnBytes(r.Columns, d.Classes, n, options)
	if err := hold(d.Space, "boosted trees", int(bytes/8)); err != nil {
		return nil, err
	}
	if err := r.Sample(ctx, d.Table, mostBoosted, d.Space); err != nil {
		return nil, err
	}
	return boost.Learn(ctx, r, options)
}
