package writer

import (
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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

// segment is a run of bytes of a row group: its own, or size bytes of a source at an offset.
type segment struct {
	bytes  []byte
	offset int64
	size   int64
}

// storedPage is a page as it goes into the file.
type storedPage struct {
	kind     format.PageType
	encoding format.Encoding
	entries  int // nulls too
	nulls    int // −1: nobody counted
	unpacked int // bytes before compression, with the header

	bytes  []byte  // header and page; of a page that is copied the header alone
	copied segment // what is copied after bytes
}

func (s *storedPage) size() int64 { return int64(len(s.bytes)) + s.copied.size }

// pageWriter lays out the pages of one row group, chunk after chunk. Offsets are those the
// row group would have as the first of its file.
type pageWriter struct {
	*pageEncoder
	out    []segment
	size   int64      // of out
	chunk  columnMeta // of the chunk being written
	nulls  int64      // in it
	silent bool       // some page of it does not say how many nulls it has
}

// begin starts the chunk of a leaf.
func (p *pageWriter) begin(l leafElement) {
	p.chunk = columnMeta{
		Type:         l.element.Type.V,
		PathInSchema: l.path,
		Codec:        p.codec,
	}
	p.nulls, p.silent = 0, false
}

// end finishes the chunk, whose smallest and largest values are given or nil, and returns
// its entry in the footer.
func (p *pageWriter) end(low, high []byte) chunkMeta {
	if !p.silent {
		p.chunk.Statistics = thrift.New(format.Statistics{MinValue: low, MaxValue: high, NullCount: p.nulls})
	}
	return chunkMeta{MetaData: p.chunk}
}

// dictionary writes body as the dictionary page of the chunk.
func (p *pageWriter) dictionary(entries int) error {
	page, err := p.store(dictionaryHeader(entries))
	if err != nil {
		return err
	}
	page.entries, page.encoding = entries, format.Plain
	p.place(page)
	return nil
}

// place appends a page to the chunk and enters it there.
func (p *pageWriter) place(page storedPage) {
	c, at := &p.chunk, firstOffset+p.size
	if page.kind == format.DictionaryPage {
		c.DictionaryPageOffset = at
	} else {
		if c.DataPageOffset == 0 {
			c.DataPageOffset = at
		}
		c.NumValues += int64(page.entries)
		p.nulls += int64(page.nulls)
		p.silent = p.silent || page.nulls < 0
	}
	c.TotalUncompressedSize += int64(page.unpacked)
	c.TotalCompressedSize += page.size()
	p.count(page.kind, page.encoding)
	p.size += page.size()
	p.out = append(p.out, segment{bytes: page.bytes})
	if page.copied.size > 0 {
		p.out = append(p.out, page.copied)
	}
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
	if t != format.DictionaryPage {
		p.addEncoding(format.RLE) // the levels
	}
}

func (p *pageWriter) addEncoding(e format.Encoding) {
	if slices.Contains(p.chunk.Encoding, e) {
		return
	}
	p.chunk.Encoding = append(p.chunk.Encoding, e)
}
