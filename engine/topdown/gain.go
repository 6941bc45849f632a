package topdown

// The formulas of this file decide ties and are part of the product's promise: plain
// float64 arithmetic in the order written. The conversions around products forbid the
// compiler to fuse them with the additions.

// part is a set of records in which impurity is to be reduced: the entropy of its classes
// or, without a class, the certainty penalty of its label.
type part struct {
	size     uint64
	impurity float64
}

// gainOf is InfoGain with a class: the impurity of a whole less that of its parts, each weighted
// with its share of the records. Without one it is the reduction of the certainty penalty, summed
// over the records. Empty parts are left out.
func (p *profile) gainOf(whole part, parts ...part) float64 {
	rest := 0.0
	for _, part := range parts {
		if part.size > 0 {
			share := float64(part.size) / float64(whole.size)
			rest += float64(share * part.impurity)
		}
	}
	if p.classes > 0 {
		return whole.impurity - rest
	}
	return float64(float64(whole.size) * (whole.impurity - rest))
}
