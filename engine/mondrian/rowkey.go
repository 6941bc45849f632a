package mondrian

import (
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// rowKeys draws: every copy of a cell of a part has a key that looks random and depends on
// the seed, the part, the cell's values and the copy's number alone.
//
//	key = mix(FNV-1a(seed 00 scope 00 v1 1F v2 1F … vm 1F class 1F number))
//
// The seed is in decimal digits. The scope is "mondrian:" and the part's path, such as 0.2.1:
// of all records' first side the third one's second. A null is the byte 1E, the class of a
// table without is empty, and the number is eight bytes, the lowest first.
type rowKeys struct {
	fields []partition.Field
	texts  [][]string // by column, the class last, and code
	scope  uint64     // the hash so far
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
	nullText  = "\x1e"
	unitEnd   = 0x1f
)

// newRowKeys returns the keys of a table's cells, whose fields are known later.
func newRowKeys(table *engine.Table) rowKeys {
	var k rowKeys
	for a := range table.Attributes {
		attribute := &table.Attributes[a]
		k.texts = append(k.texts, texts(attribute.Len(), attribute.Label))
	}
	names := texts(len(table.ClassNames), func(class int) engine.Label { return table.ClassNames[class] })
	k.texts = append(k.texts, names)
	return k
}

func texts(n int, label func(int) engine.Label) []string {
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

// enter begins the keys of a part.
func (k *rowKeys) enter(seed uint64, scope string) {
	k.scope = fnvText(fnvOffset, strconv.FormatUint(seed, 10))
	k.scope = fnvText(fnvByte(k.scope, 0), scope)
	k.scope = fnvByte(k.scope, 0)
}

// cell returns the hash of a cell's values.
func (k *rowKeys) cell(key []uint64) uint64 {
	h := k.scope
	for i, texts := range k.texts {
		if i < len(k.fields) && len(texts) > 0 {
			h = fnvText(h, texts[k.fields[i].Code(key)])
		}
		h = fnvByte(h, unitEnd)
	}
	return h
}

// copyKey returns the key of a copy of a cell with the given hash.
func copyKey(cell uint64, number uint32) uint64 {
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

func fnvByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

func fnvText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = fnvByte(h, text[i])
	}
	return h
}
