package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// A page ends before the row that would be its pageRows+1st, or at the first row border
// after pageBytes. Readers decode a page at a time; without a page index smaller pages
// bring them nothing.
const (
	pageRows  = 1 << 15
	pageBytes = 1 << 20
)

// firstOffset is where the first row group of a file begins, after the magic bytes.
const firstOffset = 4

// pageWriter lays out the pages of one row group, chunk after chunk. Offsets are those the
// row group would have as the first of its file.
type pageWriter struct {
	compressor
	out    []byte
	body   []byte // scratch: the page being built
	packed []byte // scratch: the page compressed
	header bytes.Buffer
	chunk  format.ColumnMetaData // of the chunk being written
}

// begin starts the chunk of a leaf.
func (p *pageWriter) begin(l leafElement) {
	p.chunk = format.ColumnMetaData{
		Type:         l.element.Type.V,
		PathInSchema: l.path,
		Codec:        p.codec(),
	}
}

// end finishes the chunk and returns its entry in the footer.
func (p *pageWriter) end() format.ColumnChunk { return format.ColumnChunk{MetaData: p.chunk} }

// dictionary writes body as the dictionary page of the chunk.
func (p *pageWriter) dictionary(entries int) error {
	p.chunk.DictionaryPageOffset = p.offset()
	p.count(format.DictionaryPage, format.Plain)
	return p.write(pageHeader{
		Type: format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
			NumValues: int32(entries), Encoding: format.Plain,
		}),
	})
}

// data writes body as a data page. Every page says how many nulls it holds: the header's
// statistics cannot be left out, and a wrong zero would be believed.
func (p *pageWriter) data(entries, nulls int, encoding format.Encoding) error {
	if p.chunk.DataPageOffset == 0 {
		p.chunk.DataPageOffset = p.offset()
	}
	p.chunk.NumValues += int64(entries)
	p.chunk.Statistics.NullCount += int64(nulls)
	p.count(format.DataPage, encoding)
	return p.write(pageHeader{
		Type: format.DataPage,
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues:               int32(entries),
			Encoding:                encoding,
			DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE,
			Statistics:              format.Statistics{NullCount: int64(nulls)},
		}),
	})
}

func (p *pageWriter) offset() int64 { return firstOffset + int64(len(p.out)) }

// write compresses body, completes the header and appends both.
func (p *pageWriter) write(h pageHeader) (err error) {
	if p.packed, err = p.compress(p.packed[:0], p.body); err != nil {
		return err
	}
	if max(len(p.body), len(p.packed)) > math.MaxInt32 {
		return fmt.Errorf("write page of %d bytes: %w size", len(p.body), formats.ErrUnsupported)
	}
	p.header.Reset()
	if err := h.encode(&p.header, len(p.body), p.packed); err != nil {
		return err
	}
	p.out = append(append(p.out, p.header.Bytes()...), p.packed...)
	p.chunk.TotalUncompressedSize += int64(p.header.Len() + len(p.body))
	p.chunk.TotalCompressedSize += int64(p.header.Len() + len(p.packed))
	return nil
}

// count enters a page into the chunk's encodings and encoding statistics.
func (p *pageWriter) count(t format.PageType, e format.Encoding) {
	for i := range p.chunk.EncodingStats {
		if s := &p.chunk.EncodingStats[i]; s.PageType == t && s.Encoding == e {
			s.Count++
			return
		}
	}
	p.chunk.EncodingStats = append(p.chunk.EncodingStats, format.PageEncodingStats{PageType: t, Encoding: e, Count: 1})
	p.addEncoding(e)
	if t == format.DataPage {
		p.addEncoding(format.RLE) // the levels
	}
}

func (p *pageWriter) addEncoding(e format.Encoding) {
	for _, have := range p.chunk.Encoding {
		if have == e {
			return
		}
	}
	p.chunk.Encoding = append(p.chunk.Encoding, e)
}

// appendLevelRuns appends levels of at most highest, with their length before them; nothing
// when only level 0 is possible.
func appendLevelRuns(dst, levels []byte, highest int) []byte {
	if highest == 0 {
		return dst
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendHybrid(dst, levels, widthOf(highest))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
