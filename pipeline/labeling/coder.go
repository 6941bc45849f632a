package labeling

import (
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
