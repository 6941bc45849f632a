package release

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
)

// forged is a column of three rows whose pages were made by hand.
type forged struct {
	physical format.Type // texts by default
	optional bool
	codec    format.CompressionCodec
	said     format.Statistics
	pages    []forgedPage
	rest     string // after the pages
}

// forgedPage is a page of a dictionary or, with an encoding, of three rows.
type forgedPage struct {
	encoding format.Encoding
	body     string
	levels   int    // number of bytes of repetition levels at its start: a page of version 2
	nulls    int64  // number of nulls in the header of such a page
	packed   string // the body as it is stored, if it differs
}

const (
	skipped    = "\x50\x2a\x4d\x18\x03\x00\x00\x00Ada" // a frame of zstd
	noEncoding = format.Encoding(-1)
	bits       = format.Type(-1) // a column of booleans, whose own number is 0
)

// plainTexts returns texts as PLAIN values.
func plainTexts(texts ...string) string {
	var b []byte
	for _, text := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	return string(b)
}

// plainDoubles returns numbers as PLAIN values.
func plainDoubles(numbers ...float64) string {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return string(b)
}

// levels returns levels in the form before the values of a page.
func levels(runs string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(runs)))) + runs
}

// file returns a file with the column.
func (f forged) file(t *testing.T) []byte {
	t.Helper()
	b := []byte("PAR1")
	repetition, physical := format.Required, format.ByteArray
	if f.optional {
		repetition = format.Optional
	}
	switch {
	case f.physical == bits:
		physical = format.Boolean
	case f.physical != 0:
		physical = f.physical
	}
	m := format.ColumnMetaData{
		Type:         physical,
		Codec:        f.codec,
		PathInSchema: []string{"c"},
		NumValues:    3,
		Statistics:   f.said,
	}
	for _, p := range f.pages {
		stored := cmp.Or(p.packed, p.body)
		h := meta.PageHeader{
			Uncompressed: int32(len(p.body)),
			Compressed:   int32(len(stored)),
			CRC:          thrift.New(int32(crc32.ChecksumIEEE([]byte(stored)))),
		}
		encoding := p.encoding
		if encoding == noEncoding {
			encoding, h.Type = format.Plain, format.DictionaryPage
			h.Dictionary = thrift.New(meta.DictionaryPage{NumValues: 2})
			m.DictionaryPageOffset = int64(len(b))
		} else if m.DataPageOffset = int64(len(b)); p.levels > 0 {
			h.Type = format.DataPageV2
			h.DataV2 = thrift.New(meta.DataPageV2{
				NumValues:       3,
				NumRows:         3,
				Encoding:        encoding,
				RepetitionBytes: int32(p.levels),
				IsCompressed:    thrift.New(false),
			})
		} else {
			data := meta.DataPage{
				NumValues:   3,
				Encoding:    encoding,
				Definitions: format.RLE,
				Repetitions: format.RLE,
			}
			if p.nulls > 0 {
				data.Statistics = thrift.New(meta.PageStatistics{NullCount: thrift.New(p.nulls)})
			}
			h.Data = thrift.New(data)
		}
		m.EncodingStats = append(m.EncodingStats,
			format.PageEncodingStats{PageType: h.Type, Encoding: encoding, Count: 1})
		header, err := meta.Encode(&h)
		must(t, err)
		b = append(append(b, header...), stored...)
		m.TotalUncompressedSize += int64(len(header) + len(p.body))
	}
	b = append(b, f.rest...)
	m.TotalCompressedSize = int64(len(b) - 4)
	element := format.SchemaElement{
		Name:           "c",
		Type:           thrift.New(physical),
		RepetitionType: thrift.New(repetition),
	}
	if physical == format.ByteArray {
		element.LogicalType.Value = &format.StringType{}
	}
	return withMetadata(t, b, format.FileMetaData{
		Schema: []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(1))},
			element},
		NumRows:   3,
		RowGroups: []format.RowGroup{{NumRows: 3, Columns: []format.ColumnChunk{{MetaData: m}}}},
	})
}

// TestForgedPages makes pages that no writer of releases makes: content that is not in the cut, and
// content that no reader would see, is found everywhere.
func TestForgedPages(t *testing.T) {
	const (
		mixed = "\x01\x03\x02"       // a bit each, packed: entries 0, 1, 0
		first = "\x01\x06\x00"       // a run of entry 0
		far   = "\x02\x06\x02"       // a run of entry 2
		ones  = "\x06\x01"           // levels: three values
		zeros = "\x06\x00"           // three nulls
		some  = "\x03\x05"           // a value, a null and a value
		two   = "\x01\x03\x02"       // for these levels: entries 0 and 1
		spare = "?"                  // no header says that it is there
		dict  = format.RLEDictionary // for short
	)
	sexes := forgedPage{encoding: noEncoding, body: plainTexts("M", "F")}
	least := func(value []byte) format.Statistics { return format.Statistics{MinValue: value} }
	for _, tt := range []struct {
		name   string
		column forged
		want   string // "": nothing
	}{
		{"sound", forged{pages: []forgedPage{sexes, {encoding: dict, body: mixed}}}, ""},
		{"sound without a dictionary", forged{pages: []forgedPage{{
			encoding: format.Plain,
			body:     plainTexts("M", "F", "M"),
		}}}, ""},
		{"sound levels", forged{
			optional: true,
			pages:    []forgedPage{sexes, {encoding: dict, body: levels(ones) + mixed}},
		}, ""},
		{"unused entry", forged{pages: []forgedPage{sexes, {encoding: dict, body: first}}},
			"1 dictionary entries that no row uses"},
		{"foreign entry", forged{pages: []forgedPage{{
			encoding: noEncoding,
			body:     plainTexts("M", "Ada"),
		}, {encoding: dict, body: mixed}}}, "1 dictionary entries that are no labels of the cut"},
		{"foreign value", forged{pages: []forgedPage{{
			encoding: format.Plain,
			body:     plainTexts("M", "Ada", "Bob"),
		}}}, "2 values that are no labels of the cut"},
		{"more in the dictionary", forged{pages: []forgedPage{{
			encoding: noEncoding,
			body:     sexes.body + spare,
		}, {encoding: dict, body: mixed}}}, "1 bytes after the values of a page"},
		{"more after indexes", forged{pages: []forgedPage{sexes,
			{encoding: dict, body: mixed + spare}}}, "1 bytes after the values of a page"},
		{"more after values", forged{pages: []forgedPage{{
			encoding: format.Plain,
			body:     plainTexts("M", "F", "M") + spare,
		}}}, "1 bytes after the values of a page"},
		{"more after levels", forged{
			optional: true,
			pages:    []forgedPage{sexes, {encoding: dict, body: levels(ones+spare) + mixed}},
		}, "1 bytes after the values of a page"},
		{"more after the pages", forged{
			pages: []forgedPage{sexes, {encoding: dict, body: mixed}},
			rest:  "Ada",
		}, "3 bytes after the last page"},
		{"nulls", forged{
			optional: true,
			said:     format.Statistics{NullCount: 3},
			pages:    []forgedPage{{encoding: format.Plain, body: levels(zeros)}},
		}, "3 nulls, which the cut does not hold"},
		{"some nulls", forged{
			optional: true,
			said:     format.Statistics{NullCount: 1},
			pages:    []forgedPage{sexes, {encoding: dict, body: levels(some) + two}},
		}, "1 nulls, which the cut does not hold"},
		{"longer run", forged{pages: []forgedPage{sexes,
			{encoding: dict, body: "\x01\x04\x00\x04\x01"}}}, "1 bytes after the values of a page"},
		{"padding", forged{pages: []forgedPage{sexes, {encoding: dict, body: "\x01\x03\x12"}}},
			"1 bytes after the values of a page"},
		{"least value", forged{
			said:  least([]byte("Ada")),
			pages: []forgedPage{sexes, {encoding: dict, body: mixed}},
		}, "1 statistics that are not those of its values"},
		{"least label that excludes one",
			forged{
				said:  least([]byte("M")),
				pages: []forgedPage{sexes, {encoding: dict, body: mixed}},
			}, "1 statistics that are not those of its values"},
		{"nulls that are none", forged{
			optional: true,
			said:     format.Statistics{NullCount: 1},
			pages:    []forgedPage{sexes, {encoding: dict, body: levels(ones) + mixed}},
		}, "1 statistics that are not those of its values"},
		{"least zero", forged{
			physical: format.Double,
			said:     least([]byte(plainDoubles(math.Copysign(0, -1)))),
			pages: []forgedPage{{encoding: noEncoding, body: plainDoubles(0, 1.5)},
				{encoding: dict, body: mixed}},
		}, ""},
		{"a frame to skip", forged{
			codec: format.Zstd,
			pages: []forgedPage{{
				body:   plainTexts("M", "F", "M"),
				packed: pack(t, "zstd", plainTexts("M", "F", "M")) + skipped,
			}},
		}, "1 pages packed as kcut does not write them"},
		{"entry beyond", forged{pages: []forgedPage{sexes, {encoding: dict, body: far}}},
			"damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labels := []string{"M", "F", "0", "1.5"}
			r := open(t, tt.column.file(t))
			s := NewScanner([]Masked{{
				Name: "c",
				Number: func(label string, null bool) (uint32, bool) {
					return 0, !null && slices.Contains(labels, label)
				}}})
			found, err := s.Rows(t.Context(), r, 0, func(int, int, []Numbers, []Hashes) error {
				return nil
			})
			switch {
			case tt.want == "damaged":
				if !errors.Is(err, formats.ErrDamaged) {
					t.Errorf("got %v, %v", found, err)
				}
			case err != nil, tt.want == "" && len(found) > 0, tt.want != "" &&
				(len(found) != 1 || !strings.HasSuffix(found[0].String(), tt.want)):
				t.Errorf("found %v, %v, want %q", found, err, tt.want)
			}
		})
	}
}

// pack packs a page.
func pack(t *testing.T, name, body string) string {
	t.Helper()
	c, err := codec.NewCompressor(name, 0)
	must(t, err)
	packed, err := c.Compress(nil, []byte(body))
	must(t, err)
	return string(packed)
}

// TestForgedKept hides bytes in a kept column, and makes wrong statements about its values: all of
// that is found.
func TestForgedKept(t *testing.T) {
	const (
		ones  = "\x06\x01"     // levels: three values
		some  = "\x03\x05"     // a value, a null and a value
		mixed = "\x01\x03\x02" // a bit each: entries 0, 1, 0
		spare = "1 bytes after the values of a page"
		other = "1 pages packed as kcut does not write them"
		count = "1 pages with other numbers of nulls or rows than is said"
		lie   = "1 statistics that are not those of its values"
	)
	texts, sexes := plainTexts("M", "F", "M"),
		forgedPage{encoding: noEncoding, body: plainTexts("M", "F")}
	brotli, err := parquet.LookupCompressionCodec(format.Brotli).Encode(nil, []byte(texts))
	must(t, err)
	named := "\x1f\x8b\x08\x08" + pack(t, "gzip", texts)[4:10] + "Ada\x00" +
		pack(t, "gzip", texts)[10:]
	said := func(least, most string) format.Statistics {
		return format.Statistics{MinValue: []byte(least), MaxValue: []byte(most)}
	}
	numbers := func(of ...byte) string {
		var b []byte
		for _, n := range of {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(int8(n))))
		}
		return string(b)
	}
	one := func(p forgedPage) []forgedPage { return []forgedPage{p} }
	coded := func(body string) []forgedPage {
		return []forgedPage{sexes, {encoding: format.RLEDictionary, body: body}}
	}
	for _, tt := range []struct {
		name   string
		column forged
		want   string // "": nothing
	}{
		{"sound", forged{pages: coded(mixed)}, ""},
		{"sound values", forged{pages: one(forgedPage{body: texts})}, ""},
		{"sound bits", forged{physical: bits, pages: one(forgedPage{body: "\x05"})}, ""},
		{"sound gzip", forged{
			codec: format.Gzip,
			pages: one(forgedPage{body: texts, packed: pack(t, "gzip", texts)}),
		}, ""},
		{"sound zstd", forged{
			codec: format.Zstd,
			pages: one(forgedPage{body: texts, packed: pack(t, "zstd", texts)}),
		}, ""},
		{"sound statistics", forged{pages: coded(mixed), said: said("F", "M")}, ""},
		{"sound statistics of values", forged{
			pages: one(forgedPage{body: texts}),
			said:  said("F", "M"),
		}, ""},
		{"sound statistics of numbers", forged{
			physical: format.Int32,
			pages:    one(forgedPage{body: numbers(1, 255, 2)}),
			said:     said(numbers(255), numbers(2)),
		}, ""},
		{"sound statistics of bits", forged{
			physical: bits,
			pages:    one(forgedPage{body: "\x05"}),
			said:     said("\x00", "\x01"),
		}, ""},

		{"after values", forged{pages: one(forgedPage{body: texts + "?"})}, spare},
		{"after numbers", forged{
			physical: format.Int32,
			pages:    one(forgedPage{body: numbers(1, 2, 3) + "?"}),
		}, spare},
		{"after bits", forged{physical: bits, pages: one(forgedPage{body: "\x05?"})}, spare},
		{"in the last bits", forged{physical: bits, pages: one(forgedPage{body: "\x0d"})}, spare},
		{"after indexes", forged{pages: coded(mixed + "?")}, spare},
		{"in the last group of indexes", forged{pages: coded("\x01\x03\x12")}, spare},
		{"after the dictionary", forged{pages: []forgedPage{{
			encoding: noEncoding,
			body:     sexes.body + "?",
		}, coded(mixed)[1]}}, spare},
		{"after levels", forged{
			optional: true,
			pages:    one(forgedPage{body: levels(ones+"?") + texts}),
		}, spare},
		{"an entry that no row has", forged{pages: coded("\x01\x06\x00")},
			"1 dictionary entries that no row uses"},
		{"levels of no column, in a page of version 2",
			forged{pages: one(forgedPage{body: "?" + texts, levels: 1})}, "1 page headers that " +
				"kcut does not write"},
		{"a name of gzip", forged{
			codec: format.Gzip,
			pages: one(forgedPage{body: texts, packed: named}),
		}, other},
		{"a frame of zstd", forged{
			codec: format.Zstd,
			pages: one(forgedPage{body: texts, packed: pack(t, "zstd", texts) + skipped}),
		}, other},
		{"blocks of brotli", forged{
			codec: format.Brotli,
			pages: one(forgedPage{body: texts, packed: string(brotli)}),
		}, other},
		{"another encoding", forged{pages: one(forgedPage{
			encoding: format.DeltaLengthByteArray,
			body:     texts,
		})}, "1 page headers that kcut does not write"},

		{"a least value that excludes one", forged{pages: coded(mixed), said: said("M", "M")}, lie},
		{"a most value that nobody has",
			forged{pages: one(forgedPage{body: texts}), said: said("F", "Z")}, lie},
		{"a least number that excludes one",
			forged{
				physical: format.Int32,
				pages:    one(forgedPage{body: numbers(1, 255, 2)}),
				said:     said(numbers(1), numbers(2)),
			}, lie},
		{"old statistics", forged{pages: coded(mixed), said: format.Statistics{Min: []byte("F")}},
			lie},
		{"half a number", forged{
			physical: format.Int32,
			pages:    one(forgedPage{body: numbers(1, 2, 3)}),
			said:     said("\x01", numbers(3)),
		}, lie},
		{"nulls that are none", forged{
			optional: true,
			said:     format.Statistics{NullCount: 1},
			pages:    one(forgedPage{body: levels(ones) + texts}),
		}, lie},
		{"no nulls where one is", forged{
			optional: true,
			pages:    one(forgedPage{body: levels(some) + plainTexts("M", "F")}),
		}, lie},
		{"nulls that a header says", forged{
			said:  format.Statistics{NullCount: 1},
			pages: one(forgedPage{body: texts, nulls: 1}),
		}, count + "; " + lie},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := formatstest.WriteTemp(t, "forged.parquet", tt.column.file(t))
			r, err := Open(t.Context(), path)
			must(t, err)
			defer r.Close()
			found, err := NewScanner(nil).Kept(t.Context(), r, 0)
			var what []string
			for _, f := range found {
				what = append(what, f.What)
			}
			if err != nil || strings.Join(what, "; ") != tt.want {
				t.Errorf("found %v, %v, want %q", found, err, tt.want)
			}
		})
	}
}
