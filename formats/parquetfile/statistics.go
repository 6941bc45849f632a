package parquetfile

import (
	"context"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
)

// The structs of this file are the part of Parquet's metadata that only estimates are made
// of. It is decoded when somebody asks for statistics: what is wrong in it makes them
// unknown, and no file unreadable.

type numbersFooter struct {
	RowGroups thrift.Slice[rowGroupNumbers] `thrift:"4,required"`
}

type rowGroupNumbers struct {
	Columns thrift.Slice[chunkNumbers] `thrift:"1,required"`
}

type chunkNumbers struct {
	Column columnNumbers `thrift:"3,optional"`
}

type columnNumbers struct {
	Unpacked int64                                  `thrift:"6,optional"`
	Range    valueRange                             `thrift:"12,optional"`
	Pages    thrift.Slice[format.PageEncodingStats] `thrift:"13,optional"`
	Sizes    sizeNumbers                            `thrift:"16,optional"`
}

type sizeNumbers struct {
	Unencoded thrift.Null[int64] `thrift:"1,optional"` // bytes of all values that are texts
}

type valueRange struct {
	Max []byte `thrift:"5,optional"`
	Min []byte `thrift:"6,optional"`
}

// Statistics implements formats.Described: from the footer, and from the headers of dictionary
// pages, which say how many entries follow.
func (s *source) Statistics(ctx context.Context, first, count int, columns []int) (all []formats.Statistics, err error) {
	defer fence.Catch(&err)
	if err := formats.CheckRead(s, first, count, nil); err != nil {
		return nil, err
	}
	all = make([]formats.Statistics, len(columns))
	for g := first; g < first+count; g++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, column := range columns {
			all[i] = all[i].Join(s.chunkStatistics(g, &s.columns[column]))
		}
	}
	return all, nil
}

// chunkStatistics describes what one row group has of a column: of a nested one, sizes.
func (s *source) chunkStatistics(group int, column *topColumn) formats.Statistics {
	known := formats.UnknownStatistics(column.field.Type, s.footer.RowGroups[group].NumRows)
	for leaf := column.First; leaf < column.Last; leaf++ {
		known.Stored += s.footer.RowGroups[group].Columns[leaf].Column.TotalCompressedSize
		known.Unpacked += s.chunkNumbers(group, leaf).Unpacked
		dictionary := s.dictionary(group, leaf)
		known.Spelled += s.spelled(group, leaf, dictionary)
		known.Held += s.held(group, leaf, dictionary)
		if column.field.Type.Kind == formats.Nested {
			known.Spelled += nestedEntry*s.footer.RowGroups[group].Columns[leaf].Column.NumValues + 4*known.Rows
		}
		if dictionary.Dictionary.Valid {
			column := &s.footer.RowGroups[group].Columns[leaf].Column
			known.Dictionary += max(0, dictionaryHeld(int64(dictionary.Compressed), int64(dictionary.Uncompressed), int(dictionary.Dictionary.V.NumValues), column.Codec)-usualRoom)
		}
	}
	if column.field.Type.Kind == formats.Nested || known.Rows == 0 {
		return known
	}
	numbers := s.chunkNumbers(group, column.First)
	known.Within = numbers.Range.span(column.field.Type)
	if d := s.dictionary(group, column.First); d.Dictionary.Valid {
		entries := int64(d.Dictionary.V.NumValues)
		known.AtLeast = min(max(known.AtLeast, entries), known.Rows)
		if numbers.allInDictionary() {
			known.AtMost = min(known.AtMost, entries)
		}
	}
	return known
}

// chunkNumbers returns what the footer says of a chunk beside what is needed to read it. The
// zero value stands for what it does not say.
func (s *source) chunkNumbers(group, leaf int) columnNumbers {
	s.numbersOnce.Do(func() {
		var numbers numbersFooter
		data, err := s.footerBytes(s.file)
		if err != nil {
			return
		}
		if _, err := meta.Decode(data, &numbers); err == nil {
			s.numbers = numbers.RowGroups
		}
	})
	if group >= len(s.numbers) || leaf >= len(s.numbers[group].Columns) {
		return columnNumbers{}
	}
	return s.numbers[group].Columns[leaf].Column
}

// dictionary returns the header of a chunk's dictionary, or one that is of none where it has none that can be read.
func (s *source) dictionary(group, leaf int) (h meta.PageHeader) {
	var head [256]byte // a header takes some twenty bytes
	n, err := s.file.ReadAt(head[:], s.footer.RowGroups[group].Columns[leaf].Column.extent().From)
	if err != nil && err != io.EOF {
		return meta.PageHeader{}
	}
	_, err = meta.Decode(head[:n], &h)
	if err != nil || h.Type != format.DictionaryPage || !h.Dictionary.Valid || h.Dictionary.V.NumValues < 0 || h.Uncompressed < 0 {
		return meta.PageHeader{}
	}
	return h
}

const (
	mostWord = 8 // bytes of a value that is none of bytes
	textEnds = 4 // bytes in front of one that is
	// nestedEntry is what an entry of a nested column has beside its value: levels, and the length of that.
	nestedEntry = 6
)

// longer is how much longer than those of a dictionary values may be by and large, since long ones may have more rows.
const longer = 4

// spelled returns how many bytes the values of a chunk have when each is by itself, at most, by and large.
func (s *source) spelled(group, leaf int, dictionary meta.PageHeader) int64 {
	numbers, values := s.chunkNumbers(group, leaf), s.footer.RowGroups[group].Columns[leaf].Column.NumValues
	switch element := s.leaves[leaf]; {
	case element.Type.V == format.FixedLenByteArray && element.TypeLength.V > 0:
		return values * int64(element.TypeLength.V)
	case element.Type.V != format.ByteArray:
		return values * mostWord
	case numbers.Sizes.Unencoded.Valid:
		return max(numbers.Sizes.Unencoded.V, 0)
	}
	bytes := numbers.Unpacked
	if entries := int64(dictionary.Dictionary.V.NumValues); entries > 0 {
		all := max(int64(dictionary.Uncompressed)-textEnds*entries, 0)
		bytes += int64(float64(values) * min(float64(all), longer*float64(all)/float64(entries)))
	}
	return bytes
}

// held returns what a reader holds of a chunk at a time, at least, where the footer says how many
// pages it has: one of them, the values of a batch that have no place in the dictionary, the
// entries of that, and what reading a column takes.
func (s *source) held(group, leaf int, dictionary meta.PageHeader) int64 {
	numbers, pages := s.chunkNumbers(group, leaf), int64(0)
	for _, p := range numbers.Pages {
		if p.PageType != format.DictionaryPage {
			pages += int64(max(0, p.Count))
		}
	}
	if pages == 0 {
		return 0
	}
	entries := int64(dictionary.Uncompressed)
	unpacked, values := max(0, numbers.Unpacked-entries), s.footer.RowGroups[group].Columns[leaf].Column.NumValues
	page := min(unpacked/pages, math.MaxInt32) // the largest is no smaller
	if !numbers.allInDictionary() {
		page += int64(float64(unpacked) * min(1, stepRows/float64(max(1, values))))
	}
	least := columnRoom{rows: stepRows, buffer: leastRead}
	entries += derivedBytes * int64(dictionary.Dictionary.V.NumValues)
	return least.fixed(&s.footer.RowGroups[group].Columns[leaf]) + page + entries
}

// allInDictionary reports whether no data page has values of its own: a writer leaves the
// dictionary when it grows too large. Writers that do not say so do not do it.
func (c *columnNumbers) allInDictionary() bool {
	for _, p := range c.Pages {
		if p.PageType != format.DictionaryPage && p.Count > 0 && !page.IsIndexes(p.Encoding) {
			return false
		}
	}
	return true
}

// span returns the range of a column whose values are whole numbers, as they are stored.
func (v *valueRange) span(t formats.Type) formats.Span {
	switch t.Kind {
	case formats.Int, formats.Uint, formats.Date, formats.Time, formats.Timestamp, formats.Decimal:
	default:
		return formats.Span{}
	}
	if len(v.Min) != len(v.Max) || len(v.Min) != 4 && len(v.Min) != 8 || t.Wide {
		return formats.Span{}
	}
	physical := format.Int32
	if len(v.Min) == 8 {
		physical = format.Int64
	}
	words := formats.Values{Type: t}
	for _, bound := range [][]byte{v.Min, v.Max} {
		_ = plain.DecoderOf(t, physical, len(bound))(&words, bound, 1) // words make no error
	}
	low, high := words.Words[0], words.Words[1]
	return formats.Span{Low: low, High: high, Known: low <= high}
}
