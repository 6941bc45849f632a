package pipeline

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/reuse"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// cover is the labeler of a column of a cut of regions: several of its labels may cover a
// value, and values that the same labels cover are one code.
//
//	null | stray | sets of labels, in the order they are met
type cover struct {
	column string
	of     labelsOf
	nulls  []uint32 // the labels that cover the null
	ranged bool     // an interval cannot hold a value without an order
	budget *spill.Budget

	mu     sync.Mutex
	number map[string]uint32
	sets   [][]uint32 // labels, by code but for the first two

	covers [][]uint32 // by code of the domain, when there is one
}

// labelsOf returns the labels that cover a value, ascending. Not ok: it is stray.
type labelsOf func(values *formats.Values, i int) (labels []uint32, ok bool)

const (
	coverNull = iota
	coverStray
	coverSets
)

// coverBytes is what a set of labels takes, beside the labels.
const coverBytes = 160

func (c *cover) Null() uint32 { return coverNull }

func (c *cover) strays() uint32 { return coverStray }

func (c *cover) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return coverSets + len(c.sets)
}

func (c *cover) isStray(values *formats.Values, i int) bool {
	values, i = coding.CanonicalValue(values, i)
	if c.isNull(values, i) {
		return false
	}
	_, ok := c.of(values, i)
	return !ok
}

func (c *cover) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code, err := c.find(coding.CanonicalValue(values, i))
		if err != nil {
			return nil, 0, err
		}
		codes = append(codes, code)
	}
	return codes, c.size(), nil
}

func (c *cover) find(values *formats.Values, i int) (uint32, error) {
	if c.isNull(values, i) {
		return coverNull, nil
	}
	labels, ok := c.of(values, i)
	if !ok {
		return coverStray, nil
	}
	return c.code(labels)
}

func (c *cover) isNull(values *formats.Values, i int) bool {
	return c.ranged && values.Type.Kind == formats.Float && values.Words[i] == coding.CanonicalNaN
}

// code returns the code of a set of labels.
func (c *cover) code(labels []uint32) (uint32, error) {
	key := make([]byte, 0, 4*len(labels))
	for _, label := range labels {
		key = binary.BigEndian.AppendUint32(key, label)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if code, ok := c.number[string(key)]; ok {
		return code, nil
	}
	if err := c.budget.Draw("sets of labels of column "+c.column, coverBytes+8*int64(len(labels))); err != nil {
		return 0, err
	}
	code := uint32(coverSets + len(c.sets))
	c.number[string(key)] = code
	c.sets = append(c.sets, labels)
	return code, nil
}

// domain has the sets of labels for its values, in the order of their labels.
func (c *cover) domain(spec *jobfile.Column, records []uint64) (coding.Domain, error) {
	out := coding.Domain{Nulls: records[coverNull], Codes: make([]uint32, len(records))}
	var at []int
	for i := range c.sets {
		if coverSets+i < len(records) && records[coverSets+i] > 0 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return slices.Compare(c.sets[a], c.sets[b]) })
	for code, i := range at {
		out.Codes[coverSets+i] = uint32(code)
		c.covers = append(c.covers, c.sets[i])
	}
	out.Attribute = engine.Attribute{Name: spec.Name, Mask: engine.Suppress, Texts: make([]string, len(at)), HasNull: true}
	out.Codes[coverNull] = out.Attribute.NullCode()
	c.covers = append(c.covers, c.nulls)
	return out, nil
}

// regionEngine returns the engine that takes the regions as they are.
func (g *given) regionEngine() *reuse.Regions {
	e := &reuse.Regions{}
	numbers := make([][]uint32, len(g.columns)) // label numbers by position in the cut
	for a, column := range g.columns {
		var labels engine.RegionColumn
		labels, numbers[a] = regionColumn(column)
		e.Columns = append(e.Columns, labels)
		e.Marks = append(e.Marks, numbers[a][len(column.Cut)])
	}
	var order []int // positions of the attributes among the cut's columns
	for _, column := range g.columns {
		order = append(order, slices.IndexFunc(g.Columns, func(c cutfile.Column) bool { return c.Name == column.Name }))
	}
	for _, region := range g.Regions {
		for a, at := range order {
			e.Released = append(e.Released, numbers[a][region[at]])
		}
	}
	return e
}

// regionColumn returns the labels of a column, with the mark before the null, and the number
// of the label at every position of the cut, the mark being one past the last.
func regionColumn(column *cutfile.Column) (c engine.RegionColumn, numbers []uint32) {
	mark, null := -1, -1
	for i, label := range column.Cut {
		if label.Null {
			null = i
			numbers = append(numbers, 0)
			continue
		}
		if label.Label == engine.Suppressed {
			mark = len(c.Labels)
		}
		numbers = append(numbers, uint32(len(c.Labels)))
		c.Labels = append(c.Labels, engine.Label{Text: label.Label})
		if column.Mask == jobfile.MaskDiscretize {
			lower, _ := cutfile.EndText(label.Lower)
			upper, _ := cutfile.EndText(label.Upper)
			c.Intervals = append(c.Intervals, engine.Interval{Label: label.Label, Lower: lower, Upper: upper})
		}
	}
	if mark < 0 {
		mark = len(c.Labels)
		c.Labels = append(c.Labels, engine.Label{Text: engine.Suppressed, Mark: true})
		if c.Intervals != nil {
			c.Intervals = append(c.Intervals, engine.Interval{})
		}
	}
	if null >= 0 {
		numbers[null] = uint32(len(c.Labels))
		c.Labels = append(c.Labels, engine.Label{Null: true})
	}
	return c, append(numbers, uint32(mark))
}

// cover returns the coder of a column whose labels may overlap.
func (g *given) cover(spec *jobfile.Column, column *cutfile.Column, t formats.Type, taxonomy jobfile.Taxonomy, budget *spill.Budget) (*cover, error) {
	c := &cover{column: spec.Name, budget: budget, number: make(map[string]uint32)}
	_, numbers := regionColumn(column)
	err := g.fillCover(c, spec, column, t, taxonomy, numbers)
	if err != nil {
		return nil, err
	}
	if column.Suppressed != "" {
		c.nulls = append(c.nulls, numbers[len(column.Cut)])
		of, mark := c.of, numbers[len(column.Cut)]
		c.of = func(values *formats.Values, i int) ([]uint32, bool) {
			labels, ok := of(values, i)
			return append(slices.Clip(labels), mark), ok
		}
	}
	return c, nil
}

// fillCover says which labels but the mark cover what.
func (g *given) fillCover(c *cover, spec *jobfile.Column, column *cutfile.Column, t formats.Type, taxonomy jobfile.Taxonomy, numbers []uint32) error {
	switch spec.Mask {
	case jobfile.MaskGeneralize:
		return g.coverNodes(c, spec, column, taxonomy, numbers)
	case jobfile.MaskDiscretize:
		return g.coverIntervals(c, spec, column, t, numbers)
	}
	by := make(map[string][]uint32)
	for i, label := range column.Cut {
		for _, value := range label.Values() {
			by[value] = append(by[value], numbers[i])
		}
	}
	c.nulls = by[cutfile.NullInSet]
	c.of = func(values *formats.Values, i int) ([]uint32, bool) {
		text := coding.TextOf(values, i)
		return by[text], text != engine.Suppressed
	}
	return nil
}

// coverNodes finds the labels on the path to a value. One that the taxonomy lacks is stray,
// or directly below the root.
func (g *given) coverNodes(c *cover, spec *jobfile.Column, column *cutfile.Column, taxonomy jobfile.Taxonomy, numbers []uint32) error {
	paths, err := newTaxonomyPaths(spec, taxonomy)
	if err != nil {
		return err
	}
	number := make(map[string]uint32)
	for i, label := range column.Cut {
		switch {
		case label.Null:
			c.nulls = append(c.nulls, numbers[i])
		case !paths.has(label.Label):
			return g.misfit("column %s: its taxonomy lacks a node of the cut", spec.Name)
		default:
			number[label.Label] = numbers[i]
		}
	}
	if all, ok := number[paths.root]; ok {
		c.nulls = append(c.nulls, all)
	}
	c.of = func(values *formats.Values, i int) (labels []uint32, ok bool) {
		names, ok := paths.to(coding.TextOf(values, i))
		for _, name := range names {
			if label, ok := number[name]; ok {
				labels = append(labels, label)
			}
		}
		slices.Sort(labels)
		return labels, ok
	}
	return nil
}

// taxonomyPaths are the ways from the root of a column's taxonomy to its values.
type taxonomyPaths struct {
	root string
	to   func(value string) (names []string, ok bool) // from either end; not ok: the column does not take the value
	has  func(name string) bool                       // whether a node of that name may be
}

func newTaxonomyPaths(spec *jobfile.Column, t jobfile.Taxonomy) (*taxonomyPaths, error) {
	if t.Tree == nil {
		generator, err := jobfile.GeneratorOf(t)
		if err != nil {
			return nil, coding.Untreed(spec, err)
		}
		top, _ := engine.Ancestry(generator, "")
		has := func(name string) bool { return engine.Takes(generator, name) }
		return &taxonomyPaths{root: top[0], has: has, to: func(value string) ([]string, bool) {
			names, _ := engine.Ancestry(generator, value)
			return names, has(value)
		}}, nil
	}
	tree, err := engine.NewTree(jobfile.TreeOf(t.Tree))
	if err != nil {
		return nil, coding.Untreed(spec, err)
	}
	unknown, root := spec.Unknown == jobfile.UnknownRoot, tree.Name(0)
	return &taxonomyPaths{
		root: root,
		has: func(name string) bool {
			_, ok := tree.Node(name)
			return ok || unknown
		},
		to: func(value string) (names []string, ok bool) {
			if _, ok := tree.Code(value); !ok {
				return []string{root, value}, unknown
			}
			for n, _ := tree.Node(value); n >= 0; n = tree.Parent(n) {
				names = append(names, tree.Name(n))
			}
			return names, true
		},
	}, nil
}

// spanEnd is an end of an interval, in the column's type.
type spanEnd struct {
	value  *formats.Values // nil: open
	closed bool            // an upper end that belongs to the interval
}

// coverIntervals finds the intervals that a value lies in. Between two neighbouring ends
// these are the same, so they are looked for once.
func (g *given) coverIntervals(c *cover, spec *jobfile.Column, column *cutfile.Column, t formats.Type, numbers []uint32) error {
	c.ranged = true
	bounds, err := coding.NewBounds(spec, t)
	if err != nil {
		return err
	}
	var lowers, uppers []spanEnd
	var ends []*formats.Values
	var labels []uint32
	for i, label := range column.Cut {
		if label.Null {
			c.nulls = append(c.nulls, numbers[i])
			continue
		}
		lower, upper, ok := spanEnds(label, t)
		if !ok {
			return g.misfit("column %s: its labels are no intervals of a column of type %s", spec.Name, t)
		}
		if isAllOf(lower, bounds.Lower) && isAllOf(upper, bounds.Upper) {
			c.nulls = append(c.nulls, numbers[i])
		}
		lowers, uppers, labels = append(lowers, lower), append(uppers, upper), append(labels, numbers[i])
		for _, end := range []spanEnd{lower, upper} {
			if end.value != nil {
				ends = append(ends, end.value)
			}
		}
	}
	slices.SortFunc(ends, func(a, b *formats.Values) int { return coding.CompareValues(a, 0, b, 0) })
	var mu sync.Mutex
	known := make(map[int][]uint32)
	c.of = func(values *formats.Values, i int) ([]uint32, bool) {
		if bounds.Excludes(values, i) {
			return nil, false
		}
		at := sort.Search(len(ends), func(e int) bool { return coding.CompareValues(ends[e], 0, values, i) >= 0 })
		place := 2 * at
		if at < len(ends) && coding.CompareValues(ends[at], 0, values, i) == 0 {
			place++
		}
		mu.Lock()
		defer mu.Unlock()
		if found, ok := known[place]; ok {
			return found, true
		}
		var found []uint32
		for l := range labels {
			if isIn(lowers[l], uppers[l], values, i) {
				found = append(found, labels[l])
			}
		}
		known[place] = found
		return found, true
	}
	return nil
}

// spanEnds reads the ends of an interval.
func spanEnds(label cutfile.Label, t formats.Type) (lower, upper spanEnd, ok bool) {
	if !label.Interval {
		return lower, upper, false
	}
	for _, end := range []struct {
		text []byte
		to   *spanEnd
	}{{label.Lower, &lower}, {label.Upper, &upper}} {
		if text, closed := cutfile.EndText(end.text); closed {
			end.to.value = &formats.Values{Type: t}
			if end.to.value.Parse(text) != nil {
				return lower, upper, false
			}
		}
	}
	upper.closed = label.Label[len(label.Label)-1:] == "]"
	return lower, upper, true
}

// isAllOf reports whether an end is the end of the number line.
func isAllOf(end spanEnd, bound *formats.Values) bool {
	return end.value == nil || bound != nil && coding.CompareValues(end.value, 0, bound, 0) == 0
}

// isIn reports whether a value lies between two ends.
func isIn(lower, upper spanEnd, values *formats.Values, i int) bool {
	if lower.value != nil && coding.CompareValues(values, i, lower.value, 0) < 0 {
		return false
	}
	if upper.value == nil {
		return true
	}
	order := coding.CompareValues(values, i, upper.value, 0)
	return order < 0 || order == 0 && upper.closed
}
