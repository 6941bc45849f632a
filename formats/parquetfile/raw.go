package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/storage"
)

// ReadAt implements formats.RawSource.
func (s *source) ReadAt(p []byte, off int64) (int, error) { return s.file.ReadAt(p, off) }

// Plan returns a reader of ranges that will be read soon: see storage.File.
func (s *source) Plan(ctx context.Context, ranges []formats.Range) storage.Plan {
	return s.file.Plan(ctx, ranges)
}

// RawChunks implements formats.RawSource.
func (s *source) RawChunks(ctx context.Context, rowGroup, column int) (chunks []formats.RawChunk, err error) {
	defer fence.Catch(&err)
	top := &s.schema.columns[column]
	if top.field.Type.Kind == formats.Null {
		return nil, nil // has no values, but its pages may
	}
	for i := top.first; i < top.last; i++ {
		chunk, err := s.rawChunk(ctx, rowGroup, i, top.field.Type)
		if err != nil {
			return nil, fmt.Errorf("copy column %q of row group %d of %s: %w", s.schema.leaves[i].path, rowGroup, s.path, err)
		}
		if chunk == nil {
			return nil, nil
		}
		chunks = append(chunks, *chunk)
	}
	return chunks, nil
}

// copied are the codecs that every reader knows, kcut's own verifier among them. The others
// are LZ4, which has incompatible forms, LZ4_RAW, which Arrow's Go library does not have yet,
// and LZO, which nobody has.
var copied = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd}

// rawChunk describes the chunk of a leaf of a column, or returns nil when it cannot be copied.
func (s *source) rawChunk(ctx context.Context, rowGroup, leaf int, t formats.Type) (*formats.RawChunk, error) {
	group := &s.footer.RowGroups[rowGroup]
	meta := &group.Columns[leaf].Column
	if !slices.Contains(copied, meta.Codec) {
		return nil, nil
	}
	w := rawWalk{chunk: &formats.RawChunk{Codec: int32(meta.Codec)}, rows: group.NumRows}
	w.pages.leaf = &s.schema.leaves[leaf]
	plan := s.file.Plan(ctx, []storage.Range{s.extent(meta)})
	defer plan.Close()
	w.pages.open(s.parquetFile, plan, meta)
	defer w.pages.close()
	w.usage = newDictionaryUsage(w.pages.leaf, t)
	w.prefixesCross = s.footer.writtenBefore("parquet-mr", 1, 8)
	for w.pages.left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := w.page(); err != nil || !ok {
			return nil, err
		}
	}
	return w.end()
}

// rawWalk goes over the pages of one chunk. Pages of plain values are not unpacked. What
// points into a dictionary is, because a dictionary may hold what no row has: rows that
// were filtered out before, say. Such a chunk is not copied.
type rawWalk struct {
	pages         pages
	head          []byte // of the page: the beginning, or all
	rows          int64
	chunk         *formats.RawChunk
	usage         dictionaryUsage
	plain         bool // some data page does not point into the dictionary
	prefixesCross bool // a page of DELTA_BYTE_ARRAY may begin with what the one before ends with (PARQUET-246)
}

// minPageRows is how many rows a page has at least, on average. Smaller ones are a burden
// to readers, and their descriptions would take as much memory as the pages.
const minPageRows = 64

// page reads one page. It reports false when the chunk cannot be copied.
func (w *rawWalk) page() (bool, error) {
	p := &w.pages
	if err := p.readHeader(); err != nil {
		return false, err
	}
	at, err := p.position()
	if err != nil {
		return false, err
	}
	raw := formats.RawPage{
		Type: int32(p.header.Type), Nulls: -1, Offset: at,
		Stored: p.header.CompressedSize, Unpacked: p.header.UncompressedSize,
	}
	if raw.CRC, err = w.body(); err != nil {
		return false, err
	}
	switch p.header.Type {
	case format.DictionaryPage:
		return w.dictionary(raw)
	case format.DataPage:
		return w.dataPageV1(raw)
	case format.DataPageV2:
		return w.dataPageV2(raw)
	}
	return true, nil // of no use to readers: it is left behind
}

// body reads the page and returns its checksum. Of a page of plain values only the beginning
// is held, unless its levels are to be seen.
func (w *rawWalk) body() (uint32, error) {
	p := &w.pages
	if p.header.Type != format.DataPage || isIndexes(p.header.Data.V.Encoding) {
		err := p.readBody()
		w.head = p.packed
		return crc32.ChecksumIEEE(p.packed), err
	}
	left, err := p.bodySize()
	if err != nil {
		return 0, err
	}
	sum := uint32(0)
	for w.head = w.head[:0]; left > 0; {
		part, err := p.file.Peek(min(left, p.file.Size()))
		if err != nil {
			return 0, shortRead(err)
		}
		if len(w.head) == 0 {
			w.head = append(w.head, part[:min(len(part), pageHead)]...)
		}
		sum = crc32.Update(sum, crc32.IEEETable, part)
		left -= len(part)
		if _, err := p.file.Discard(len(part)); err != nil {
			return 0, err
		}
	}
	return sum, p.checkSum(sum)
}

// pageHead is how much is held of a page that is not unpacked, in bytes.
const pageHead = 4 << 10

// isIndexes reports whether values of an encoding point into a dictionary.
func isIndexes(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary
}

// position returns where in the file the next byte lies.
func (p *pages) position() (int64, error) {
	at, err := p.section.Seek(0, io.SeekCurrent)
	return p.start + at - int64(p.file.Buffered()), err
}

func (w *rawWalk) add(raw formats.RawPage) bool {
	w.chunk.Pages = append(w.chunk.Pages, raw)
	return int64(len(w.chunk.Pages)) <= 2+w.rows/minPageRows
}

func (w *rawWalk) dictionary(raw formats.RawPage) (bool, error) {
	if len(w.chunk.Pages) > 0 {
		return false, fmt.Errorf("dictionary page after others: %w", formats.ErrDamaged)
	}
	page, err := w.pages.dictionaryPage()
	if err != nil {
		return false, err
	}
	raw.Encoding, raw.Entries = int32(format.Plain), int32(page.values)
	w.pages.shedPacked()
	if err := w.pages.holdBeside(dictionaryBytes(page)); err != nil {
		return false, err
	}
	if !w.usage.open(page) {
		return false, nil
	}
	w.head = nil
	w.pages.shed()
	return w.add(raw), w.pages.holdBeside(w.usage.weight())
}

func (w *rawWalk) dataPageV1(raw formats.RawPage) (bool, error) {
	p := &w.pages
	header := p.header.Data
	if !header.Valid {
		return false, fmt.Errorf("read data page header: %w", formats.ErrDamaged)
	}
	h := header.V
	raw.Encoding, raw.Entries = int32(h.Encoding), h.NumValues
	if p.leaf.maxRepetition > 0 && h.RepetitionEncoding != format.RLE || p.leaf.maxDefinition > 0 && h.DefinitionEncoding != format.RLE {
		return false, nil // BIT_PACKED levels are deprecated
	}
	return w.data(raw, p.dataPageV1, 0)
}

func (w *rawWalk) dataPageV2(raw formats.RawPage) (bool, error) {
	p := &w.pages
	header := p.header.DataV2
	if !header.Valid {
		return false, fmt.Errorf("read data page header: %w", formats.ErrDamaged)
	}
	h := header.V
	levels := int64(h.RepetitionBytes) + int64(h.DefinitionBytes)
	switch {
	case h.NumNulls < 0 || h.NumNulls > h.NumValues || h.NumRows < 0 || h.NumRows > h.NumValues || h.NumNulls > 0 && p.leaf.maxDefinition == 0:
		return false, fmt.Errorf("page of %d values, %d nulls and %d rows: %w", h.NumValues, h.NumNulls, h.NumRows, formats.ErrDamaged)
	case h.RepetitionBytes < 0 || h.DefinitionBytes < 0 || levels > int64(min(raw.Stored, raw.Unpacked)):
		return false, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
	}
	raw.Encoding, raw.Entries, raw.Nulls, raw.Rows = int32(h.Encoding), h.NumValues, h.NumNulls, h.NumRows
	raw.RepetitionLevels, raw.DefinitionLevels = h.RepetitionBytes, h.DefinitionBytes
	raw.Compressed = !h.IsCompressed.Valid || h.IsCompressed.V
	if !raw.Compressed && p.alwaysCompressed {
		return false, nil // readers know that from the name of the writer, which a copy does not have
	}
	definition := w.head[h.RepetitionBytes:levels]
	if !w.usage.fill(w.head[:h.RepetitionBytes], p.leaf.maxRepetition, h.NumValues) || !w.usage.fill(definition, p.leaf.maxDefinition, h.NumValues) {
		return false, nil
	}
	return w.data(raw, p.dataPageV2, levels)
}

// data takes in a data page with bytes of levels before what is compressed, which read unpacks.
func (w *rawWalk) data(raw formats.RawPage, read func() (*page, error), levels int64) (bool, error) {
	p := &w.pages
	if raw.Entries == 0 {
		return true, nil // left behind: no reader looks into it
	}
	if encoding := format.Encoding(raw.Encoding); !isIndexes(encoding) {
		if !w.knows(encoding) {
			return false, nil
		}
		if err := p.count(raw.Entries); err != nil {
			return false, err
		}
		w.plain = true
		codec := p.codec
		if p.header.Type == format.DataPageV2 && !raw.Compressed {
			codec = format.Uncompressed
		}
		return w.add(raw), w.checkUnpacked(codec, &raw, levels)
	}
	page, err := read()
	if err != nil {
		return false, err
	}
	raw.Encoding = int32(format.RLEDictionary)
	defined, ok, err := w.usage.read(page)
	if err != nil || !ok {
		return false, err
	}
	nulls := raw.Entries - int32(defined)
	if raw.Nulls >= 0 && raw.Nulls != nulls {
		return false, nil // a wrong number is not repeated
	}
	raw.Nulls = nulls
	return w.add(raw), nil
}

// knows reports whether the encoding is one that goes with the physical type: no reader
// takes it otherwise, and few take the combinations that were allowed last.
func (w *rawWalk) knows(e format.Encoding) bool {
	physical := w.pages.leaf.physical
	switch e {
	case format.Plain:
		return true
	case format.RLE:
		return physical == format.Boolean
	case format.DeltaBinaryPacked:
		return physical == format.Int32 || physical == format.Int64
	case format.DeltaLengthByteArray:
		return physical == format.ByteArray
	case format.DeltaByteArray:
		return physical == format.ByteArray && !w.prefixesCross
	case format.ByteStreamSplit:
		return physical == format.Float || physical == format.Double
	}
	return false
}

// checkUnpacked holds the size that a page claims against what its stored bytes say of
// themselves, where the codec has them say something. It is all that is known of a page
// without a checksum that is not unpacked.
func (w *rawWalk) checkUnpacked(codec format.CompressionCodec, raw *formats.RawPage, levels int64) error {
	claimed := int64(raw.Unpacked) - levels
	said := claimed
	if codec == format.Uncompressed {
		said = int64(raw.Stored) - levels
	} else if int64(len(w.head)) == int64(raw.Stored) || int64(len(w.head)) >= levels+zstd.HeaderMaxSize {
		var err error
		if said, err = unpackedSize(codec, w.head[levels:], claimed); err != nil {
			return fmt.Errorf("read page: %w: %w", err, formats.ErrDamaged)
		}
	}
	if said != claimed {
		return fmt.Errorf("page of %d bytes claims %d: %w", said, claimed, formats.ErrDamaged)
	}
	return nil
}

// unpackedSize returns the size that the beginning of a compressed stream tells, or the one claimed.
func unpackedSize(codec format.CompressionCodec, head []byte, claimed int64) (int64, error) {
	switch {
	case claimed == 0: // not even an empty stream needs to be there
	case codec == format.Snappy:
		n, err := snappy.DecodedLen(head)
		return int64(n), err
	case codec == format.Gzip && !bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return 0, gzip.ErrHeader
	case codec == format.Zstd:
		var h zstd.Header
		if err := h.Decode(head); err != nil {
			return 0, err
		}
		if h.HasFCS && h.FrameContentSize > uint64(claimed) { // less, when another frame follows
			return maxPageBytes + 1, nil
		}
	}
	return claimed, nil
}

// end checks what only the whole chunk shows.
func (w *rawWalk) end() (*formats.RawChunk, error) {
	if !w.usage.complete() {
		return nil, nil
	}
	for _, p := range w.chunk.Pages {
		if p.Type != int32(format.DictionaryPage) {
			w.chunk.Entries += int64(p.Entries)
		}
	}
	if w.chunk.Entries == 0 {
		return nil, nil
	}
	if !w.plain && !w.usage.nested {
		w.chunk.Dictionary = w.usage.values
	}
	return w.chunk, nil
}
