package evaluate

import "github.com/kcut/kcut/engine"

// labels are the released values of an attribute.
type labels struct {
	*engine.Attribute
	values    []engine.Label
	intervals []engine.Interval
	positions map[string]float64 // of the attribute's values
	global    bool               // labels depend on the attribute's own values alone
	roots     bool               // are labels like any other
}

func labelsOf(a *engine.Attribute, recoding engine.Recoding, attribute int) labels {
	return labels{
		Attribute: a, values: recoding.Labels(attribute), intervals: recoding.Intervals(attribute),
		positions: positions(a), global: recoding.Codes(attribute) != nil,
	}
}

// positions returns where the values of an attribute are on the number line, if they are.
func positions(a *engine.Attribute) map[string]float64 {
	at := make(map[string]float64, len(a.Positions))
	for code, position := range a.Positions {
		at[a.Texts[code]] = position
	}
	return at
}

// tells reports whether a label tells anything: it is neither the null nor covers everything.
// The mark of suppressed values tells that a value is none of those that are always disclosed.
func (l labels) tells(label int) bool {
	v := l.values[label]
	switch {
	case v.Null:
		return false
	case l.roots && l.Mask != engine.Suppress:
		return true
	case l.Mask == engine.Discretize:
		i := l.intervals[label]
		return i.Lower != l.LowerText || i.Upper != l.UpperText
	case l.Mask == engine.Generalize:
		return v.Text != l.Tree.Name(0)
	}
	return l.global || v.Text != engine.Suppressed
}

// ends returns the ends of an interval on the number line.
func (l labels) ends(label int) (lower, upper float64) {
	i := l.intervals[label]
	lower, upper = l.Lower, l.Upper
	if i.Lower != l.LowerText {
		lower = l.positions[i.Lower]
	}
	if i.Upper != l.UpperText {
		upper = l.positions[i.Upper]
	}
	return lower, upper
}
