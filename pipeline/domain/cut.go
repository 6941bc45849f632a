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

// Cut is a cut in values: that of an earlier release, which a run applies or whose search stays
// above it, or the one that the run has found. Once it is bound to a job, its labels have codes.
type Cut struct {
	*cutfile.File
	// of columns with a declared tree, when the cut was made; nil: unknown
	Placements map[string]Placement

	path    string
	columns []*CutColumn // by attribute
}

// CutColumn is the cut of a masked column, and all that decides which values its labels stand for.
type CutColumn struct {
	*cutfile.Column
	Spec     *job.Column
	Type     formats.Type
	Taxonomy job.Taxonomy

	cut *Cut
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

// mismatch returns the error of a column that does not fit the job.
func (c *CutColumn) mismatch(format string, args ...any) error {
	return c.cut.mismatch("column %s: %w", c.Spec.Name, fmt.Errorf(format, args...))
}

// Bind finds the cut of every masked column of a job, in the order of its attributes, given their
// types. Columns and masks must be the same, and every set of the cut must be within one of the
// job: otherwise the job would demand less than the earlier release did.
func (g *Cut) Bind(j *job.Job, masked []*job.Column, types []formats.Type,
	taxonomies map[string]job.Taxonomy) error {
	g.columns = nil
	for a, spec := range masked {
		i := g.Columns.Position(spec.Name)
		switch {
		case i < 0:
			return g.mismatch("column %s: the cut lacks it", spec.Name)
		case g.Columns[i].Mask != spec.Mask:
			return g.mismatch("column %s: the cut has mask %s, the job %s", spec.Name,
				g.Columns[i].Mask, spec.Mask)
		}
		g.columns = append(g.columns, &CutColumn{
			Column: &g.Columns[i], Spec: spec, Type: types[a], Taxonomy: taxonomies[spec.Name],
			cut: g,
		})
	}
	for i := range g.Columns {
		if g.Attribute(g.Columns[i].Name) < 0 {
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
				return column.mismatch("a label of the cut names %d values, which must not "+
					"be more than k = %d", n, most)
			}
		}
	}
	return nil
}

// Column returns the cut of an attribute.
func (g *Cut) Column(a int) *CutColumn { return g.columns[a] }

// Attribute returns the attribute of the column with a name, or -1.
func (g *Cut) Attribute(name string) int {
	return slices.IndexFunc(g.columns, func(c *CutColumn) bool { return c.Name == name })
}

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

// Tells reports whether the cut releases the column with more than one label.
func (c *CutColumn) Tells() bool {
	return len(c.Cut) > 1 || len(c.Cut) == 1 && c.Suppressed != ""
}

// IsWhole reports whether the column has one label, which stands for all values, the null too.
func (c *CutColumn) IsWhole() (bool, error) {
	switch {
	case c.Mask == job.MaskSuppress:
		return len(c.Cut) == 0, nil
	case len(c.Cut) != 1 || c.Cut[0].Null:
		return false, nil
	case c.Mask == job.MaskDiscretize:
		return true, nil
	}
	generator, err := job.GeneratorOf(c.Taxonomy)
	return err == nil && engine.Ancestry(generator, "")[0] == c.Cut[0].Label, err
}

// Labelers returns the coders of the masked columns. Their memory is drawn from the budget.
func (g *Cut) Labelers(budget *spill.Budget) (labelers []Labeler, err error) {
	for _, column := range g.columns {
		l, err := column.labeler(budget)
		if err != nil {
			return nil, err
		}
		labelers = append(labelers, l)
	}
	return labelers, nil
}

// labeler returns the coder of the column.
func (c *CutColumn) labeler(budget *spill.Budget) (Labeler, error) {
	switch {
	case c.cut.Kind == cutfile.KindRegions:
		return c.overlapLabeler(budget)
	case c.Mask == job.MaskGeneralize:
		return c.treeLabeler(budget)
	case c.Mask == job.MaskDiscretize:
		return c.intervalLabeler()
	}
	return newDisclosure(c), nil
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
	coded, numbers := c.labels(c.Mask == job.MaskSuppress)
	coded.Code = make([]uint32, space.Size())
	for label := range space.n {
		coded.Code[label] = uint32(label)
	}
	coded.Code[space.code(unmappedLabel)] = math.MaxUint32
	coded.Code[space.code(restLabel)] = math.MaxUint32
	if c.Mask == job.MaskSuppress {
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
		coded.Labels = append(coded.Labels, engine.Label{Text: label.Label})
		if c.Mask == job.MaskDiscretize {
			lower, _ := cutfile.EndText(label.Lower)
			upper, _ := cutfile.EndText(label.Upper)
			coded.Intervals = append(coded.Intervals,
				engine.Interval{Label: label.Label, Lower: lower, Upper: upper})
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

// RegionEngine returns the engine that applies the regions unchanged.
func (g *Cut) RegionEngine() *recheck.Regions {
	e := &recheck.Regions{}
	var all [][]uint32 // label numbers by column and position in the cut
	var order []int    // positions of the attributes among the cut's columns
	for _, column := range g.columns {
		labels, numbers := column.labels(true)
		e.Columns, e.Marks = append(e.Columns, labels), append(e.Marks, numbers[len(column.Cut)])
		all, order = append(all, numbers), append(order, g.Columns.Position(column.Name))
	}
	for _, region := range g.Regions {
		for a, at := range order {
			e.Released = append(e.Released, all[a][region[at]])
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
