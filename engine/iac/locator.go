package iac

import (
	"github.com/kcut/kcut/partition"
)

// locator tells the regions of generalized tuples.
type locator struct {
	layout  partition.Layout
	columns []located
	index   *partition.Index
	others  int32 // region of the tuples that are not in the index
}

// located is a column of the index.
type located struct {
	attribute int
	codes     []uint32 // by code of the attribute
	field     partition.Field
}

// Locate writes the regions of n tuples.
func (l *locator) Locate(n int, codes [][]uint32, regions []int32) {
	w := l.layout.Words
	keys := make([]uint64, n*w)
	for _, c := range l.columns {
		at := c.field.Word
		for _, code := range codes[c.attribute][:n] {
			keys[at] |= uint64(c.codes[code]) << c.field.Shift
			at += w
		}
	}
	for i := range regions[:n] {
		if region := l.index.Find(keys[i*w : (i+1)*w]); region >= 0 {
			regions[i] = int32(region)
		} else {
			regions[i] = l.others
		}
	}
}
