package domain

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Cut is the cut of an earlier release, which a run takes as it is or stays above.
type Cut struct {
	*cutfile.File
	path    string
	columns []*cutfile.Column // by attribute
	specs   []*job.Column     // likewise
}

// ReadCut reads the cut of an earlier release, or of a file that holds its JSON alone.
func ReadCut(ctx context.Context, path string) (*Cut, error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read the earlier cut: %w", err)
	}
	return &Cut{File: cut, path: path}, nil
}

// mismatch is the error of a cut that does not fit the job.
func (g *Cut) mismatch(format string, args ...any) error {
	return &fault.Error{
		Class: fault.Usage,
		Hint:  "name a release of this job, or run the job anew",
		Err:   fmt.Errorf("fit the cut of %s to the job: %w", g.path, fmt.Errorf(format, args...)),
	}
}

// Bind finds the cut of every masked column of a job, in the order of its attributes. Columns and
// masks must be the same, and every set of the cut must be within one of the job: else the job
// would demand less than what was released before.
func (g *Cut) Bind(j *job.Job, masked []*job.Column) error {
	g.columns, g.specs = nil, masked
	for _, spec := range masked {
		i := slices.IndexFunc(g.Columns, func(c cutfile.Column) bool { return c.Name == spec.Name })
		switch {
		case i < 0:
			return g.mismatch("column %s: the cut lacks it", spec.Name)
		case g.Columns[i].Mask != spec.Mask:
			return g.mismatch("column %s: the cut has mask %s, the job %s", spec.Name, g.Columns[i].Mask, spec.Mask)
		}
		g.columns = append(g.columns, &g.Columns[i])
	}
	for i := range g.Columns {
		if !slices.Contains(g.columns, &g.Columns[i]) {
			return g.mismatch("column %s: the job does not mask it", g.Columns[i].Name)
		}
	}
	for i, set := range g.Sets {
		if !slices.ContainsFunc(j.Sets, func(s job.Set) bool { return includes(s.Columns, set.Columns) }) {
			return g.mismatch("quasi-identifier set %d of the cut is within none of the job's", i+1)
		}
	}
	return nil
}

// Column returns the cut of an attribute.
func (g *Cut) Column(a int) *cutfile.Column { return g.columns[a] }

// CountLabels returns how many labels but the null an attribute has.
func (g *Cut) CountLabels(a int) int { return newLabelSpace(g.columns[a]).n }

// includes reports whether all of some names are there.
func includes(names, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(names, name) })
}

// Labelers returns the coders of the masked columns, which have the given types. What they learn
// is drawn from the budget.
func (g *Cut) Labelers(types []formats.Type, taxonomies map[string]job.Taxonomy, budget *spill.Budget) (labelers []Labeler, err error) {
	for a, column := range g.columns {
		spec := g.specs[a]
		var l Labeler
		switch {
		case g.Kind == cutfile.KindRegions:
			l, err = g.cover(spec, column, types[a], taxonomies[spec.Name], budget)
		case spec.Mask == job.MaskGeneralize:
			l, err = g.members(spec, column, taxonomies[spec.Name], budget)
		case spec.Mask == job.MaskDiscretize:
			l, err = g.spans(spec, column, types[a])
		default:
			l = newDisclosure(column)
		}
		if err != nil {
			return nil, err
		}
		labelers = append(labelers, l)
	}
	return labelers, nil
}
