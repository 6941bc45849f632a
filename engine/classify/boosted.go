package classify

import (
	"context"
	"math/bits"

	"github.com/kcut/kcut/engine"
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
	r := &boost.Records{Classes: d.Classes, Codes: make([][]uint32, len(d.Columns))}
	for _, c := range d.Columns {
		r.Columns = append(r.Columns, boost.Column{Domain: c.Domain, Ordered: c.Numeric})
	}
	options := b.options()
	n := d.Table.Len()
	most := min(n, mostBoosted+mostBoosted/32) // there are hardly ever more
	bytes := boost.LearnBytes(r.Columns, d.Classes, most, options)
	if err := hold(d.Space, "boosted trees", int(bytes/8)); err != nil {
		return nil, err
	}
	for c := range r.Codes {
		r.Codes[c] = make([]uint32, 0, most)
	}
	r.Class, r.Counts = make([]uint32, 0, most), make([]uint64, 0, most)
	err := d.each(ctx, func(tuple []uint32, class uint32, count uint64) {
		if !isSampled(tuple, n) {
			return
		}
		for c, code := range tuple {
			r.Codes[c] = append(r.Codes[c], code)
		}
		r.Class, r.Counts = append(r.Class, class), append(r.Counts, count)
	})
	if err != nil {
		return nil, err
	}
	return boost.Learn(ctx, r, options)
}

// isSampled reports whether a tuple is among those that trees are fitted to.
func isSampled(tuple []uint32, all int) bool {
	if all <= mostBoosted {
		return true
	}
	hash := uint64(0)
	for _, code := range tuple {
		hash = engine.Mix(hash + uint64(code))
	}
	place, _ := bits.Mul64(hash, uint64(all))
	return place < mostBoosted
}
