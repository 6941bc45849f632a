package domain

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
)

// The words of floats that stand for several bit patterns of one value (values.go of
// formats: all bits flipped when negative, else the sign bit).
const (
	wordZero      = uint64(1) << 63
	wordMinusZero = wordZero - 1
)

// CanonicalNaN is the word of every NaN.
const CanonicalNaN = uint64(0xfff8) << 48

// CanonicalFloat joins what is one value: -0 and 0, and all NaNs.
func CanonicalFloat(word uint64) uint64 {
	const plusInf, minusInf = uint64(0xfff0) << 48, uint64(0x000f)<<48 | 1<<48 - 1
	switch {
	case word == wordMinusZero:
		return wordZero
	case word > plusInf, word < minusInf:
		return CanonicalNaN
	}
	return word
}

// CanonicalValue returns a value, or the one that it is to a search.
func CanonicalValue(values *formats.Values, i int) (*formats.Values, int) {
	if values.Type.Kind != formats.Float {
		return values, i
	}
	return &formats.Values{Type: values.Type, Words: []uint64{CanonicalFloat(values.Words[i])}}, 0
}

// TextOf returns the text of what a value is to a search.
func TextOf(values *formats.Values, i int) string {
	values, i = CanonicalValue(values, i)
	return values.Text(i)
}

// CompareValues orders entry i of a and entry j of b, which have the same type.
func CompareValues(a *formats.Values, i int, b *formats.Values, j int) int {
	if a.Type.InWords() {
		return cmp.Compare(a.Words[i], b.Words[j])
	}
	return slices.Compare(a.Bytes(i), b.Bytes(j))
}

// Counted is a value and the records of its classes, which ascend: a word, or bytes, or of a
// column with a taxonomy the bytes of its text.
type Counted struct {
	Word    uint64
	Value   []byte // valid until the next
	Classes []engine.Frequency
}

// Records returns the number of records with the value.
func (c *Counted) Records() (n uint64) {
	for _, k := range c.Classes {
		n += k.Count
	}
	return n
}
