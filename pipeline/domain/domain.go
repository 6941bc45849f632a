// Package domain converts the values of a column to codes: small numbers that counts, searches and
// masking use instead.
//
//	values ──Interner──▶ provisional codes ──count──▶ Domain
//	values ──NewCoder of the domain's attribute──▶ codes, in the domain's order
//
// Package count finds the values of a column, with an interner or in sorted runs; the domain is the
// same either way, and only the domain's attribute determines the code of a value. A Mapping
// translates the local codes of one reader: it does the work once for every distinct value, not for
// every row.
//
// With the labels of a cut, an earlier release's or this run's, each column has a Labeler that
// codes its values:
//
//	ReadCut ──▶ Cut ──Bind to a job──▶ Labelers ──count──▶ their Domains
//
// From a page to a released label a value has at most these numbers: the page's index, the reader's
// local code, the provisional code or that of a label of the cut, the code in the domain, and the
// number of the released label.
//
// Contract: a Coder is safe for concurrent use, a Mapping belongs to one goroutine. A Domain
// depends only on the values and their counts, not on their order. Memory that grows with the
// values is drawn from a budget. Errors name columns, never a value.
//
// Limits: provisional codes differ from run to run. The release must not depend on them.
package domain

import (
	"bytes"
	"cmp"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// MaxSplitValues is the largest number of distinct values of a discretized column at which a search
// may split; a column with more is first divided into that many quantile bins.
const MaxSplitValues = 65_536

// Domain is a masked column's attribute, with the map to its codes.
type Domain struct {
	Attribute engine.Attribute
	Codes     []uint32 // by code of the coder that counted the values; nil: there was none
	Merges    bool     // several values share a code
	Nulls     uint64   // number of records with a null
	Outside   uint64   // number of records whose values the given cut does not cover
	// Discretize: number or weight of the records at the declared lower and upper bound
	AtBounds [2]uint64
	Binned   int // number of distinct values when there were too many, else 0
}

// CanonicalNaN is the word of every NaN.
const CanonicalNaN = uint64(0xfff8) << 48

// CanonicalFloat maps equal values to one word: -0 and 0, and all NaNs. The words of negative
// numbers have all their bits flipped, those of others the sign bit.
func CanonicalFloat(word uint64) uint64 {
	const zero, plusInf, minusInf = uint64(1) << 63, uint64(0xfff0) << 48,
		uint64(0x000f)<<48 | 1<<48 - 1
	switch {
	case word == zero-1: // -0
		return zero
	case word > plusInf, word < minusInf:
		return CanonicalNaN
	}
	return word
}

// CanonicalWord returns the word of a value in the form that the search uses.
func CanonicalWord(values *formats.Values, i int) uint64 {
	if values.Type.Kind == formats.Float {
		return CanonicalFloat(values.Words[i])
	}
	return values.Words[i]
}

// NaNIsNull reports whether a column's NaNs count as nulls: no interval contains a value without an
// order.
func NaNIsNull(spec *job.Column, taxonomy job.Taxonomy) bool {
	return spec.Is(engine.Discretize) || len(taxonomy.Ranges) > 0
}

// IsNaN reports whether a value is NaN, which has no order.
func IsNaN(values *formats.Values, i int) bool {
	return values.Type.Kind == formats.Float && CanonicalFloat(values.Words[i]) == CanonicalNaN
}

// canonicalValue returns a value in the form that the search uses.
func canonicalValue(values *formats.Values, i int) (*formats.Values, int) {
	if values.Type.Kind != formats.Float || values.Words[i] == CanonicalFloat(values.Words[i]) {
		return values, i
	}
	return &formats.Values{Type: values.Type, Words: []uint64{CanonicalFloat(values.Words[i])}}, 0
}

// TextOf returns the text of a value in the form that the search uses.
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

// Counted is a value with the numbers of its records by class, ascending. The value is a word, or
// bytes, or in a column with a taxonomy the bytes of its text.
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
