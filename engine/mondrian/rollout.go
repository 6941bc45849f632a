package mondrian

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// rolledOut is the largest number of cells of a table for every split that is tried in each of its
// parts.
const rolledOut = 1 << 15

// Tries returns the number of splits that a guided search tries in every part of a table with a
// number of cells and dimensions.
func (e Engine) Tries(cells, dimensions int) int {
	if e.Brief {
		return 1
	}
	return max(1, min(dimensions, rolledOut/max(1, cells)))
}

// choose returns the split to make: the first option or, where a table is small enough to try
// several, the one after which the regions are least likely to be wrong when all parts are cut
// further by first options (the rollout policy of Bertsekas, Tsitsiklis and Wu, 1997). In a tie it
// is the first.
func (g *guide) choose(ctx context.Context, of *cells.Cells) (chosen split, ok bool, err error) {
	options, err := g.options(ctx, of, g.tries)
	if err != nil || len(options) == 0 {
		return chosen, false, err
	}
	if chosen = options[0].split; len(options) > 1 {
		chosen, err = g.safest(ctx, of, options)
	}
	if err == nil && (len(options) > 1 || g.dimensions[chosen.column].kind == nominal) {
		err = g.arrange(ctx, of, chosen)
	}
	return chosen, true, err
}

// safest tries options, and returns the one with the least risk.
func (g *guide) safest(ctx context.Context, of *cells.Cells, options []option) (chosen split,
	err error) {
	tries, least := g.tries, uint64(0)
	g.tries = 1
	defer func() { g.tries = tries }()
	for i, option := range options {
		same, err := of.Copy(ctx)
		if err == nil {
			err = g.arrange(ctx, same, option.split)
		}
		if err != nil {
			return chosen, err
		}
		found, err := g.below(ctx, same, option.split)
		if err != nil {
			return chosen, err
		}
		if i == 0 || found.risk < least {
			chosen, least = option.split, found.risk
		}
	}
	return chosen, nil
}

// below returns the outcome of cutting cells by a split, by which its dimension is divided. It
// consumes the cells.
func (g *guide) below(ctx context.Context, of *cells.Cells, by split) (found outcome, err error) {
	var parts []*cells.Cells
	if d := g.dimensions[by.column]; d.kind == continuous {
		halves, failed := of.Halve(ctx, by.column, by.at, func([]uint64, uint64) uint64 {
			return 0
		})
		parts, err = halves[:], failed
	} else {
		parts, err = of.Divide(ctx, by.column, d.part, len(d.sizes))
	}
	if err != nil {
		return found, err
	}
	found.reset(g.classes)
	for _, part := range parts {
		grown, err := g.grown(ctx, part)
		if err != nil {
			return found, err
		}
		found.add(&grown)
	}
	return found, nil
}

// rolled is a part of a rollout, and the risk that was found for it. Many parts come up again: two
// splits leave the same parts in either order, and the rollout of the chosen split is repeated.
type rolled struct {
	part [2]uint64 // identifies its cells
	risk uint64
}

const rolledBytes = 24

// grown returns the outcome of cutting cells further, and pruning. It consumes the cells.
func (g *guide) grown(ctx context.Context, of *cells.Cells) (found outcome, err error) {
	var known *rolled
	if of.Size() >= 2*least(g.asked) {
		part, err := identify(ctx, of)
		if err != nil {
			return found, err
		}
		if known = &g.rolled[part[0]%uint64(len(g.rolled))]; known.part != part {
			by, ok, err := g.choose(ctx, of)
			if err != nil {
				return found, err
			}
			if ok {
				if found, err = g.below(ctx, of, by); err != nil {
					return found, err
				}
				found.risk = min(found.risk, found.wrong())
				*known = rolled{part, found.risk}
				return found, nil
			}
			known = nil
		}
	}
	if err := g.look(ctx, of, &found); err != nil {
		return found, err
	}
	if known != nil {
		found.risk = known.risk
	}
	return found, of.Free()
}

// identify returns a number of 128 bits that depends on the cells, but not on their order.
func identify(ctx context.Context, of *cells.Cells) (part [2]uint64, err error) {
	return part, of.Each(ctx, func(key []uint64, count uint64) {
		a, b := count, ^count
		for _, word := range key {
			a, b = engine.Mix(a^word), engine.Mix(b+word)
		}
		part[0], part[1] = part[0]+a, part[1]+b
	})
}
