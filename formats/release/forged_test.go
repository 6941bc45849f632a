package release

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// forged is a masked column of three rows whose pages were made by hand.
type forged struct {
	doubles  bool // and not texts
	optional bool
	least    []byte // of the statistics
	pages    []forgedPage
	rest     string // after the pages
}

// forgedPage is a page of a dictionary or, with an encoding, of three rows.
type forgedPage struct {
	encoding format.Encoding
	body     string
	levels   int // bytes of repetition levels at its start: a page of version 2
}

const noEncoding = format.Encoding(-1)

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

// levels returns levels as a page has them, before its values.
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
	if f.doubles {
		physical = format.Double
	}
	m := format.ColumnMetaData{Type: physical, PathInSchema: []string{"c"}, NumValues: 3}
	m.Statistics.MinValue = f.least
	for _, p := range f.pages {
		size, crc := int32(len(p.body)), int32(crc32.ChecksumIEEE([]byte(p.body)))
		h := meta.PageHeader{Uncompressed: size, Compressed: size, CRC: thrift.New(crc)}
		encoding := p.encoding
		if encoding == noEncoding {
			encoding, h.Type = format.Plain, format.DictionaryPage
			h.Dictionary = thrift.New(meta.DictionaryPage{NumValues: 2})
			m.DictionaryPageOffset = int64(len(b))
		} else if m.DataPageOffset = int64(len(b)); p.levels > 0 {
			h.Type = format.DataPageV2
			h.DataV2 = thrift.New(meta.DataPageV2{NumValues: 3, NumRows: 3, Encoding: encoding, RepetitionBytes: int32(p.levels), IsCompressed: thrift.New(false)})
		} else {
			h.Data = thrift.New(meta.DataPage{NumValues: 3, Encoding: encoding, Definitions: format.RLE, Repetitions: format.RLE})
		}
		m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: h.Type, Encoding: encoding, Count: 1})
		header, err := meta.Encode(&h)
		must(t, err)
		b = append(append(b, header...), p.body...)
	}
	m.TotalUncompressedSize = int64(len(b) - 4)
	b = append(b, f.rest...)
	m.TotalCompressedSize = int64(len(b) - 4)
	element := format.SchemaElement{Name: "c", Type: thrift.New(physical), RepetitionType: thrift.New(repetition)}
	if !f.doubles {
		element.LogicalType.Value = &format.StringType{}
	}
	return withMetadata(t, b, format.FileMetaData{
		Schema:  []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(1))}, element},
		NumRows: 3, RowGroups: []format.RowGroup{{NumRows: 3, Columns: []format.ColumnChunk{{MetaData: m}}}},
	})
}

// TestForgedPages makes pages that no writer of releases makes: what the cut does not hold, and
// what no reader would see, is found wherever it is.
func TestForgedPages(t *testing.T) {
	const (
		mixed = "\x01\x03\x02"       // a bit each, packed: entries 0, 1, 0
		first = "\x01\x06\x00"       // a run of entry 0
		far   = "\x02\x06\x02"       // a run of entry 2
		ones  = "\x06\x01"           // levels: three values
		zeros = "\x06\x00"           // three nulls
		some  = "\x03\x05"           // a value, a null and a value
		two   = "\x01\x03\x02"       // for that: entries 0 and 1
		spare = "?"                  // which nothing says that it is there
		dict  = format.RLEDictionary // for short
	)
	sexes := forgedPage{encoding: noEncoding, body: plainTexts("M", "F")}
	for _, tt := range []struct {
		name   string
		column forged
		want   string // "": nothing
	}{
		{"sound", forged{pages: []forgedPage{sexes, {encoding: dict, body: mixed}}}, ""},
		{"sound without a dictionary", forged{pages: []forgedPage{{encoding: format.Plain, body: plainTexts("M", "F", "M")}}}, ""},
		{"sound levels", forged{optional: true, pages: []forgedPage{sexes, {encoding: dict, body: levels(ones) + mixed}}}, ""},
		{"unused entry", forged{pages: []forgedPage{sexes, {encoding: dict, body: first}}}, "1 dictionary entries that no row uses"},
		{"foreign entry", forged{pages: []forgedPage{{encoding: noEncoding, body: plainTexts("M", "Ada")}, {encoding: dict, body: mixed}}}, "1 dictionary entries that are no labels of the cut"},
		{"foreign value", forged{pages: []forgedPage{{encoding: format.Plain, body: plainTexts("M", "Ada", "Bob")}}}, "2 values that are no labels of the cut"},
		{"more in the dictionary", forged{pages: []forgedPage{{encoding: noEncoding, body: sexes.body + spare}, {encoding: dict, body: mixed}}}, "1 bytes after the values of a page"},
		{"more after indexes", forged{pages: []forgedPage{sexes, {encoding: dict, body: mixed + spare}}}, "1 bytes after the values of a page"},
		{"more after values", forged{pages: []forgedPage{{encoding: format.Plain, body: plainTexts("M", "F", "M") + spare}}}, "1 bytes after the values of a page"},
		{"more after levels", forged{optional: true, pages: []forgedPage{sexes, {encoding: dict, body: levels(ones+spare) + mixed}}}, "1 bytes after the values of a page"},
		{"more after the pages", forged{pages: []forgedPage{sexes, {encoding: dict, body: mixed}}, rest: "Ada"}, "3 bytes after the last page"},
		{"levels of no column", forged{pages: []forgedPage{sexes, {encoding: dict, body: "Ada" + mixed, levels: 3}}}, "3 bytes after the values of a page"},
		{"nulls", forged{optional: true, pages: []forgedPage{{encoding: format.Plain, body: levels(zeros)}}}, "3 nulls, which the cut does not hold"},
		{"some nulls", forged{optional: true, pages: []forgedPage{sexes, {encoding: dict, body: levels(some) + two}}}, "1 nulls, which the cut does not hold"},
		{"least value", forged{least: []byte("Ada"), pages: []forgedPage{sexes, {encoding: dict, body: mixed}}}, "1 statistics that are no labels of the cut"},
		{"least zero", forged{doubles: true, least: []byte(plainDoubles(math.Copysign(0, -1))), pages: []forgedPage{{encoding: noEncoding, body: plainDoubles(0, 1.5)}, {encoding: dict, body: mixed}}}, ""},
		{"entry beyond", forged{pages: []forgedPage{sexes, {encoding: dict, body: far}}}, "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labels := []string{"M", "F", "0", "1.5"}
			r := open(t, tt.column.file(t))
			s := NewScanner([]Masked{{Name: "c", Number: func(label string, null bool) (uint32, bool) {
				return 0, !null && slices.Contains(labels, label)
			}}})
			found, err := s.Rows(t.Context(), r, 0, func(int, int, []Numbers) error { return nil })
			switch {
			case tt.want == "damaged":
				if !errors.Is(err, formats.ErrDamaged) {
					t.Errorf("got %v, %v", found, err)
				}
			case err != nil, tt.want == "" && len(found) > 0, tt.want != "" && (len(found) != 1 || !strings.HasSuffix(found[0].String(), tt.want)):
				t.Errorf("found %v, %v, want %q", found, err, tt.want)
			}
		})
	}
}
