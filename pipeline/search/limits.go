package search

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// checkReached refuses a cut that is coarser in a column than its at_least allows. Records that are
// taken away do not count.
func checkReached(b *binding.Bound, t *engine.Table, recoding engine.Recoding) error {
	cut, ok := recoding.(*engine.Cut)
	if !ok { // the job was checked: no algorithm that makes regions has such a limit
		return nil
	}
	for a, spec := range b.MaskedSpecs() {
		if spec.AtLeast == "" {
			continue
		}
		width, err := domain.NewMaxWidth(spec, b.Dataset.Schema().Fields[b.Masked[a]].Type)
		if err != nil {
			return err
		}
		if coarse := coarseRecords(t, cut, a, spec, width); coarse > 0 {
			return fault.Errorf(fault.Privacy, "lower k or at_least, raise the weight of the "+
				"column, take columns out of its sets, or allow max_suppressed",
				"mask column %s: %s of %s have a label that is coarser than the job's at_least: %s",
				spec.Name, text.Count(coarse, "record"), text.Grouped(int64(t.Rows)), spec.AtLeast)
		}
	}
	return nil
}

// coarseRecords returns the number of records with a label of an attribute that is coarser than its
// job allows: of a lower level and no value, or a wider interval of several values.
func coarseRecords(t *engine.Table, cut *engine.Cut, attribute int, spec *job.Column,
	width float64) (coarse uint64) {
	a, column := &t.Attributes[attribute], &cut.Columns[attribute]
	for label, n := range cut.Sizes(t, attribute) {
		if n > 0 && isCoarse(a, column, label, spec, width) {
			coarse += n
		}
	}
	return coarse
}

// isCoarse reports whether a label is coarser than the job allows.
func isCoarse(a *engine.Attribute, column *engine.ColumnCut, label int, spec *job.Column,
	width float64) bool {
	switch is := column.Labels[label]; {
	case is.Null, is.Mark:
		return false
	case spec.Is(engine.Generalize):
		n, _ := a.Tree.Node(is.Text)
		return a.Tree.Depth(n) < spec.CoarsestLevel() && (!a.Tree.IsLeaf(n) || a.Tree.IsPruned(n))
	}
	lower, upper := a.Ends(column.Intervals[label].Lo, column.Intervals[label].Hi)
	return upper-lower > width
}
