package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
)

// release returns the training part as a recoding releases it, with the numbers of labels for
// codes, and how many rows are not released.
func (t *trial) release(recoding engine.Recoding) (released *part, dropped uint64, err error) {
	p := t.training
	if recoding.Cells() > 0 { // of which each row may go elsewhere
		if p, err = p.single(t.budget); err != nil {
			return nil, 0, err
		}
	}
	released, err = t.recode(recoding, p)
	if err != nil {
		return nil, 0, err
	}
	var left []int
	var counts []uint32
	for i, label := range released.masked[0] {
		if label != engine.DroppedLabel {
			left, counts = append(left, i), append(counts, p.counts[i])
		}
	}
	if len(left) < len(p.counts) {
		released = released.pick(left, counts)
	}
	return released, p.rows - released.rows, nil
}

// apply returns the test part as a recoding releases it, likewise: by the labels of codes
// or the regions of tuples, whatever the class and the number of records that have them.
func (t *trial) apply(recoding engine.Recoding) (*part, error) {
	if regions, ok := recoding.(*engine.Regions); ok {
		located := *regions
		located.Divided = nil
		recoding = &located
	}
	return t.recode(recoding, t.test)
}

// recode replaces codes by numbers of labels.
func (t *trial) recode(recoding engine.Recoding, p *part) (*part, error) {
	n := len(p.counts)
	if err := t.budget.Draw("labels", 4*int64(n)*int64(len(p.masked))); err != nil {
		return nil, err
	}
	labels := make([][]uint32, len(p.masked))
	for a := range labels {
		labels[a] = make([]uint32, n)
	}
	recoding.Recode(engine.Rows{N: n, Codes: p.masked, Classes: p.class, Taken: make([]uint64, recoding.Cells())}, labels)
	for i, label := range labels[0] {
		for a := range labels {
			if label == engine.DroppedLabel {
				labels[a][i] = label
			}
		}
	}
	q := *p
	q.masked = labels
	return &q, nil
}

// labels are the released values of an attribute.
type labels struct {
	*engine.Attribute
	values    []engine.Label
	intervals []engine.Interval
	global    bool // labels depend on the attribute's own values alone
}

func labelsOf(a *engine.Attribute, recoding engine.Recoding, attribute int) labels {
	return labels{a, recoding.Labels(attribute), recoding.Intervals(attribute), recoding.Codes(attribute) != nil}
}

// tells reports whether a label tells anything: it is neither the null nor covers everything.
// The mark of suppressed values tells that a value is none of those that are always disclosed.
func (l labels) tells(label int) bool {
	v := l.values[label]
	switch {
	case v.Null:
		return false
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
		lower = l.Positions[slices.Index(l.Texts, i.Lower)]
	}
	if i.Upper != l.UpperText {
		upper = l.Positions[slices.Index(l.Texts, i.Upper)]
	}
	return lower, upper
}
