package parquetfile

import (
	"context"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
)

// Holds implements formats.Weighed: from the footer, and from the headers of the first pages of
// every chunk.
func (s *source) Holds(ctx context.Context, first, count int,
	columns []formats.Request) (most formats.Held, err error) {
	defer fence.Catch(&err)
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return most, err
	}
	r := newReader(ctx, s, first, count, columns)
	for r.group = first; r.group < first+count; r.group++ {
		if err := ctx.Err(); err != nil {
			return most, err
		}
		group, err := s.footer.Group(r.group)
		if err != nil {
			return most, err
		}
		r.chunks = r.chunks[:0]
		for _, leaf := range r.leaves {
			r.chunks = append(r.chunks, *group.Chunk(leaf))
		}
		var held formats.Held
		for _, h := range r.foreseen(s.file) {
			held.Rows, held.Loading = held.Rows+h.rows, max(held.Loading, h.loading)
		}
		most = most.Max(held)
	}
	return most, nil
}

// foreseenColumn is the predicted memory of a column, in bytes.
type foreseenColumn struct {
	rows    int64 // while the rows of a batch are gathered
	loading int64 // in addition, while a page or a dictionary is loaded
}

// foreseen predicts the memory that each column reports in the current row group. Holds adds it up,
// and an error of a refused reader names it.
func (r *reader) foreseen(from io.ReaderAt) []foreseenColumn {
	rows := r.file.footer.Entries[r.group].Rows
	pages, row := make([]chunkPages, len(r.columns)), 0.0
	for i := range r.columns {
		pages[i] = r.file.pagesOf(from, &r.chunks[i], rows)
		_, pages[i].nested = r.columns[i].(*leafReader)
		row += pages[i].rowBytes()
	}
	batch := float64(min(rows, int64(r.room.rows)))
	if row > 0 {
		batch = min(batch, math.Ceil(maxBatchBytes/row))
	}
	columns := make([]foreseenColumn, len(r.columns))
	for i := range columns {
		p := &pages[i]
		reported := func(bytes int64) int64 { return r.room.reported(&r.chunks[i], bytes) }
		growing, grown := p.values(batch)
		gathered := reported(p.unpacked + growing)
		columns[i] = foreseenColumn{gathered,
			max(gathered, reported(p.unpacked+p.packed+grown), reported(p.dictionary)) - gathered}
	}
	return columns
}

// chunkPages is what the headers of its first pages say of a chunk.
type chunkPages struct {
	nested     bool
	packed     int64   // a data page as it lies in the file, where it has to be unpacked
	unpacked   int64   // a data page, as long as its rows are read
	dictionary int64   // what is held while the dictionary is loaded
	listed     int64   // what its entries take
	entries    float64 // of a row
	entry      float64 // bytes of one; of a word 8
	text       bool    // it is none
	indexed    bool    // it is one of the dictionary
}

// pagesOf looks at the first pages of a chunk with a number of rows.
func (s *source) pagesOf(from io.ReaderAt, chunk *meta.Column, rows int64) (p chunkPages) {
	dictionary, data := firstPages(from, s.extent(chunk))
	if listed := int64(dictionary.Dictionary.V.NumValues); listed > 0 {
		p.dictionary = dictionaryHeld(int64(dictionary.Compressed), int64(dictionary.Uncompressed),
			int(listed), chunk.Codec)
		p.listed = dictionaryBytes(int(dictionary.Uncompressed), int(listed))
		p.entry = float64(int64(dictionary.Uncompressed)-textEnds*listed) / float64(listed)
	}
	p.text = chunk.Type == format.ByteArray || chunk.Type == format.FixedLenByteArray
	p.indexed = dictionary.Dictionary.Valid && allInDictionary(chunk)
	p.entries = float64(chunk.NumValues) / float64(max(1, rows))
	p.unpacked = max(int64(data.Uncompressed), averagePage(chunk, &dictionary))
	if p.unpacked == 0 {
		return p
	}
	if chunk.Codec != format.Uncompressed {
		p.packed = int64(data.Compressed)
	}
	if entries := int64(data.Data.V.NumValues) + int64(data.DataV2.V.NumValues); entries > 0 &&
		!p.indexed {
		p.entry = max(0, float64(data.Uncompressed)/float64(entries)-textEnds)
	}
	if dictionary.Uncompressed <= maxKeptBytes { // its memory is that of the next page
		p.unpacked = max(p.unpacked, int64(dictionary.Uncompressed))
	}
	return p
}

// averagePage returns the size of a data page by what the footer says of their number, or 0. The
// largest is no smaller.
func averagePage(chunk *meta.Column, dictionary *meta.PageHeader) int64 {
	pages := int64(0)
	for _, p := range chunk.EncodingStats {
		if p.PageType != format.DictionaryPage {
			pages += int64(max(0, p.Count))
		}
	}
	if pages == 0 {
		return 0
	}
	return min(max(0, chunk.TotalUncompressedSize-int64(dictionary.Uncompressed))/pages,
		math.MaxInt32)
}

// rowBytes returns by how many bytes a row lets a batch grow, as columnReader.size has it.
func (p *chunkPages) rowBytes() float64 {
	switch {
	case p.nested:
		return p.entries * (1 + p.valueBytes())
	case p.indexed:
		return 0
	}
	return p.entries * p.valueBytes()
}

// valueBytes returns the bytes of a value among those of a batch.
func (p *chunkPages) valueBytes() float64 {
	if p.text || p.nested {
		return p.entry
	}
	return mostWord
}

// values returns the memory that a reader reports of the values of a batch of rows while they grow,
// and then, with those of the dictionary. Those that are in none count as different. Results that
// callers derive from words are not reported, since the next batch begins without these.
func (p *chunkPages) values(rows float64) (growing, grown int64) {
	if p.indexed && !p.nested {
		return p.listed, p.listed
	}
	entries := int64(rows * p.entries)
	if !p.text && !p.nested {
		words := p.listed + entries*mostWord
		return words, words
	}
	beside := p.listed + textEnds*entries
	if !p.nested {
		beside += derivedBytes * entries
	}
	growing, grown = formats.Growing(int64(float64(entries)*p.entry), int64(p.entry))
	return beside + growing, beside + grown
}

// firstPages returns the headers of a chunk's dictionary and of its first data page: none where
// they cannot be read.
func firstPages(from io.ReaderAt, extent formats.Range) (dictionary, data meta.PageHeader) {
	first, length := pageHeader(from, extent.From)
	if first.Type != format.DictionaryPage || !first.Dictionary.Valid {
		return dictionary, first
	}
	data, _ = pageHeader(from, extent.From+int64(length)+int64(first.Compressed))
	return first, data
}

// The header of a page takes some twenty bytes, and with statistics of long texts as many as a page
// reader takes of one.
const (
	usualHeader = 1 << 10
	mostHeader  = 256 << 10
)

// pageHeader returns the header of a page, and its length; an empty one where none can be read
// there.
func pageHeader(from io.ReaderAt, at int64) (h meta.PageHeader, length int) {
	for _, size := range []int{usualHeader, mostHeader} {
		head := make([]byte, size)
		n, err := from.ReadAt(head, at)
		if err != nil && err != io.EOF {
			break
		}
		h = meta.PageHeader{}
		length, decoded := meta.Decode(head[:n], &h)
		switch {
		case decoded == nil && min(h.Compressed, h.Uncompressed, h.Dictionary.V.NumValues,
			h.Data.V.NumValues, h.DataV2.V.NumValues) >= 0:
			return h, length
		case decoded == nil || err == io.EOF:
			return meta.PageHeader{}, 0
		}
	}
	return meta.PageHeader{}, 0
}
