package mondrian

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// rawRegions are the regions in the order in which they are found, with their contents.
type rawRegions struct {
	dimensions []*dimension
	columns    []rawColumn
	contents   []uint32 // region after region, one a dimension: numbers in its column
	sizes      []uint64 // records of every region
	set        []byte   // scratch
	bytes      int64    // of the columns
}

// rawColumn are the contents of a dimension, as they are found.
type rawColumn struct {
	contents []content
	number   map[content]uint32
}

func newRawRegions(dimensions []*dimension) rawRegions {
	r := rawRegions{dimensions: dimensions, columns: make([]rawColumn, len(dimensions))}
	for i := range r.columns {
		r.columns[i].number = map[content]uint32{}
	}
	return r
}

// len returns the number of regions.
func (r *rawRegions) len() int { return len(r.contents) / len(r.dimensions) }

// add makes a part a region and returns its number. Tight regions hold the numbers
// present, the others all that the cuts have left.
func (r *rawRegions) add(ctx context.Context, p part, extents []partition.Extent, tight bool) (int32, error) {
	region := int32(r.len())
	for i, d := range r.dimensions {
		c, e := content{}, extents[i]
		switch {
		case d.Mask == engine.Suppress:
			set, err := r.setOf(ctx, p.cells, i, e)
			if err != nil {
				return 0, err
			}
			c.set = set
		case isNull(e):
			c = nulls
		case d.Mask == engine.Generalize:
			c.lo = uint32(d.ancestor(e))
		case e.Above:
			c.hi = uint32(len(d.Texts))
		case tight:
			c = content{lo: e.Lo, hi: e.Hi + 1}
		default:
			c = content{lo: p.bounds[i].lo, hi: p.bounds[i].hi}
		}
		r.contents = append(r.contents, r.number(i, c))
	}
	r.sizes = append(r.sizes, p.cells.Size())
	return region, nil
}

// number returns the number of a content in its column.
func (r *rawRegions) number(column int, c content) uint32 {
	to := &r.columns[column]
	n, ok := to.number[c]
	if !ok {
		n = uint32(len(to.contents))
		to.number[c] = n
		to.contents = append(to.contents, c)
		r.bytes += contentBytes + int64(len(c.set))
	}
	return n
}

// setOf returns the set of a suppressed column's values, which its label names: empty when
// they are all, hold the rest, or are too many.
func (r *rawRegions) setOf(ctx context.Context, cells *partition.Cells, column int, e partition.Extent) (string, error) {
	d := r.dimensions[column]
	r.set = r.set[:0]
	if e.Lo == e.Hi {
		if !d.IsRest(int(e.Lo)) {
			r.set = appendCode(r.set, e.Lo)
		}
		return string(r.set), nil
	}
	err := cells.Histograms(ctx, []int{column}, func(_ int, set *partition.FrequencySet) error {
		if !d.named(set.Codes) {
			return nil
		}
		for _, code := range set.Codes {
			r.set = appendCode(r.set, code)
		}
		return nil
	})
	return string(r.set), err
}

// regions returns what was found.
func (s *search) regions() *engine.Regions {
	columns := s.raw.release()
	order := s.raw.order()
	out := &engine.Regions{Columns: columns, Locator: s.tree}
	to := make([]int32, len(order))
	for i, region := range order {
		labels := s.raw.region(region)
		if i == 0 || !slices.Equal(labels, s.raw.region(order[i-1])) {
			out.Released, out.Sizes = append(out.Released, labels...), append(out.Sizes, 0)
		}
		out.Sizes[out.Len()-1] += s.raw.sizes[region]
		to[region] = int32(out.Len() - 1)
	}
	s.tree.renumber(to)
	if s.relaxed != nil {
		out.Drawn, out.Moved = s.relaxed.drawn, s.relaxed.moved(to, len(columns))
	}
	out.Index()
	return out
}

// region returns the contents of a region.
func (r *rawRegions) region(region int32) []uint32 {
	return r.contents[int(region)*len(r.dimensions):][:len(r.dimensions)]
}

// release orders the contents of every column, numbers them anew, and returns their labels.
func (r *rawRegions) release() []engine.RegionColumn {
	columns := make([]engine.RegionColumn, len(r.dimensions))
	for i, d := range r.dimensions {
		order, number := r.columns[i].sorted(d)
		for region := i; region < len(r.contents); region += len(r.dimensions) {
			r.contents[region] = number[r.contents[region]]
		}
		r.columns[i].contents = order
		for _, c := range order {
			label, interval := d.label(c)
			columns[i].Labels = append(columns[i].Labels, label)
			if d.Mask == engine.Discretize && !label.Null {
				columns[i].Intervals = append(columns[i].Intervals, interval)
			}
		}
	}
	return columns
}

// sorted returns the contents in order, and the new number of each.
func (c *rawColumn) sorted(d *dimension) (order []content, number []uint32) {
	order = slices.Clone(c.contents)
	slices.SortFunc(order, d.compare)
	number = make([]uint32, len(order))
	for i, content := range order {
		number[c.number[content]] = uint32(i)
	}
	return order, number
}

// order returns the regions, narrower ones first: by the sum of their labels' widths, then
// by their labels.
func (r *rawRegions) order() []int32 {
	widths := make([]float64, r.len())
	order := make([]int32, r.len())
	for region := range order {
		order[region] = int32(region)
		for i, c := range r.region(int32(region)) {
			widths[region] += r.dimensions[i].share(r.columns[i].contents[c])
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(widths[a], widths[b]), slices.Compare(r.region(a), r.region(b)))
	})
	return order
}
