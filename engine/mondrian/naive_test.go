package mondrian_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
)

// naive is Mondrian on single records. It looks at all records of a part for every question and
// shares no code with the engine.
type naive struct {
	enginetest.Codes
	data   enginetest.Data
	names  []engine.Label // of classes
	engine mondrian.Engine
	k      int
	sets   []engine.Set
	// by column; nil: 1
	weights []float64

	// for sets that are kept apart: those that are closed in the part at hand, and the turn: cuts
	// of columns of the open sets with the largest k, of other columns, and those that may close
	// sets
	closed []bool
	turn   int

	frequent map[[2]int]bool // of hasK, by column and node

	records  []naiveCell // all
	released map[string][]naivePart
	groups   []naiveGroup
}

// naiveCell is a cell; a part lists it once for each of its records in it.
type naiveCell struct {
	codes []int // by attribute
	class int
	row   int // number of the record; decisions do not depend on it
}

type naivePart struct {
	labels string
	count  int
}

// naiveGroup is a region.
type naiveGroup struct {
	// numbers of records, of cells, and of records of the most frequent tuple
	size, distinct, most int
	labels               string
}

func (c naiveCell) id() string { return fmt.Sprint(c.codes, c.class) }

func compareCells(a, b naiveCell) int {
	if order := slices.Compare(a.codes, b.codes); order != 0 {
		return order
	}
	return a.class - b.class
}

// search returns the labels of every row.
func (n *naive) search() []string {
	if n.engine.Guided {
		return n.guided(n.engine.Brief)
	}
	all := n.all()
	n.records = all
	n.released = map[string][]naivePart{}
	n.cut(all, n.whole(), nil, make([]bool, len(n.sets)), make([]*naiveBound, len(n.Attributes)))
	var rows []string
	for r := range n.Rows {
		parts := n.released[n.cellOf(r).id()]
		for parts[0].count == 0 {
			parts = parts[1:]
		}
		parts[0].count--
		n.released[n.cellOf(r).id()] = parts
		rows = append(rows, parts[0].labels)
	}
	return rows
}

// all returns the cells of all records, in order.
func (n *naive) all() (all []naiveCell) {
	for r := range n.Rows {
		all = append(all, n.cellOf(r))
	}
	slices.SortFunc(all, compareCells)
	return all
}

func (n *naive) cellOf(r int) naiveCell {
	c := naiveCell{row: r}
	for a := range n.Attributes {
		c.codes = append(c.codes, int(n.Columns[a][r]))
	}
	if n.Classes > 0 {
		c.class = int(n.Class[r])
	}
	return c
}

// naiveBound is what cuts leave of an attribute.
type naiveBound struct {
	lo, hi int // by order: the codes lo ≤ code < hi; in a hierarchy: lo is the node
	nulls  bool
	codes  []int // values without an order; none: all
	nodes  []int // of a tight label, -1 for the null
}

// whole returns what no cuts leave of all attributes.
func (n *naive) whole() []naiveBound {
	whole := make([]naiveBound, len(n.Attributes))
	for a := range whole {
		switch attribute := &n.Attributes[a]; {
		case attribute.Mask == engine.Discretize:
			whole[a].hi = len(attribute.Texts)
		case !n.isHierarchy(a):
			whole[a].hi = attribute.Len()
		}
	}
	return whole
}

// sides is a cut, in order of the sides, with what it leaves of its attribute.
type sides struct {
	attribute int
	parts     [][]naiveCell
	bounds    []naiveBound
	then      []*sides // of balanced cuts of nulls: this cut with one of the numbers after it
}

func (n *naive) cut(part []naiveCell, bounds []naiveBound, path []string, closed []bool,
	fixed []*naiveBound) {
	var best *sides
	for n.turn = range 3 {
		n.closed = closed
		open := 0
		for _, c := range closed {
			if !c {
				open++
			}
		}
		if n.turn > 0 && (best != nil || !n.engine.Apart || open < 2) {
			break
		}
		switch {
		case n.engine.InfoGain && n.turn < 2 && !slices.Contains(closed, true):
			best = n.leastEntropy(part, bounds)
		case n.engine.Tightest:
			best = n.tightest(part, bounds, path)
		default:
			best = n.widest(part, bounds, path)
		}
	}
	if best == nil {
		n.finish(part, bounds, fixed)
		return
	}
	closed, fixed = slices.Clone(closed), slices.Clone(fixed)
	for i, set := range n.sets {
		if closed[i] || !slices.ContainsFunc(best.parts, func(side []naiveCell) bool {
			return !n.allHold(side, set)
		}) {
			continue
		}
		closed[i] = true
		for _, a := range set.Columns {
			if fixed[a] == nil {
				bound := n.bound(part, a, bounds[a])
				fixed[a] = &bound
			}
		}
	}
	for i, side := range best.parts {
		own := slices.Clone(bounds)
		own[best.attribute] = best.bounds[i]
		n.cut(side, own, append(slices.Clone(path), fmt.Sprint(i)), closed, fixed)
	}
}

// may reports whether a cut may be in an attribute: no set with it is closed, and it is its turn.
func (n *naive) may(a int) bool {
	of, most := 0, 0
	for i, set := range n.sets {
		k := int(set.K.Size())
		if n.closed[i] {
			if slices.Contains(set.Columns, a) {
				return false
			}
			continue
		}
		if most = max(most, k); slices.Contains(set.Columns, a) {
			of = max(of, k)
		}
	}
	return !n.engine.Apart || n.turn == 2 || (of == most) == (n.turn == 0)
}

// asked returns the sets that the sides of a cut of an attribute must hold.
func (n *naive) asked(a int) (sets []engine.Set) {
	for i, set := range n.sets {
		if !n.engine.Apart || !n.closed[i] && (n.turn < 2 || slices.Contains(set.Columns, a)) {
			sets = append(sets, set)
		}
	}
	return sets
}

// values returns the codes present, ascending.
func values(part []naiveCell, a int) []int {
	var codes []int
	for _, c := range part {
		codes = append(codes, c.codes[a])
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (n *naive) isNull(a, code int) bool {
	return n.Attributes[a].HasNull && code == n.Attributes[a].Len()-1
}

func (n *naive) isRest(a, code int) bool {
	return n.Attributes[a].HasRest && code == len(n.Attributes[a].Texts)
}

func (n *naive) isHierarchy(a int) bool {
	return n.Attributes[a].Mask == engine.Generalize && (n.engine.InfoGain || !n.engine.Ordered)
}

// ancestors returns the nodes above a value, the lowest first; a null hangs below the root.
func (n *naive) ancestors(a, code int) []int {
	if n.isNull(a, code) {
		return []int{-1, 0}
	}
	t := n.Attributes[a].Tree
	var nodes []int
	for node := t.Len() - 1; node >= 0; node-- {
		if lo, hi := t.Range(node); lo <= code && code < hi {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// lowest returns the lowest node above all values.
func (n *naive) lowest(a int, codes []int) int {
	for _, node := range n.ancestors(a, codes[0]) {
		if !slices.ContainsFunc(codes, func(code int) bool {
			return !slices.Contains(n.ancestors(a, code), node)
		}) {
			return node
		}
	}
	panic("no root")
}

func (n *naive) width(part []naiveCell, a int) float64 {
	codes := values(part, a)
	attribute := &n.Attributes[a]
	if len(codes) == 1 {
		return 0
	}
	size := float64(attribute.Len() - 1)
	switch {
	case n.isHierarchy(a):
		leaves := 0
		for code := range attribute.Len() {
			if slices.Contains(n.ancestors(a, code), n.lowest(a, codes)) {
				leaves++
			}
		}
		return float64(leaves-1) / size
	case attribute.Mask != engine.Discretize:
		return float64(codes[len(codes)-1]-codes[0]) / size
	case n.isNull(a, codes[len(codes)-1]):
		return 1
	}
	x := attribute.Positions
	return (x[codes[len(codes)-1]] - x[codes[0]]) / (x[len(x)-1] - x[0])
}

// widths returns the widths of all attributes.
func (n *naive) widths(part []naiveCell) (widths []float64) {
	for a := range n.Attributes {
		widths = append(widths, n.width(part, a)*n.weight(a))
	}
	return widths
}

func (n *naive) weight(a int) float64 {
	if n.weights == nil {
		return 1
	}
	return n.weights[a]
}

// tightest returns the first of the allowable cuts after which both sides are narrowest, or that of
// widest where a part has many records.
func (n *naive) tightest(part []naiveCell, bounds []naiveBound, path []string) *sides {
	smallest := math.MaxInt
	var all []*sides
	var losses []float64
	for a := range n.Attributes {
		if !n.may(a) {
			continue
		}
		k := 1
		for _, set := range n.asked(a) {
			k = max(k, int(set.K))
		}
		smallest = min(smallest, k)
		codes := values(part, a)
		last := codes[len(codes)-1]
		parted := n.mixed(a, codes) && n.threshold(part, a, last, bounds[a]) != nil
		for _, s := range codes[1:] {
			if t := n.threshold(part, a, s, bounds[a]); t != nil && (!parted || s == last) {
				all = append(all, t)
				losses = append(losses, n.penalty(t.parts[0])+n.penalty(t.parts[1]))
			}
		}
	}
	if len(part) > 32*smallest {
		return n.widest(part, bounds, path)
	}
	if len(all) == 0 {
		return nil
	}
	least := slices.Min(losses) + 1e-9*float64(len(part))
	return all[slices.IndexFunc(losses, func(loss float64) bool { return loss <= least })]
}

// penalty returns the widths of a side, times its records. Two texts are half as wide as all, but
// all with the rest among them. Columns with the largest k keep their labels in cuts that may close
// sets.
func (n *naive) penalty(side []naiveCell) (penalty float64) {
	for a := range n.Attributes {
		if kept := n.turn == 2 && n.isFirst(a); kept || !n.may(a) {
			continue
		}
		codes := values(side, a)
		width, last := n.width(side, a), codes[len(codes)-1]
		switch {
		case n.Attributes[a].Mask != engine.Discretize && width > 0:
			width = (1 + width) / 2
		case n.mixed(a, codes) && n.namesNull(a, last):
			width = n.width(slices.DeleteFunc(slices.Clone(side), func(c naiveCell) bool {
				return n.isNull(a, c.codes[a])
			}), a)
		}
		if rest := len(n.Attributes[a].Texts); n.Attributes[a].HasRest && codes[0] <= rest &&
			last >= rest {
			width = 1
		}
		penalty += width * n.weight(a) * float64(len(side))
	}
	return penalty
}

// isFirst reports whether an attribute is in an open set with the largest k.
func (n *naive) isFirst(a int) bool {
	most, of := 0, 0
	for i, set := range n.sets {
		if k := int(set.K); !n.closed[i] {
			if most = max(most, k); slices.Contains(set.Columns, a) {
				of = max(of, k)
			}
		}
	}
	return of == most
}

func (n *naive) widest(part []naiveCell, bounds []naiveBound, path []string) *sides {
	tried := map[int]bool{}
	widths := n.widths(part)
	for {
		greatest := 0.0
		for a := range n.Attributes {
			if !tried[a] && n.may(a) {
				greatest = max(greatest, widths[a])
			}
		}
		chosen := -1
		for a := len(n.Attributes) - 1; a >= 0; a-- {
			if w := widths[a]; !tried[a] && n.may(a) && w > 0 && w >= greatest-1e-9 {
				chosen = a
			}
		}
		if chosen < 0 {
			return nil
		}
		tried[chosen] = true
		if s := n.cutAt(part, chosen, bounds[chosen], path); s != nil {
			return s
		}
	}
}

// cutAt cuts in one dimension, or returns nil.
func (n *naive) cutAt(part []naiveCell, a int, bound naiveBound, path []string) *sides {
	codes := values(part, a)
	switch {
	case n.isHierarchy(a):
		return n.children(part, a)
	case n.mixed(a, codes) && n.threshold(part, a, codes[len(codes)-1], bound) != nil:
		return n.threshold(part, a, codes[len(codes)-1], bound)
	case n.engine.InfoGain && n.Attributes[a].Mask == engine.Suppress:
		var best *sides
		for i := 1; i < len(codes); i++ {
			if t := n.parted(part, a, codes[:i], codes[i:]); t != nil &&
				(best == nil || t.imbalance() < best.imbalance()) {
				best = t
			}
		}
		return best
	case n.engine.Relaxed && !n.mixed(a, codes):
		return n.relaxedCut(part, a, bound, path)
	}
	var best *sides
	for _, s := range codes[1:] {
		if t := n.threshold(part, a, s, bound); t != nil &&
			(best == nil || t.imbalance() < best.imbalance()) {
			best = t
		}
	}
	return best
}

func (s *sides) imbalance() int {
	d := len(s.parts[0]) - len(s.parts[1])
	return max(d, -d)
}

func (n *naive) mixed(a int, codes []int) bool {
	return n.Attributes[a].Mask == engine.Discretize && len(codes) > 1 &&
		n.isNull(a, codes[len(codes)-1])
}

func count(part []naiveCell, a int, matches func(int) bool) (total int) {
	for _, c := range part {
		if matches(c.codes[a]) {
			total++
		}
	}
	return total
}

// threshold cuts at a code, if that is allowable.
func (n *naive) threshold(part []naiveCell, a, s int, bound naiveBound) *sides {
	sides, numbers := bound.at(s, s), len(n.Attributes[a].Texts)
	switch {
	case n.Attributes[a].Mask != engine.Discretize:
	case n.isNull(a, s):
		sides = []naiveBound{{lo: bound.lo, hi: min(bound.hi, numbers)}, {nulls: true}}
	case n.mixed(a, values(part, a)):
		sides[1].hi = numbers + 1
	default:
		sides[1].hi = min(sides[1].hi, numbers)
	}
	return n.group(part, a, func(code int) int {
		if code < s {
			return 0
		}
		return 1
	}, func(side int) naiveBound { return sides[side] })
}

// at returns the codes below end, and those from a code on.
func (b naiveBound) at(end, from int) []naiveBound {
	return []naiveBound{{lo: b.lo, hi: end}, {lo: from, hi: b.hi}}
}

// children cuts into the children of the lowest node above the values.
func (n *naive) children(part []naiveCell, a int) *sides {
	top := n.lowest(a, values(part, a))
	return n.group(part, a, func(code int) int {
		if n.isNull(a, code) {
			return math.MaxInt
		}
		below := n.ancestors(a, code)
		return below[max(0, slices.Index(below, top)-1)]
	}, func(node int) naiveBound { return naiveBound{lo: node, nulls: node == math.MaxInt} })
}

// holds reports whether some records can be a group.
func (n *naive) holds(part []naiveCell) bool { return n.allHold(part, n.sets...) }

func (n *naive) allHold(part []naiveCell, sets ...engine.Set) bool {
	var rows []int
	for _, c := range part {
		rows = append(rows, c.row)
	}
	stats := n.data.Stats(rows)
	return !slices.ContainsFunc(sets, func(s engine.Set) bool { return !s.Holds(stats) })
}

// group divides records by a number, ascending, with a bound for each; it returns nil unless there
// are several groups, all of which hold.
func (n *naive) group(part []naiveCell, a int, number func(code int) int,
	bound func(number int) naiveBound) *sides {
	groups := map[int][]naiveCell{}
	var numbers []int
	for _, c := range part {
		g := number(c.codes[a])
		if groups[g] == nil {
			numbers = append(numbers, g)
		}
		groups[g] = append(groups[g], c)
	}
	slices.Sort(numbers)
	s := &sides{attribute: a}
	for _, g := range numbers {
		if !n.allHold(groups[g], n.asked(a)...) {
			return nil
		}
		s.parts, s.bounds = append(s.parts, groups[g]), append(s.bounds, bound(g))
	}
	if len(s.parts) < 2 {
		return nil
	}
	return s
}

// relaxedCut sends half of the records left; keys select those of the median.
func (n *naive) relaxedCut(part []naiveCell, a int, bound naiveBound, path []string) *sides {
	half := len(part) / 2
	for _, set := range n.asked(a) {
		if half < int(set.K) {
			return nil
		}
	}
	median := 0
	for _, code := range slices.Backward(values(part, a)) {
		if count(part, a, func(v int) bool { return v <= code }) >= half {
			median = code
		}
	}
	type ticket struct {
		key    uint64
		cell   naiveCell
		number int
	}
	s := &sides{attribute: a, parts: make([][]naiveCell, 2)}
	var tickets []ticket
	seen := map[string]int{}
	for _, c := range part {
		switch {
		case c.codes[a] < median:
			s.parts[0] = append(s.parts[0], c)
		case c.codes[a] > median:
			s.parts[1] = append(s.parts[1], c)
		default:
			j := seen[c.id()]
			seen[c.id()]++
			tickets = append(tickets, ticket{n.key(c, path, j), c, j})
		}
	}
	sort.Slice(tickets, func(i, j int) bool {
		x, y := tickets[i], tickets[j]
		if x.key != y.key {
			return x.key < y.key
		}
		if order := compareCells(x.cell, y.cell); order != 0 {
			return order < 0
		}
		return x.number < y.number
	})
	end, from := median, median+1
	for _, t := range tickets {
		if len(s.parts[0]) < half {
			s.parts[0], end = append(s.parts[0], t.cell), median+1
		} else {
			s.parts[1], from = append(s.parts[1], t.cell), median
		}
	}
	if n.Attributes[a].Mask == engine.Discretize {
		bound.hi = min(bound.hi, len(n.Attributes[a].Texts))
	}
	s.bounds = bound.at(end, from)
	for _, side := range s.parts {
		slices.SortFunc(side, compareCells)
	}
	return s
}

// key returns the row key of algorithm specifications.
func (n *naive) key(c naiveCell, path []string, number int) uint64 {
	var values []engine.Label
	for a, code := range c.codes {
		values = append(values, n.Attributes[a].Label(code))
	}
	class := ""
	if n.Classes > 0 {
		class = n.names[c.class].Text
	}
	return enginetest.RowKey(n.engine.Seed, "mondrian:"+strings.Join(path, "."), values, class,
		number)
}

// lossAfter returns the entropy of classes after a split or, where splits are balanced, its share
// in that of all records, less a twentieth of the column's share that the split takes away.
func (n *naive) lossAfter(s *sides, part []naiveCell) float64 {
	loss := n.entropyAfter(s, len(part))
	if !n.engine.Balanced {
		return loss
	}
	ofClass := func(c naiveCell) int { return c.class }
	ofColumn := func(c naiveCell) int { return c.codes[s.attribute] }
	if h := entropyOf(n.records, ofClass); h > 0 {
		loss /= h
	}
	side := map[int]int{}
	for i, cells := range s.parts {
		for _, c := range cells {
			side[c.row] = i
		}
	}
	own := entropyOf(part, func(c naiveCell) int { return side[c.row] })
	loss -= 0.05 * own / entropyOf(n.records, ofColumn)
	for _, then := range s.then {
		if then != nil {
			loss = min(loss, n.lossAfter(then, part))
		}
	}
	return loss
}

// entropyOf returns the entropy of what records have, in bits.
func entropyOf(records []naiveCell, of func(naiveCell) int) (bits float64) {
	counts := map[int]int{}
	for _, c := range records {
		counts[of(c)]++
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[v]) / float64(len(records))
		bits -= p * math.Log2(p)
	}
	return bits
}

// leastEntropy returns the first of the allowable splits with the least loss.
func (n *naive) leastEntropy(part []naiveCell, bounds []naiveBound) *sides {
	var splits []*sides
	for a := range n.Attributes {
		codes := values(part, a)
		switch {
		case !n.may(a):
		case n.isHierarchy(a):
			splits = append(splits, n.children(part, a))
		case n.mixed(a, codes) && (!n.engine.Balanced ||
			n.threshold(part, a, codes[len(codes)-1], bounds[a]) != nil):
			split := n.threshold(part, a, codes[len(codes)-1], bounds[a])
			for _, at := range codes[1:] {
				if n.engine.Balanced && !n.isNull(a, at) {
					split.then = append(split.then, n.group(part, a, func(code int) int {
						switch {
						case n.isNull(a, code):
							return 2
						case code < at:
							return 0
						}
						return 1
					}, func(int) naiveBound { return naiveBound{} }))
				}
			}
			splits = append(splits, split)
		case n.Attributes[a].Mask == engine.Discretize:
			for _, s := range codes[1:] {
				splits = append(splits, n.threshold(part, a, s, bounds[a]))
			}
		default:
			splits = append(splits, n.prefixes(part, a)...)
		}
	}
	splits = slices.DeleteFunc(splits, func(s *sides) bool { return s == nil })
	least := math.Inf(1)
	for _, s := range splits {
		least = min(least, n.lossAfter(s, part))
	}
	for _, s := range splits {
		if n.lossAfter(s, part) <= least+1e-9*max(1, math.Abs(least)) {
			return s
		}
	}
	return nil
}

// prefixes splits values, ordered by the first class's share, into a prefix and the rest.
func (n *naive) prefixes(part []naiveCell, a int) (splits []*sides) {
	codes := values(part, a)
	share := func(code int) (first, all int) {
		for _, c := range part {
			if c.codes[a] == code {
				all++
				if c.class == 0 {
					first++
				}
			}
		}
		return first, all
	}
	sort.SliceStable(codes, func(i, j int) bool {
		f, n := share(codes[i])
		g, m := share(codes[j])
		return f*m < g*n
	})
	for i := 1; i < len(codes); i++ {
		splits = append(splits, n.parted(part, a, codes[:i], codes[i:]))
	}
	return splits
}

// parted cuts into the records with some codes and those with others.
func (n *naive) parted(part []naiveCell, a int, some, others []int) *sides {
	sides := [][]int{slices.Sorted(slices.Values(some)), slices.Sorted(slices.Values(others))}
	return n.group(part, a, func(code int) int {
		return slices.IndexFunc(sides, func(side []int) bool { return slices.Contains(side, code) })
	}, func(side int) naiveBound { return naiveBound{codes: sides[side]} })
}

func (n *naive) entropyAfter(s *sides, size int) (sum float64) {
	for _, side := range s.parts {
		counts := map[int]int{}
		for _, c := range side {
			counts[c.class]++
		}
		h := 0.0
		for class := range max(1, n.Classes) {
			if counts[class] > 0 {
				p := float64(counts[class]) / float64(len(side))
				h -= p * math.Log2(p)
			}
		}
		sum += float64(len(side)) / float64(size) * h
	}
	return sum
}

// finish releases a part.
func (n *naive) finish(part []naiveCell, bounds []naiveBound, fixed []*naiveBound) {
	var labels []string
	for a := range n.Attributes {
		bound := n.bound(part, a, bounds[a])
		if fixed[a] != nil {
			bound = *fixed[a]
		}
		labels = append(labels, n.label(a, bound))
	}
	text := strings.Join(labels, " ; ")
	g := naiveGroup{size: len(part), labels: text}
	tuples := map[string]int{}
	last := ""
	for _, c := range part {
		if id := c.id(); id != last {
			n.released[id] = append(n.released[id], naivePart{labels: text})
			g.distinct++
			last = id
		}
		parts := n.released[c.id()]
		parts[len(parts)-1].count++
		tuple := fmt.Sprint(c.codes)
		tuples[tuple]++
		g.most = max(g.most, tuples[tuple])
	}
	n.groups = append(n.groups, g)
}

const nullLabel = "<null>"

// bound returns the bound that labels a part.
func (n *naive) bound(part []naiveCell, a int, cuts naiveBound) naiveBound {
	if n.engine.Tight {
		return n.tight(part, a, cuts)
	}
	return cuts
}

// tight returns the bound of the values present, for numbers up to a cut or an end.
func (n *naive) tight(part []naiveCell, a int, cuts naiveBound) naiveBound {
	codes := values(part, a)
	lo, hi := codes[0], codes[len(codes)-1]
	switch attribute := &n.Attributes[a]; {
	case attribute.Mask == engine.Suppress:
		return naiveBound{codes: codes}
	case n.isNull(a, lo):
		return naiveBound{nulls: true}
	case n.isHierarchy(a):
		return naiveBound{lo: n.lowest(a, codes)}
	case attribute.Mask == engine.Generalize:
		return naiveBound{nodes: n.named(a, codes)}
	case attribute.Mask == engine.Discretize && n.isNull(a, hi) && !n.namesNull(a, hi):
		return cuts
	case attribute.Mask == engine.Discretize:
		tight := cuts
		if n.isNull(a, hi) {
			hi, tight.nodes = codes[len(codes)-2], []int{-1}
		}
		tight.hi = min(cuts.hi, len(attribute.Texts))
		for _, end := range n.ends(a) {
			if end <= lo && end > tight.lo {
				tight.lo = end
			}
			if end > hi && end < tight.hi {
				tight.hi = end
			}
		}
		return tight
	}
	return naiveBound{lo: lo, hi: hi + 1}
}

// namesNull reports whether tight labels of numbers may name the null, too, given its code: where k
// records have it.
func (n *naive) namesNull(a, null int) bool {
	var rows []int
	for r := range n.Rows {
		if int(n.Columns[a][r]) == null {
			rows = append(rows, r)
		}
	}
	k := kOf(n.sets, a)
	return n.engine.Ordered && !n.engine.InfoGain && k > 1 &&
		n.data.Stats(rows).Size >= uint64(k)
}

// named returns the nodes that a tight label names: above each value the lowest that k records
// have, unless it is below another one, and not below a depth at which these are at most k.
func (n *naive) named(a int, codes []int) (nodes []int) {
	for depth := n.Attributes[a].Tree.Len(); ; depth-- {
		nodes = nil
		for _, code := range codes {
			above := n.ancestors(a, code)
			i := slices.IndexFunc(above, func(node int) bool {
				return node <= 0 && n.hasK(a, node) || node == 0 ||
					len(n.ancestorsOf(a, node)) <= depth && n.hasK(a, node)
			})
			nodes = append(nodes, above[i])
		}
		nodes = slices.DeleteFunc(nodes, func(node int) bool {
			return slices.ContainsFunc(n.ancestorsOf(a, node), func(above int) bool {
				return above != node && slices.Contains(nodes, above)
			})
		})
		slices.SortFunc(nodes, func(x, y int) int { return cmp.Compare(uint(x), uint(y)) })
		if nodes = slices.Compact(nodes); len(nodes) <= max(1, kOf(n.sets, a)) {
			return nodes
		}
	}
}

// ancestorsOf returns the nodes above a node, and itself.
func (n *naive) ancestorsOf(a, node int) (above []int) {
	if node < 0 {
		return []int{node, 0}
	}
	for ; node >= 0; node = n.Attributes[a].Tree.Parent(node) {
		above = append(above, node)
	}
	return above
}

// below returns the codes below a node.
func (n *naive) below(a, node int) (codes []int) {
	for code := range n.Attributes[a].Len() {
		if slices.Contains(n.ancestors(a, code), node) {
			codes = append(codes, code)
		}
	}
	return codes
}

// hasK reports whether as many records, or entities, as the sets ask for have values below a node.
func (n *naive) hasK(a, node int) bool {
	at := [2]int{a, node}
	if has, known := n.frequent[at]; known {
		return has
	}
	var rows []int
	below := n.below(a, node)
	for r := range n.Rows {
		if slices.Contains(below, int(n.Columns[a][r])) {
			rows = append(rows, r)
		}
	}
	if n.frequent == nil {
		n.frequent = make(map[[2]int]bool)
	}
	n.frequent[at] = n.data.Stats(rows).Size >= uint64(kOf(n.sets, a))
	return n.frequent[at]
}

// nodesLabel returns the label of nodes: of one that has no values but theirs below it.
func (n *naive) nodesLabel(a int, nodes []int) string {
	var codes []int
	for _, node := range nodes {
		codes = append(codes, n.below(a, node)...)
	}
	tree := n.Attributes[a].Tree
	if len(nodes) == 1 {
		return tree.Name(nodes[0])
	}
	if top := n.lowest(a, codes); len(n.below(a, top)) == len(codes) {
		return tree.Name(top)
	}
	var names []string
	for _, node := range nodes {
		if node < 0 {
			names = append(names, `\N`)
		} else {
			names = append(names, tree.Name(node))
		}
	}
	return "{" + strings.Join(names, "|") + "}"
}

// ends returns the codes at which intervals of the values present end, apart from cuts: between two
// are k records, and a 64th of all.
func (n *naive) ends(a int) (ends []int) {
	var all []int
	for r := range n.Rows {
		if code := int(n.Columns[a][r]); !n.isNull(a, code) {
			all = append(all, code)
		}
	}
	slices.Sort(all)
	least := max(kOf(n.sets, a), int(math.Ceil(float64(len(all))/64)))
	for from, i := 0, 1; i < len(all); i++ {
		if all[i] > all[i-1] && i-from >= least && len(all)-i >= least {
			ends, from = append(ends, all[i]), i
		}
	}
	return ends
}

func (n *naive) label(a int, b naiveBound) string {
	attribute, codes := &n.Attributes[a], b.codes
	if !n.isHierarchy(a) {
		for code := b.lo; code < b.hi; code++ {
			codes = append(codes, code)
		}
	}
	switch {
	case b.nulls, len(codes) == 1 && n.isNull(a, codes[0]) && attribute.Len() > 1:
		return nullLabel
	case b.nodes != nil && attribute.Mask == engine.Discretize:
		text := intervalText(attribute, b.lo, b.hi)
		if text != intervalText(attribute, 0, len(attribute.Texts)) {
			text = "{" + text + `|\N}`
		}
		return text
	case b.nodes != nil:
		return n.nodesLabel(a, b.nodes)
	case n.isHierarchy(a):
		return attribute.Tree.Name(b.lo)
	case attribute.Mask == engine.Discretize && b.hi > len(attribute.Texts):
		return intervalText(attribute, 0, len(attribute.Texts)) // with nulls
	case attribute.Mask == engine.Discretize:
		return intervalText(attribute, b.lo, b.hi)
	case attribute.Mask == engine.Generalize:
		return attribute.Tree.Name(n.lowest(a, codes))
	}
	return n.setLabel(a, codes)
}

func intervalText(a *engine.Attribute, lo, hi int) string {
	lower, upper := "", ""
	if lo > 0 {
		lower = a.Texts[lo]
	}
	if hi < len(a.Texts) {
		upper = a.Texts[hi]
	}
	return enginetest.Column{Lower: a.LowerText, Upper: a.UpperText}.Interval(lower, upper)
}

// kOf returns the largest k of the sets that contain a column.
func kOf(sets []engine.Set, column int) (k int) {
	for _, set := range sets {
		if slices.Contains(set.Columns, column) {
			k = max(k, int(set.K))
		}
	}
	return k
}

func (n *naive) setLabel(a int, codes []int) string {
	attribute := &n.Attributes[a]
	hasRest := slices.ContainsFunc(codes, func(code int) bool { return n.isRest(a, code) })
	if hasRest || len(codes) > kOf(n.sets, a) || len(codes) == attribute.Len() {
		return "*"
	}
	if len(codes) == 1 && attribute.Texts[codes[0]][0] != '{' {
		return attribute.Texts[codes[0]]
	}
	var texts []string
	for _, code := range codes {
		text := `\N`
		if !n.isNull(a, code) {
			text = ""
			for _, char := range attribute.Texts[code] {
				if strings.ContainsRune(`\|{}`, char) {
					text += `\`
				}
				text += string(char)
			}
		}
		texts = append(texts, text)
	}
	return "{" + strings.Join(texts, "|") + "}"
}
