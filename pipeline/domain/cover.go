package domain

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// cover is the labeler of a column of a cut of regions: several of its labels may cover a
// value, and values that the same labels cover are one code.
//
//	null | unmapped | sets of labels, in the order they are met
type cover struct {
	column string
	of     labelsOf
	nulls  []uint32  // the labels that cover the null
	spans  *overlaps // of a column of intervals: these cannot hold a value without an order
	budget *spill.Budget

	mu     sync.Mutex
	number map[string]uint32
	sets   [][]uint32     // labels, by code but for the first two
	places map[int]uint32 // codes, by place among the spans

	covers [][]uint32 // by code of the domain, when there is one
}

// labelsOf returns the labels that cover a value, ascending. Not ok: it is unmapped.
type labelsOf func(values *formats.Values, i int) (labels []uint32, ok bool)

const (
	coverNull = iota
	coverUnmapped
	coverSets
)

// coverBytes is what a set of labels takes, beside the labels, and placeBytes a place.
const (
	coverBytes = 160
	placeBytes = 48
)

func (c *cover) Null() uint32 { return coverNull }

func (c *cover) Unmapped() uint32 { return coverUnmapped }

func (c *cover) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return coverSets + len(c.sets)
}

func (c *cover) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code, err := c.find(canonicalValue(values, i))
		if err != nil {
			return nil, 0, err
		}
		codes = append(codes, code)
	}
	return codes, c.Size(), nil
}

func (c *cover) find(values *formats.Values, i int) (uint32, error) {
	if c.isNull(values, i) {
		return coverNull, nil
	}
	if c.spans != nil {
		return c.findPlace(values, i)
	}
	labels, ok := c.of(values, i)
	if !ok {
		return coverUnmapped, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code(labels)
}

// findPlace is find among intervals. The labels are the same between two neighbouring ends,
// so they are looked for once.
func (c *cover) findPlace(values *formats.Values, i int) (code uint32, err error) {
	if c.spans.within.Excludes(values, i) {
		return coverUnmapped, nil
	}
	place := c.spans.place(values, i)
	c.mu.Lock()
	defer c.mu.Unlock()
	if code, ok := c.places[place]; ok {
		return code, nil
	}
	labels, _ := c.of(values, i)
	if code, err = c.code(labels); err != nil {
		return 0, err
	}
	if err := c.draw(placeBytes); err != nil {
		return 0, err
	}
	c.places[place] = code
	return code, nil
}

func (c *cover) draw(bytes int64) error {
	return c.budget.Draw("sets of labels of column "+c.column, bytes)
}

func (c *cover) isNull(values *formats.Values, i int) bool {
	return c.spans != nil && values.Type.Kind == formats.Float && values.Words[i] == CanonicalNaN
}

// code returns the code of a set of labels. The caller holds the lock.
func (c *cover) code(labels []uint32) (uint32, error) {
	key := make([]byte, 0, 4*len(labels))
	for _, label := range labels {
		key = binary.BigEndian.AppendUint32(key, label)
	}
	if code, ok := c.number[string(key)]; ok {
		return code, nil
	}
	if err := c.draw(coverBytes + 8*int64(len(labels))); err != nil {
		return 0, err
	}
	code := uint32(coverSets + len(c.sets))
	c.number[string(key)] = code
	c.sets = append(c.sets, labels)
	return code, nil
}

// Domain has the sets of labels for its values, in the order of their labels.
func (c *cover) Domain(records []uint64) (Domain, error) {
	out := Domain{Nulls: records[coverNull], Codes: make([]uint32, len(records))}
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
	out.Attribute = engine.Attribute{Name: c.column, Mask: engine.Suppress, Texts: make([]string, len(at)), HasNull: true}
	out.Codes[coverNull] = out.Attribute.NullCode()
	c.covers = append(c.covers, c.nulls)
	return out, nil
}

// cover returns the coder of a column whose labels may overlap.
func (g *Cut) cover(spec *job.Column, column *cutfile.Column, t formats.Type, taxonomy job.Taxonomy, budget *spill.Budget) (*cover, error) {
	c := &cover{column: spec.Name, budget: budget, number: make(map[string]uint32), places: make(map[int]uint32)}
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
func (g *Cut) fillCover(c *cover, spec *job.Column, column *cutfile.Column, t formats.Type, taxonomy job.Taxonomy, numbers []uint32) error {
	switch spec.Mask {
	case job.MaskGeneralize:
		return g.coverNodes(c, spec, column, taxonomy, numbers)
	case job.MaskDiscretize:
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
		text := TextOf(values, i)
		return by[text], text != engine.Suppressed
	}
	return nil
}
