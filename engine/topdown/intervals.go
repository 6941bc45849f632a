package topdown

import "github.com/kcut/kcut/engine"

// intervals is the shape of a discretized column (TDR, section 3.1.3): an interval is split in
// two where that gains most. The root's split has the null, if any, as a third child.
type intervals struct{ profile }

func (v *intervals) children(of span, frequencies []uint64) []span {
	numbers := len(v.attribute.Texts)
	end := min(of.hi, numbers)
	at := v.bestSplit(of.lo, end, frequencies, of.hi > numbers)
	if at < 0 {
		return nil
	}
	spans := []span{{lo: of.lo, hi: at}, {lo: at, hi: end}}
	if of.hi > numbers {
		spans = append(spans, span{lo: numbers, hi: of.hi})
	}
	return spans
}

// penalty is the interval's share of the number line, 0 for the null.
func (v *intervals) penalty(of span) float64 {
	a := v.attribute
	width := a.Upper - a.Lower
	if width == 0 || of.lo == len(a.Texts) {
		return 0
	}
	lower, upper := a.Lower, a.Upper
	if of.lo > 0 {
		lower = a.Positions[of.lo]
	}
	if of.hi < len(a.Texts) {
		upper = a.Positions[of.hi]
	}
	return (upper - lower) / width
}

// finest does not count the null: where there is one number, nothing is split from it.
func (v *intervals) finest(of span) bool {
	values := 0
	for code := of.lo; code < min(of.hi, len(v.attribute.Texts)) && values < 2; code++ {
		if v.occurs(code) {
			values++
		}
	}
	return values < 2
}

func (v *intervals) label(of span) engine.Label {
	if of.lo == len(v.attribute.Texts) && of.lo > 0 {
		return engine.Label{Null: true}
	}
	return engine.Label{Text: v.attribute.Interval(of.lo, min(of.hi, len(v.attribute.Texts))).Label}
}

func (v *intervals) cut(through []span) engine.ColumnCut {
	starts := make([]int, len(through))
	for i, s := range through {
		starts[i] = s.lo
	}
	return engine.CutIntervals(v.attribute, starts)
}

// bestSplit returns the code, not the smallest that occurs among lo ≤ code < hi, that
// splits these codes with the highest gain, the smallest such code if there are several,
// or -1 if only one occurs. Frequencies are of all the records, the null's included.
func (v *intervals) bestSplit(lo, hi int, frequencies []uint64, withNull bool) int {
	b := v.bisect(span{lo: lo, hi: hi}, frequencies, withNull)
	best, highest := -1, 0.0
	for _, at := range b.candidates() {
		if gain := b.gain(at); best < 0 || gain > highest {
			best, highest = at, gain
		}
	}
	return best
}
