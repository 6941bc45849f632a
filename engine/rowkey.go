package engine

import (
	"cmp"
	"math/bits"
	"strconv"

	"github.com/kcut/kcut/partition"
)

// RowKeys are the keys by which engines draw records: every copy of a cell in a part has a key that
// looks random and depends only on the seed, the part, the cell's values and the copy's number. To
// draw r of n copies, an engine takes those with the smallest keys.
//
//	key = mix(FNV-1a(seed 00 scope 00 v1 1F v2 1F … vm 1F class 1F number))
//
// The seed is in decimal digits, the scope names the part, a null is the byte 1E, and the number
// has eight bytes, the lowest first.
type RowKeys struct {
	Fields []partition.Field // fields of the cells' keys, by column, the class last
	values []keyValues       // by column, the class last
	part   uint64            // the hash of seed and scope
}

// keyValues are the values of a column: the texts of its codes, and the texts of the codes after
// these. The last of them is used for all further codes.
type keyValues struct{ texts, others []string }

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
	nullText  = "\x1e"
	unitEnd   = 0x1f
)

// NewRowKeys returns the keys of a table's cells. The caller sets Fields later.
func NewRowKeys(table *Table) RowKeys {
	var k RowKeys
	for i := range table.Attributes {
		a, others := &table.Attributes[i], []string{Suppressed, nullText}
		if !a.HasRest {
			others = others[1:]
		}
		k.values = append(k.values, keyValues{a.Texts, others})
	}
	classes := keyValues{others: []string{""}} // for classes without names
	for _, name := range table.ClassNames {
		if name.Null {
			name.Text = nullText
		}
		classes.texts = append(classes.texts, name.Text)
	}
	k.values = append(k.values, classes)
	return k
}

// Enter begins the keys of a part, and returns its number.
func (k *RowKeys) Enter(seed uint64, scope string) (part uint64) {
	h := fnvText(fnvOffset, strconv.FormatUint(seed, 10))
	h = fnvText(fnvByte(h, 0), scope)
	k.part = fnvByte(h, 0)
	return k.part
}

// Cell returns the hash of a cell's values in the part that Enter began.
func (k *RowKeys) Cell(key []uint64) uint64 {
	h := k.part
	for i := range k.values {
		if i < len(k.Fields) {
			h = k.values[i].hash(h, k.Fields[i].Code(key))
		}
		h = fnvByte(h, unitEnd)
	}
	return h
}

// Row returns the hash of the values of a row's cell in a part: codes[i][row] for column i. It is
// safe for concurrent use.
func (k *RowKeys) Row(part uint64, codes [][]uint32, row int) uint64 {
	h := part
	for i := range k.values {
		if i < len(codes) {
			h = k.values[i].hash(h, codes[i][row])
		}
		h = fnvByte(h, unitEnd)
	}
	return h
}

func (v *keyValues) hash(h uint64, code uint32) uint64 {
	if int(code) < len(v.texts) {
		return fnvText(h, v.texts[code])
	}
	return fnvText(h, v.others[min(int(code)-len(v.texts), len(v.others)-1)])
}

// CopyKey returns the key of a copy of a cell with the given hash.
func CopyKey(cell, number uint64) uint64 {
	h := cell
	for range 8 {
		h = fnvByte(h, byte(number))
		number >>= 8
	}
	return finish(h)
}

// Compare orders cells by their codes, column by column, the class last.
func (k *RowKeys) Compare(a, b []uint64) int { return CompareKeys(k.Fields, a, b) }

// CompareKeys orders keys by their codes in some fields, one after the other.
func CompareKeys(fields []partition.Field, a, b []uint64) int {
	for _, f := range fields {
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

// HashOf returns a hash of the codes that a key has in some fields.
func HashOf(fields []partition.Field, key []uint64) (hash uint64) {
	for _, f := range fields {
		hash = Mix(hash + uint64(f.Code(key)))
	}
	return hash
}

// IsSampled reports whether a hash is among the smallest ones: about most of all hashes are.
func IsSampled(hash uint64, all, most int) bool {
	place, _ := bits.Mul64(hash, uint64(all))
	return all <= most || place < uint64(most)
}

// Mix is a step of splitmix64 (Steele, Lea and Flood, 2014).
func Mix(z uint64) uint64 { return finish(z + 0x9e3779b97f4a7c15) }

// finish is the finalizer of splitmix64.
func finish(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
