package domain

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// RegionEngine returns the engine that takes the regions as they are.
func (g *Cut) RegionEngine() *recheck.Regions {
	e := &recheck.Regions{}
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

// CoverRegions tells the engine of regions which labels cover the codes of every attribute. The
// labelers have made their domains.
func CoverRegions(e *recheck.Regions, labelers []Labeler) {
	e.Covers = nil
	for _, l := range labelers {
		e.Covers = append(e.Covers, l.(*cover).covers)
	}
}

// regionColumn returns the labels of a column, with the mark before the null, and the number
// of the label at every position of the cut, the mark being one past the last.
func regionColumn(column *cutfile.Column) (c engine.RegionColumn, numbers []uint32) {
	c.Labels, c.Intervals = labelsBelowNull(column)
	below := uint32(0)
	mark := slices.IndexFunc(c.Labels, func(l engine.Label) bool { return l.Text == engine.Suppressed })
	if mark < 0 {
		mark = len(c.Labels)
		c.Labels = append(c.Labels, engine.Label{Text: engine.Suppressed, Mark: true})
		if c.Intervals != nil {
			c.Intervals = append(c.Intervals, engine.Interval{})
		}
	}
	null := uint32(len(c.Labels))
	for _, label := range column.Cut {
		if label.Null {
			numbers = append(numbers, null)
			continue
		}
		numbers = append(numbers, below)
		below++
	}
	if int(below) < len(column.Cut) {
		c.Labels = append(c.Labels, engine.Label{Null: true})
	}
	return c, append(numbers, uint32(mark))
}
