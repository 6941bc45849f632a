package engine

import (
	"cmp"
	"strconv"

	"github.com/kcut/kcut/partition"
)

// RowKeys are how engines draw records: every copy of a cell of a part has a key that looks
// random and depends on the seed, the part, the cell's values and the copy's number alone.
// Of n copies, the r with the smallest keys are drawn.
//
//	key = mix(FNV-1a(seed 00 scope 00 v1 1F v2 1F … vm 1F class 1F number))
//
// The seed is in decimal digits, the scope names the part, a null is the byte 1E and the
// number eight bytes, the lowest first.
type RowKeys struct {
	Fields []partition.Field // of the cells' keys, by column, the class last
	texts  [][]string        // by column, the class last, and code
	scope  uint64            // the hash so far
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
	nullText  = "\x1e"
	unitEnd   = 0x1f
)

// NewRowKeys returns the keys of a table's cells, whose Fields are set later.
func NewRowKeys(table *Table) RowKeys {
	var k RowKeys
	for a := range table.Attributes {
		attribute := &table.Attributes[a]
		k.texts = append(k.texts, rowTexts(attribute.Len(), attribute.Label))
	}
	names := rowTexts(len(table.ClassNames), func(class int) Label { return table.ClassNames[class] })
	k.texts = append(k.texts, names)
	return k
}

func rowTexts(n int, label func(int) Label) []string {
	texts := make([]string, n)
	for i := range texts {
		if l := label(i); l.Null {
			texts[i] = nullText
		} else {
			texts[i] = l.Text
		}
	}
	return texts
}

// Enter begins the keys of a part.
func (k *RowKeys) Enter(seed uint64, scope string) {
	k.scope = fnvText(fnvOffset, strconv.FormatUint(seed, 10))
	k.scope = fnvText(fnvByte(k.scope, 0), scope)
	k.scope = fnvByte(k.scope, 0)
}

// Cell returns the hash of a cell's values.
func (k *RowKeys) Cell(key []uint64) uint64 {
	h := k.scope
	for i, texts := range k.texts {
		if i < len(k.Fields) && len(texts) > 0 {
			h = fnvText(h, texts[k.Fields[i].Code(key)])
		}
		h = fnvByte(h, unitEnd)
	}
	return h
}

// CopyKey returns the key of a copy of a cell with the given hash.
func CopyKey(cell uint64, number uint32) uint64 {
	h, j := cell, uint64(number)
	for range 8 {
		h = fnvByte(h, byte(j))
		j >>= 8
	}
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// Compare orders cells: by their codes, column by column, the class last.
func (k *RowKeys) Compare(a, b []uint64) int {
	for _, f := range k.Fields {
		if order := cmp.Compare(f.Code(a), f.Code(b)); order != 0 {
			return order
		}
	}
	return 0
}

func fnvByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

func fnvText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = fnvByte(h, text[i])
	}
	return h
}
