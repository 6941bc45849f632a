package recheck

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
)

// patience bounds the search for the fewest steps: it looks at so many tuples, over all cuts
// that it counts, each of which counts as cutTuples besides, and counts leastCuts at least.
// Beyond that only the best way on is followed.
const (
	patience  = 1 << 23
	cutTuples = 1 << 10
	leastCuts = 32
)

// way is a way to make a label coarser: steps of an attribute that are rolled back together.
type way struct {
	attribute int
	steps     []int
}

// choice is a coarser cut: the steps that are rolled back, by attribute.
type choice struct {
	rolledBack []rolledBack
	steps      int     // how many
	loss       float64 // bits a record that they lose
}

// compare puts first what rolls back the fewest steps, then what loses least, then what rolls
// back the first steps of the first attributes: these give way first.
func (x *choice) compare(y *choice) int {
	return cmp.Or(cmp.Compare(x.steps, y.steps), cmp.Compare(x.loss, y.loss),
		slices.CompareFunc(x.rolledBack, y.rolledBack, func(u, v rolledBack) int {
			for step := range u {
				if u[step] && !v[step] {
					return -1
				}
				if v[step] && !u[step] {
					return 1
				}
			}
			return 0
		}))
}

// frontier is a heap of choices, the first one on top.
type frontier []*choice

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].compare(f[j]) < 0 }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(*choice)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}

// coarsen returns the fewest steps to be rolled back until every set holds, and of several such
// choices the one that loses least. When that takes more than its patience, no step that it
// returns could be redone with every set still holding, but there may be fewer.
//
// Some class of a cut is too small. Whatever coarser cut holds has rolled back what makes one
// of the class's labels coarser: the ways to do that are few, and are tried in the order of
// how many steps they undo in all.
func (c *classes) coarsen(ctx context.Context) ([]rolledBack, error) {
	c.looked = 0
	open := frontier{{rolledBack: c.none()}}
	for cuts := 1; ; cuts++ {
		x := heap.Pop(&open).(*choice)
		for len(open) > 0 && open[0].compare(x) == 0 { // found in several ways
			heap.Pop(&open)
		}
		ways, err := c.fewestWays(ctx, x.rolledBack)
		switch {
		case err != nil:
			return nil, err
		case len(ways) > 0:
		case c.hurries:
			return x.rolledBack, c.redo(ctx, x.rolledBack)
		default:
			return x.rolledBack, nil
		}
		if c.hurries = c.hurries || cuts >= leastCuts && c.looked+cuts*cutTuples >= patience; c.hurries {
			open = nil
		}
		for _, way := range ways {
			heap.Push(&open, c.with(x.rolledBack, way))
		}
	}
}

// with returns a choice with more steps rolled back.
func (c *classes) with(u []rolledBack, more way) *choice {
	next := &choice{rolledBack: slices.Clone(u)}
	next.rolledBack[more.attribute] = slices.Clone(u[more.attribute])
	for _, step := range more.steps {
		next.rolledBack[more.attribute][step] = true
	}
	for a, l := range c.rollbacks {
		if steps := next.rolledBack[a].count(); steps > 0 {
			next.steps += steps
			next.loss += l.bits(make(rolledBack, l.len())) - l.bits(next.rolledBack[a])
		}
	}
	return next
}

// ways returns the ways to make a label of an attribute coarser.
func (c *classes) ways(u []rolledBack, cut *engine.Cut, a int, label uint32) (ways []way) {
	for _, steps := range c.rollbacks[a].coarsenings(u[a], &cut.Columns[a], int(label)) {
		ways = append(ways, way{a, steps})
	}
	return ways
}

// fewestWays returns the ways to make one of the labels of the class coarser that has the
// fewest, nil if all hold. Of several classes it is the first: by its set, then by its labels.
func (c *classes) fewestWays(ctx context.Context, u []rolledBack) (fewest []way, err error) {
	cut := c.cut(u)
	var of []uint32 // the labels of the class
	ofSet := 0
	_, err = c.count(ctx, cut, func(set int, labels []uint32, _ content) {
		var ways []way
		for j, a := range c.sets[set].Columns {
			ways = append(ways, c.ways(u, cut, a, labels[j])...)
		}
		if len(ways) > 0 && (fewest == nil || len(ways) < len(fewest) ||
			len(ways) == len(fewest) && set == ofSet && slices.Compare(labels, of) < 0) {
			fewest, of, ofSet = ways, slices.Clone(labels), set
		}
	})
	return fewest, err
}

// redo redoes the steps without which every set still holds, the last ones first, until
// there is none.
func (c *classes) redo(ctx context.Context, u []rolledBack) error {
	for again := true; again; {
		again = false
		for a, l := range slices.Backward(c.rollbacks) {
			for step := range slices.Backward(u[a]) {
				if !u[a][step] || l.isUnder(u[a], step) {
					continue
				}
				u[a][step] = false
				broken, err := c.hold(ctx, c.cut(u))
				if err != nil {
					return err
				}
				u[a][step] = len(broken.Breaches) > 0
				again = again || !u[a][step]
			}
		}
	}
	return nil
}

// report returns the cut that is left, and what it reaches, and tells what was rolled back: by
// attribute, what is below first.
func (c *classes) report(ctx context.Context, u []rolledBack, tell func(engine.Step)) (*engine.Cut, error) {
	cut := c.cut(u)
	if _, err := c.hold(ctx, cut); err != nil || tell == nil {
		return cut, err
	}
	number := 0
	for a, l := range c.rollbacks {
		done := make(rolledBack, l.len())
		for step, is := range slices.Backward(u[a]) {
			if !is {
				continue
			}
			number++
			s := engine.Step{Number: number, Attribute: a, Anonymity: cut.Reached, InfoGain: l.bits(done)}
			s.Value, s.Children = l.undo(done, step)
			done[step] = true
			s.InfoGain -= l.bits(done)
			tell(s)
		}
	}
	return cut, nil
}
