package mondrian

import "github.com/kcut/kcut/partition/cells"

// division says how a dimension divides a part into several: into the children of a node
// or, of InfoGain's suppressed attributes, into two sets of values.
type division struct {
	part  []uint32 // by code, of those that occur
	spans []span   // of codes that occur, ascending
	sizes []uint64 // of the parts
}

// largest returns the first of the largest parts.
func (d *division) largest() uint32 {
	largest := 0
	for i, size := range d.sizes {
		if size > d.sizes[largest] {
			largest = i
		}
	}
	return uint32(largest)
}

// allowable reports whether there are several parts, all of which hold.
func (d *division) allowable(holds func(size uint64) bool) bool {
	for _, size := range d.sizes {
		if !holds(size) {
			return false
		}
	}
	return len(d.sizes) > 1
}

// reset begins a division of a dimension with so many codes.
func (d *division) reset(codes int) {
	if d.part == nil {
		d.part = make([]uint32, codes)
	}
	d.spans, d.sizes = d.spans[:0], d.sizes[:0]
}

// put sends a code with so many records to a part.
func (d *division) put(code, part uint32, size uint64) {
	for len(d.sizes) <= int(part) {
		d.sizes = append(d.sizes, 0)
	}
	d.part[code] = part
	d.sizes[part] += size
}

// children divides into the children of the lowest common ancestor of the values present.
func (d *dimension) children(set *cells.FrequencySet) {
	d.reset(d.codes)
	ancestor := d.ancestor(d.extent(set))
	hi := uint32(0)
	for i, code := range set.Codes {
		if code >= hi {
			s := span{part: uint32(len(d.sizes))}
			s.lo, s.hi = d.below(ancestor, code)
			d.spans = append(d.spans, s)
			hi = s.hi
		}
		d.put(code, d.spans[len(d.spans)-1].part, set.Size(i))
	}
}

// extent returns the extent of a frequency set, in which not all are nulls.
func (d *dimension) extent(set *cells.FrequencySet) cells.Extent {
	n := len(set.Codes)
	e := cells.Extent{Lo: set.Codes[0], Hi: set.Codes[n-1]}
	if e.Hi < d.top {
		return e
	}
	e.Hi, e.Above = set.Codes[n-2], true
	return e
}

// prefix divides into the first n of some values, which are positions in a frequency set,
// and the rest.
func (d *dimension) prefix(set *cells.FrequencySet, order []int, n int) {
	d.reset(d.codes)
	for _, i := range order[:n] {
		d.put(set.Codes[i], 0, set.Size(i))
	}
	for _, i := range order[n:] {
		d.put(set.Codes[i], 1, set.Size(i))
	}
	for _, code := range set.Codes {
		d.spans = append(d.spans, span{lo: code, hi: code + 1, part: d.part[code]})
	}
}
