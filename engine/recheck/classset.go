package recheck

// classSet is a set of equivalence classes, by their labels. Most that it is asked for are not in it: of these a
// bit of their hash mostly tells.
type classSet struct {
	classes map[string]struct{}
	filter  []uint64 // nil: the set is empty
}

const (
	filterBits  = 22 // of a hash: so many classes make one bit of forty
	filterBytes = 1 << filterBits / 8
)

// add adds a class, whose labels are written as appendLabel writes them.
func (c *classSet) add(class []byte) {
	if c.filter == nil {
		c.classes, c.filter = make(map[string]struct{}), make([]uint64, filterBytes/8)
	}
	c.classes[string(class)] = struct{}{}
	hash := uint64(0)
	for i := 0; i < len(class); i += labelBytes {
		hash = joinLabel(hash, labelAt(class, i))
	}
	at := hash >> (64 - filterBits)
	c.filter[at/64] |= 1 << (at % 64)
}

// mayHave reports whether a class with such a hash of its labels may be in the set.
func (c *classSet) mayHave(hash uint64) bool {
	at := hash >> (64 - filterBits)
	return c.filter != nil && c.filter[at/64]>>(at%64)&1 == 1
}

// has reports whether a class is in the set.
func (c *classSet) has(class []byte) bool {
	_, is := c.classes[string(class)]
	return is
}

// joinLabel returns the hash of labels and one more.
func joinLabel(hash uint64, label uint32) uint64 {
	hash = (hash ^ uint64(label)) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}
