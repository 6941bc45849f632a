package recheck

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/partition"
)

// classSet is a set of equivalence classes, by their labels.
type classSet struct {
	columns []int // of the classes
	layout  partition.Layout
	index   *partition.Index // nil: the set is empty, and classes cannot be added
}

// newClassSet returns an empty set of classes of some columns, each of which has so many labels.
func newClassSet(columns, labels []int) classSet {
	layout := partition.NewLayout(labels)
	return classSet{columns, layout, partition.NewIndex(layout, 0)}
}

// len returns the number of classes.
func (c *classSet) len() int {
	if c.index == nil {
		return 0
	}
	return c.index.Len()
}

// add adds a class, whose labels are written as appendLabel writes them.
func (c *classSet) add(class []byte) {
	key := make([]uint64, c.layout.Words)
	for j, f := range c.layout.Fields {
		key[f.Word] |= uint64(labelAt(class, j)) << f.Shift
	}
	c.index.Add(key)
}

// sorted returns the set whose classes were added by their labels: it is the same, whatever the
// order was.
func (c *classSet) sorted() classSet {
	var keys [][]uint64
	for number := range c.len() {
		keys = append(keys, c.index.Key(number))
	}
	slices.SortFunc(keys, func(a, b []uint64) (order int) {
		for _, f := range c.layout.Fields {
			order = cmp.Or(order, cmp.Compare(f.Code(a), f.Code(b)))
		}
		return order
	})
	s := classSet{c.columns, c.layout, partition.NewIndex(c.layout, 0)}
	for _, key := range keys {
		s.index.Add(key)
	}
	return s
}

// addAll adds all classes of a set, which is empty then.
func (c *classSet) addAll(from *classSet) {
	for number := range from.len() {
		c.index.Add(from.index.Key(number))
	}
	from.index = nil
}

// has reports whether a class is in the set, by its labels in some fields.
func (c *classSet) has(labels []uint32, fields []int) bool {
	if c.index == nil {
		return false
	}
	var room [4]uint64
	key := append(room[:0], make([]uint64, c.layout.Words)...)
	for j, f := range c.layout.Fields {
		key[f.Word] |= uint64(labels[fields[j]]) << f.Shift
	}
	return c.index.Find(key) >= 0
}

// hasKey reports whether one of several keys is in the set, one after the other.
func (c *classSet) hasKey(keys []uint64, number int) bool {
	return c.index.Find(keys[number*c.layout.Words:][:c.layout.Words]) >= 0
}
