package iac

import (
	"github.com/kcut/kcut/engine"
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

// Save writes the keys of the regions, and how tuples become keys.
func (l *locator) Save(to engine.NumberWriter) {
	to.Uint(uint64(l.layout.Words))
	to.Uint(uint64(len(l.columns)))
	for _, c := range l.columns {
		to.Uint(uint64(c.attribute))
		to.Uint(uint64(c.field.Word))
		to.Uint(uint64(c.field.Shift))
		to.Uint(c.field.Mask)
		to.Uint(uint64(len(c.codes)))
		for _, code := range c.codes {
			to.Uint(uint64(code))
		}
	}
	to.Uint(uint64(uint32(l.others)))
	to.Uint(uint64(l.index.Len()))
	for region := range l.index.Len() {
		for _, word := range l.index.Key(region) {
			to.Uint(word)
		}
	}
}

// LoadLocator reads a locator that was saved.
func (e Engine) LoadLocator(from engine.NumberReader) engine.Locator {
	l := &locator{layout: partition.Layout{Words: int(from.Uint())}}
	for n := from.Uint(); n > 0 && from.Err() == nil; n-- {
		c := located{attribute: int(from.Uint()), field: partition.Field{Word: int(from.Uint()), Shift: uint(from.Uint()), Mask: from.Uint()}}
		for n := from.Uint(); n > 0 && from.Err() == nil; n-- {
			c.codes = append(c.codes, uint32(from.Uint()))
		}
		l.columns = append(l.columns, c)
	}
	l.others = int32(uint32(from.Uint()))
	regions := from.Uint()
	l.index = partition.NewIndex(l.layout, int(regions))
	key := make([]uint64, l.layout.Words)
	for ; regions > 0 && from.Err() == nil; regions-- {
		for i := range key {
			key[i] = from.Uint()
		}
		l.index.Add(key)
	}
	return l
}
