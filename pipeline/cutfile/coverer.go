package cutfile

import (
	"slices"
	"sort"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/job"
)

// Within reports whether every label of a column's cut is covered by one of another cut of the
// column, except those that are unrelated to all labels there. It uses the job's taxonomy.
func (c *Column) Within(coarse *Column, taxonomy job.Taxonomy) (bool, error) {
	of, err := newCoverer(coarse, taxonomy)
	if err != nil {
		return false, err
	}
	own, err := newCoverer(c, taxonomy)
	return err == nil && own.within(of), err
}

// coverer finds the labels of a column that cover others: by its taxonomy, by the ends of
// intervals, or by the values that labels name.
type coverer struct {
	*Column
	job       job.Taxonomy
	taxonomy  engine.Generator          // nil: names do not show which node is above which
	positions map[engine.Label]uint32   // of all labels
	naming    map[engine.Label][]uint32 // by value or node, the labels that name it
	// discretize
	ends       []*end   // ascending, each once
	all, nulls reach    // of all intervals, and of those that cover the null
	whole      []uint32 // labels that cover the null
}

// reach is how far intervals reach.
type reach struct {
	lows    []int32 // their lower ranks, ascending
	highest []int32 // by position there: the highest upper rank up to it
}

func newCoverer(column *Column, t job.Taxonomy) (c *coverer, err error) {
	c = &coverer{Column: column, job: t}
	c.positions, c.naming = make(map[engine.Label]uint32), make(map[engine.Label][]uint32)
	if t.Tree != nil || t.Generated() {
		if c.taxonomy, err = job.GeneratorOf(t); err != nil {
			return nil, err
		}
	}
	for i, label := range column.Cut {
		c.positions[label.Plain()] = uint32(i)
		if column.Is(engine.Discretize) {
			if c.coversNull(label) {
				c.whole = append(c.whole, uint32(i))
			}
			continue
		}
		for _, named := range column.Named(label) {
			c.naming[named] = append(c.naming[named], uint32(i))
		}
	}
	if column.Is(engine.Discretize) {
		c.index()
	}
	return c, nil
}

// coversNull reports whether a label is the null, is in a set with it, or covers everything.
func (c *coverer) coversNull(label Label) bool {
	return len(c.Cut) == 1 || label.Lower == nil && label.Upper == nil || label.Ends().HasNull()
}

// index orders the intervals.
func (c *coverer) index() {
	for _, label := range c.Cut {
		for _, raw := range [][]byte{label.Lower, label.Upper} {
			if e := endOf(raw); e != nil {
				c.ends = append(c.ends, e)
			}
		}
	}
	slices.SortFunc(c.ends, (*end).compare)
	c.ends = slices.CompactFunc(c.ends, func(a, b *end) bool { return a.compare(b) == 0 })
	intervals := withoutNull(c.Cut)
	c.all = c.reachOf(intervals)
	c.nulls = c.reachOf(slices.DeleteFunc(intervals, func(label Label) bool {
		return !c.coversNull(label)
	}))
}

func (c *coverer) reachOf(intervals []Label) (of reach) {
	var list [][2]int32
	for _, label := range intervals {
		low, high := c.ranks(label)
		list = append(list, [2]int32{low, high})
	}
	slices.SortFunc(list, func(a, b [2]int32) int { return int(a[0] - b[0]) })
	most := int32(0)
	for _, ranks := range list {
		most = max(most, ranks[1])
		of.lows, of.highest = append(of.lows, ranks[0]), append(of.highest, most)
	}
	return of
}

// ranks returns the last end that is not above the lower end of an interval, which may belong to
// another cut, and the first one that is not below its upper end.
func (c *coverer) ranks(label Label) (low, high int32) {
	high = int32(len(c.ends)) + 1
	if lower := endOf(label.Lower); lower != nil {
		low = int32(sort.Search(len(c.ends), func(i int) bool {
			return c.ends[i].compare(lower) > 0
		}))
	}
	if upper := endOf(label.Upper); upper != nil {
		high = int32(sort.Search(len(c.ends), func(i int) bool {
			return c.ends[i].compare(upper) >= 0
		})) + 1
	}
	return low, high
}

// covers reports whether some label covers one of this or another cut.
func (c *coverer) covers(label Label) bool {
	if label.Null || !c.Is(engine.Discretize) {
		return len(c.covering(label)) > 0
	}
	of := &c.all
	if label.Ends().HasNull() {
		of = &c.nulls
	}
	low, high := c.ranks(label)
	n, _ := slices.BinarySearch(of.lows, low+1)
	return n > 0 && of.highest[n-1] >= high
}

// covering returns the positions of the labels that cover one of this or another cut, which is no
// interval.
func (c *coverer) covering(label Label) (positions []uint32) {
	if c.Is(engine.Discretize) { // the null
		return c.whole
	}
	for i, named := range c.Named(label) {
		above := c.above(named)
		if i == 0 {
			positions = above
		}
		positions = slices.DeleteFunc(positions, func(at uint32) bool {
			return !slices.Contains(above, at)
		})
	}
	return positions
}

// above returns the positions of the labels that name a value, or a node or one above it.
func (c *coverer) above(named engine.Label) (positions []uint32) {
	positions = slices.Clone(c.naming[named])
	if !c.Is(engine.Generalize) || c.taxonomy == nil {
		return positions
	}
	path := engine.Ancestry(c.taxonomy, named.Text)
	if named.Null {
		path = path[:1]
	}
	for _, name := range path {
		if above := (engine.Label{Text: name}); above != named {
			positions = append(positions, c.naming[above]...)
		}
	}
	slices.Sort(positions)
	return slices.Compact(positions)
}

// within reports whether every label is covered by one of another cut, except those that are
// unrelated to all labels there.
func (c *coverer) within(coarse *coverer) bool {
	if c.Is(engine.Suppress) { // undisclosed values have the mark
		return len(missing(coarse.Cut, c.Cut)) == 0
	}
	// labels that cover some of the other cut; of intervals, only the null
	above := make(map[uint32]bool)
	var names []string
	for _, label := range coarse.Cut {
		if label.Null || !c.Is(engine.Discretize) {
			for _, at := range c.covering(label) {
				above[at] = true
			}
		}
		for _, named := range c.Named(label) {
			names = append(names, named.Text)
		}
	}
	slices.Sort(names)
	return !slices.ContainsFunc(missing(c.Cut, coarse.Cut), func(label Label) bool {
		parted := above[c.positions[label.Plain()]] || c.Is(engine.Discretize) && !label.Null ||
			slices.ContainsFunc(c.Named(label), func(named engine.Label) bool {
				return !named.Null && c.begins(named.Text, names)
			})
		return parted && !coarse.covers(label)
	})
}

// dimension says which labels of another cut a cut's labels cover, by codes of those labels.
type dimension struct {
	codes []uint32 // by label of the other cut, with the mark
	recheck.Coverage
}

// dimensions returns the dimensions in which a label must cover another one of a column. For
// intervals these are the lower and the upper end, so that no list of the intervals around each is
// needed.
func (c *coverer) dimensions(of *Column) []dimension {
	if c.Is(engine.Discretize) {
		return c.ofEnds(of)
	}
	d, covers := dimension{}, [][]uint32(nil)
	for label := range of.Labels() {
		var by []uint32
		if label < len(of.Cut) {
			by = slices.Clone(c.covering(of.Cut[label]))
		}
		if c.Suppressed != "" {
			by = append(by, uint32(len(c.Cut)))
		}
		d.codes, covers = append(d.codes, uint32(label)), append(covers, by)
	}
	d.Coverage = recheck.CoverageOf(covers, c.Labels())
	return []dimension{d}
}

// ofEnds returns the dimensions of intervals. Lower ends are numbered upwards and upper ones
// downwards, so that an interval covers all codes from its own to the last one, those that cover
// the null its code, too, which is next, and the mark all. The third dimension has the nulls of
// sets.
func (c *coverer) ofEnds(of *Column) []dimension {
	last := uint32(len(c.ends)) + 1
	null, mark := last+1, last+2
	codesOf := func(label Label) [3]uint32 {
		if label.Null {
			return [3]uint32{null, null}
		}
		low, high := c.ranks(label)
		codes := [3]uint32{uint32(low), last - uint32(high)}
		if label.Ends().HasNull() {
			codes[2] = null
		}
		return codes
	}
	all := make([]dimension, 3)
	for side := range all {
		d := &all[side]
		for _, label := range of.Cut {
			d.codes = append(d.codes, codesOf(label)[side])
		}
		d.codes = append(d.codes, mark)
		for _, label := range c.Cut {
			s := recheck.Span{High: last}
			if side < 2 {
				s.Low = codesOf(label)[side]
			}
			if c.coversNull(label) {
				s.High = null
			}
			s.Codes = s.High - s.Low + 1
			d.Spans = append(d.Spans, s)
		}
		d.Spans = append(d.Spans, recheck.Span{High: mark, Codes: mark + 1})
	}
	return all
}

// begins reports whether a label is above one of some sorted nodes, only by its name: when the
// label was made, the generator may have had prefixes of other lengths, or days.
func (c *coverer) begins(label string, nodes []string) bool {
	stem, starred := strings.CutSuffix(label, "*")
	if !(starred && c.job.Prefix != nil || c.job.Date != nil || c.job.USDate != nil) {
		return false
	}
	i, _ := slices.BinarySearch(nodes, stem)
	// The value that equals the stem comes first.
	return slices.ContainsFunc(nodes[i:min(i+2, len(nodes))], func(node string) bool {
		return len(node) > len(stem) && strings.HasPrefix(node, stem)
	})
}
