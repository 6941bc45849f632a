// Package guard holds how alike rows are against what a job accepts: on the columns that it keeps, on
// kept columns that masked ones determine, and on the labels of all masked columns together.
//
// Contract: what identifies more rows than docs/privacy.md says is refused with an error of class
// Privacy that names the column's place in the job, unless the job accepts it; then it is noted.
// Before the search the input is counted (Count), after masking the release is (package verify).
//
// Not promised: that what was accepted is harmless.
package guard

import (
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

// Guard knows what a bound job accepts.
type Guard struct {
	*binding.Bound
	*resources.Run
}

// New returns the guard of a bound job.
func New(b *binding.Bound, r *resources.Run) *Guard { return &Guard{b, r} }

// Kept returns the fields of the columns that are kept, as they are or as pseudonyms. Where a job keeps
// nothing but the class there are none: that is looked at by itself. Nor are there any in tables of counts.
func (g *Guard) Kept() (fields []int) {
	if len(g.Job.InputCounts) > 0 {
		return nil // the counts do not have them
	}
	for i := range g.Dataset.Schema().Fields {
		if g.Specs[i].Keeps() {
			fields = append(fields, i)
		}
	}
	if len(fields) == 1 && fields[0] == g.Class {
		return nil
	}
	return fields
}

// Flat returns those of some fields that are not nested.
func (g *Guard) Flat(fields []int) []int {
	return slices.DeleteFunc(slices.Clone(fields), func(field int) bool { return g.Type(field).Kind == formats.Nested })
}

// SmallestK returns the smallest k of the sets.
func (g *Guard) SmallestK() int {
	k := g.Requirement.Sets[0].K
	for _, set := range g.Requirement.Sets {
		k = min(k, set.K)
	}
	return int(k)
}

// isAccepted reports whether the entry of a kept column says that it may tell rows apart.
func (g *Guard) isAccepted(field int) bool {
	return g.Specs[field].Identifying == job.IdentifyingAccepted
}

// accepts reports whether all of some kept columns are accepted, but for the class.
func (g *Guard) accepts(kept []int) bool {
	return !slices.ContainsFunc(kept, func(field int) bool { return field != g.Class && !g.isAccepted(field) })
}

// who returns what the shares of figures are shares of.
func (g *Guard) who() string {
	if g.Entity >= 0 {
		return "entities"
	}
	return "rows"
}
