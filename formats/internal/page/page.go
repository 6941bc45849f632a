// Package page reads the pages of column chunks: for readers of columns, and for the check of every
// byte of a release.
//
// Contract: no size in a header, and no length of levels in a page, is believed before it was
// compared with the bytes of the file. A page must match its checksum, if the header has one. Hold
// is asked for the memory of a page, packed, unpacked and decoded, before it is allocated.
//
// A page is unpacked as a whole, but its levels, indexes and values are decoded on request: a page
// of a million rows with few values takes little more memory than its bytes. Deltas and split
// streams, which few writers use, are decoded as a whole.
//
// parquet-go decodes deltas, split streams and the bits of indexes. The package does not use its
// reader of pages. That one unpacks a page to any size, takes sizes from headers, allocates
// whatever runs and deltas claim, which five bytes can make gigabytes, and reads beyond truncated
// runs and texts. It supports neither the codec LZ4 nor booleans in runs, and cannot take a page
// that was unpacked elsewhere. So this package reads headers, and measures deltas before the
// library decodes them.
package page

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Header is the content of a page's header.
type Header struct {
	meta.PageHeader
	Raw      []byte // the bytes of the header, valid until the next one
	Offset   int64  // position in the file of the page behind its header
	Entries  int    // number of entries, with nulls
	Encoding format.Encoding
}

// Reader reads the pages of column chunks, one after the other.
type Reader struct {
	Codec format.CompressionCodec
	Leaf  *schema.Leaf
	// AlwaysCompressed treats pages of version 2 as compressed even when their header denies it, as
	// in parquet-cpp before 3.0.0 (ARROW-10353).
	AlwaysCompressed bool
	// called before the last page takes this much memory; may be nil
	Hold func(bytes int64) error

	Exact bool // unpacking the last page needed every packed byte

	file     *bufio.Reader
	headers  *meta.Walker
	at, end  int64  // range of the pages to come
	width    int    // bytes of a value; 0: byte strings
	stored   []byte // the last loaded page
	unpacked []byte // the last page that was packed
	cursor
	decoded
}

// maxHeader is the largest size of a page header, in bytes.
const maxHeader = 256 << 10

// Open moves to the pages between two positions of a file, and reads atOnce bytes of them at a
// time. It reuses the memory of earlier pages.
func (r *Reader) Open(file io.ReaderAt, from, to, atOnce int64) {
	section := io.NewSectionReader(file, from, to-from)
	if want := int(min(atOnce, max(to-from, 4096))); r.file == nil || r.file.Size() < want {
		r.file = bufio.NewReaderSize(section, want)
		r.headers = meta.NewWalker(r.file, maxHeader)
	} else {
		r.file.Reset(section)
	}
	r.at, r.end, r.cursor = from, to, cursor{}
	r.width = plain.SizeOf(r.Leaf.SchemaElement)
}

// Close releases the file. Earlier results must not be used any more.
func (r *Reader) Close() {
	r.file.Reset(nil)
	r.Hold = nil
}

// Left returns the bytes behind the last page.
func (r *Reader) Left() int64 { return r.end - r.at }

// Next reads the header of the next page. The page itself must be loaded before the header behind
// it.
func (r *Reader) Next() (*Header, error) {
	raw, err := r.headers.Next()
	h := &Header{Raw: raw, Offset: r.at + int64(len(raw))}
	if err == nil {
		err = meta.DecodePassed(raw, &h.PageHeader)
	}
	if err != nil {
		return nil, fmt.Errorf("read page header: %w", err)
	}
	known := true
	switch v1, v2, entries := &h.Data, &h.DataV2, &h.Dictionary; h.Type {
	case format.DataPage:
		known, h.Entries, h.Encoding = v1.Valid, int(v1.V.NumValues), v1.V.Encoding
	case format.DataPageV2:
		known, h.Entries, h.Encoding = v2.Valid, int(v2.V.NumValues), v2.V.Encoding
	case format.DictionaryPage:
		known, h.Entries, h.Encoding = entries.Valid, int(entries.V.NumValues), entries.V.Encoding
	}
	v2 := &h.DataV2.V
	switch {
	case !known:
		return nil, fmt.Errorf("read page header: nothing of a %s: %w", h.Type, formats.ErrDamaged)
	case h.Entries < 0, min(h.Uncompressed, h.Compressed, v2.NumRows, v2.DefinitionBytes,
		v2.RepetitionBytes) < 0:
		return nil, fmt.Errorf("read page header: negative size: %w", formats.ErrDamaged)
	case int64(h.Compressed) > r.end-h.Offset:
		return nil, fmt.Errorf("a page ends after its column chunk: %w", formats.ErrDamaged)
	}
	r.at = h.Offset + int64(h.Compressed)
	return h, nil
}

// Load reads the page and compares it with its checksum, if it has one.
func (r *Reader) Load(h *Header) (err error) {
	size := int(h.Compressed)
	if err := codec.CheckSize(r.Codec, size, int(h.Uncompressed)); err != nil {
		return err
	}
	if r.stored == nil {
		if free, ok := freeStored.Get().(*[]byte); ok {
			r.stored = *free
		}
	}
	if r.stored, err = r.room(r.stored, size); err != nil {
		return err
	}
	if _, err := io.ReadFull(r.file, r.stored); err != nil {
		return meta.EndOfFile(err)
	}
	if h.CRC.Valid && int32(crc32.ChecksumIEEE(r.stored)) != h.CRC.V {
		return fmt.Errorf("a page does not match its checksum: %w", formats.ErrDamaged)
	}
	return nil
}

// room returns memory for size bytes, and for the bytes that decoders read behind them.
func (r *Reader) room(have []byte, size int) ([]byte, error) {
	if cap(have) < size+rle.Padding {
		if r.Hold != nil {
			if err := r.Hold(r.Memory() + int64(size+rle.Padding-cap(have))); err != nil {
				return have, err
			}
		}
		have = make([]byte, size+rle.Padding)
	}
	return have[:size], nil
}

// freeStored is memory of packed pages. A reader needs it only while it unpacks a page, so readers
// of many columns share it.
var freeStored sync.Pool

// mostFreeStored is the size of a page above which its memory is not kept.
const mostFreeStored = 8 << 20

// leaveStored gives the memory of the loaded page to other readers.
func (r *Reader) leaveStored() {
	if stored := r.stored[:0]; cap(stored) <= mostFreeStored {
		freeStored.Put(&stored)
	}
	r.stored = nil
}

// Memory returns the number of bytes of the last page and its decoded data.
func (r *Reader) Memory() int64 { return int64(cap(r.stored)+cap(r.unpacked)) + r.memory() }

// Shrink releases the page if it is large.
func (r *Reader) Shrink(most int64) {
	if r.Memory() > most {
		r.stored, r.unpacked, r.cursor, r.decoded = nil, nil, cursor{}, decoded{}
	}
}

// unpack unpacks the loaded page.
func (r *Reader) unpack(h *Header) (data []byte, err error) {
	r.Exact = true
	plain := 0 // number of bytes that are not packed: levels
	if h.Type == format.DataPageV2 {
		v2 := &h.DataV2.V
		if int64(v2.RepetitionBytes)+int64(v2.DefinitionBytes) > int64(
			min(h.Compressed, h.Uncompressed)) {
			return nil, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
		}
		if plain = int(v2.RepetitionBytes + v2.DefinitionBytes); h.isPlain() &&
			!r.AlwaysCompressed {
			return r.stored, nil
		}
	}
	packed, size := r.stored[plain:], int(h.Uncompressed)-plain
	// codecs encode an empty page differently
	if r.Codec == format.Uncompressed || size == 0 && len(packed) == 0 {
		if len(packed) != size {
			return nil, fmt.Errorf("page of %d bytes claims %d: %w", len(packed), size,
				formats.ErrDamaged)
		}
		return r.stored, nil
	}
	if r.unpacked, err = r.room(r.unpacked, plain+size); err != nil {
		return nil, err
	}
	copy(r.unpacked, r.stored[:plain])
	r.Exact, err = codec.Unpack(r.Codec, r.unpacked[plain:], packed)
	r.leaveStored()
	return r.unpacked, err
}

// isPlain reports whether a page of version 2 says that its values are not compressed.
func (h *Header) isPlain() bool {
	compressed, said := h.DataV2.V.IsCompressed.Get()
	return said && !compressed
}
