package domain

// labelCoder codes values by the leaves of a domain that a labeler has made.
type labelCoder struct {
	Renumbered
	labeler Labeler
}

// NewLabelCoder returns the coder of a domain that the labeler has made.
func NewLabelCoder(l Labeler, d *Domain) Coder {
	return labelCoder{Renumbered{Coder: l, Codes: d.Codes, Domain: d.Attribute.Len()}, l}
}
