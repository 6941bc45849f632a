package engine

// DefaultBins is how many bins a discretized attribute has at most, unless asked otherwise.
const DefaultBins = 16

// bins is a part of the hierarchy of a discretized attribute: values[lo:hi], which are
// leaves unless there are parts.
type bins struct {
	lo, hi int
	parts  []bins
}

// growBins grows the hierarchy over the numbers that occur. A value reaches from its own
// number to the next that occurs.
func (t *ValueTree) growBins(counts []uint64, most int) {
	values := t.numbers(counts)
	t.openRoot()
	if len(values) > 1 {
		end := len(t.attribute.Texts)
		bounds := append(append([]int{0}, values[1:]...), end) // of value i: bounds[i] ≤ code < bounds[i+1]
		t.addParts(0, joinBins(equalBins(values, counts, most)), bounds)
	}
	t.closeRoot(len(values) > 1, counts)
}

// numbers returns the codes, but the null, with records.
func (t *ValueTree) numbers(counts []uint64) (values []int) {
	for code := range t.attribute.Texts {
		if counts[code] > 0 {
			values = append(values, code)
		}
	}
	return values
}

// equalBins cuts values into at most so many bins: bin i of n starts at the first value
// before which there are at least i/n of the records. Empty bins vanish.
func equalBins(values []int, counts []uint64, most int) (list []bins) {
	if most <= 0 {
		most = DefaultBins
	}
	total := uint64(0)
	for _, v := range values {
		total += counts[v]
	}
	before, next := uint64(0), uint64(0) // records before, and the bin that starts next
	for i, v := range values {
		if before*uint64(most) >= next*total {
			list = append(list, bins{lo: i})
			next = before*uint64(most)/total + 1
		}
		list[len(list)-1].hi = i + 1
		before += counts[v]
	}
	return list
}

// joinBins joins adjacent bins in pairs until there is one. An odd one waits a level.
func joinBins(list []bins) bins {
	for len(list) > 1 {
		var joined []bins
		for i := 0; i+1 < len(list); i += 2 {
			joined = append(joined, bins{lo: list[i].lo, hi: list[i+1].hi, parts: list[i : i+2 : i+2]})
		}
		if len(list)%2 == 1 {
			joined = append(joined, list[len(list)-1])
		}
		list = joined
	}
	return list[0]
}

// addParts adds what is under a node: its parts or, of a bin, its values. A bin of one
// value is that value.
func (t *ValueTree) addParts(node int, b bins, bounds []int) {
	if b.parts == nil {
		for v := b.lo; v < b.hi; v++ {
			t.addLeaf(node, bounds[v], bounds[v+1])
		}
	}
	for _, part := range b.parts {
		if part.hi == part.lo+1 {
			t.addLeaf(node, bounds[part.lo], bounds[part.hi])
			continue
		}
		n := t.open(node, bounds[part.lo], bounds[part.hi])
		t.addParts(n, part, bounds)
		t.close(n)
	}
}
