package mondrian

import (
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// tightest finds the cut of a small part after which both sides are narrowest, as a tree for
// clustering grows (Blockeel, De Raedt and Ramon, ICML 1998): a median of the widest dimension
// looks at no other one, but values that occur together are near each other on one side of many
// cuts.
type tightest struct {
	values    []values // by dimension
	asked     []int    // the dimensions that may be cut
	measured  []int    // those of them whose widths count
	sides     []side   // by measured dimension
	penalties []float64
	order     []uint64
	cells     int // the largest number in a part so far, for which there is room
	best      engine.Best[tightCut]
}

// values are those of a part's cells in one dimension.
type values struct {
	codes  []uint32 // that occur, ascending
	places []uint32 // by cell: the place of its code
	cells  []uint32 // the cells, by their places
}

// side is the part of a dimension that the cells on one side of a cut have.
type side struct {
	cells.Extent
	penalty float64
}

type tightCut struct {
	column int
	at     uint32
	nulls  bool
}

// tightSizes is the largest size of a part that is cut by all dimensions, in numbers of k: more
// would take longer, and the last cuts matter most.
const tightSizes = 32

// cutTightest cuts a part that has few times k records where the sum of the widths of both sides,
// each times its records, is least. Larger parts are cut as by cutWidest.
func (s *search) cutTightest(ctx context.Context, p part) (done bool, err error) {
	if p.cells.Size() > tightSizes*least(s.asked) {
		return s.cutWidest(ctx, p)
	}
	x := &s.tightest
	if err := x.load(ctx, s, p); err != nil {
		return false, err
	}
	x.best.Reset(float64(p.cells.Size()))
	err = p.cells.Histograms(ctx, x.asked, func(i int, set *cells.FrequencySet) error {
		if len(set.Codes) > 1 {
			x.offer(s, x.asked[i], set, p.cells.Size())
		}
		return nil
	})
	cut, ok := x.best.First()
	if err != nil || !ok {
		return false, err
	}
	return true, s.halve(ctx, p, cut.column, cut.at, cut.nulls)
}

// load lists the values of a part's cells. A cut that closes sets closes those with the largest k,
// or others, too: the columns of these keep their labels, and their widths do not count.
func (x *tightest) load(ctx context.Context, s *search, p part) error {
	if x.values == nil {
		x.values = make([]values, len(s.dimensions))
	}
	x.asked, x.measured = x.asked[:0], x.measured[:0]
	for column, asked := range s.asked {
		if asked == nil {
			continue
		}
		x.values[column].places = x.values[column].places[:0]
		x.asked = append(x.asked, column)
		if !s.closes || p.demand.first[column] == nil {
			x.measured = append(x.measured, column)
		}
	}
	x.cells = max(x.cells, p.cells.Len())
	if err := s.account.Draw(s.Bytes()); err != nil {
		return err
	}
	err := p.cells.Each(ctx, func(key []uint64, _ uint64) {
		for _, column := range x.asked {
			v := &x.values[column]
			v.places = append(v.places, s.fields[column].Code(key))
		}
	})
	for _, column := range x.asked {
		x.order = x.values[column].sort(x.order[:0])
	}
	return err
}

// Bytes returns the approximate memory of the values, penalties and order of the largest part.
func (x *tightest) Bytes() int64 { return int64(x.cells) * (12*int64(len(x.values)) + 24) }

// sort replaces codes by their places, and lists the cells by these.
func (v *values) sort(order []uint64) []uint64 {
	for cell, code := range v.places {
		order = append(order, uint64(code)<<32|uint64(cell))
	}
	slices.Sort(order)
	v.codes, v.cells = v.codes[:0], v.cells[:0]
	for _, next := range order {
		code, cell := uint32(next>>32), uint32(next)
		if n := len(v.codes); n == 0 || v.codes[n-1] != code {
			v.codes = append(v.codes, code)
		}
		v.places[cell] = uint32(len(v.codes) - 1)
		v.cells = append(v.cells, cell)
	}
	return order
}

// offer offers the allowable cuts of a dimension that has several values. Where nulls can be cut
// from numbers, it is the only one.
func (x *tightest) offer(s *search, column int, set *cells.FrequencySet, size uint64) {
	s.set = s.asked[column]
	d, first, last := s.dimensions[column], 1, len(set.Codes)-1
	nulls := d.mixed(set)
	if nulls && s.partsNulls(set, size) {
		first, nulls = last, false
	}
	x.measure(s, column)
	left := uint64(0)
	s.begin(set)
	for i := 1; i <= last; i++ {
		left += set.Size(i - 1)
		s.shift(set, i-1, i)
		if right := size - left; i >= first && s.allowable(left, right) {
			x.best.Offer(float64(float64(left)*x.penalties[2*i-2])+
				float64(float64(right)*x.penalties[2*i-1]), tightCut{column, set.Codes[i], nulls})
		}
	}
}

// measure writes the penalties of both sides of all cuts of a dimension: those of the cut before
// the place i are 2i-2 and 2i-1.
func (x *tightest) measure(s *search, column int) {
	v := &x.values[column]
	places, n := len(v.codes), len(v.cells)
	x.penalties = slices.Grow(x.penalties[:0], 2*places)[:2*places]
	x.clear()
	for i, cell := range v.cells {
		x.add(s, cell)
		if i+1 < n && v.places[v.cells[i+1]] != v.places[cell] {
			x.penalties[2*v.places[cell]] = x.sum()
		}
	}
	x.clear()
	for i, cell := range slices.Backward(v.cells) {
		x.add(s, cell)
		if i > 0 && v.places[v.cells[i-1]] != v.places[cell] {
			x.penalties[2*v.places[cell]-1] = x.sum()
		}
	}
}

// clear empties a side.
func (x *tightest) clear() {
	x.sides = x.sides[:0]
	for range x.measured {
		x.sides = append(x.sides, side{Extent: cells.Extent{Lo: math.MaxUint32}})
	}
}

// add adds a cell to a side.
func (x *tightest) add(s *search, cell uint32) {
	for i, column := range x.measured {
		v, of := &x.values[column], &x.sides[i]
		switch code := v.codes[v.places[cell]]; {
		case code >= s.tops[column] && of.Above, code >= of.Lo && code <= of.Hi:
			continue
		case code >= s.tops[column]:
			of.Above = true
		case of.Lo > of.Hi:
			of.Lo, of.Hi = code, code
		default:
			of.Lo, of.Hi = min(of.Lo, code), max(of.Hi, code)
		}
		of.penalty = s.dimensions[column].penalty(of.Extent)
	}
}

// sum returns the penalties of a side.
func (x *tightest) sum() (sum float64) {
	for i := range x.sides {
		sum += x.sides[i].penalty
	}
	return sum
}

// penalty returns the width of the label of an extent. Of texts two values are half as wide as all,
// since those who count texts ask for single ones.
func (d *dimension) penalty(e cells.Extent) float64 {
	if d.kind == continuous && d.nulls && !isNull(e) {
		e.Above = false
	}
	share := d.share(e)
	switch rest := uint32(len(d.Texts)); {
	case d.HasRest && e.Lo <= rest && e.Hi >= rest:
		share = 1
	case d.kind != continuous && share > 0:
		share = (1 + share) / 2
	}
	return d.weight * share
}
