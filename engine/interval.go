package engine

// Interval is one interval of a discretized attribute. An end without a text is open.
type Interval struct {
	Label        string // as PostgreSQL writes ranges
	Lower, Upper string
}

// Interval returns the interval of the codes lo ≤ code < hi, the null's not among them.
// It reaches from the text of lo, or the declared lower bound, to the text of hi, or the
// declared upper bound, which alone belongs to it.
func (a *Attribute) Interval(lo, hi int) Interval {
	i := Interval{Lower: a.LowerText, Upper: a.UpperText}
	opening, closing := "[", ")"
	if lo > 0 {
		i.Lower = a.Texts[lo]
	}
	if i.Lower == "" {
		opening = "("
	}
	if hi < len(a.Texts) {
		i.Upper = a.Texts[hi]
	} else if i.Upper != "" {
		closing = "]"
	}
	i.Label = opening + i.Lower + "," + i.Upper + closing
	return i
}
