package parquetfile

import (
	"context"

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
		if dictionary, _ = pageHeader(s.file, chunk.Extent().From); !dictionary.Dictionary.Valid {
			dictionary = meta.PageHeader{}
		}
		known.Longest += longest(chunk, dictionary, group.NumRows)
		known.Spelled += spelled(chunk, &s.footer.Leaves[leaf], dictionary)
		if column.field.Type.Kind == formats.Nested {
			known.Spelled += nestedEntry*chunk.NumValues + 4*known.Rows
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

// longest returns the mean number of bytes of a row of a chunk or, in one in which most rows
// differ, of an entry of the dictionary.
func longest(chunk *meta.Column, dictionary meta.PageHeader, rows int64) int64 {
	each := float64(chunk.TotalUncompressedSize) / float64(max(1, chunk.NumValues))
	entries := int64(dictionary.Dictionary.V.NumValues)
	if entries > 0 {
		each = max(each, float64(dictionary.Uncompressed)/float64(entries))
	}
	return int64(each * float64(chunk.NumValues) / float64(max(1, rows)))
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
