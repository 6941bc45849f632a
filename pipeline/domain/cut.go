package domain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
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

// CutColumn is a masked column with all that decides which values its labels stand for, and once it
// is bound with its cut.
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

// Bind finds the cut of every masked column of a job, in the order of its attributes. Columns and
// masks must be the same, and every set of the cut must be within one of the job: otherwise the job
// would demand less than the earlier release did.
func (g *Cut) Bind(j *job.Job, masked []*CutColumn) error {
	g.columns = masked
	for _, column := range masked {
		if err := g.BindColumn(column); err != nil {
			return err
		}
	}
	for i := range g.Columns {
		if g.Attribute(g.Columns[i].Name) < 0 {
			return g.mismatch("column %s: the job does not mask it", g.Columns[i].Name)
		}
	}
	sets := j.EverySet()
	for i := range g.Sets {
		within := func(s job.Set) bool { return g.Sets[i].Within(&cutfile.Set{Columns: s.Columns}) }
		if !slices.ContainsFunc(sets, within) {
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

// BindColumn finds the cut of a masked column of a job. The mask must be the same.
func (g *Cut) BindColumn(column *CutColumn) error {
	spec := column.Spec
	i := g.Columns.Position(spec.Name)
	switch {
	case i < 0:
		return g.mismatch("column %s: the cut lacks it", spec.Name)
	case g.Columns[i].Mask != spec.Mask:
		return g.mismatch("column %s: the cut has mask %s, the job %s", spec.Name,
			g.Columns[i].Mask, spec.Mask)
	}
	column.Column, column.cut = &g.Columns[i], g
	return nil
}

// checkSetLabels refuses regions with labels that name more values, nodes or intervals of a column
// than the largest k of its sets: no release has them.
func (g *Cut) checkSetLabels(j *job.Job) error {
	for _, column := range g.columns {
		if g.Kind != cutfile.KindRegions {
			continue
		}
		most := 1
		for _, set := range j.Sets {
			if slices.Contains(set.Names(), column.Name) {
				most = max(most, int(set.K))
			}
		}
		for _, label := range column.Cut {
			if n := len(column.Named(label)); n > most {
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
	case c.Is(engine.Suppress):
		return len(c.Cut) == 0, nil
	case len(c.Cut) != 1 || c.Cut[0].Null:
		return false, nil
	case c.Is(engine.Discretize):
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

// Released returns the coder of values by what a release shows for them: shown has its code for
// every label of the cut, and for the mark behind the labels. A value without a label has the code
// none. The cut has no regions, and is bound to a job.
func (c *CutColumn) Released(shown []uint32, none uint32, budget *spill.Budget) (Coder, error) {
	l, err := c.labeler(budget)
	if err != nil {
		return nil, err
	}
	codes, labels := slices.Repeat([]uint32{none}, l.Size()), 0
	null := none
	for at, label := range c.Cut {
		if label.Null {
			null = shown[at]
		} else {
			codes[labels] = shown[at]
			labels++
		}
	}
	switch {
	case labels < len(c.Cut): // the cut has a null
	case !c.Is(engine.Suppress) && labels == 1: // the root covers the null until it is refined
		null = shown[0]
	case c.Is(engine.Suppress) && c.Suppressed != "":
		null = shown[len(c.Cut)]
	}
	if c.Is(engine.Suppress) && c.Suppressed != "" {
		for of := unmappedLabel; of < newLabel; of++ { // the mark is true of every other value
			codes[labels+of] = shown[len(c.Cut)]
		}
	}
	codes[l.Null()] = null
	return Renumbered{Coder: l, Codes: codes, Domain: int(none) + 1, Else: none}, nil
}

// labeler returns the coder of the column.
func (c *CutColumn) labeler(budget *spill.Budget) (Labeler, error) {
	switch {
	case c.cut.Kind == cutfile.KindRegions && c.Is(engine.Discretize):
		return c.placeLabeler(budget)
	case c.cut.Kind == cutfile.KindRegions:
		return c.overlapLabeler(budget)
	case c.Is(engine.Generalize):
		return c.treeLabeler(budget)
	case c.Is(engine.Discretize):
		return c.intervalLabeler()
	}
	return newDisclosure(c), nil
}
