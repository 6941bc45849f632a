package search

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
)

// tidy returns what is released of a recoding that was found: without labels that no released
// record has, which would tell of records that are taken away. What is masked and what is written
// down are the same then. Regions have records, and so their labels.
func (s *Search) tidy(t *engine.Table, recoding engine.Recoding) engine.Recoding {
	cut, ok := recoding.(*engine.Cut)
	if !ok || s.applied != nil && cut.Suppression == nil {
		return recoding
	}
	return cut.Tidy(t, s.stays)
}

// stays reports whether a label is told although no released record has it: nobody learns anything
// from what the job's own taxonomy names, or an earlier cut that is applied, and a column of values
// that are not disclosed has their mark.
func (s *Search) stays(a int, label engine.Label) bool {
	spec := s.Specs[s.Masked[a]]
	if s.applied != nil {
		known := func(l cutfile.Label) bool { return l.Label == label.Text && l.Null == label.Null }
		return masking.IsMark(label, spec.Mask) || slices.ContainsFunc(s.given.Column(a).Cut, known)
	}
	if spec.Mask == job.MaskSuppress {
		return masking.IsMark(label, spec.Mask)
	}
	tree := s.Taxonomies.Of[spec.Name].Tree
	return spec.Mask == job.MaskGeneralize && !label.Null && tree != nil && names(tree, label.Text)
}

// names reports whether a taxonomy has a node of a name.
func names(n *taxonomy.Node, name string) bool {
	named := func(child taxonomy.Node) bool { return names(&child, name) }
	return n.Name == name || slices.ContainsFunc(n.Children, named)
}
