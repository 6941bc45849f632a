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
// Beyond that one step is chosen after the other.
const (
	patience  = 1 << 23
	cutTuples = 1 << 10
	leastCuts = 32
)

// choice is a coarser cut: the steps that are rolled back.
type choice struct {
	rolledBack
	steps int     // how many
	loss  float64 // bits a record that they lose
}

// frontier holds choices, the one with the fewest steps first, then the one that loses
// least, then the one that leaves the first steps of the first attributes.
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

func (x *choice) compare(y *choice) int {
	return cmp.Or(cmp.Compare(x.steps, y.steps), cmp.Compare(x.loss, y.loss), slices.CompareFunc(x.rolledBack, y.rolledBack, func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a: // the first attribute in the job's order gives way first
			return -1
		}
		return 1
	}))
}

// key is the choice as a map's key.
func (u rolledBack) key() string {
	bits := make([]byte, (len(u)+7)/8)
	for i, is := range u {
		if is {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return string(bits)
}

// coarsen returns the fewest steps to be rolled back until every set holds, and of several such
// choices the one that loses least. When that takes more than its patience, no step that it
// returns could be redone with every set still holding, but there may be fewer.
//
// Some class of a cut is too small. Whatever coarser cut holds has rolled back what makes one
// of the class's labels coarser: the ways to do that are few, and are tried in the order of
// how many steps they undo in all.
func (c *classes) coarsen(ctx context.Context) (rolledBack, error) {
	c.looked = 0
	start := &choice{rolledBack: make(rolledBack, c.steps())}
	open, known, cuts := frontier{start}, map[string]bool{start.key(): true}, 0
	for ; cuts < leastCuts || c.looked+cuts*cutTuples < patience; cuts++ {
		if len(open) == 0 { // even everything masked was not enough
			break
		}
		x := heap.Pop(&open).(*choice)
		ways, err := c.ways(ctx, x.rolledBack)
		if err != nil {
			return nil, err
		}
		if ways == nil {
			return x.rolledBack, nil
		}
		for _, way := range ways {
			next := c.with(x.rolledBack, way)
			if key := next.key(); !known[key] {
				known[key] = true
				heap.Push(&open, next)
			}
		}
	}
	return c.oneByOne(ctx)
}

// with returns a choice with more steps rolled back.
func (c *classes) with(u rolledBack, more []int) *choice {
	next := &choice{rolledBack: slices.Clone(u)}
	for _, step := range more {
		next.rolledBack[step] = true
	}
	next.steps = next.count()
	next.loss = c.loss(next.rolledBack)
	return next
}

// loss returns how many bits a record a choice loses.
func (c *classes) loss(u rolledBack) (loss float64) {
	at := 0
	for _, l := range c.rollbacks {
		n := l.len()
		if part := u[at : at+n]; slices.Contains(part, true) {
			before, after := l.cut(make(rolledBack, n)), l.cut(part)
			loss += l.bits(&before) - l.bits(&after)
		}
		at += n
	}
	return loss
}

// ways returns the ways to make the class coarser that has the fewest, nil if all hold. Of
// several classes it is the first: by its set, then by its labels.
func (c *classes) ways(ctx context.Context, u rolledBack) (fewest [][]int, err error) {
	cut := c.cut(u)
	var of []uint32
	for i, set := range c.sets {
		found := false
		_, err := c.count(ctx, c.table.Groupings[i], set, cut, func(class []uint32, _ uint64) error {
			ways := c.coarsenings(u, cut, set.Columns, class)
			if len(ways) > 0 && (fewest == nil || len(ways) < len(fewest) || len(ways) == len(fewest) && found && slices.Compare(class, of) < 0) {
				fewest, found, of = ways, true, slices.Clone(class)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return fewest, nil
}

// coarsenings returns the ways to make one of a class's labels coarser.
func (c *classes) coarsenings(u rolledBack, cut *engine.Cut, columns []int, class []uint32) (ways [][]int) {
	for j, a := range columns {
		ways = append(ways, c.of(u, cut, a, int(class[j]))...)
	}
	return ways
}

// of returns the ways to make a label of an attribute coarser, in numbers of all steps.
func (c *classes) of(u rolledBack, cut *engine.Cut, a, label int) [][]int {
	first := c.first(a)
	ways := c.rollbacks[a].coarsenings(u[first:first+c.rollbacks[a].len()], &cut.Columns[a], label)
	for _, way := range ways {
		for i := range way {
			way[i] += first
		}
	}
	return ways
}

// oneByOne rolls back what loses least of what makes a class coarser that is too small, again
// and again until all hold, and then redoes what need not have been rolled back.
func (c *classes) oneByOne(ctx context.Context) (rolledBack, error) {
	x := &choice{rolledBack: make(rolledBack, c.steps())}
	var order []int // in which steps were rolled back
	for {
		best, err := c.cheapest(ctx, x.rolledBack)
		if err != nil {
			return nil, err
		}
		if best == nil {
			return c.redo(ctx, x.rolledBack, order)
		}
		for step := range best.rolledBack {
			if best.rolledBack[step] && !x.rolledBack[step] {
				order = append(order, step)
			}
		}
		x = best
	}
}

// cheapest returns what loses least, then rolls back the fewest steps, or nil if all classes hold.
func (c *classes) cheapest(ctx context.Context, u rolledBack) (best *choice, err error) {
	cut := c.cut(u)
	concerned := make([][]bool, len(c.rollbacks)) // labels of classes that are too small
	for a := range concerned {
		concerned[a] = make([]bool, len(cut.Columns[a].Labels))
	}
	for i, set := range c.sets {
		_, err := c.count(ctx, c.table.Groupings[i], set, cut, func(class []uint32, _ uint64) error {
			for j, a := range set.Columns {
				concerned[a][class[j]] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for a := range concerned {
		for label, is := range concerned[a] {
			if !is {
				continue
			}
			for _, way := range c.of(u, cut, a, label) {
				next := c.with(u, way)
				if best == nil || cmp.Or(cmp.Compare(next.loss, best.loss), cmp.Compare(next.steps, best.steps)) < 0 {
					best = next
				}
			}
		}
	}
	return best, nil
}

// redo redoes the steps without which every set still holds, the last ones first, until
// there is none.
func (c *classes) redo(ctx context.Context, u rolledBack, order []int) (rolledBack, error) {
	for again := true; again; {
		again = false
		for _, step := range slices.Backward(order) {
			if !u[step] || c.under(u, step) {
				continue
			}
			u[step] = false
			broken, err := c.hold(ctx, c.cut(u))
			if err != nil {
				return nil, err
			}
			if u[step] = len(broken.Breaches) > 0; !u[step] {
				again = true
			}
		}
	}
	return u, nil
}

// under reports whether a step is below another one that is rolled back, too.
func (c *classes) under(u rolledBack, step int) bool {
	for a, l := range c.rollbacks {
		first := c.first(a)
		if step < first || step >= first+l.len() {
			continue
		}
		for upper := range l.len() {
			if u[first+upper] && l.isBelow(step-first, upper) {
				return true
			}
		}
	}
	return false
}

// report returns the cut that is left, and what it reaches, and tells what was rolled back: by
// attribute, what is below first.
func (c *classes) report(ctx context.Context, u rolledBack, tell func(engine.Step)) (*engine.Cut, error) {
	cut := c.cut(u)
	if _, err := c.hold(ctx, cut); err != nil || tell == nil {
		return cut, err
	}
	number := 0
	for a, l := range c.rollbacks {
		done := make(rolledBack, l.len())
		first := c.first(a)
		for step := l.len() - 1; step >= 0; step-- {
			if !u[first+step] {
				continue
			}
			number++
			before := l.cut(done)
			s := engine.Step{Number: number, Attribute: a, Anonymity: cut.Reached}
			s.Value, s.Children = l.undo(done, step)
			done[step] = true
			after := l.cut(done)
			s.InfoGain = l.bits(&before) - l.bits(&after)
			tell(s)
		}
	}
	return cut, nil
}
