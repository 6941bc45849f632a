package recheck

import (
	"slices"

	"github.com/kcut/kcut/engine"
)

// rolledBack is true for every step of an attribute that is rolled back. A step whose upper step is
// rolled back is rolled back, too.
type rolledBack []bool

func (u rolledBack) count() (n int) {
	for _, is := range u {
		if is {
			n++
		}
	}
	return n
}

// rollback is the way back from the cut of one attribute to everything masked: a list of steps. A
// step may be rolled back after those below it.
//
//	Generalize: the inner nodes of the tree, in preorder; a rolled back node replaces its subtree
//	Discretize: the starts of all intervals but the first; rolled back, an interval joins the last
//	Suppress:   the values; rolled back, a value is suppressed
type rollback struct {
	*engine.Attribute
	sizes []uint64 // by code: number of records
	nodes []int    // Generalize: the nodes of the steps, ascending
}

func newRollback(a *engine.Attribute, sizes []uint64) *rollback {
	l := &rollback{Attribute: a, sizes: sizes}
	if a.Mask == engine.Generalize {
		for n := range a.Tree.Len() {
			if !a.Tree.IsLeaf(n) {
				l.nodes = append(l.nodes, n)
			}
		}
	}
	return l
}

// len returns the number of steps.
func (l *rollback) len() int {
	switch {
	case l.Mask == engine.Generalize:
		return len(l.nodes)
	case l.Mask == engine.Discretize:
		return max(0, len(l.Texts)-1)
	case l.HasNull:
		return len(l.Texts) + 1
	}
	return len(l.Texts)
}

// cut returns the cut that is left.
func (l *rollback) cut(u rolledBack) engine.ColumnCut {
	switch l.Mask {
	case engine.Generalize:
		return engine.CutTree(l.Attribute, l.members(u))
	case engine.Discretize:
		return engine.CutIntervals(l.Attribute, l.starts(u))
	}
	var disclosed []int
	for step, is := range u {
		if !is {
			disclosed = append(disclosed, l.value(step))
		}
	}
	return engine.CutSuppressed(l.Attribute, disclosed)
}

// members returns the nodes of the cut.
func (l *rollback) members(u rolledBack) (nodes []int) {
	var walk func(n int)
	walk = func(n int) {
		if step, inner := slices.BinarySearch(l.nodes, n); !inner || u[step] {
			nodes = append(nodes, n)
			return
		}
		for _, child := range l.Tree.Children(n) {
			walk(child)
		}
	}
	walk(0)
	return nodes
}

// starts returns the first codes of the intervals.
func (l *rollback) starts(u rolledBack) []int {
	starts := []int{0}
	for step, is := range u {
		if !is {
			starts = append(starts, step+1)
		}
	}
	return starts
}

// value returns the code of a value's step.
func (l *rollback) value(step int) int {
	if step == len(l.Texts) {
		return int(l.NullCode())
	}
	return step
}

// coarsenings returns the minimal ways to make a label of a cut coarser, as lists of steps: every
// cut in which the label is coarser rolls back all steps of one of them.
func (l *rollback) coarsenings(u rolledBack, cut *engine.ColumnCut, label int) [][]int {
	isNull := cut.Labels[label].Null
	switch l.Mask {
	case engine.Generalize:
		return l.above(u, label, isNull)
	case engine.Discretize:
		return l.joins(u, label, isNull)
	}
	return l.suppressions(u, cut, label)
}

// above rolls back the parent of a label's node.
func (l *rollback) above(u rolledBack, label int, isNull bool) [][]int {
	parent := 0
	if !isNull {
		if parent = l.Tree.Parent(l.members(u)[label]); parent < 0 {
			return nil
		}
	}
	upper, _ := slices.BinarySearch(l.nodes, parent)
	var steps []int
	for step := upper; step == upper || step < len(l.nodes) && l.isBelow(step, upper); step++ {
		if !u[step] {
			steps = append(steps, step)
		}
	}
	return [][]int{steps}
}

// joins joins an interval with the one before or the one after it. For the null, which only the
// full interval covers, it rolls back all steps.
func (l *rollback) joins(u rolledBack, label int, isNull bool) (ways [][]int) {
	starts := l.starts(u)
	if isNull {
		var all []int
		for _, start := range starts[1:] {
			all = append(all, start-1)
		}
		return [][]int{all}
	}
	for _, start := range starts[max(1, label):min(label+2, len(starts))] {
		ways = append(ways, []int{start - 1})
	}
	return ways
}

// suppressions suppresses a value or, for the suppressed label, any one value.
func (l *rollback) suppressions(u rolledBack, cut *engine.ColumnCut, label int) (ways [][]int) {
	disclosed := 0
	for step, is := range u {
		if is {
			continue
		}
		if label == disclosed || label == len(cut.Labels)-1 {
			ways = append(ways, []int{step})
		}
		disclosed++
	}
	return ways
}

// isBelow reports whether a step is below another one, so that it must be rolled back with it.
func (l *rollback) isBelow(step, upper int) bool {
	if l.Mask != engine.Generalize || upper >= step {
		return false
	}
	_, end := l.Tree.Range(l.nodes[upper])
	from, _ := l.Tree.Range(l.nodes[step])
	return from < end
}

// isUnder reports whether a step is below another one that is rolled back, too.
func (l *rollback) isUnder(u rolledBack, step int) bool {
	for upper, is := range u {
		if is && l.isBelow(step, upper) {
			return true
		}
	}
	return false
}

// bits returns the information, in bits over all records, that the labels of the remaining cut have
// about the attribute's values.
func (l *rollback) bits(u rolledBack) float64 {
	cut := l.cut(u)
	sizes := make([]uint64, len(cut.Labels))
	total := uint64(0)
	for code, label := range cut.Code {
		sizes[label] += l.sizes[code]
		total += l.sizes[code]
	}
	if total == 0 {
		return 0
	}
	return engine.Entropy(sizes, total)
}

// undo returns the labels that rolling a step back joins, and the label that replaces them.
func (l *rollback) undo(u rolledBack, step int) (value engine.Label, children []engine.Label) {
	if l.Mask == engine.Suppress {
		return engine.Label{Text: engine.Suppressed}, []engine.Label{l.Label(l.value(step))}
	}
	after := slices.Clone(u)
	after[step] = true
	was, is := l.cut(u), l.cut(after)
	joined := -1 // the last joined label
	var number uint32
	for code, label := range was.Code {
		switch {
		case was.Labels[label] == is.Labels[is.Code[code]]:
			continue
		case joined < 0:
			number = is.Code[code]
		}
		if int(label) != joined && is.Code[code] == number {
			children = append(children, was.Labels[label])
			joined = int(label)
		}
	}
	return is.Labels[number], children
}
