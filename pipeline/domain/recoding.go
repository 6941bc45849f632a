package domain

import (
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Recoding returns what the cut says of every column alone, in the codes of its labelers. Codes
// that have no label lead to math.MaxUint32. A cut of regions has none.
func (g *Cut) Recoding() *engine.Cut {
	r := &engine.Cut{}
	for _, column := range g.columns {
		r.Columns = append(r.Columns, labelsOfColumn(column))
	}
	return r
}

// labelsOfColumn lists the labels of a column: the null comes last, the mark of suppressed values
// before it. A column without a null among its labels releases the null as its mark, or its root.
func labelsOfColumn(column *cutfile.Column) engine.ColumnCut {
	space := newLabelSpace(column)
	var c engine.ColumnCut
	c.Labels, c.Intervals = labelsBelowNull(column)
	c.Code = make([]uint32, space.Size())
	for label := range space.n {
		c.Code[label] = uint32(label)
	}
	c.Code[space.code(unmappedLabel)], c.Code[space.code(restLabel)] = math.MaxUint32, math.MaxUint32
	if column.Mask == job.MaskSuppress {
		mark := uint32(len(c.Labels))
		c.Labels = append(c.Labels, engine.Label{Text: engine.Suppressed})
		c.Code[space.code(restLabel)], c.Code[space.Null()] = mark, mark
	}
	if space.hasNull {
		c.Code[space.Null()] = uint32(len(c.Labels))
		c.Labels = append(c.Labels, engine.Label{Null: true})
	}
	return c
}

// labelsBelowNull returns the labels of a column but the null, and the interval of each if it is
// discretized; open ends are empty.
func labelsBelowNull(column *cutfile.Column) (labels []engine.Label, intervals []engine.Interval) {
	for _, label := range column.Cut {
		if label.Null {
			continue
		}
		labels = append(labels, engine.Label{Text: label.Label})
		if column.Mask == job.MaskDiscretize {
			lower, _ := cutfile.EndText(label.Lower)
			upper, _ := cutfile.EndText(label.Upper)
			intervals = append(intervals, engine.Interval{Label: label.Label, Lower: lower, Upper: upper})
		}
	}
	return labels, intervals
}

// ParseCut reads a cut's JSON form.
func ParseCut(text []byte) (*Cut, error) {
	cut, err := cutfile.Parse(text)
	if err != nil {
		return nil, err
	}
	return &Cut{File: cut, path: "this release"}, nil
}
