package engine

import (
	"cmp"
	"slices"
)

// RegionBuilder collects groups of records and makes regions of them. What a group holds of an
// attribute is a content, which its label is made of; equal contents are kept once.
type RegionBuilder[C comparable, L Labeler[C]] struct {
	labelers []L // by attribute
	columns  []contents[C]
	numbers  []uint32 // group after group, one an attribute: of its contents
	sizes    []uint64 // records of every group
	distinct int64    // contents of all columns
}

// Labeler labels what groups hold of one attribute.
type Labeler[C any] interface {
	// Compare orders contents as labels are: by their first code, the wider first, nulls last.
	Compare(a, b C) int
	// Label returns the released value, and of an interval its ends, else nil.
	Label(C) (Label, *Interval)
	// Width returns how much of the attribute a label covers: 0 for a value, 1 for all.
	Width(C) float64
}

// contents are those of one attribute, as they are found.
type contents[C comparable] struct {
	list   []C
	number map[C]uint32
}

// contentBytes is what a content takes, with its place in a map and its label.
const contentBytes = 160

// NewRegionBuilder returns one without groups.
func NewRegionBuilder[C comparable, L Labeler[C]](labelers []L) *RegionBuilder[C, L] {
	b := &RegionBuilder[C, L]{labelers: labelers, columns: make([]contents[C], len(labelers))}
	for i := range b.columns {
		b.columns[i].number = map[C]uint32{}
	}
	return b
}

// Put adds what the next group holds of the next attribute, and reports whether it is new.
func (b *RegionBuilder[C, L]) Put(content C) (added bool) {
	c := &b.columns[len(b.numbers)%len(b.columns)]
	n, ok := c.number[content]
	if !ok {
		n = uint32(len(c.list))
		c.number[content] = n
		c.list = append(c.list, content)
		b.distinct++
	}
	b.numbers = append(b.numbers, n)
	return !ok
}

// End ends a group of which all attributes are put, and returns its number.
func (b *RegionBuilder[C, L]) End(size uint64) (group int32) {
	b.sizes = append(b.sizes, size)
	return int32(len(b.sizes) - 1)
}

// Bytes returns about how much memory the groups take, without what contents point to.
func (b *RegionBuilder[C, L]) Bytes() int64 {
	return contentBytes*b.distinct + 4*int64(cap(b.numbers)) + 8*int64(cap(b.sizes))
}

// Regions returns the regions that the groups become, without locators, and the region of each.
// Narrower ones come first: by width, then by labels. Groups that have all their labels in common
// are one. The groups are consumed.
func (b *RegionBuilder[C, L]) Regions() (r *Regions, regions []int32) {
	r, regions = &Regions{}, make([]int32, len(b.sizes))
	widths, order := make([]float64, len(b.sizes)), make([]int32, len(b.sizes))
	for a, labeler := range b.labelers {
		column, labels, wide := b.columns[a].release(labeler)
		r.Columns = append(r.Columns, column)
		for group := range widths {
			n := &b.numbers[group*len(b.columns)+a]
			*n = labels[*n]
			widths[group] += wide[*n]
		}
	}
	labels := func(group int32) []uint32 { return b.numbers[int(group)*len(b.columns):][:len(b.columns)] }
	for group := range order {
		order[group] = int32(group)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(widths[a], widths[b]), slices.Compare(labels(a), labels(b)))
	})
	for i, group := range order {
		if i == 0 || !slices.Equal(labels(group), labels(order[i-1])) {
			r.Released, r.Sizes = append(r.Released, labels(group)...), append(r.Sizes, 0)
		}
		r.Sizes[r.Len()-1] += b.sizes[group]
		regions[group] = int32(r.Len() - 1)
	}
	return r, regions
}

// release labels contents in order, and returns the label of each and the labels' widths. Of
// contents with the same label, a value and all, the width is the first one's.
func (c *contents[C]) release(l Labeler[C]) (column RegionColumn, labels []uint32, widths []float64) {
	order := slices.Clone(c.list)
	slices.SortFunc(order, l.Compare)
	labels = make([]uint32, len(order))
	numbers := make(map[Label]uint32, len(order))
	for _, content := range order {
		label, interval := l.Label(content)
		n, ok := numbers[label]
		if !ok {
			n = uint32(len(column.Labels))
			numbers[label] = n
			column.Labels, widths = append(column.Labels, label), append(widths, l.Width(content))
			if interval != nil {
				column.Intervals = append(column.Intervals, *interval)
			}
		}
		labels[c.number[content]] = n
	}
	return column, labels, widths
}
