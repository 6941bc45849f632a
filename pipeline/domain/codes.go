package domain

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// A cut has two forms: in values, as its JSON, and in codes, as an engine has it. Both list the
// labels of a column in the same order, but for the mark of suppressed values: in values it comes
// after all labels and is no part of the list, in codes it comes before the null.

// IsMark reports whether a label of a column with a mask is the mark of suppressed values or
// records.
func IsMark(label engine.Label, mask string) bool {
	return label.Mark ||
		job.Gives(mask, engine.Suppress) && !label.Null && label.Text == engine.Suppressed
}

// Describe returns the cut of a column in values, given its attribute in a recoding and the order
// of its values, if they have one. It names the mark of suppressed records only if that is asked
// for.
func (c *CutColumn) Describe(
	recoding engine.Recoding, attribute int, order []string, marked bool,
) cutfile.Column {
	column := cutfile.Column{Name: c.Spec.Name, Mask: c.Spec.Mask, Cut: []cutfile.Label{}}
	if c.Spec.Render != job.RenderLabel {
		column.Render = c.Spec.Render
	}
	column.Generated = c.Taxonomy.Generated()
	intervals := recoding.Intervals(attribute)
	for i, label := range recoding.Labels(attribute) {
		if IsMark(label, column.Mask) {
			if marked {
				column.Suppressed = label.Text
			}
			continue
		}
		described := cutfile.Label{Label: label.Text, Null: label.Null}
		if intervals != nil && !label.Null {
			described.Interval = true
			described.Lower = endJSON(c.Type, intervals[i].Lower)
			described.Upper = endJSON(c.Type, intervals[i].Upper)
		}
		column.Cut = append(column.Cut, described)
	}
	if column.Is(engine.Suppress) {
		column.Suppressed = engine.Suppressed
		column.SetOrder(order, recoding.Codes(attribute) == nil)
	}
	return column
}

// endJSON returns the JSON of an interval's end: a number for numbers, else a string; nil when the
// end is open.
func endJSON(t formats.Type, text string) json.RawMessage {
	if text == "" {
		return nil
	}
	switch t.Kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal:
		if json.Valid([]byte(text)) { // an infinity is not valid
			return json.RawMessage(text)
		}
	}
	quoted, _ := json.Marshal(text) // a string can always be marshalled
	return quoted
}

// MakePlain makes the labels of the intervals of an attribute in a recoding plain where the type of
// the column and all ends of its intervals allow that; also that of all values, of a mark.
func (c *CutColumn) MakePlain(recoding engine.Recoding, attribute int) {
	labels, intervals := recoding.Labels(attribute), recoding.Intervals(attribute)
	if c.Spec.Render != job.RenderLabel || !c.allowsPlain(intervals) {
		return
	}
	for label, i := range intervals {
		switch isMark := labels[label].Mark; {
		case !isMark:
			intervals[label].Label = i.Plain()
			labels[label].Text = intervals[label].Label
		case labels[label].Text != engine.Suppressed && label > 0:
			i = intervals[label-1] // the last one: it ends where all of them do
			i.Label, i.Lower = labels[label].Text, intervals[0].Lower
			labels[label].Text = i.Plain()
		}
	}
}

// HasPlain reports whether labels of the column's intervals are plain.
func (c *CutColumn) HasPlain() bool {
	return slices.ContainsFunc(c.Cut, func(l cutfile.Label) bool {
		return l.Interval && l.Label != l.Ends().Range()
	})
}

// allowsPlain reports whether labels of intervals of the column may be plain: it has integers, or
// moments and all ends are midnights.
func (c *CutColumn) allowsPlain(intervals []engine.Interval) bool {
	switch c.Type.Kind {
	case formats.Int, formats.Uint:
		return true
	case formats.Decimal:
		return c.Type.Scale == 0
	case formats.Timestamp:
		isTimed := func(i engine.Interval) bool { return !i.HasDays() }
		return !slices.ContainsFunc(intervals, isTimed)
	}
	return false
}

// DescribeRegions returns regions in the positions of the labels of described columns.
func DescribeRegions(regions *engine.Regions, columns cutfile.Columns) []cutfile.Region {
	positions := make([][]uint32, len(columns)) // by column and label number
	for a := range columns {
		labels, next := regions.Labels(a), uint32(0)
		for _, label := range labels {
			if IsMark(label, columns[a].Mask) {
				positions[a] = append(positions[a], uint32(len(labels)-1))
				continue
			}
			positions[a] = append(positions[a], next)
			next++
		}
	}
	described := make([]cutfile.Region, regions.Len())
	for i := range described {
		described[i] = make(cutfile.Region, 0, len(columns))
		for a, label := range regions.Region(int32(i)) {
			described[i] = append(described[i], positions[a][label])
		}
	}
	return described
}

// Recoding returns the cut of every single column, in the codes of its labelers. Codes without a
// label have math.MaxUint32. A cut of regions has no such recoding.
func (g *Cut) Recoding() *engine.Cut {
	r := &engine.Cut{}
	for _, column := range g.columns {
		r.Columns = append(r.Columns, column.coded())
	}
	return r
}

// coded lists the labels: the null comes last, the mark of suppressed values before it. If the null
// is not among its labels, the column releases it as its mark, or its root.
func (c *CutColumn) coded() engine.ColumnCut {
	space := newLabelSpace(c)
	coded, numbers := c.labels(c.Is(engine.Suppress))
	coded.Code = make([]uint32, space.Size())
	for label := range space.n {
		coded.Code[label] = uint32(label)
	}
	coded.Code[space.code(unmappedLabel)] = math.MaxUint32
	coded.Code[space.code(restLabel)] = math.MaxUint32
	if c.Is(engine.Suppress) {
		mark := numbers[len(c.Cut)]
		coded.Code[space.code(restLabel)], coded.Code[space.Null()] = mark, mark
	}
	if space.hasNull {
		coded.Code[space.Null()] = uint32(len(coded.Labels) - 1)
	}
	return coded
}

// labels returns the labels of the column, with the mark before the null if that is asked for, and
// the number of the label at every position in the cut, where the mark is one past the last. Open
// ends of intervals are empty.
func (c *CutColumn) labels(marked bool) (coded engine.ColumnCut, numbers []uint32) {
	mark, null := -1, -1
	for i, label := range c.Cut {
		numbers = append(numbers, uint32(len(coded.Labels)))
		if label.Null {
			null = i
			continue
		}
		if label.Label == engine.Suppressed {
			mark = len(coded.Labels)
		}
		coded.Labels = append(coded.Labels, label.Plain())
		if c.Is(engine.Discretize) {
			coded.Intervals = append(coded.Intervals, label.Ends())
		}
	}
	if marked && mark < 0 {
		mark = len(coded.Labels)
		coded.Labels = append(coded.Labels, engine.Label{Text: engine.Suppressed, Mark: true})
		if coded.Intervals != nil {
			coded.Intervals = append(coded.Intervals, engine.Interval{})
		}
	}
	if null >= 0 {
		numbers[null] = uint32(len(coded.Labels))
		coded.Labels = append(coded.Labels, engine.Label{Null: true})
	}
	return coded, append(numbers, uint32(mark))
}

// CodedRegions returns the regions, and the labels of suppressed records, by attribute. It leaves
// out the region of records that were suppressed before, if it is recognized: these marks say
// nothing about values, and would cover any record.
func (g *Cut) CodedRegions() (regions *engine.Regions, marks []uint32) {
	regions = &engine.Regions{}
	var all [][]uint32 // label numbers by column and position in the cut
	var order []int    // positions of the attributes among the cut's columns
	areSuppressed := false
	for _, column := range g.columns {
		labels, numbers := column.labels(true)
		regions.Columns = append(regions.Columns, labels)
		marks, all = append(marks, numbers[len(column.Cut)]), append(all, numbers)
		order = append(order, g.Columns.Position(column.Name))
		areSuppressed = areSuppressed || !column.Is(engine.Suppress) && column.Suppressed != ""
	}
	released := make([]uint32, len(order))
	for _, region := range g.Regions {
		for a, at := range order {
			released[a] = all[a][region[at]]
		}
		if !areSuppressed || !slices.Equal(released, marks) {
			regions.Released = append(regions.Released, released...)
		}
	}
	return regions, marks
}

// CoverageOf returns which codes the labels of a cut of regions cover, by attribute. The labelers
// have made their domains before.
func CoverageOf(labelers []Labeler) (coverage []recheck.Coverage) {
	for _, l := range labelers {
		coverage = append(coverage, l.(interface{ Coverage() recheck.Coverage }).Coverage())
	}
	return coverage
}
