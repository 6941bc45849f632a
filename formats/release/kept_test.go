package release

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/meta"
)

// source is a row of a file of foreign hands, with columns of every encoding.
type source struct {
	Plain   int64    `parquet:"plain,plain"`
	City    *string  `parquet:"city,optional,dict"`
	Delta   int32    `parquet:"delta,delta"`
	Lengths string   `parquet:"lengths,delta"`
	Split   float64  `parquet:"split,split"`
	Truth   bool     `parquet:"truth"`
	Visits  []int32  `parquet:"visits,list"`
	Tags    []string `parquet:"tags,dict"`
}

func sourceFile(t *testing.T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[source](&b, append(options, parquet.PageBufferSize(60))...)
	for i := range 12 {
		row := source{Plain: int64(i), Delta: int32(i * i), Lengths: fmt.Sprint("note ", i), Split: float64(i) / 3, Truth: i%5 < 2}
		if i%3 > 0 {
			city := []string{"Rome", "Oslo"}[i%2]
			row.City = &city
		}
		for j := range int32(i % 4) {
			row.Visits, row.Tags = append(row.Visits, j), append(row.Tags, "tag")
		}
		if _, err := w.Write([]source{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// released copies the pages of a file as they are, under headers and a footer of a release.
func released(t *testing.T, file []byte) []byte {
	t.Helper()
	end := len(file) - 8
	var m format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[footerAt(file):end], &m); err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBufferString(meta.Magic)
	for i := range m.RowGroups[0].Columns {
		c := &m.RowGroups[0].Columns[i]
		from := c.MetaData.DataPageOffset
		if c.MetaData.DictionaryPageOffset > 0 {
			from = min(from, c.MetaData.DictionaryPageOffset)
		}
		chunk := bytes.NewReader(file[from : from+c.MetaData.TotalCompressedSize])
		*c = format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: c.MetaData.Type, Encoding: c.MetaData.Encoding, PathInSchema: c.MetaData.PathInSchema,
			Codec: c.MetaData.Codec, NumValues: c.MetaData.NumValues,
		}}
		for chunk.Len() > 0 {
			copyPage(t, out, chunk, &c.MetaData)
		}
	}
	m.RowGroups[0].FileOffset, m.RowGroups[0].SortingColumns = 0, nil
	m.CreatedBy, m.KeyValueMetadata, m.ColumnOrders = formats.CreatedBy, []format.KeyValue{{Key: CutKey, Value: "{}"}}, nil
	return withMetadata(t, out.Bytes(), m)
}

func copyPage(t *testing.T, out *bytes.Buffer, chunk *bytes.Reader, m *format.ColumnMetaData) {
	t.Helper()
	var h format.PageHeader
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(chunk)).Decode(&h); err != nil {
		t.Fatal(err)
	}
	page := make([]byte, h.CompressedPageSize)
	if _, err := chunk.Read(page); err != nil {
		t.Fatal(err)
	}
	own := meta.PageHeader{Type: h.Type, Uncompressed: h.UncompressedPageSize, Compressed: h.CompressedPageSize, CRC: thrift.New(int32(crc32.ChecksumIEEE(page)))}
	encoding, at := format.Plain, int64(out.Len())
	switch h.Type {
	case format.DictionaryPage:
		own.Dictionary = thrift.New(meta.DictionaryPage{NumValues: h.DictionaryPageHeader.V.NumValues, Encoding: encoding})
		m.DictionaryPageOffset = at
	case format.DataPage:
		v := h.DataPageHeader.V
		encoding = v.Encoding
		own.Data = thrift.New(meta.DataPage{NumValues: v.NumValues, Encoding: v.Encoding, Definitions: format.RLE, Repetitions: format.RLE})
	case format.DataPageV2:
		v := h.DataPageHeaderV2.V
		encoding = v.Encoding
		own.DataV2 = thrift.New(meta.DataPageV2{
			NumValues: v.NumValues, NumNulls: v.NumNulls, NumRows: v.NumRows, Encoding: v.Encoding,
			DefinitionBytes: v.DefinitionLevelsByteLength, RepetitionBytes: v.RepetitionLevelsByteLength,
			IsCompressed: thrift.New(!v.IsCompressed.Valid || v.IsCompressed.V),
		})
		m.Statistics.NullCount += int64(v.NumNulls)
	}
	if h.Type != format.DictionaryPage && m.DataPageOffset == 0 {
		m.DataPageOffset = at
	}
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(out)).Encode(&own); err != nil {
		t.Fatal(err)
	}
	size := int64(out.Len()) - at
	out.Write(page)
	m.TotalUncompressedSize += size + int64(h.UncompressedPageSize)
	m.TotalCompressedSize += size + int64(len(page))
	for i := range m.EncodingStats {
		if s := &m.EncodingStats[i]; s.PageType == h.Type && s.Encoding == encoding {
			s.Count++
			return
		}
	}
	m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: h.Type, Encoding: encoding, Count: 1})
}

// TestKept reads and checks columns whose pages were copied from files of every codec,
// version of pages and encoding, and flips their bits, one at a time: none passes.
func TestKept(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(codec, " ", version), func(t *testing.T) {
				t.Parallel()
				b := released(t, sourceFile(t, parquet.Compression(codec), parquet.DataPageVersion(version)))
				path := formatstest.WriteTemp(t, "release.parquet", b)
				r, err := Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				if found, err := r.leaks(t.Context(), nil); len(found) > 0 || err != nil {
					t.Fatalf("found %v, %v", found, err)
				}
				texts, err := r.texts(t.Context(), 0, "plain", "city")
				const cities = "null Oslo Rome null Rome Oslo"
				if got, want := fmt.Sprint(texts), "[[0 1 2 3 4 5 6 7 8 9 10 11] ["+cities+" "+cities+"]]"; got != want || err != nil {
					t.Errorf("texts %s, %v, want %s", got, err, want)
				}
				flipKept(t, r, path, b)
			})
		}
	}
}

func flipKept(t *testing.T, r *File, path string, b []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	put := func(at int, one byte) {
		if _, err := file.WriteAt([]byte{one}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	s := NewScanner(nil)
	for at := len(meta.Magic); at < footerAt(b); at++ {
		for bit := range 8 {
			put(at, b[at]^1<<bit)
			found, err := s.Kept(t.Context(), r, 0)
			switch {
			case err == nil && len(found) == 0:
				t.Errorf("byte %d, bit %d: nothing found", at, bit)
			case err != nil && !errors.Is(err, formats.ErrDamaged):
				t.Errorf("byte %d, bit %d: %v", at, bit, err)
			}
		}
		put(at, b[at])
	}
}
