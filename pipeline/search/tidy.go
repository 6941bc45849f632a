package search

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
)

// tidy returns the released form of a recoding: without labels that no released record has, which
// would disclose something about records that are taken away. Masking and the text of the cut then
// agree. Regions have records, and so do their labels.
func (s *Search) tidy(t *engine.Table, recoding engine.Recoding) engine.Recoding {
	cut, ok := recoding.(*engine.Cut)
	if !ok || s.applied != "" && cut.Suppression == nil {
		return recoding
	}
	return cut.Tidy(t, s.stays)
}

// stays reports whether a label stays although no released record has it: labels in the job's own
// taxonomy, or in an earlier cut that is applied, disclose nothing, and a column of values that are
// not disclosed has their mark.
func (s *Search) stays(a int, label engine.Label) bool {
	spec := s.Specs[s.Masked[a]]
	if domain.IsMark(label, spec.Mask) {
		return true
	}
	if s.applied != "" {
		known := func(l cutfile.Label) bool {
			return l.Plain() == label || l.Interval && l.Ends().Range() == label.Text
		}
		return slices.ContainsFunc(s.given.Column(a).Cut, known)
	}
	tree := s.Taxonomies.Of[spec.Name].Tree
	return !label.Null && tree != nil && names(tree, label.Text)
}

// names reports whether a taxonomy has a node with a name.
func names(n *taxonomy.Node, name string) bool {
	named := func(child taxonomy.Node) bool { return names(&child, name) }
	return n.Name == name || slices.ContainsFunc(n.Children, named)
}
