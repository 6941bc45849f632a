package engine

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// RegionBuilder collects groups of records and makes regions from them. It keeps equal contents of
// an attribute once.
type RegionBuilder struct {
	// The regions keep the order of their groups, except where labels of groups in a row overlap.
	// If not Ordered, narrower regions come first, whichever they are.
	Ordered bool

	attributes []Attribute
	kinds      *Kinds     // kinds of the table
	columns    []contents // by attribute
	numbers    []uint32   // numbers of contents, one for each attribute, group after group
	sizes      []uint64   // by group: number of records
	weights    []uint64   // by group, where k counts entities
	overlaps   []Overlap  // by group
	bytes      int64      // memory of the contents
}

// Overlap says whether labels of a group overlap those of others. From a group on, labels of all
// groups up to this one may: first come those that cover no values of others in the order of the
// groups, then the others, narrower ones first.
type Overlap struct {
	From   int  // that group, or this group itself
	Covers bool // labels of this group may cover values of others from there on
}

// Content is the set of a group's values of an attribute, which determines the label. The zero
// value is the set of all values, except for a discretized attribute.
type Content struct {
	// Discretize: Lo ≤ code < Hi, or all codes if that has every number; Generalize: Lo is the node
	Lo, Hi uint32
	// what its label names, four bytes each. Suppress: codes; empty: it names none. Generalize:
	// several of the nodes below Lo; empty: Lo. Discretize: NullNode next to the codes; empty: none
	values string
}

// OnlyNulls is the content of a group that has only nulls in a generalized or discretized
// attribute.
var OnlyNulls = Content{Lo: NullNode, Hi: NullNode}

// contents are the different contents of one attribute, in the order of their first group.
type contents struct {
	list   []Content
	number map[Content]uint32
}

// contentBytes is the memory of a content, with its entry in a map and its label.
const contentBytes = 160

// NewRegionBuilder returns a builder without groups.
func NewRegionBuilder(table *Table) *RegionBuilder {
	b := &RegionBuilder{
		attributes: table.Attributes,
		kinds:      table.Kinds,
		columns:    make([]contents, len(table.Attributes)),
	}
	for i := range b.columns {
		b.columns[i].number = map[Content]uint32{}
	}
	return b
}

// Put adds the content of the next attribute of the next group.
func (b *RegionBuilder) Put(content Content) {
	c := &b.columns[len(b.numbers)%len(b.columns)]
	n, ok := c.number[content]
	if !ok {
		n = uint32(len(c.list))
		c.number[content] = n
		c.list = append(c.list, content)
		b.bytes += contentBytes + int64(len(content.values))
	}
	b.numbers = append(b.numbers, n)
}

// End ends a group whose attributes have all been put, and returns its number. The weight is needed
// only where k counts entities, the overlap only if the builder is Ordered.
func (b *RegionBuilder) End(size, weight uint64, overlap Overlap) (group int32) {
	b.sizes, b.overlaps = append(b.sizes, size), append(b.overlaps, overlap)
	if b.kinds.Weighted() {
		b.weights = append(b.weights, weight)
	}
	return int32(len(b.sizes) - 1)
}

// Len returns the number of groups.
func (b *RegionBuilder) Len() int { return len(b.sizes) }

// Truncate removes all groups from a number on.
func (b *RegionBuilder) Truncate(group int) {
	b.numbers, b.sizes = b.numbers[:group*len(b.columns)], b.sizes[:group]
	b.overlaps = b.overlaps[:group]
	if b.kinds.Weighted() {
		b.weights = b.weights[:group]
	}
}

// Bytes returns the approximate memory of the groups.
func (b *RegionBuilder) Bytes() int64 {
	return b.bytes + 4*int64(cap(b.numbers)) + 8*int64(cap(b.sizes)+cap(b.weights)) +
		16*int64(cap(b.overlaps))
}

// Regions returns the regions of the groups, without locators, and the region of each group. They
// are in ascending order of width, then of labels; if Ordered, of place before. Groups with the
// same labels form one region. It consumes the groups.
func (b *RegionBuilder) Regions() (r *Regions, regions []int32) {
	r, regions = &Regions{}, make([]int32, len(b.sizes))
	widths, order := make([]float64, len(b.sizes)), make([]int32, len(b.sizes))
	for a := range b.attributes {
		column, labels, wide := b.columns[a].release(&b.attributes[a], b.used(a))
		r.Columns = append(r.Columns, column)
		for group := range widths {
			n := &b.numbers[group*len(b.columns)+a]
			*n = labels[*n]
			widths[group] += wide[*n]
		}
	}
	labels := func(group int32) []uint32 {
		return b.numbers[int(group)*len(b.columns):][:len(b.columns)]
	}
	for group := range order {
		order[group] = int32(group)
	}
	places := make([]place, len(b.sizes))
	if b.Ordered {
		slices.SortStableFunc(order, func(a, b int32) int {
			return slices.Compare(labels(a), labels(b))
		})
		for rest := order; len(rest) > 0; {
			n := 1
			for n < len(rest) && slices.Equal(labels(rest[n]), labels(rest[0])) {
				n++
			}
			at := b.place(rest[:n])
			for _, group := range rest[:n] {
				if places[group] = at; !at.covers {
					widths[group] = 0
				}
			}
			rest = rest[n:]
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(places[a].compare(places[b]), cmp.Compare(widths[a], widths[b]),
			slices.Compare(labels(a), labels(b)))
	})
	for i, group := range order {
		if i == 0 || !slices.Equal(labels(group), labels(order[i-1])) {
			r.Released, r.Sizes = append(r.Released, labels(group)...), append(r.Sizes, 0)
		}
		r.Sizes[r.Len()-1] += b.sizes[group]
		regions[group] = int32(r.Len() - 1)
	}
	if b.kinds.Weighted() {
		r.Weights, r.Unit = make([]uint64, r.Len()), b.kinds.Unit
		for group, weight := range b.weights {
			r.Weights[regions[group]] += weight
		}
	}
	return r, regions
}

// place is the place of a region in the order of groups.
type place struct {
	from   int   // the first group of those among which labels overlap
	covers bool  // by width, after those that cover no values of others
	group  int32 // otherwise: the group
}

// place returns the place of groups with the same labels: that of the first one that covers no
// values of others, or of the last one, since others may be all in it.
func (b *RegionBuilder) place(groups []int32) place {
	at := slices.IndexFunc(groups, func(group int32) bool { return !b.overlaps[group].Covers })
	if at < 0 {
		return place{b.overlaps[groups[len(groups)-1]].From, true, 0}
	}
	return place{b.overlaps[groups[at]].From, false, groups[at]}
}

func (p place) compare(q place) int {
	late := func(p place) int {
		if p.covers {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(p.from, q.from), cmp.Compare(late(p), late(q)),
		cmp.Compare(p.group, q.group))
}

// used reports for each content of an attribute whether a group has it.
func (b *RegionBuilder) used(attribute int) []bool {
	used := make([]bool, len(b.columns[attribute].list))
	for i := attribute; i < len(b.numbers); i += len(b.columns) {
		used[b.numbers[i]] = true
	}
	return used
}

// release labels the used contents in order, and returns the label of each and the widths of the
// labels. Contents with the same label have the same width. Otherwise regions would not be in the
// order of their widths, and applying them would put records into a wider region than necessary.
func (c *contents) release(a *Attribute, used []bool) (column ColumnCut, labels []uint32,
	widths []float64) {
	order := slices.SortedFunc(slices.Values(c.list), a.compareContents)
	order = slices.DeleteFunc(order, func(content Content) bool { return !used[c.number[content]] })
	labels = make([]uint32, len(c.list))
	numbers := make(map[Label]uint32, len(order))
	for _, content := range order {
		label, interval := a.contentLabel(content)
		n, ok := numbers[label]
		if !ok {
			n = uint32(len(column.Labels))
			numbers[label] = n
			column.Labels, widths = append(column.Labels, label), append(widths, a.Width(content))
			if interval != nil {
				column.Intervals = append(column.Intervals, *interval)
			}
		}
		labels[c.number[content]] = n
	}
	return column, labels, widths
}

// Named returns the content of some values of a suppressed attribute whose label names them. If the
// rest is among them, the label names none: it must be wide enough to hide the values of the rest.
func (a *Attribute) Named(codes []uint32) Content {
	named := make([]byte, 0, 4*len(codes))
	for _, code := range codes {
		if a.IsRest(int(code)) {
			return Content{}
		}
		named = binary.BigEndian.AppendUint32(named, code)
	}
	return Content{values: string(named)}
}

// Nodes returns the content of several nodes below a node of a generalized attribute, in preorder;
// the null comes last, as NullNode.
func Nodes(below int, nodes []uint32) Content {
	named := make([]byte, 0, 4*len(nodes))
	for _, node := range nodes {
		named = binary.BigEndian.AppendUint32(named, node)
	}
	return Content{Lo: uint32(below), values: string(named)}
}

// WithNull returns the content of some codes of a discretized attribute, but not all, and the null.
func (c Content) WithNull() Content {
	c.values = Nodes(0, []uint32{NullNode}).values
	return c
}

// NullNode is the null among nodes.
const NullNode = math.MaxUint32

// names returns what the label of a content names.
func (c Content) names() (named []uint32) {
	for at := 0; at < len(c.values); at += 4 {
		named = append(named, binary.BigEndian.Uint32([]byte(c.values[at:at+4])))
	}
	return named
}

// first returns the smallest code of a content of values.
func (c Content) first() uint32 {
	if c.values == "" {
		return 0
	}
	return binary.BigEndian.Uint32([]byte(c.values[:4]))
}

// covers returns the number of codes under a content's label. The label of the root covers the
// null.
func (a *Attribute) covers(c Content) int {
	switch {
	case c == OnlyNulls:
		return 1
	case a.Mask == Generalize && c.values != "":
		codes := 0
		for _, node := range c.names() {
			if node == NullNode {
				codes++
				continue
			}
			lo, hi := a.Tree.Range(int(node))
			codes += hi - lo
		}
		return codes
	case a.Mask == Generalize && c.Lo > 0:
		lo, hi := a.Tree.Range(int(c.Lo))
		return hi - lo
	case a.Mask == Suppress && c.values != "":
		return len(c.values) / 4
	case a.Mask == Discretize && int(c.Hi-c.Lo) < len(a.Texts):
		return int(c.Hi-c.Lo) + len(c.values)/4
	}
	return a.Len()
}

// Width returns the share of the attribute that a content's label covers: 0 for one value, 1 for
// all.
func (a *Attribute) Width(c Content) float64 { return a.Share(a.covers(c)) }

// Share returns a number of codes as a share of all: 0 for one, 1 for all.
func (a *Attribute) Share(codes int) float64 {
	return float64(codes-1) / float64(max(1, a.Len()-1))
}

// compareContents orders contents in the order of labels: by their first code, then the wider one
// first; nulls come last.
func (a *Attribute) compareContents(x, y Content) int {
	first, other := x.Lo, y.Lo
	if a.Mask == Suppress {
		first, other = x.first(), y.first()
	}
	return cmp.Or(cmp.Compare(first, other), cmp.Compare(a.covers(y), a.covers(x)),
		cmp.Compare(x.values, y.values))
}

// contentLabel returns the released value, and the ends if it is an interval, else nil.
func (a *Attribute) contentLabel(c Content) (Label, *Interval) {
	switch {
	case c == OnlyNulls:
		return Label{Null: true}, nil
	case a.Mask == Discretize:
		interval := a.Interval(int(c.Lo), int(c.Hi))
		if c.values != "" {
			interval = interval.WithNull()
		}
		return Label{Text: interval.Label}, &interval
	case a.Mask == Generalize && c.values == "":
		c = Nodes(0, []uint32{c.Lo})
	case c.values == "":
		return Label{Text: Suppressed}, nil
	}
	var values []Label
	for _, named := range c.names() {
		switch {
		case a.Mask == Suppress:
			values = append(values, a.Label(int(named)))
		case named == NullNode:
			values = append(values, Label{Null: true})
		default:
			values = append(values, Label{Text: a.Tree.Name(int(named))})
		}
	}
	if a.Mask == Generalize {
		return NodeLabel(values), nil
	}
	return SetLabel(values), nil
}
