package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
)

// masked is what becomes of records by a recoding, with the numbers of labels for codes.
type masked struct {
	released       *part  // those that the recoding was made from
	dropped        uint64 // rows of these that are not released
	training, test *part
}

// mask masks the training part, by which the recoding was made, and the test part.
func (t *trial) mask(recoding engine.Recoding) (m masked, err error) {
	if t.RulesFromAll {
		return t.maskAll(recoding)
	}
	p := t.training
	if recoding.Cells() > 0 { // of which each row may go elsewhere
		if p, err = p.single(t.budget); err != nil {
			return m, err
		}
	}
	if p, err = t.recode(recoding, p); err != nil {
		return m, err
	}
	if m.released, m.dropped, err = p.released(t.budget); err != nil {
		return m, err
	}
	m.training = m.released
	m.test, err = t.apply(recoding)
	return m, err
}

// maskAll masks all records, by which the recoding was made, and deals what is released.
func (t *trial) maskAll(recoding engine.Recoding) (m masked, err error) {
	p, tested := t.all, t.tested
	if recoding.Cells() > 0 {
		if p, err = p.single(t.budget); err != nil {
			return m, err
		}
		tested = t.testSingly(t.round, p.rows)
	}
	if p, err = t.recode(recoding, p); err != nil {
		return m, err
	}
	if m.training, m.test, err = p.deal(tested, t.budget); err != nil {
		return m, err
	}
	if m.training, _, err = m.training.released(t.budget); err != nil {
		return m, err
	}
	if m.test, _, err = m.test.released(t.budget); err != nil {
		return m, err
	}
	m.released, m.dropped, err = p.released(t.budget)
	return m, err
}

// apply returns the test part as a recoding of others masks it: by the labels of codes or
// the regions of tuples, whatever the class and the number of records that have them.
func (t *trial) apply(recoding engine.Recoding) (*part, error) {
	if regions, ok := recoding.(*engine.Regions); ok {
		recoding = regions.Unsearched()
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
	roots     bool // are labels like any other
}

func labelsOf(a *engine.Attribute, recoding engine.Recoding, attribute int) labels {
	return labels{
		Attribute: a, values: recoding.Labels(attribute), intervals: recoding.Intervals(attribute), global: recoding.Codes(attribute) != nil,
	}
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
		lower = l.Positions[slices.Index(l.Texts, i.Lower)]
	}
	if i.Upper != l.UpperText {
		upper = l.Positions[slices.Index(l.Texts, i.Upper)]
	}
	return lower, upper
}
