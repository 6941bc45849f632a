package evaluate

import (
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
)

// labels are the released values of an attribute.
type labels struct {
	*engine.Attribute
	values    []engine.Label
	intervals []engine.Interval
	positions map[string]float64 // of the ends of intervals
	global    bool               // labels depend on the attribute's own values alone
	roots     bool               // are labels like any other
}

func labelsOf(a *engine.Attribute, recoding engine.Recoding, attribute int) labels {
	return labels{
		Attribute: a, values: recoding.Labels(attribute), intervals: recoding.Intervals(attribute),
		positions: positions(a), global: recoding.Codes(attribute) != nil,
	}
}

// positions returns where the bounds of an attribute are on the number line, if they are.
func positions(a *engine.Attribute) map[string]float64 {
	at := make(map[string]float64, len(a.Positions))
	for code, position := range a.Positions {
		at[a.Texts[code]] = position
	}
	for _, bound := range a.Bounds {
		at[bound.Text] = bound.Position
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

// feature is a column as classifiers see it.
type feature struct {
	classify.Column
	codes []uint32 // of every code of the attribute, or of every number of a label
}

// code returns the feature's code. What was dropped is missing.
func (f *feature) code(of uint32) uint32 {
	if of == engine.DroppedLabel {
		return uint32(f.Domain - 1)
	}
	return f.codes[of]
}

// rawFeature returns an attribute's own values; nulls are missing.
func rawFeature(a *engine.Attribute) feature {
	all := engine.Identity(len(a.Texts) + 1)
	f := feature{Column: classify.Column{Domain: all.Domain}, codes: all.Codes}
	if a.Mask == engine.Discretize {
		f.Numeric, f.Values = true, a.Positions
	}
	return f
}

// numeric returns a feature of numbers that are on a scale, which ascends; others are missing.
func numeric(numbers, scale []float64) feature {
	f := feature{Column: classify.Column{Numeric: true, Values: scale, Domain: len(scale) + 1}}
	for _, x := range numbers {
		at, found := slices.BinarySearch(scale, x)
		if !found {
			at = len(scale)
		}
		f.codes = append(f.codes, uint32(at))
	}
	return f
}

// feature returns an attribute's labels: those of intervals are numbers, their midpoints,
// unless they are to be nominal. Labels that tell nothing are missing.
func (l labels) feature(nominal bool) feature {
	if l.Mask == engine.Discretize && !nominal {
		return numeric(l.midpoints())
	}
	f := feature{codes: make([]uint32, len(l.values))}
	next := uint32(0)
	for i := range l.values {
		if l.tells(i) {
			f.codes[i] = next
			next++
		}
	}
	f.Domain = int(next) + 1
	for i := range l.values {
		if !l.tells(i) {
			f.codes[i] = next
		}
	}
	return f
}

// midpoints returns those of intervals, or no number, and the scale of all.
func (l labels) midpoints() (middles, scale []float64) {
	for i := range l.values {
		middle := math.NaN()
		if l.tells(i) {
			lower, upper := l.ends(i)
			middle = lower + (upper-lower)/2
			scale = append(scale, middle)
		}
		middles = append(middles, middle)
	}
	slices.Sort(scale)
	return middles, slices.Compact(scale)
}

// besideRaw returns the feature of the labels and that of the attribute's own values as one
// column: values lie among the midpoints of intervals, or have the code of the label that
// says the same, else one that no label has.
func (l labels) besideRaw(nominal bool) (masked, raw feature) {
	if l.Mask == engine.Discretize && !nominal {
		middles, scale := l.midpoints()
		scale = slices.Compact(slices.Sorted(slices.Values(slices.Concat(scale, l.Positions))))
		return numeric(middles, scale), numeric(append(slices.Clone(l.Positions), math.NaN()), scale)
	}
	masked = l.feature(nominal)
	other, missing := uint32(masked.Domain-1), uint32(masked.Domain)
	masked.Domain++
	said := make(map[string]uint32, len(l.values))
	for i, v := range l.values {
		if l.tells(i) {
			said[v.Text] = masked.codes[i]
		} else {
			masked.codes[i] = missing
		}
	}
	raw.Column = masked.Column
	for _, text := range l.Texts {
		code, ok := said[text]
		if !ok {
			code = other
		}
		raw.codes = append(raw.codes, code)
	}
	raw.codes = append(raw.codes, missing)
	return masked, raw
}

// sight is what classifiers are shown of a part.
type sight struct {
	*tally              // nil: there are none
	features []feature  // of the masked columns, then of the kept ones
	columns  [][]uint32 // scratch
	rows     uint64
}

// sight returns one with the given features of the masked columns, and the kept columns.
func (t *trial) sight(masked []feature) *sight {
	s := &sight{features: slices.Clip(masked)}
	for a := range t.Kept {
		s.features = append(s.features, rawFeature(&t.Kept[a]))
	}
	var domains []int
	for i := range s.features {
		domains = append(domains, s.features[i].Domain)
	}
	if len(t.learners) > 0 {
		s.tally = t.tally(append(domains, len(t.ClassNames)), releaseTallies)
	}
	s.columns = make([][]uint32, len(domains)+1)
	return s
}

// show shows a block's records, as often as counts says. Without features of the masked
// columns these are left out.
func (s *sight) show(b *block, counts []uint32) error {
	for _, n := range counts {
		s.rows += uint64(n)
	}
	if s.tally == nil {
		return nil
	}
	shown := b.columns[len(b.columns)-len(s.columns):]
	for i := range s.features {
		s.columns[i] = s.columns[i][:0]
		for _, code := range shown[i] {
			s.columns[i] = append(s.columns[i], s.features[i].code(code))
		}
	}
	s.columns[len(s.features)] = b.class()
	return s.add(counts, s.columns)
}

// data returns what was shown.
func (s *sight) data(ctx context.Context) (classify.Data, error) {
	d := classify.Data{Classes: s.domains[len(s.features)]}
	for i := range s.features {
		d.Columns = append(d.Columns, s.features[i].Column)
	}
	var err error
	d.Table, err = s.ordered(ctx)
	return d, err
}
