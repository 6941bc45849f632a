package writer

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// A page ends before the row that would be its pageRows+1st, or at the first row border after
// pageBytes. Readers decode a page at a time; without a page index, smaller pages have no benefit.
const (
	pageRows  = 1 << 15
	pageBytes = 1 << 20
)

// firstOffset is the offset of a file's first row group, after the magic bytes.
const firstOffset = int64(len(meta.Magic))

// storedPage is a page in its final form.
type storedPage struct {
	kind     format.PageType
	encoding format.Encoding
	entries  int // with nulls
	nulls    int
	unpacked int    // bytes before compression, with the header
	bytes    []byte // header and page
}

// dataHeader returns the header of a page of entries with a number of nulls.
func dataHeader(entries, nulls int, encoding format.Encoding) meta.PageHeader {
	h := meta.DataPage{
		NumValues:   int32(entries),
		Encoding:    encoding,
		Definitions: format.RLE,
		Repetitions: format.RLE,
	}
	h.Statistics = thrift.New(meta.PageStatistics{NullCount: thrift.New(int64(nulls))})
	return meta.PageHeader{Type: format.DataPage, Data: thrift.New(h)}
}

func dictionaryHeader(entries int) meta.PageHeader {
	h := meta.DictionaryPage{NumValues: int32(entries), Encoding: format.Plain}
	return meta.PageHeader{Type: format.DictionaryPage, Dictionary: thrift.New(h)}
}

// pageWriter lays out the pages of one row group, chunk after chunk. Offsets are those of a row
// group that is the first of its file.
type pageWriter struct {
	codec  format.CompressionCodec
	out    [][]byte
	size   int64 // bytes of out
	chunks []meta.Chunk
	chunk  meta.Column // the chunk that is being written
	nulls  int64       // number of its nulls
}

// begin starts the chunk of a leaf.
func (p *pageWriter) begin(l schema.Leaf) {
	p.chunk = meta.Column{Type: l.Type.V, PathInSchema: l.Path}
	p.nulls = 0
}

// end finishes the chunk. Its smallest and largest values are given or nil.
func (p *pageWriter) end(low, high []byte) {
	p.chunk.Statistics = thrift.New(meta.Statistics{
		MinValue:  low,
		MaxValue:  high,
		NullCount: thrift.New(p.nulls),
	})
	p.chunks = append(p.chunks, meta.Chunk{MetaData: thrift.New(p.chunk)})
}

// place appends pages to the chunk and records them in its metadata.
func (p *pageWriter) place(pages ...storedPage) {
	for _, page := range pages {
		c, at := &p.chunk, firstOffset+p.size
		c.Codec = p.codec
		if page.kind == format.DictionaryPage {
			c.DictionaryPageOffset = at
		} else {
			if c.DataPageOffset == 0 {
				c.DataPageOffset = at
			}
			c.NumValues += int64(page.entries)
			p.nulls += int64(page.nulls)
		}
		c.TotalUncompressedSize += int64(page.unpacked)
		c.TotalCompressedSize += int64(len(page.bytes))
		p.count(page.kind, page.encoding)
		p.size += int64(len(page.bytes))
		p.out = append(p.out, page.bytes)
	}
}

// count adds a page to the chunk's encodings, those of its levels, and encoding statistics.
func (p *pageWriter) count(t format.PageType, e format.Encoding) {
	for i := range p.chunk.EncodingStats {
		if s := &p.chunk.EncodingStats[i]; s.PageType == t && s.Encoding == e {
			s.Count++
			return
		}
	}
	p.chunk.EncodingStats = append(p.chunk.EncodingStats,
		format.PageEncodingStats{PageType: t, Encoding: e, Count: 1})
	encodings := []format.Encoding{e, format.RLE}
	if t == format.DictionaryPage {
		encodings = encodings[:1]
	}
	for _, e := range encodings {
		if !slices.Contains(p.chunk.Encoding, e) {
			p.chunk.Encoding = append(p.chunk.Encoding, e)
		}
	}
}

// store compresses body and puts the completed header before it.
func (e *pageEncoder) store(h meta.PageHeader) (page storedPage, err error) {
	if e.packed, err = e.Compress(e.packed[:0], e.body); err != nil {
		return page, fmt.Errorf("compress page: %w", err)
	}
	if max(len(e.body), len(e.packed)) > math.MaxInt32 {
		return page, fmt.Errorf("write page of %d bytes: %w size", len(e.body),
			formats.ErrUnsupported)
	}
	h.Uncompressed, h.Compressed = int32(len(e.body)), int32(len(e.packed))
	h.CRC = thrift.New(int32(crc32.ChecksumIEEE(e.packed)))
	header, err := meta.Encode(&h)
	if err != nil {
		return page, fmt.Errorf("encode page header: %w", err)
	}
	return storedPage{
		kind:     h.Type,
		unpacked: len(header) + len(e.body),
		bytes:    slices.Concat(header, e.packed),
	}, nil
}
