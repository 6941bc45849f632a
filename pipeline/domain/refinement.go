package domain

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// Refined reports whether the new cut of a job's column discloses more of some value than this
// earlier cut does: whether there is a value whose earlier label is not within its new label. If
// that cannot be decided, it returns true: without an earlier cut of the column, with another mask,
// or when the earlier cut is no cut of the job's taxonomy, of the column's type or within its
// declared bounds. A label that covers everything discloses nothing.
//
// The job's taxonomy defines the meaning of labels, unless other leaves are known to have been
// under them. Earlier labels that are unrelated to all new labels, and the reverse, belong to
// values that only one of the two inputs has.
func (g *Cut) Refined(found *CutColumn, budget *spill.Budget) (bool, error) {
	all, err := found.IsWhole()
	if err != nil {
		return true, Untreed(found.Spec, err)
	}
	earlier := *found
	earlier.cut, earlier.Column = g, g.columnOf(found.Name)
	if all || earlier.Column == nil || earlier.Mask != found.Mask {
		return !all, nil
	}
	l, err := earlier.labeler(budget)
	if err != nil {
		if fault.ClassOf(err) == fault.Usage { // it does not fit the job
			err = nil
		}
		return true, err
	}
	if l, ok := l.(*intervalLabeler); ok {
		// a single interval also covers the null, unless that is a separate label
		lone := l.n == 1 && !(l.hasNull && newLabelSpace(found).n == 1)
		return lone || l.parts(found), nil
	}
	within, err := earlier.Within(found.Column, found.Taxonomy)
	if err != nil {
		return true, Untreed(found.Spec, err)
	}
	tree, ok := l.(*treeLabeler)
	return ok && tree.all || !within || g.MovedLabels(found.Name, found.Taxonomy) > 0, nil
}

// parts reports whether intervals of another cut of the column have an end inside one of these.
func (s *intervalLabeler) parts(other *CutColumn) bool {
	known := make(map[string]bool)
	for i := range s.starts.Len() {
		known[s.starts.Text(i)] = true
	}
	coded, _ := other.labels(false)
	for i, interval := range coded.Intervals {
		if i > 0 && !known[interval.Lower] {
			return true
		}
	}
	return false
}
