package evaluate

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
)

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
	f := feature{Column: classify.Column{Domain: len(a.Texts) + 1}}
	for code := range len(a.Texts) + 1 {
		f.codes = append(f.codes, uint32(code))
	}
	if a.Mask == engine.Discretize {
		f.Numeric, f.Values = true, a.Positions
	}
	return f
}

// feature returns an attribute's labels: those of intervals are numbers, their midpoints,
// unless they are to be nominal. Labels that tell nothing are missing.
func (l labels) feature(nominal bool) feature {
	if l.Mask == engine.Discretize && !nominal {
		return l.midpoints()
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

// midpoints returns intervals as numbers.
func (l labels) midpoints() feature {
	f := feature{Column: classify.Column{Numeric: true}, codes: make([]uint32, len(l.values))}
	middles := make([]float64, len(l.values))
	for i := range l.values {
		if l.tells(i) {
			lower, upper := l.ends(i)
			middles[i] = lower + (upper-lower)/2
			f.Values = append(f.Values, middles[i])
		}
	}
	slices.Sort(f.Values)
	f.Values = slices.Compact(f.Values)
	f.Domain = len(f.Values) + 1
	for i := range l.values {
		f.codes[i] = uint32(len(f.Values))
		if l.tells(i) {
			at, _ := slices.BinarySearch(f.Values, middles[i])
			f.codes[i] = uint32(at)
		}
	}
	return f
}

// besideRaw returns the feature of the labels and that of the attribute's own values as one
// column: values lie among the midpoints of intervals, or have the code of the label that
// says the same, else one that no label has.
func (l labels) besideRaw(nominal bool) (masked, raw feature) {
	masked = l.feature(nominal)
	if masked.Numeric {
		both := masked.Column
		both.Values = slices.Compact(slices.Sorted(slices.Values(slices.Concat(masked.Values, l.Positions))))
		both.Domain = len(both.Values) + 1
		return masked.within(both), rawFeature(l.Attribute).within(both)
	}
	other, missing := uint32(masked.Domain-1), uint32(masked.Domain)
	for i := range l.values {
		if !l.tells(i) {
			masked.codes[i] = missing
		}
	}
	masked.Domain++
	said := make(map[string]uint32, len(l.values))
	for i, v := range l.values {
		if l.tells(i) {
			said[v.Text] = masked.codes[i]
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

// within returns a numeric feature as a column that has all its values.
func (f feature) within(column classify.Column) feature {
	g := feature{Column: column, codes: make([]uint32, len(f.codes))}
	for i, code := range f.codes {
		g.codes[i] = uint32(len(column.Values))
		if int(code) < len(f.Values) {
			at, _ := slices.BinarySearch(column.Values, f.Values[code])
			g.codes[i] = uint32(at)
		}
	}
	return g
}

// sight is what classifiers are shown of a part.
type sight struct {
	*tally
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
	s.tally = t.tally(append(domains, len(t.ClassNames)), releaseTallies)
	s.columns = make([][]uint32, len(domains)+1)
	return s
}

// show shows a block's records, as often as counts says. Without features of the masked
// columns these are left out.
func (s *sight) show(b *block, counts []uint32) error {
	masked := b.masked[:len(s.features)-len(b.kept)]
	for i, codes := range append(masked[:len(masked):len(masked)], b.kept...) {
		s.columns[i] = s.columns[i][:0]
		for _, code := range codes {
			s.columns[i] = append(s.columns[i], s.features[i].code(code))
		}
	}
	s.columns[len(s.features)] = b.class
	for _, n := range counts {
		s.rows += uint64(n)
	}
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
