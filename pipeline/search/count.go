package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Count counts the tables that the engine needs: in the codes of the input's values or, if a cut is
// given, in those of its labels. The guard's count may be nil.
func (s *Search) Count(ctx context.Context, tuning count.Tuning, g *guard.Count) (*count.Counts,
	error) {
	request := s.Request(tuning)
	var labelers []domain.Labeler
	if s.given != nil {
		var err error
		if labelers, err = s.given.Labelers(s.Budget); err != nil {
			return nil, err
		}
		for a := range labelers {
			request.Columns[a].Labeler = labelers[a]
		}
	}
	request.SideCount = g.SideCount()
	counting := count.ResourcesOf(s.Run, resources.StageCompress, request.Dataset.Rows())
	counts, err := count.Input(ctx, request, counting)
	// otherwise no algorithm needs it
	if errors.Is(err, spill.ErrBudget) && s.Plan().Whole && s.given == nil {
		err = spill.Instead(fmt.Errorf("list every value, as algorithm %s must: %w", s.algorithm,
			s.Budget.Advise(err)),
			"take algorithm tdr, which holds no more than one value for every k rows")
	}
	if err != nil {
		return nil, err
	}
	if e, ok := s.engine.(*recheck.Regions); ok {
		e.Coverage = domain.CoverageOf(labelers)
	}
	if err := s.require(counts.Table); err != nil {
		return nil, err
	}
	if err := s.discardUnplanned(counts.Table); err != nil {
		return nil, err
	}
	s.note(counts)
	if s.Entity >= 0 && s.applied == "" {
		s.noteSuppressible()
	}
	return counts, nil
}

// Request returns the request for counts in the codes of the input's values.
func (s *Search) Request(tuning count.Tuning) *count.Request {
	plan := s.Plan()
	r := &count.Request{
		Dataset: s.Dataset, Columns: s.columns(plan), Masked: len(s.Masked), Class: -1,
		Whole: plan.Whole, Tuning: tuning,
		Merge: func(t *engine.Table) []engine.CodeMerge {
			s.bindProtections(t)
			return engine.Merge(s.engine, t, s.requirement)
		},
	}
	add := func(field int) int {
		r.Columns = append(r.Columns, count.Column{Field: field})
		return len(r.Columns) - 1
	}
	if s.Class >= 0 && s.applied == "" { // otherwise no search needs classes
		r.Class = add(s.Class)
	}
	if s.Protects() != "" {
		r.Profile = &count.ProfileColumns{Entities: s.Entity >= 0}
		for _, field := range s.Sensitive {
			at := r.Class
			if field != s.Class || at < 0 {
				at = add(field)
			}
			r.Profile.Sensitive = append(r.Profile.Sensitive, at)
		}
		if s.Entity >= 0 {
			add(s.Entity)
		}
	}
	if all := s.requirement.United(); s.Population != nil && all.Population.Asked() {
		r.Population = &count.Population{Dataset: s.Population.Dataset}
		for a := range s.Masked {
			r.Population.Fields = append(r.Population.Fields, s.PopulationField(a))
		}
	}
	for _, g := range plan.Groupings {
		columns := slices.Clone(g.Columns)
		if kind := r.ProfilePosition(); g.Kind && kind >= 0 {
			columns = append(columns, kind)
		}
		r.Groupings = append(r.Groupings,
			count.Grouping{Columns: columns, Weighted: g.Weighted &&
				s.Entity >= 0, Weightless: g.Weightless, People: g.People})
	}
	return r
}

// pruning returns the values of an attribute that no search separates: those below the finest
// level, and no others when the engine needs every value. K is the largest of the sets with the
// attribute: each set must hold by itself, and a named value with fewer records stands out in the
// set that demands most. A set without the attribute does not limit its values.
func (s *Search) pruning(plan engine.Plan, spec *job.Column, k uint64) engine.Pruning {
	level := spec.FinestLevel()
	switch {
	case !plan.Whole:
		return engine.Pruning{
			Level:    level,
			K:        k,
			Outliers: s.requirement.Suppressible(),
			Classes:  s.Class >= 0,
		}
	case plan.Pool && spec.Is(engine.Suppress):
		return engine.Pruning{K: k}
	}
	return engine.Pruning{Level: level}
}

// columns returns the masked columns with the options of their counting for a plan.
func (s *Search) columns(plan engine.Plan) (columns []count.Column) {
	of := s.requirement.ByAttribute(len(s.Masked)) // every attribute is in a set
	for a, field := range s.Masked {
		spec := s.Specs[field]
		columns = append(columns, count.Column{
			Field:    field,
			Spec:     spec,
			Taxonomy: s.Taxonomies.Of[spec.Name],
			Pruning:  s.pruning(plan, spec, of[a].K.Size()),
		})
	}
	return columns
}

// note notes facts about the counts that the user should know.
func (s *Search) note(c *count.Counts) {
	s.Out.Nulls, s.Out.Tuples = nil, nil
	of := s.requirement.ByAttribute(len(c.Columns))
	for a, d := range c.Columns {
		if d.Nulls > 0 {
			s.Out.Nulls = append(s.Out.Nulls, NullCount{d.Attribute.Name, d.Nulls})
		}
		NoteColumn(&d.Domain, s.Noted)
		s.noteBounds(&d.Domain, of[a].K.Size(), c.Table.Kinds)
	}
	if c.Table.Classes == 1 {
		s.Noted(fmt.Sprintf("class column %s holds one class: no specialization is beneficial",
			s.Job.Class))
	}
	planned := s.Plan().Groupings
	for i, grouping := range c.Table.Groupings {
		if planned[i].People {
			continue
		}
		s.Out.Tuples = append(s.Out.Tuples, grouping.Len())
	}
}

// noteBounds notes when a declared bound is an extreme that fewer than k records have.
func (s *Search) noteBounds(d *domain.Domain, k uint64, kinds *engine.Kinds) {
	what := "records"
	if s.Entity >= 0 {
		what = "entities"
	}
	for i, size := range d.AtBounds {
		if size > 0 && size < kinds.LeastWeight(k) {
			s.Noted(fmt.Sprintf("%s, which fewer than %d %s have: it reveals them, declare a "+
				"bound that everybody knows", Extreme(d.Attribute.Name, i), k, what))
		}
	}
}

// Extreme says that a declared bound of a column, 0 for the lower and 1 for the upper one, is a
// value of the input.
func Extreme(column string, end int) string {
	return fmt.Sprintf("column %s: the declared %s bound is the %s value in the input",
		column, [...]string{"lower", "upper"}[end], [...]string{"smallest", "largest"}[end])
}

// NoteColumn notes facts about a column that the user should know.
func NoteColumn(d *domain.Domain, noted func(text string)) {
	name := d.Attribute.Name
	if d.Nulls > 0 {
		noted(fmt.Sprintf("column %s has %d nulls", name, d.Nulls))
	}
	if d.Binned > 0 {
		noted(fmt.Sprintf("column %s has %d distinct values: split points are restricted to %d "+
			"quantile edges", name, d.Binned, len(d.Attribute.Texts)))
	}
}
