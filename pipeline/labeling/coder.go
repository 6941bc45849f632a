package labeling

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/coding"
)

// Coder codes values by the leaves of a domain that a labeler has made.
type Coder struct {
	coding.Renumbered
	labeler Labeler
}

// NewCoder returns the coder of a domain that the labeler has made.
func NewCoder(l Labeler, d *coding.Domain) Coder {
	return Coder{coding.Renumbered{Coder: l, Codes: d.Codes, Domain: d.Attribute.Len()}, l}
}

// Save writes what the coder has learned from the input.
func (c Coder) Save(w *checkpoint.Writer) {
	var names []string
	if m, ok := c.labeler.(*members); ok && m.unknown != nil {
		names = m.unknown.names
	}
	w.Strings(names)
	checkpoint.Numbers(w, c.Codes)
}

// Load reads what save has written of a labeler, which has learned nothing yet.
func Load(from *checkpoint.Reader, l Labeler, a engine.Attribute) (coding.Coder, error) {
	names := from.Strings()
	if m, ok := l.(*members); ok && m.unknown != nil {
		for _, name := range names {
			if _, err := m.unknown.add(name); err != nil {
				return nil, err
			}
		}
	}
	return NewCoder(l, &coding.Domain{Attribute: a, Codes: checkpoint.ReadNumbers[uint32](from)}), from.Err()
}
