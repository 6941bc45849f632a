package parquetfile

import (
	"context"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Statistics implements formats.Described: from the footer, and from the headers of dictionary
// pages, which have the number of entries.
func (s *source) Statistics(ctx context.Context, first, count int,
	columns []int) (all []formats.Statistics, err error) {
	defer fence.Catch(&err)
	if err := formats.CheckRead(s, first, count, nil); err != nil {
		return nil, err
	}
	all = make([]formats.Statistics, len(columns))
	for g := first; g < first+count; g++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		group, err := s.footer.Group(g)
		if err != nil {
			return nil, err
		}
		for i, column := range columns {
			all[i] = all[i].Join(s.chunkStatistics(group, &s.columns[column]))
		}
	}
	return all, nil
}

// chunkStatistics describes a column in one row group; for a nested column it has only sizes.
func (s *source) chunkStatistics(group *meta.Group, column *topColumn) formats.Statistics {
	known := formats.UnknownStatistics(column.field.Type, group.NumRows)
	var dictionary meta.PageHeader
	for leaf := column.First; leaf < column.Last; leaf++ {
		chunk := group.Chunk(leaf)
		known.Stored += chunk.TotalCompressedSize
		dictionary = s.dictionary(chunk)
		known.Spelled += spelled(chunk, &s.footer.Leaves[leaf], dictionary)
		known.Held += held(chunk, dictionary)
		if column.field.Type.Kind == formats.Nested {
			known.Spelled += nestedEntry*chunk.NumValues + 4*known.Rows
		}
		if dictionary.Dictionary.Valid {
			known.Dictionary += max(0, dictionaryHeld(int64(dictionary.Compressed),
				int64(dictionary.Uncompressed), int(dictionary.Dictionary.V.NumValues),
				chunk.Codec)-usualRoom)
		}
	}
	if column.field.Type.Kind == formats.Nested || known.Rows == 0 {
		return known
	}
	chunk := group.Chunk(column.First)
	known.Within = spanOf(&chunk.Statistics.V, column.field.Type)
	if dictionary.Dictionary.Valid {
		entries := int64(dictionary.Dictionary.V.NumValues)
		known.AtLeast = min(max(known.AtLeast, entries), known.Rows)
		if allInDictionary(chunk) {
			known.AtMost = min(known.AtMost, entries)
		}
	}
	return known
}

// dictionary returns the header of a chunk's dictionary, or an empty one if it has none that can be
// read.
func (s *source) dictionary(chunk *meta.Column) (h meta.PageHeader) {
	var head [256]byte // a header takes some twenty bytes
	n, err := s.file.ReadAt(head[:], chunk.Extent().From)
	if err != nil && err != io.EOF {
		return meta.PageHeader{}
	}
	_, err = meta.Decode(head[:n], &h)
	if err != nil || h.Type != format.DictionaryPage || !h.Dictionary.Valid ||
		h.Dictionary.V.NumValues < 0 || h.Uncompressed < 0 {
		return meta.PageHeader{}
	}
	return h
}

const (
	mostWord = 8 // bytes of a value that is not a byte string
	textEnds = 4 // bytes in front of a byte string
	// nestedEntry is the number of bytes of an entry of a nested column without its value: levels,
	// and the length of the value.
	nestedEntry = 6
)

// longer is the factor by which values may usually be longer than those of a dictionary, since long
// ones may have more rows.
const longer = 4

// spelled returns an approximate upper bound of the bytes of a chunk's values when each is counted
// by itself.
func spelled(chunk *meta.Column, element *schema.Leaf, dictionary meta.PageHeader) int64 {
	values := chunk.NumValues
	switch {
	case element.Type.V == format.FixedLenByteArray && element.TypeLength.V > 0:
		return values * int64(element.TypeLength.V)
	case element.Type.V != format.ByteArray:
		return values * mostWord
	case chunk.Sizes.V.Unencoded.Valid:
		return max(chunk.Sizes.V.Unencoded.V, 0)
	}
	bytes := chunk.TotalUncompressedSize
	if entries := int64(dictionary.Dictionary.V.NumValues); entries > 0 {
		all := max(int64(dictionary.Uncompressed)-textEnds*entries, 0)
		bytes += int64(float64(values) * min(float64(all), longer*float64(all)/float64(entries)))
	}
	return bytes
}

// held returns the least number of bytes of a chunk that a reader holds at a time, if the footer
// has the number of pages: one page, the values of a batch that are not in the dictionary, the
// entries of the dictionary, and the reader of the column.
func held(chunk *meta.Column, dictionary meta.PageHeader) int64 {
	pages := int64(0)
	for _, p := range chunk.EncodingStats {
		if p.PageType != format.DictionaryPage {
			pages += int64(max(0, p.Count))
		}
	}
	if pages == 0 {
		return 0
	}
	entries := int64(dictionary.Uncompressed)
	unpacked := max(0, chunk.TotalUncompressedSize-entries)
	page := min(unpacked/pages, math.MaxInt32) // the largest is no smaller
	if !allInDictionary(chunk) {
		page += int64(float64(unpacked) * min(1, stepRows/float64(max(1, chunk.NumValues))))
	}
	least := columnRoom{rows: stepRows, buffer: leastRead}
	entries += derivedBytes * int64(dictionary.Dictionary.V.NumValues)
	return least.fixed(chunk) + page + entries
}

// allInDictionary reports whether no data page has values of its own: a writer leaves the
// dictionary when it grows too large. Writers that do not report it never do so.
func allInDictionary(chunk *meta.Column) bool {
	for _, p := range chunk.EncodingStats {
		if p.PageType != format.DictionaryPage && p.Count > 0 && !page.IsIndexes(p.Encoding) {
			return false
		}
	}
	return true
}

// spanOf returns the range of a column whose values are stored as whole numbers.
func spanOf(said *meta.Statistics, t formats.Type) formats.Span {
	switch t.Kind {
	case formats.Int, formats.Uint, formats.Date, formats.Time, formats.Timestamp, formats.Decimal:
	default:
		return formats.Span{}
	}
	if len(said.MinValue) != len(said.MaxValue) || len(said.MinValue) != 4 &&
		len(said.MinValue) != 8 || t.Wide {
		return formats.Span{}
	}
	physical := format.Int32
	if len(said.MinValue) == 8 {
		physical = format.Int64
	}
	words := formats.Values{Type: t}
	for _, bound := range [][]byte{said.MinValue, said.MaxValue} {
		_ = plain.DecoderOf(t, physical, len(bound))(&words, bound, 1) // words cause no error
	}
	low, high := words.Words[0], words.Words[1]
	return formats.Span{Low: low, High: high, Known: low <= high}
}
