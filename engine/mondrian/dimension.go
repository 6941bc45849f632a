package mondrian

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// kind is the way in which a dimension is cut.
type kind uint8

const (
	continuous kind = iota // by number, nulls first
	ordered                // by rank
	nominal                // into two sets of values
	hierarchy              // into the children of a node
)

// dimension is one attribute in the search.
type dimension struct {
	*engine.Attribute
	line   []float64 // Discretize: the positions of the codes, for measuring widths
	kind   kind
	codes  int     // with the null's
	top    uint32  // codes below it are measured; with a separate null, it is the null's code
	weight float64 // multiplies its widths
	leaf   []int   // Generalize: the node of every code except the null's
	// largest number of values or nodes that a label may name: the largest K of the sets with the
	// attribute
	most uint64
	// Generalize: by code, with the null's, the lowest node above it that a label may name: with as
	// many records as the sets ask for
	named []int
	ends  []uint32 // Discretize: the codes at which narrow intervals end, ascending
	nulls bool     // Discretize: a label may name the null next to a narrow interval
	division
}

// division is a division of a part by a dimension into several: into the children of a node or, for
// suppressed attributes of InfoGain, into two sets of values.
type division struct {
	part     []uint32         // by code that occurs: its part
	spans    []span           // ranges of codes that occur, ascending
	sizes    []uint64         // of the parts
	contents []engine.Content // of the parts
	whole    engine.Content   // content of all children of the node
	// the part of joined children, whose codes are not adjacent; -1: there is none
	rest int
}

func newDimension(a *engine.Attribute, e Engine) *dimension {
	d := &dimension{Attribute: a, line: a.Even().Positions, codes: a.Len(), top: uint32(a.Len())}
	switch {
	case a.Mask == engine.Discretize:
		d.kind = continuous
	case e.InfoGain && a.Mask == engine.Suppress:
		d.kind = nominal
	case a.Mask == engine.Suppress, e.Ordered && !e.InfoGain:
		d.kind = ordered
	default:
		d.kind = hierarchy
	}
	if a.HasNull && a.Mask != engine.Suppress {
		d.top--
	}
	if a.Mask == engine.Generalize {
		for n := range a.Tree.Len() {
			if a.Tree.IsLeaf(n) {
				d.leaf = append(d.leaf, n)
			}
		}
	}
	return d
}

// uncut returns the content of a dimension before it is cut: the whole domain.
func (d *dimension) uncut() (all engine.Content) {
	switch d.kind {
	case continuous:
		all.Hi = uint32(len(d.Texts))
	case ordered:
		all.Hi = uint32(d.codes)
	}
	return all
}

// content returns the content of a region, given what the cuts leave of the dimension: of ranks, a
// range, and of numbers with nulls, which is the last code, all.
func (d *dimension) content(left engine.Content) engine.Content {
	switch {
	case d.kind == continuous && left != engine.OnlyNulls && left.Hi > d.top:
		return d.uncut()
	case d.kind != ordered:
		return left
	case d.Mask == engine.Generalize && left.Lo == d.top:
		return engine.OnlyNulls
	case d.Mask == engine.Generalize:
		e := cells.Extent{Lo: left.Lo, Hi: min(left.Hi, d.top) - 1, Above: left.Hi > d.top}
		return engine.Content{Lo: uint32(d.ancestor(e))}
	}
	if !d.names(int(left.Hi - left.Lo)) {
		return engine.Content{}
	}
	codes := make([]uint32, left.Hi-left.Lo)
	for i := range codes {
		codes[i] = left.Lo + uint32(i)
	}
	return d.Named(codes)
}

// mostSteps is the largest number of steps between the ends of narrow intervals.
const mostSteps = 64

// setEnds sets the ends of narrow intervals, given the histogram of all records. Between two of
// them are at least as many records as the attribute's sets ask for, so no end is the bound of a
// few people's values, and few enough steps that labels of many regions are alike.
func (d *dimension) setEnds(set *cells.FrequencySet) {
	all := uint64(0)
	for i, code := range set.Codes {
		if code < d.top {
			all += set.Size(i)
		}
	}
	least, below, since := max(d.most, (all+mostSteps-1)/mostSteps), uint64(0), uint64(0)
	d.ends = append(d.ends[:0], 0)
	for i, code := range set.Codes {
		if code >= d.top {
			break
		}
		if since >= least && all-below >= least {
			d.ends, since = append(d.ends, code), 0
		}
		since, below = since+set.Size(i), below+set.Size(i)
	}
	d.ends = append(d.ends, d.top)
}

// setNamed sets the nodes that labels may name, given the histogram of all records: no label shows
// that a few people have a value. The weight of records proves that many people have one.
func (d *dimension) setNamed(weights []uint64, least uint64) {
	below := make([]uint64, d.Tree.Len())
	for code, n := range d.leaf {
		for ; n >= 0; n = d.Tree.Parent(n) {
			below[n] += weights[code]
		}
	}
	for _, n := range d.leaf {
		for n > 0 && below[n] < least {
			n = d.Tree.Parent(n)
		}
		d.named = append(d.named, n)
	}
	if d.HasNull {
		null := 0
		if weights[d.top] >= least {
			null = engine.NullNode
		}
		d.named = append(d.named, null)
	}
}

// above returns the content of a region with some codes, not all nulls: the fewest of the lowest
// nodes above them that a label may name.
func (d *dimension) above(codes []uint32) engine.Content {
	nodes := d.nodes(codes, math.MaxInt)
	for depth := d.deepest(nodes); depth > 0 && uint64(len(nodes)) > d.most; depth-- {
		nodes = d.nodes(codes, depth-1)
	}
	if len(nodes) == 1 {
		return engine.Content{Lo: nodes[0]}
	}
	e, covered := cells.Extent{Lo: d.top}, 0
	for _, n := range nodes {
		if n == engine.NullNode {
			e.Above = true
			covered++
			continue
		}
		lo, hi := d.Tree.Range(int(n))
		e.Lo, e.Hi = min(e.Lo, uint32(lo)), uint32(hi-1)
		covered += hi - lo
	}
	top := engine.Content{Lo: uint32(d.ancestor(e))}
	if d.Share(covered) == d.Width(top) {
		return top
	}
	return engine.Nodes(int(top.Lo), nodes)
}

// deepest returns the greatest depth of some nodes.
func (d *dimension) deepest(nodes []uint32) (depth int) {
	for _, n := range nodes {
		if n != engine.NullNode {
			depth = max(depth, d.Tree.Depth(int(n)))
		}
	}
	return depth
}

// nodes returns the lowest nodes above some codes that a label may name, none of them deeper than a
// depth or above another one, in preorder.
func (d *dimension) nodes(codes []uint32, depth int) (nodes []uint32) {
	for _, code := range codes {
		n := d.named[code]
		if n == engine.NullNode {
			if len(nodes) != 1 || nodes[0] != 0 {
				nodes = append(nodes, engine.NullNode)
			}
			continue
		}
		for at := d.Tree.Depth(n); at > depth; at-- {
			n = d.Tree.Parent(n)
		}
		lo, _ := d.Tree.Range(n)
		from, to := 0, 0 // the codes below the last node that is not below n
		for len(nodes) > 0 {
			last := len(nodes) - 1
			if from, to = d.Tree.Range(int(nodes[last])); from < lo {
				break
			}
			nodes, to = nodes[:last], 0
		}
		if to <= int(code) {
			nodes = append(nodes, uint32(n))
		}
	}
	return nodes
}

// narrow returns the narrowest interval around the values present, given what the cuts leave: it
// ends at a cut or at one of the ends of narrow intervals. That of all numbers covers the null.
func (d *dimension) narrow(left engine.Content, e cells.Extent) engine.Content {
	above, _ := slices.BinarySearch(d.ends, e.Lo+1)
	below, _ := slices.BinarySearch(d.ends, e.Hi+1)
	c := engine.Content{
		Lo: max(left.Lo, d.ends[above-1]),
		Hi: min(left.Hi, d.ends[below]),
	}
	if e.Above && c != d.uncut() {
		c = c.WithNull()
	}
	return c
}

// names reports whether the label of a number of values of a suppressed attribute names them. With
// all or more than most of them it would only list the column.
func (d *dimension) names(values int) bool { return values < d.codes && uint64(values) <= d.most }

// wide reports which parts of a cut have a label that covers values of the others: that of many
// values, of numbers with nulls, or of a node that the cut does not follow.
func (d *dimension) wide(contents []engine.Content) (wide []bool, number int) {
	wide = make([]bool, len(contents))
	for child, left := range contents {
		switch d.kind {
		case nominal:
			wide[child] = left == engine.Content{}
		case ordered:
			wide[child] = d.Width(d.content(left)) > d.Share(int(left.Hi-left.Lo))
		case continuous:
			wide[child] = d.content(left) != left
		}
		if wide[child] {
			number++
		}
	}
	return wide, number
}

// isNull reports whether all records of an extent are nulls, for dimensions that measure nulls
// separately.
func isNull(e cells.Extent) bool { return e.Lo > e.Hi }

// width returns the normalized width of the values present (ICDE 2006, section 4.1): the range of
// numbers or ranks, or the leaves below their lowest common ancestor, times the weight. For several
// values it is more than 0, however close they are.
func (d *dimension) width(e cells.Extent) float64 {
	if share := d.share(e); share > 0 {
		return max(d.weight*share, math.SmallestNonzeroFloat64)
	}
	return 0
}

// share returns the width without the weight.
func (d *dimension) share(e cells.Extent) float64 {
	switch {
	case isNull(e) || d.codes == 1:
		return 0
	case d.kind == continuous && e.Above: // together with nulls
		return 1
	case d.kind == continuous:
		if e.Lo == e.Hi {
			return 0
		}
		width := d.line[e.Hi] - d.line[e.Lo]
		if width > 0 {
			width /= d.line[len(d.line)-1] - d.line[0]
		}
		return max(width, math.SmallestNonzeroFloat64)
	case d.kind == hierarchy:
		return d.Width(engine.Content{Lo: uint32(d.ancestor(e))})
	}
	hi := e.Hi
	if e.Above {
		hi = d.top
	}
	return d.Share(int(hi-e.Lo) + 1)
}

// ancestor returns the lowest common ancestor of the values present.
func (d *dimension) ancestor(e cells.Extent) int {
	if e.Above {
		return 0
	}
	n := d.leaf[e.Lo]
	for {
		if _, hi := d.Tree.Range(n); hi > int(e.Hi) {
			return n
		}
		n = d.Tree.Parent(n)
	}
}

// below returns the child of a node that contains a code: its codes lo ≤ code < hi, and its
// content. A root that is a leaf is a child of itself next to the null.
func (d *dimension) below(node int, code uint32) (lo, hi uint32, content engine.Content) {
	if code == d.top {
		return code, code + 1, engine.OnlyNulls
	}
	n := d.leaf[code]
	for n != node && d.Tree.Parent(n) != node {
		n = d.Tree.Parent(n)
	}
	l, h := d.Tree.Range(n)
	return uint32(l), uint32(h), engine.Content{Lo: uint32(n)}
}

// largest returns the first of the largest parts.
func (d *division) largest() uint32 { return uint32(slices.Index(d.sizes, slices.Max(d.sizes))) }

// reset begins a division of a dimension with a number of codes.
func (d *division) reset(codes int) {
	if d.part == nil {
		d.part = make([]uint32, codes)
	}
	d.spans, d.sizes, d.contents, d.rest = d.spans[:0], d.sizes[:0], d.contents[:0], -1
}

// put adds a code with its records to a part: the last one or a new one.
func (d *division) put(code, part uint32, size uint64) {
	if len(d.sizes) == int(part) {
		d.sizes = append(d.sizes, 0)
	}
	d.part[code] = part
	d.sizes[part] += size
}

// children divides into the children of the lowest common ancestor of the values present, at least
// one of which is no null, and reports whether there are several.
func (d *dimension) children(set *cells.FrequencySet) (several bool) {
	d.reset(d.codes)
	last := len(set.Codes) - 1
	e := cells.Extent{Lo: set.Codes[0], Hi: set.Codes[last]}
	if e.Hi == d.top {
		e.Hi, e.Above = set.Codes[last-1], true
	}
	ancestor, hi := d.ancestor(e), uint32(0)
	d.whole = engine.Content{Lo: uint32(ancestor)}
	for i, code := range set.Codes {
		if code >= hi {
			s := span{part: uint32(len(d.sizes))}
			var content engine.Content
			s.lo, s.hi, content = d.below(ancestor, code)
			d.spans, d.contents = append(d.spans, s), append(d.contents, content)
			hi = s.hi
		}
		d.put(code, d.spans[len(d.spans)-1].part, set.Size(i))
	}
	return len(d.sizes) > 1
}

// prefix divides into the first n of some values, which are positions in a frequency set, and the
// rest.
func (d *dimension) prefix(set *cells.FrequencySet, order []int, n int) {
	d.reset(d.codes)
	for place, i := range order {
		part := uint32(0)
		if place >= n {
			part = 1
		}
		d.put(set.Codes[i], part, set.Size(i))
	}
	var sides [2][]uint32
	for _, code := range set.Codes {
		part := d.part[code]
		d.spans = append(d.spans, span{lo: code, hi: code + 1, part: part})
		sides[part] = append(sides[part], code)
	}
	for _, codes := range sides {
		content := engine.Content{}
		if d.names(len(codes)) {
			content = d.Named(codes)
		}
		d.contents = append(d.contents, content)
	}
}

// join joins some parts to one, the rest, which comes last, and reports whether there are then
// several parts.
func (d *division) join(codes []uint32, some []bool) (several bool) {
	numbers, n, size := make([]uint32, len(some)), 0, uint64(0)
	for part, joined := range some {
		if joined {
			size += d.sizes[part]
			continue
		}
		numbers[part], d.sizes[n], d.contents[n] = uint32(n), d.sizes[part], d.contents[part]
		n++
	}
	for part, joined := range some {
		if joined {
			numbers[part] = uint32(n)
		}
	}
	d.rest, d.sizes, d.contents = n, append(d.sizes[:n], size), append(d.contents[:n], d.whole)
	for _, code := range codes {
		d.part[code] = numbers[d.part[code]]
	}
	for i := range d.spans {
		d.spans[i].part = numbers[d.spans[i].part]
	}
	return n > 0
}
