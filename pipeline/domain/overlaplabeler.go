package domain

import (
	"encoding/binary"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// overlapLabeler is the labeler of a column of a cut of regions that has no intervals: several of
// its labels may cover a value, and values that the same labels cover have one code. There are no
// codes of single labels: the added names are sets of them, as the numbers of the labels, four
// bytes each.
type overlapLabeler struct {
	labelSpace
	regional
	of labelsOf

	covers [][]uint32 // by code of the domain, once it exists
}

// regional is the common part of the labelers of a cut of regions.
type regional struct {
	labels    int      // number of labels, with the mark and the null
	ofNull    []uint32 // the labels that cover the null, but for the mark
	marks     []uint32 // the mark of a suppressed value, which covers everything, if there is one
	nanIsNull bool
}

// labelsOf returns the labels that cover a value, ascending, without the mark. If ok is false, the
// value is unmapped.
type labelsOf func(values *formats.Values, i int) (labels []uint32, ok bool)

func (c *overlapLabeler) find(values *formats.Values, i int) (uint32, error) {
	if c.nanIsNull && IsNaN(values, i) {
		return c.Null(), nil
	}
	labels, ok := c.of(values, i)
	if !ok {
		return c.Unmapped(), nil
	}
	return c.addSet(labels)
}

// addSet returns the code of a set of labels, to which the mark is added.
func (c *overlapLabeler) addSet(labels []uint32) (uint32, error) {
	name := make([]byte, 0, 4*(len(labels)+len(c.marks)))
	for _, of := range [][]uint32{labels, c.marks} {
		for _, label := range of {
			name = binary.BigEndian.AppendUint32(name, label)
		}
	}
	return c.add(name)
}

// Domain returns a domain whose values are the sets of labels, in the order of their labels.
func (c *overlapLabeler) Domain(records []uint64) (Domain, error) {
	names, codes := c.occurring(records)
	out := c.domain(engine.Attribute{
		Mask:    engine.Suppress,
		Texts:   make([]string, len(names)),
		HasNull: true,
	}, records)
	out.Outside = 0
	note := func(labels []uint32, n uint64) {
		if c.isOutside(c.column, len(labels) > len(c.marks)) {
			out.Outside += n
		}
		c.covers = append(c.covers, labels)
	}
	for code, name := range names {
		out.Codes[codes[code]] = uint32(code)
		note(labelsIn(name), records[codes[code]])
	}
	note(slices.Concat(c.ofNull, c.marks), out.Nulls)
	return out, nil
}

// isOutside reports whether the cut does not cover values of a column, given whether a label but
// the mark does.
func (r *regional) isOutside(column *CutColumn, labeled bool) bool {
	return !labeled && (len(r.marks) == 0 || column.Tells())
}

// Coverage returns the labels that cover the codes of the domain.
func (c *overlapLabeler) Coverage() recheck.Coverage {
	return recheck.CoverageOf(c.covers, c.labels)
}

// labelsIn returns the labels of a set.
func labelsIn(name string) []uint32 {
	labels := make([]uint32, len(name)/4)
	for i := range labels {
		labels[i] = binary.BigEndian.Uint32([]byte(name[4*i:]))
	}
	return labels
}

// overlapLabeler returns the labeler of a column whose labels may overlap.
func (c *CutColumn) overlapLabeler(budget *spill.Budget) (*overlapLabeler, error) {
	regional, numbers := c.regional()
	l := &overlapLabeler{regional: regional}
	l.labelSpace = labelSpace{
		column: c,
		added: newInterner(formats.Type{Kind: formats.String},
			"sets of labels of column "+c.Spec.Name, budget),
	}
	l.begin = func() find { return l.find }
	if c.Is(engine.Generalize) {
		if err := l.coverNodes(numbers); err != nil {
			return nil, err
		}
	} else {
		l.coverValues(numbers)
	}
	return l, nil
}

// regional returns the common part of a labeler, without the labels that cover the null, and the
// numbers of the labels of the cut.
func (c *CutColumn) regional() (r regional, numbers []uint32) {
	coded, numbers := c.labels(true)
	r = regional{labels: len(coded.Labels), nanIsNull: NaNIsNull(c.Spec, c.Taxonomy)}
	if c.Suppressed != "" {
		r.marks = numbers[len(c.Cut):]
	}
	return r, numbers
}

// coverValues finds the labels that contain a value.
func (c *overlapLabeler) coverValues(numbers []uint32) {
	by := make(map[string][]uint32)
	for i, label := range c.column.Cut {
		for _, value := range label.Values() {
			if value.Null {
				c.ofNull = append(c.ofNull, numbers[i])
			} else {
				by[value.Text] = append(by[value.Text], numbers[i])
			}
		}
	}
	c.of = func(values *formats.Values, i int) ([]uint32, bool) {
		text := values.Text(i)
		return by[text], text != engine.Suppressed
	}
}

// coverNodes finds the labels that name a node on the path to a value. A value that the taxonomy
// does not have is unmapped, or directly below the root.
func (c *overlapLabeler) coverNodes(numbers []uint32) error {
	taxonomy := c.column.Taxonomy
	generator, err := job.GeneratorOf(taxonomy)
	if err != nil {
		return Untreed(c.column.Spec, err)
	}
	unknown := c.column.Spec.Unknown == job.UnknownRoot
	naming := make(map[string][]uint32)
	for i, label := range c.column.Cut {
		for _, node := range c.column.Named(label) {
			switch {
			case node.Null:
				c.ofNull = append(c.ofNull, numbers[i])
			case !unknown && !engine.Takes(generator, node.Text):
				return c.column.mismatch("its taxonomy lacks a node of the cut")
			default:
				if err := c.column.checkLevel(generator, node.Text); err != nil {
					return err
				}
				naming[node.Text] = append(naming[node.Text], numbers[i])
			}
		}
	}
	root := engine.Ancestry(generator, "")[0]
	c.ofNull = append(c.ofNull, naming[root]...)
	c.of = func(values *formats.Values, i int) (labels []uint32, ok bool) {
		text := values.Text(i)
		path := []string{root, text}
		if ok = engine.Fits(generator, text) || taxonomy.Tree == nil &&
			engine.Takes(generator, text); ok {
			path = engine.Ancestry(generator, text)
		}
		for _, name := range path {
			labels = append(labels, naming[name]...)
		}
		slices.Sort(labels)
		return slices.Compact(labels), ok || unknown
	}
	return nil
}
