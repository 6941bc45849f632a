package recheck

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
)

// patience bounds the search for the fewest steps. It limits the number of tuples that are
// examined, over all cuts that are counted; each cut counts as cutTuples more, and at least
// leastCuts are counted. Beyond that, coarsening follows only the best choice.
const (
	patience  = 1 << 23
	cutTuples = 1 << 10
	leastCuts = 32
)

// way is a way to make a label coarser: a list of an attribute's steps that are rolled back
// together.
type way struct {
	attribute int
	steps     []int
}

// choice is a coarser cut: the steps that are rolled back, by attribute.
type choice struct {
	rolledBack []rolledBack
	steps      int     // number of steps
	loss       float64 // lost information in bits for each record
}

// compare orders choices: first by the number of steps rolled back, then by their loss, then those
// first that roll back the first steps of the first attributes.
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
type frontier struct{ engine.List[*choice] }

func (f frontier) Less(i, j int) bool { return f.List[i].compare(f.List[j]) < 0 }

// coarsen returns the fewest steps whose rolling back makes every set hold, and among several such
// choices the one that loses least. When its patience ends, it returns a choice in which no step
// could be redone with every set still holding, but there may be one with fewer steps.
//
// Some class of a cut is too small. Every coarser cut that holds has rolled back steps that make
// one of the class's labels coarser: there are few ways to do that, and they are tried in the order
// of the number of steps that they undo in all.
func (c *classes) coarsen(ctx context.Context) ([]rolledBack, error) {
	c.looked = 0
	open := frontier{engine.List[*choice]{{rolledBack: c.none()}}}
	for cuts := 1; ; cuts++ {
		x := heap.Pop(&open).(*choice)
		for open.Len() > 0 && open.List[0].compare(x) == 0 {
			heap.Pop(&open) // the same choice, found in another way
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
		if c.hurries = c.hurries || cuts >= leastCuts && c.looked+
			cuts*cutTuples >= patience; c.hurries {
			open = frontier{}
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

// fewestWays returns the ways to make one label of a class coarser: the label with the fewest ways.
// It returns nil if all classes hold. Among several classes it takes the first: by its set, then by
// its labels.
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

// redo redoes the steps without which every set still holds, the last ones first, until there is
// none.
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

// report returns the cut that is left, with its anonymity, and reports the steps that were rolled
// back: by attribute, lower ones first.
func (c *classes) report(ctx context.Context, u []rolledBack, onStep func(engine.Step)) (
	*engine.Cut, error,
) {
	cut := c.cut(u)
	if _, err := c.hold(ctx, cut); err != nil || onStep == nil {
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
			s := engine.Step{
				Number:    number,
				Attribute: a,
				Anonymity: cut.Reached,
				InfoGain:  l.bits(done),
			}
			s.Value, s.Children = l.undo(done, step)
			done[step] = true
			s.InfoGain -= l.bits(done)
			onStep(s)
		}
	}
	return cut, nil
}
