package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/spill"
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

// assemble counts the distinct tuples of a part's features and their classes. What they
// take is drawn.
func assemble(features []feature, classes int, p *part, budget *spill.Budget) (classify.Data, error) {
	d := classify.Data{Classes: classes}
	bytes := partBytes(len(p.counts), len(features))
	if err := budget.Draw("features", bytes); err != nil {
		return d, err
	}
	defer budget.Return(bytes)
	columns := slices.Concat(p.masked, p.kept)
	var domains []int
	for i := range features {
		f := &features[i]
		codes := make([]uint32, len(p.counts))
		for r, code := range columns[i] {
			codes[r] = f.code(code)
		}
		columns[i] = codes
		d.Columns, domains = append(d.Columns, f.Column), append(domains, f.Domain)
	}
	var err error
	d.Table, err = count(append(columns, p.class), p.counts, append(domains, classes), budget)
	return d, err
}
