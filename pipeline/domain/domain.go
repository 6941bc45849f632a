// Package domain turns the values of a column into codes: small numbers that count tables,
// searches and masking work with instead.
//
//	values ──Interner──▶ provisional codes ──count──▶ Domain
//	values ──NewCoder of the domain's attribute──▶ codes, in the domain's order
//
// Which values a column has is counted by package count, with an interner or in sorted runs; either
// way it has the same domain, and the domain's attribute alone says what code a value has. A Mapping
// translates what one reader has coded locally: the work is done once for every distinct value, not
// for every row.
//
// By the labels of a cut, an earlier release's or this run's, values are coded by a Labeler a column:
//
//	ReadCut, ParseCut ──▶ Cut ──Bind to a job──▶ Labelers ──count──▶ their Domains
//
// From a page to a released label a value has at most these numbers: the page's index, the reader's
// local code, the provisional code or that of a label of the cut, the code in the domain, and the
// number of the released label.
//
// Contract: a Coder is safe for concurrent use, a Mapping belongs to one goroutine. A Domain
// depends on the values and their counts alone, not on the order in which they were met. What
// grows with the values is drawn from a budget. Errors name columns, never a value.
//
// Not promised: that provisional codes are the same from run to run. Nothing that is released may
// depend on them.
package domain

import (
	"bytes"
	"cmp"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// MaxSplitValues is the most distinct values of a discretized column that a search may
// split at; columns with more are cut into that many quantile bins first.
const MaxSplitValues = 65_536

// Domain is a masked column's attribute, and the way to its codes.
type Domain struct {
	Attribute engine.Attribute
	Codes     []uint32  // by code of the coder that counted the values; nil: no such coder did
	Merges    bool      // several values share a code
	Nulls     uint64    // records without a value
	Outside   uint64    // records whose values the cut that is given has no place for
	AtBounds  [2]uint64 // Discretize: what k counts at the declared lower and upper bound
	Binned    int       // number of distinct values when there were too many, else 0
}

// CanonicalNaN is the word of every NaN.
const CanonicalNaN = uint64(0xfff8) << 48

// CanonicalFloat joins what is one value: -0 and 0, and all NaNs. The words of negative numbers
// have all their bits flipped, those of others the sign bit.
func CanonicalFloat(word uint64) uint64 {
	const zero, plusInf, minusInf = uint64(1) << 63, uint64(0xfff0) << 48, uint64(0x000f)<<48 | 1<<48 - 1
	switch {
	case word == zero-1: // -0
		return zero
	case word > plusInf, word < minusInf:
		return CanonicalNaN
	}
	return word
}

// CanonicalWord returns the word of what a value is to a search.
func CanonicalWord(values *formats.Values, i int) uint64 {
	if values.Type.Kind == formats.Float {
		return CanonicalFloat(values.Words[i])
	}
	return values.Words[i]
}

// NaNIsNull reports whether a column's NaNs count as nulls: no interval holds what has no order.
func NaNIsNull(mask string, taxonomy job.Taxonomy) bool {
	return mask == job.MaskDiscretize || mask == job.MaskGeneralize && taxonomy.Tree == nil && len(taxonomy.Ranges) > 0
}

// IsNaN reports whether a value has no order.
func IsNaN(values *formats.Values, i int) bool {
	return values.Type.Kind == formats.Float && CanonicalFloat(values.Words[i]) == CanonicalNaN
}

// canonicalValue returns a value, or the one that it is to a search.
func canonicalValue(values *formats.Values, i int) (*formats.Values, int) {
	if values.Type.Kind != formats.Float || values.Words[i] == CanonicalFloat(values.Words[i]) {
		return values, i
	}
	return &formats.Values{Type: values.Type, Words: []uint64{CanonicalFloat(values.Words[i])}}, 0
}

// TextOf returns the text of what a value is to a search.
func TextOf(values *formats.Values, i int) string {
	values, i = canonicalValue(values, i)
	return values.Text(i)
}

// CompareValues orders entry i of a and entry j of b, which have the same type.
func CompareValues(a *formats.Values, i int, b *formats.Values, j int) int {
	if a.Type.InWords() {
		return cmp.Compare(a.Words[i], b.Words[j])
	}
	return bytes.Compare(a.Bytes(i), b.Bytes(j))
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
