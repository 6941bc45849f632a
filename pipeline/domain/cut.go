package domain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Cut is the cut of an earlier release. A run applies it, or its search stays above it.
type Cut struct {
	*cutfile.File
	// of columns with a declared tree, when the cut was made; nil: unknown
	Placements map[string]Placement

	path    string
	columns []*cutfile.Column // by attribute
	specs   []*job.Column     // likewise
}

// ReadCut reads the cut of an earlier release, or of a file with only its JSON.
func ReadCut(ctx context.Context, path string) (*Cut, error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read the earlier cut: %w", err)
	}
	return &Cut{File: cut, path: path}, nil
}

// Path returns the path from which the cut was read.
func (g *Cut) Path() string { return g.path }

// mismatch returns the error of a cut that does not fit the job.
func (g *Cut) mismatch(format string, args ...any) error {
	return &fault.Error{
		Class: fault.Usage,
		Hint:  "name a release of this job, or run the job anew",
		Err: fmt.Errorf("fit the cut of %s to the job: %w", cmp.Or(g.path, "this release"),
			fmt.Errorf(format, args...)),
	}
}

// Bind finds the cut of every masked column of a job, in the order of its attributes. Columns and
// masks must be the same, and every set of the cut must be within one of the job: otherwise the job
// would demand less than the earlier release did.
func (g *Cut) Bind(j *job.Job, masked []*job.Column) error {
	g.columns, g.specs = nil, masked
	for _, spec := range masked {
		i := g.Columns.Position(spec.Name)
		switch {
		case i < 0:
			return g.mismatch("column %s: the cut lacks it", spec.Name)
		case g.Columns[i].Mask != spec.Mask:
			return g.mismatch("column %s: the cut has mask %s, the job %s", spec.Name,
				g.Columns[i].Mask, spec.Mask)
		}
		g.columns = append(g.columns, &g.Columns[i])
	}
	for i := range g.Columns {
		if !slices.Contains(g.columns, &g.Columns[i]) {
			return g.mismatch("column %s: the job does not mask it", g.Columns[i].Name)
		}
	}
	for i := range g.Sets {
		within := func(s job.Set) bool { return g.Sets[i].Within(&cutfile.Set{Columns: s.Columns}) }
		if !slices.ContainsFunc(j.Sets, within) {
			return g.mismatch("quasi-identifier set %d of the cut is within none of the job's", i+1)
		}
	}
	if g.Entity && j.Entity == "" {
		return g.mismatch("the cut counts entities, the job records")
	}
	for i := range g.Sensitive {
		if name := g.Sensitive[i].Column; !slices.ContainsFunc(j.Sensitive,
			func(s job.Sensitive) bool {
				return s.Column == name
			}) {
			return g.mismatch("column %s is sensitive in the cut, and not in the job", name)
		}
	}
	return g.checkSetLabels(j)
}

// checkSetLabels refuses regions with labels that name more values of a suppressed column than the
// largest k of its sets: no release has them.
func (g *Cut) checkSetLabels(j *job.Job) error {
	for _, column := range g.columns {
		if g.Kind != cutfile.KindRegions || column.Mask != job.MaskSuppress {
			continue
		}
		most := 1
		for _, set := range j.Sets {
			if slices.Contains(set.Columns, column.Name) {
				most = max(most, int(set.K))
			}
		}
		for _, label := range column.Cut {
			if n := len(label.Values()); n > most {
				return g.mismatch("column %s: a label of the cut names %d values, which must not "+
					"be more than k = %d", column.Name, n, most)
			}
		}
	}
	return nil
}

// Column returns the cut of an attribute.
func (g *Cut) Column(a int) *cutfile.Column { return g.columns[a] }

// Names reports whether the cut limits the share of a value of a sensitive column.
func (g *Cut) Names(column, value string) bool {
	return slices.ContainsFunc(g.Sensitive, func(s cutfile.Sensitive) bool {
		if s.Column != column || s.MaxConfidence == nil {
			return false
		}
		_, names := s.MaxConfidence.Of[value]
		return names
	})
}

// Tells reports whether the cut releases an attribute with more than one label.
func (g *Cut) Tells(a int) bool { return tells(g.columns[a]) }

// CountLabels returns the number of labels of an attribute without the null.
func (g *Cut) CountLabels(a int) int { return newLabelSpace(g.columns[a]).n }

// Labelers returns the coders of the masked columns, which have the given types. Their memory is
// drawn from the budget.
func (g *Cut) Labelers(types []formats.Type, taxonomies map[string]job.Taxonomy,
	budget *spill.Budget) (labelers []Labeler, err error) {
	for a, column := range g.columns {
		spec := g.specs[a]
		l, err := g.labeler(spec, column, types[a], taxonomies[spec.Name], budget)
		if err != nil {
			return nil, err
		}
		labelers = append(labelers, l)
	}
	return labelers, nil
}

// labeler returns the coder of one column.
func (g *Cut) labeler(spec *job.Column, column *cutfile.Column, t formats.Type,
	taxonomy job.Taxonomy, budget *spill.Budget) (Labeler, error) {
	switch {
	case g.Kind == cutfile.KindRegions:
		return g.overlapLabeler(spec, column, t, taxonomy, budget)
	case spec.Mask == job.MaskGeneralize:
		return g.treeLabeler(spec, column, taxonomy, budget)
	case spec.Mask == job.MaskDiscretize:
		return g.intervalLabeler(spec, column, t)
	}
	return newDisclosure(column), nil
}

// Recoding returns the cut of every single column, in the codes of its labelers. Codes without a
// label have math.MaxUint32. A cut of regions has no such recoding.
func (g *Cut) Recoding() *engine.Cut {
	r := &engine.Cut{}
	for _, column := range g.columns {
		r.Columns = append(r.Columns, labelsOfColumn(column))
	}
	return r
}

// labelsOfColumn lists the labels of a column: the null comes last, the mark of suppressed values
// before it. If the null is not among its labels, the column releases it as its mark, or its root.
func labelsOfColumn(column *cutfile.Column) engine.ColumnCut {
	space := newLabelSpace(column)
	var c engine.ColumnCut
	c.Labels, c.Intervals = labelsBelowNull(column)
	c.Code = make([]uint32, space.Size())
	for label := range space.n {
		c.Code[label] = uint32(label)
	}
	c.Code[space.code(unmappedLabel)], c.Code[space.code(restLabel)] = math.MaxUint32,
		math.MaxUint32
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

// labelsBelowNull returns the labels of a column without the null, and the interval of each if it
// is discretized; open ends are empty.
func labelsBelowNull(column *cutfile.Column) (labels []engine.Label, intervals []engine.Interval) {
	for _, label := range column.Cut {
		if label.Null {
			continue
		}
		labels = append(labels, engine.Label{Text: label.Label})
		if column.Mask == job.MaskDiscretize {
			lower, _ := cutfile.EndText(label.Lower)
			upper, _ := cutfile.EndText(label.Upper)
			intervals = append(intervals,
				engine.Interval{Label: label.Label, Lower: lower, Upper: upper})
		}
	}
	return labels, intervals
}

// RegionEngine returns the engine that applies the regions unchanged.
func (g *Cut) RegionEngine() *recheck.Regions {
	e := &recheck.Regions{}
	numbers := make([][]uint32, len(g.columns)) // label numbers by column and position in the cut
	for a, column := range g.columns {
		var labels engine.ColumnCut
		labels, numbers[a] = regionColumn(column)
		e.Columns = append(e.Columns, labels)
		e.Marks = append(e.Marks, numbers[a][len(column.Cut)])
	}
	var order []int // positions of the attributes among the cut's columns
	for _, column := range g.columns {
		order = append(order, g.Columns.Position(column.Name))
	}
	for _, region := range g.Regions {
		for a, at := range order {
			e.Released = append(e.Released, numbers[a][region[at]])
		}
	}
	return e
}

// CoverRegions sets, in the engine of regions, the labels that cover the codes of every attribute.
// The labelers have made their domains before.
func CoverRegions(e *recheck.Regions, labelers []Labeler) {
	e.Covers = nil
	for _, l := range labelers {
		e.Covers = append(e.Covers, l.(*overlapLabeler).covers)
	}
}

// regionColumn returns the labels of a column, with the mark before the null, and the number of the
// label at every position in the cut, where the mark is one past the last.
func regionColumn(column *cutfile.Column) (c engine.ColumnCut, numbers []uint32) {
	c.Labels, c.Intervals = labelsBelowNull(column)
	below := uint32(0)
	mark := slices.IndexFunc(c.Labels, func(l engine.Label) bool {
		return l.Text == engine.Suppressed
	})
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
