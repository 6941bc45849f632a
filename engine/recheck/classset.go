package recheck

import "github.com/kcut/kcut/engine"

// classSet is a set of equivalence classes, by their labels. Most that it is asked for are not in it: of these a
// bit of their hash mostly tells.
type classSet struct {
	columns []int // of the classes
	classes map[string]struct{}
	filter  []uint64 // nil: the set is empty, and classes cannot be added
}

const (
	filterBits  = 22 // of a hash: so many classes make one bit of forty
	filterBytes = 1 << filterBits / 8
)

// newClassSet returns an empty set of classes of some columns.
func newClassSet(columns []int) classSet {
	return classSet{columns, make(map[string]struct{}), make([]uint64, filterBytes/8)}
}

// add adds a class, whose labels are written as appendLabel writes them.
func (c *classSet) add(class []byte) {
	c.classes[string(class)] = struct{}{}
	hash := uint32(0)
	for j, a := range c.columns {
		hash += hashOf(a, labelAt(class, j))
	}
	at := hash >> (32 - filterBits)
	c.filter[at/64] |= 1 << (at % 64)
}

// addAll adds all classes of a set, which is empty then.
func (c *classSet) addAll(from *classSet) {
	for class := range from.classes {
		c.add([]byte(class))
	}
	clear(from.classes)
	clear(from.filter)
}

// mayHave reports whether a class may be in the set whose labels' hashes add up to the given one.
func (c *classSet) mayHave(hash uint32) bool {
	at := hash >> (32 - filterBits)
	return c.filter != nil && c.filter[at/64]>>(at%64)&1 == 1
}

// has reports whether a class is in the set.
func (c *classSet) has(class []byte) bool {
	_, is := c.classes[string(class)]
	return is
}

// hashOf returns the hash of a label of an attribute.
func hashOf(attribute int, label uint32) uint32 {
	return uint32(engine.Mix(uint64(attribute)<<32|uint64(label)) >> 32)
}

// hashLabels returns the hashes of so many labels of an attribute.
func hashLabels(attribute, labels int) []uint32 {
	hashes := make([]uint32, labels)
	for label := range hashes {
		hashes[label] = hashOf(attribute, uint32(label))
	}
	return hashes
}

// hashCodes returns the hashes of the labels of codes: records are many, codes are few.
func hashCodes(codes, ofLabels []uint32) []uint32 {
	hashes := make([]uint32, len(codes))
	for code, label := range codes {
		hashes[code] = ofLabels[label]
	}
	return hashes
}
