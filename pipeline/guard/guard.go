// Package guard compares the class sizes of rows with those that a job accepts: on the columns that
// it keeps, on kept columns that masked ones determine, on the labels of all masked columns
// together, and on those of each set.
//
// Contract: columns that identify more rows than docs/privacy.md allows are refused with an error
// of class Privacy that names the column's place in the job, unless the job accepts them; then they
// are noted. Before the search the input is counted (Count), after masking the release is (package
// verify).
//
// Limits: accepted columns may still be harmful.
package guard

import (
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

// Guard has what a bound job accepts.
type Guard struct {
	*binding.Bound
	*resources.Run
}

// New returns the guard of a bound job.
func New(b *binding.Bound, r *resources.Run) *Guard { return &Guard{b, r} }

// Kept returns the fields of the columns that are kept, unchanged or as pseudonyms. If a job keeps
// only the class it returns none, since the class is checked separately. Tables of counts have
// none, either.
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

// Flat returns some fields without the nested ones.
func (g *Guard) Flat(fields []int) []int {
	return slices.DeleteFunc(slices.Clone(fields), func(field int) bool {
		return g.Type(field).Kind == formats.Nested
	})
}

// SmallestK returns the smallest k of the sets.
func (g *Guard) SmallestK() int {
	k := g.Requirement.Sets[0].K
	for _, set := range g.Requirement.Sets {
		k = min(k, set.K)
	}
	return int(k)
}

// isAccepted reports whether the entry of a kept column accepts that it may identify rows.
func (g *Guard) isAccepted(field int) bool {
	return g.Specs[field].Identifying == job.IdentifyingAccepted
}

// accepts reports whether all of some kept columns, except the class, are accepted.
func (g *Guard) accepts(kept []int) bool {
	return !slices.ContainsFunc(kept, func(field int) bool {
		return field != g.Class && !g.isAccepted(field)
	})
}

// who returns the name of the rows or entities that figures are shares of.
func (g *Guard) who() string {
	if g.Entity >= 0 {
		return "entities"
	}
	return "rows"
}
