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
	naming    map[engine.Label][]uint32 // suppress: by value, the labels that name it
	ends      []*end                    // discretize: ascending, each once
	intervals *recheck.Intervals        // as ranks of the ends; open ends are beyond all ranks
	whole     []uint32                  // labels that cover the null
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
		if column.Is(engine.Suppress) {
			for _, value := range label.Values() {
				c.naming[value] = append(c.naming[value], uint32(i))
			}
		} else if label.Null || c.isWhole(label) {
			c.whole = append(c.whole, uint32(i))
		}
	}
	if column.Is(engine.Discretize) {
		c.index()
	}
	return c, nil
}

// isWhole reports whether a label covers everything, including nulls.
func (c *coverer) isWhole(label Label) bool {
	if c.Is(engine.Generalize) {
		return c.taxonomy != nil && label.Label == engine.Ancestry(c.taxonomy, "")[0]
	}
	return len(c.Cut) == 1 || label.Lower == nil && label.Upper == nil
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
	var list []recheck.Interval
	for i, label := range c.Cut {
		if !label.Null {
			low, high := c.ranks(label)
			list = append(list, recheck.Interval{Low: low, High: high, Label: uint32(i)})
		}
	}
	c.intervals = recheck.NewIntervals(list)
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

// covering returns the positions of the labels that cover one of this or another cut.
func (c *coverer) covering(label Label) (positions []uint32) {
	switch {
	case c.Is(engine.Suppress):
		values := label.Values()
		return slices.DeleteFunc(slices.Clone(c.naming[values[0]]), func(at uint32) bool {
			names := c.Cut[at].Values()
			return slices.ContainsFunc(values, func(value engine.Label) bool {
				return !slices.Contains(names, value)
			})
		})
	case label.Null:
		return c.whole
	case c.Is(engine.Discretize):
		return c.intervals.Holding(c.ranks(label))
	}
	path := []string{label.Label}
	if c.taxonomy != nil {
		path = engine.Ancestry(c.taxonomy, label.Label)
	}
	for _, name := range path {
		if at, ok := c.positions[engine.Label{Text: name}]; ok {
			positions = append(positions, at)
		}
	}
	return positions
}

// within reports whether every label is covered by one of another cut, except those that are
// unrelated to all labels there.
func (c *coverer) within(coarse *coverer) bool {
	if c.Is(engine.Suppress) { // undisclosed values have the mark
		return len(missing(coarse.Cut, c.Cut)) == 0
	}
	above := make(map[uint32]bool) // labels that cover some of the other cut
	var names []string
	for _, label := range coarse.Cut {
		for _, at := range c.covering(label) {
			above[at] = true
		}
		if !label.Null {
			names = append(names, label.Label)
		}
	}
	slices.Sort(names)
	return !slices.ContainsFunc(missing(c.Cut, coarse.Cut), func(label Label) bool {
		parted := c.Is(engine.Discretize) || c.begins(label.Label, names)
		parted = above[c.positions[label.Plain()]] || !label.Null && parted
		return parted && len(coarse.covering(label)) == 0
	})
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
