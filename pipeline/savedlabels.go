package pipeline

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
)

// saveRelabeled writes what a coder of given labels has learned from the input.
func saveRelabeled(w *checkpoint.Writer, c relabeled) {
	var names []string
	if m, ok := c.labeler.(*members); ok && m.unknown != nil {
		names = m.unknown.names
	}
	w.Strings(names)
	checkpoint.Numbers(w, c.domain.Codes)
}

// loadRelabeled reads what saveRelabeled has written.
func loadRelabeled(r *checkpoint.Reader, l labeler, a engine.Attribute) (coding.Coder, error) {
	names := r.Strings()
	if m, ok := l.(*members); ok && m.unknown != nil {
		for _, name := range names {
			if _, err := m.unknown.add(name); err != nil {
				return nil, err
			}
		}
	}
	return relabeled{l, &coding.Domain{Attribute: a, Codes: checkpoint.ReadNumbers[uint32](r)}}, r.Err()
}
