package mondrian_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/boost"
)

// naiveGuide is the guided search on single records. It looks at all records of a part for every
// question.
type naiveGuide struct {
	*naive
	masses [][]int   // by row and class
	shares []float64 // of the classes, of all rows
}

// naiveCut is a part and, if it is cut, its parts.
type naiveCut struct {
	part   []naiveCell
	bounds []naiveBound
	below  []naiveCut
	loss   float64 // entropy for a record
	gain   float64
	merit  float64 // the gain, or its ratio to the entropy of the sizes
}

const wholeMass = 1 << 16

// guided returns the labels of every row.
func (n *naive) guided(brief bool) []string {
	options, tries := boost.Options{Rounds: 120, Leaves: 7, Least: 8, Deals: 5, Rate: 0.1},
		len(n.Attributes)
	if brief {
		options, tries = boost.Options{Rounds: 25, Leaves: 7, Least: 8, Deals: 1, Rate: 0.3}, 1
	}
	g := &naiveGuide{
		naive:  n,
		masses: n.estimate(options),
		shares: make([]float64, max(1, n.Classes)),
	}
	all := n.all()
	for _, c := range all {
		g.shares[c.class]++
	}
	for class := range g.shares {
		g.shares[class] /= float64(n.Rows)
	}
	rows := make([]string, n.Rows)
	for _, region := range g.better(naiveCut{part: all, bounds: n.whole()}, tries) {
		var labels []string
		for a, bound := range region.bounds {
			labels = append(labels, g.label(a, bound))
		}
		for _, c := range region.part {
			rows[c.row] = strings.Join(labels, " ; ")
		}
	}
	return rows
}

// estimate returns the masses of every row, by models that are fitted to the distinct tuples and
// kinds.
func (n *naive) estimate(options boost.Options) (masses [][]int) {
	masses = make([][]int, n.Rows)
	if n.Classes < 2 {
		for row := range masses {
			masses[row] = []int{wholeMass}
		}
		return masses
	}
	cells := map[string][]int{}
	var order []string
	for _, c := range n.all() {
		id := c.id()
		if n.Kind != nil {
			id = fmt.Sprint(c.codes, n.Kind[c.row])
		}
		if cells[id] == nil {
			order = append(order, id)
		}
		cells[id] = append(cells[id], c.row)
	}
	r := boost.Records{Classes: n.Classes, Codes: make([][]uint32, len(n.Attributes))}
	for a := range n.Attributes {
		r.Columns = append(r.Columns, boost.Column{
			Domain:  n.Attributes[a].Len(),
			Ordered: n.Attributes[a].Mask == engine.Discretize,
		})
	}
	for _, id := range order {
		row, hash := cells[id][0], uint64(0)
		for a := range n.Attributes {
			r.Codes[a] = append(r.Codes[a], n.Columns[a][row])
			hash += uint64(n.Columns[a][row]) + 0x9e3779b97f4a7c15
			hash = (hash ^ hash>>30) * 0xbf58476d1ce4e5b9
			hash = (hash ^ hash>>27) * 0x94d049bb133111eb
			hash ^= hash >> 31
		}
		r.Class, r.Counts, r.Hash = append(r.Class, n.Class[row]),
			append(r.Counts, uint64(len(cells[id]))), append(r.Hash, hash)
	}
	models, err := boost.Fit(context.Background(), &r, options, 1)
	if err != nil {
		panic(err)
	}
	to := make([][]uint32, n.Classes-1)
	for class := range to {
		to[class] = make([]uint32, len(order))
	}
	models.Probabilities(&boost.Scratch{}, r.Codes, r.Counts, r.Hash, to)
	for i, id := range order {
		own, left := []int{}, wholeMass
		for class := range to {
			own = append(own, int(to[class][i]))
			left -= int(to[class][i])
		}
		for _, row := range cells[id] {
			masses[row] = append(own, left)
		}
	}
	return masses
}

// better returns the regions of one of two trees: the one cut by gain ratio, unless the one cut by
// gain has less loss.
func (g *naiveGuide) better(all naiveCut, tries int) []naiveCut {
	byRatio, byGain := g.grow(all, tries, false), g.grow(all, 1, true)
	if g.asGood(g.lossOf(byRatio), g.lossOf(byGain)) {
		return byRatio
	}
	return byGain
}

// asGood reports whether a loss is not greater than another one, except for rounding.
func (g *naiveGuide) asGood(loss, other float64) bool { return loss <= other*(1+1e-9) }

// grow returns the regions of a part when a number of its cuts, and of cuts of its parts, are
// tried.
func (g *naiveGuide) grow(p naiveCut, tries int, byGain bool) []naiveCut {
	below := g.safest(g.best(p, tries, byGain))
	var regions []naiveCut
	for _, side := range below {
		regions = append(regions, g.grow(side, tries, byGain)...)
	}
	if len(regions) == 0 || g.asGood(g.loss(p.part), g.lossOf(regions)) {
		return []naiveCut{p}
	}
	return regions
}

// safest returns the sides of the first cut of least risk.
func (g *naiveGuide) safest(cuts []*naiveCut) (below []naiveCut) {
	least := -1
	// there is nothing to compare: growing below it twice, and twice below that, would take minutes
	if len(cuts) == 1 {
		return cuts[0].below
	}
	for _, cut := range cuts {
		risk := 0
		for _, side := range cut.below {
			risk += g.riskBelow(side)
		}
		if least < 0 || risk < least {
			below, least = cut.below, risk
		}
	}
	return below
}

// riskBelow returns the risk of a part that is cut further by the best gain ratio, and pruned where
// cuts make no decision surer.
func (g *naiveGuide) riskBelow(p naiveCut) int {
	risk := 0
	for _, cut := range g.best(p, 1, false) {
		for _, side := range cut.below {
			risk += g.riskBelow(side)
		}
		return min(risk, g.risk(p.part))
	}
	return g.risk(p.part)
}

// risk adds up the masses of all classes except the one that most records have.
func (g *naiveGuide) risk(part []naiveCell) (risk int) {
	decision, most := 0, 0
	for class := range max(1, g.Classes) {
		records := 0
		for _, c := range part {
			if c.class == class {
				records++
			}
		}
		if records > most {
			decision, most = class, records
		}
	}
	for _, c := range part {
		risk += wholeMass - g.masses[c.row][decision]
	}
	return risk
}

func (g *naiveGuide) lossOf(regions []naiveCut) (loss float64) {
	for _, r := range regions {
		loss += g.loss(r.part)
	}
	return loss
}

// loss adds up the logarithmic loss of all records, each by its masses: the share of a class is
// that among the part's records and one more, which is divided by the shares of all rows.
func (g *naiveGuide) loss(part []naiveCell) (loss float64) {
	for class, share := range g.shares {
		said := share
		for _, c := range part {
			if c.class == class {
				said++
			}
		}
		said = max(said/float64(len(part)+1), 1e-9)
		for _, c := range part {
			loss -= float64(g.masses[c.row][class]) / wholeMass * math.Log(said)
		}
	}
	return loss
}

// best returns the best cuts, one for each attribute and at most most: the first with the least
// entropy of masses, ordered by gain ratio, or gain, with those that gain less than the mean last.
func (g *naiveGuide) best(p naiveCut, most int, byGain bool) (best []*naiveCut) {
	whole, mean := g.entropy(p.part)/float64(len(p.part)), 0.0
	var all []*naiveCut
	for a := range g.Attributes {
		if cut := g.purest(p, a); cut != nil {
			cut.gain = whole - cut.loss
			if cut.merit = cut.gain; !byGain {
				cut.merit /= cut.information(len(p.part))
			}
			all = append(all, cut)
		}
	}
	for _, c := range all {
		mean += c.gain / float64(len(all))
	}
	less := func(c *naiveCut) bool { return c.gain+1e-9 < mean }
	gaining, others := slices.DeleteFunc(slices.Clone(all), less),
		slices.DeleteFunc(slices.Clone(all), func(c *naiveCut) bool {
			return !less(c)
		})
	for _, cuts := range [][]*naiveCut{gaining, others} {
		for len(cuts) > 0 && len(best) < most {
			largest := math.Inf(-1)
			for _, c := range cuts {
				largest = max(largest, c.merit)
			}
			i := slices.IndexFunc(cuts, func(c *naiveCut) bool { return c.merit >= largest-1e-9 })
			best, cuts = append(best, cuts[i]), slices.Delete(cuts, i, i+1)
		}
	}
	return best
}

// information returns the entropy of the sizes of the parts of a number of records.
func (c *naiveCut) information(size int) (sum float64) {
	for _, side := range c.below {
		share := float64(len(side.part)) / float64(size)
		sum -= share * math.Log2(share)
	}
	return sum
}

// purest returns the first of the cuts of an attribute with the least entropy of masses.
func (g *naiveGuide) purest(p naiveCut, a int) *naiveCut {
	var cuts []*naiveCut
	codes := values(p.part, a)
	switch {
	case g.Attributes[a].Mask == engine.Generalize:
		cuts = append(cuts, g.pooled(p, a))
	case g.Attributes[a].Mask == engine.Suppress:
		cuts = g.prefixes(p, a)
	default:
		for _, s := range codes[1:] {
			cuts = append(cuts, g.threshold(p, a, s))
		}
		if last := len(cuts) - 1; g.mixed(a, codes) && cuts[last] != nil {
			cuts = cuts[last:]
		}
	}
	cuts = slices.DeleteFunc(cuts, func(c *naiveCut) bool { return c == nil })
	least := math.Inf(1)
	for _, c := range cuts {
		c.loss = 0
		for _, side := range c.below {
			c.loss += g.entropy(side.part)
		}
		c.loss /= float64(len(p.part))
		least = min(least, c.loss)
	}
	for _, c := range cuts {
		if c.loss <= least+1e-9*max(1, math.Abs(least)) {
			return c
		}
	}
	return nil
}

// entropy returns the entropy of the masses of some records, times their number.
func (g *naiveGuide) entropy(part []naiveCell) (sum float64) {
	for class := range max(1, g.Classes) {
		mass := 0
		for _, c := range part {
			mass += g.masses[c.row][class]
		}
		if mass > 0 {
			p := float64(mass) / wholeMass / float64(len(part))
			sum -= p * math.Log2(p)
		}
	}
	return sum * float64(len(part))
}

// sides cuts a part into groups of codes with a bound each. It returns nil if one does not hold.
func (g *naiveGuide) sides(p naiveCut, a int, group func(code int) int,
	bounds []naiveBound) *naiveCut {
	cut := &naiveCut{}
	for i, bound := range bounds {
		side := naiveCut{bounds: slices.Clone(p.bounds)}
		side.bounds[a] = bound
		for _, c := range p.part {
			if group(c.codes[a]) == i {
				side.part = append(side.part, c)
			}
		}
		if !g.holds(side.part) {
			return nil
		}
		cut.below = append(cut.below, side)
	}
	return cut
}

func (g *naiveGuide) threshold(p naiveCut, a, s int) *naiveCut {
	left, right := p.bounds[a], p.bounds[a]
	numbers := len(g.Attributes[a].Texts)
	switch left.hi, right.lo = s, s; {
	case g.isNull(a, s):
		right = naiveBound{nulls: true}
	case g.mixed(a, values(p.part, a)):
		right.hi = numbers + 1
	default:
		right.hi = min(right.hi, numbers)
	}
	return g.sides(p, a, func(code int) int {
		if code < s {
			return 0
		}
		return 1
	}, []naiveBound{left, right})
}

// pooled cuts into the children of the lowest node above the values. It joins those that do not
// hold, with the smallest others until they hold.
func (g *naiveGuide) pooled(p naiveCut, a int) *naiveCut {
	codes := values(p.part, a)
	if len(codes) < 2 {
		return nil
	}
	top := g.lowest(a, codes)
	child := func(code int) int {
		if g.isNull(a, code) {
			return math.MaxInt
		}
		above := g.ancestors(a, code)
		return above[max(0, slices.Index(above, top)-1)]
	}
	groups := map[int][]naiveCell{}
	for _, c := range p.part {
		groups[child(c.codes[a])] = append(groups[child(c.codes[a])], c)
	}
	var own, rest []int
	var pool []naiveCell
	for node, group := range groups {
		if g.holds(group) {
			own = append(own, node)
		} else {
			rest, pool = append(rest, node), append(pool, group...)
		}
	}
	sort.Slice(own, func(i, j int) bool {
		if x, y := len(groups[own[i]]), len(groups[own[j]]); x != y {
			return x < y
		}
		return own[i] < own[j]
	})
	for len(rest) > 0 && !g.holds(pool) {
		if len(own) == 0 {
			return nil
		}
		rest, pool, own = append(rest, own[0]), append(pool, groups[own[0]]...), own[1:]
	}
	slices.Sort(own)
	var bounds []naiveBound
	for _, node := range own {
		bounds = append(bounds, naiveBound{lo: node, nulls: node == math.MaxInt})
	}
	if len(rest) > 0 {
		bounds = append(bounds, naiveBound{lo: top})
	}
	if len(bounds) < 2 {
		return nil
	}
	return g.sides(p, a, func(code int) int {
		if i := slices.Index(own, child(code)); i >= 0 {
			return i
		}
		return len(own)
	}, bounds)
}

// prefixes cuts values, ordered by a class's part of their masses, into a prefix and the rest: for
// two classes by that of the first one, for more by that of each.
func (g *naiveGuide) prefixes(p naiveCut, a int) (cuts []*naiveCut) {
	for class := range max(1, g.Classes) {
		if class > 0 && g.Classes == 2 {
			break
		}
		codes, mass, size := values(p.part, a), map[int]int{}, map[int]int{}
		for _, c := range p.part {
			mass[c.codes[a]] += g.masses[c.row][class]
			size[c.codes[a]]++
		}
		sort.SliceStable(codes, func(i, j int) bool {
			return mass[codes[i]]*size[codes[j]] < mass[codes[j]]*size[codes[i]]
		})
		for i := 1; i < len(codes); i++ {
			left, right := slices.Sorted(slices.Values(codes[:i])),
				slices.Sorted(slices.Values(codes[i:]))
			cuts = append(cuts, g.sides(p, a, func(code int) int {
				if slices.Contains(left, code) {
					return 0
				}
				return 1
			}, []naiveBound{{codes: left}, {codes: right}}))
		}
	}
	return cuts
}
