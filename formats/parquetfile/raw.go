package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
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
	top := &s.columns[column]
	if top.field.Type.Kind == formats.Null {
		return nil, nil // has no values, but its pages may
	}
	for i := top.First; i < top.Last; i++ {
		chunk, err := s.rawChunk(ctx, rowGroup, i, top.field.Type)
		if err != nil {
			return nil, fmt.Errorf("copy column %q of row group %d of %s: %w", s.leaves[i].Column(), rowGroup, s.path, err)
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
	w.init(&s.leaves[leaf], t)
	w.usage.values = &formats.Values{Type: t}
	if w.nested = t.Kind == formats.Nested; w.nested {
		w.usage.values.Type.Kind = formats.Binary
	}
	plan := s.file.Plan(ctx, []storage.Range{s.extent(meta)})
	defer plan.Close()
	w.open(s.parquetFile, plan, &group.Columns[leaf])
	defer w.pages.close()
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
	entryReader
	rows          int64
	nested        bool
	chunk         *formats.RawChunk
	usage         dictionaryUsage
	plain         bool // some data page does not point into the dictionary
	some          [stepRows]uint32
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
	at, err := p.section.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, err
	}
	raw := formats.RawPage{
		Type: int32(p.header.Type), Nulls: -1, Offset: p.start + at - int64(p.file.Buffered()),
		Stored: p.header.CompressedPageSize, Unpacked: p.header.UncompressedPageSize,
	}
	if raw.CRC, err = p.readBody(); err != nil {
		return false, err
	}
	switch p.header.Type {
	case format.DictionaryPage:
		return w.dictionary(raw)
	case format.DataPage, format.DataPageV2:
		return w.data(raw)
	}
	return true, nil // of no use to readers: it is left behind
}

// isIndexes reports whether values of an encoding point into a dictionary.
func isIndexes(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary
}

func (w *rawWalk) add(raw formats.RawPage) bool {
	w.chunk.Pages = append(w.chunk.Pages, raw)
	return int64(len(w.chunk.Pages)) <= 2+w.rows/minPageRows
}

func (w *rawWalk) dictionary(raw formats.RawPage) (bool, error) {
	if len(w.chunk.Pages) > 0 {
		return false, fmt.Errorf("dictionary page after others: %w", formats.ErrDamaged)
	}
	page, err := w.pages.unpackPage()
	if err != nil {
		return false, err
	}
	raw.Encoding, raw.Entries = int32(format.Plain), int32(page.values)
	w.pages.shedPacked()
	if err := w.pages.holdBeside(dictionaryBytes(page)); err != nil {
		return false, err
	}
	if !w.usage.open(&w.cells, page) {
		return false, nil
	}
	w.pages.shed()
	return w.add(raw), w.pages.holdBeside(w.usage.weight())
}

// data takes in a data page.
func (w *rawWalk) data(raw formats.RawPage) (bool, error) {
	var encoding format.Encoding
	v1, v2 := &w.pages.header.DataPageHeader, &w.pages.header.DataPageHeaderV2
	switch {
	case w.pages.header.Type == format.DataPage && v1.Valid:
		if w.leaf.Repetition > 0 && v1.V.RepetitionLevelEncoding != format.RLE || w.leaf.Definition > 0 && v1.V.DefinitionLevelEncoding != format.RLE {
			return false, nil // BIT_PACKED levels are deprecated
		}
		encoding, raw.Entries = v1.V.Encoding, v1.V.NumValues
	case w.pages.header.Type == format.DataPageV2 && v2.Valid:
		if ok, err := w.describeV2(&raw, &v2.V); err != nil || !ok {
			return false, err
		}
		encoding = v2.V.Encoding
	default:
		return false, fmt.Errorf("read data page header: %w", formats.ErrDamaged)
	}
	switch {
	case raw.Entries == 0:
		return true, nil // left behind: no reader looks into it
	case isIndexes(encoding):
		return w.indexPage(raw)
	case !w.knows(encoding):
		return false, nil
	}
	if err := w.pages.count(raw.Entries); err != nil {
		return false, err
	}
	raw.Encoding, w.plain = int32(encoding), true
	return w.add(raw), w.checkUnpacked(&raw)
}

// describeV2 checks what only a header of version 2 says. It reports false when the page cannot
// be copied.
func (w *rawWalk) describeV2(raw *formats.RawPage, h *format.DataPageHeaderV2) (bool, error) {
	repetition, definition := h.RepetitionLevelsByteLength, h.DefinitionLevelsByteLength
	levels := int64(repetition) + int64(definition)
	switch {
	case h.NumNulls < 0 || h.NumNulls > h.NumValues || h.NumRows < 0 || h.NumRows > h.NumValues || h.NumNulls > 0 && w.leaf.Definition == 0:
		return false, fmt.Errorf("page of %d values, %d nulls and %d rows: %w", h.NumValues, h.NumNulls, h.NumRows, formats.ErrDamaged)
	case repetition < 0 || definition < 0 || levels > int64(min(raw.Stored, raw.Unpacked)):
		return false, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
	}
	raw.Entries, raw.Nulls, raw.Rows = h.NumValues, h.NumNulls, h.NumRows
	raw.RepetitionLevels, raw.DefinitionLevels = repetition, definition
	raw.Compressed = !h.IsCompressed.Valid || h.IsCompressed.V
	if !raw.Compressed && w.pages.alwaysCompressed {
		return false, nil // readers know that from the name of the writer, which a copy does not have
	}
	return areLevels(w.pages.packed[:repetition], w.leaf.Repetition, h.NumValues) &&
		areLevels(w.pages.packed[repetition:levels], w.leaf.Definition, h.NumValues), nil
}

// indexPage takes in a page of dictionary indexes.
func (w *rawWalk) indexPage(raw formats.RawPage) (bool, error) {
	page, err := w.pages.unpackPage()
	if err != nil || w.usage.used == nil {
		return false, err
	}
	if err := w.start(page); err != nil {
		return false, err
	}
	defined := 0
	for left := page.values; left > 0; left -= stepRows {
		n, err := w.defined(w.some[:min(left, stepRows)])
		if err != nil {
			return false, err
		}
		defined += n
	}
	for left := defined; left > 0 && w.usage.unused > 0; left -= stepRows {
		some := w.some[:min(left, stepRows)]
		if err := w.indexes.Read(some); err != nil {
			return false, err
		}
		if err := w.usage.mark(some); err != nil {
			return false, err
		}
	}
	nulls := raw.Entries - int32(defined)
	if raw.Nulls >= 0 && raw.Nulls != nulls {
		return false, nil // a wrong number is not repeated
	}
	raw.Encoding, raw.Nulls = int32(format.RLEDictionary), nulls
	return w.add(raw), nil
}

// areLevels reports whether stored levels are those of so many entries, and nothing else.
func areLevels(stored []byte, highest int, entries int32) bool {
	if highest == 0 {
		entries = 0
	}
	used, err := rle.Length(stored, rle.Width(highest), int(entries))
	return err == nil && used == len(stored)
}

// knows reports whether the encoding is one that goes with the physical type: no reader
// takes it otherwise, and few take the combinations that were allowed last.
func (w *rawWalk) knows(e format.Encoding) bool {
	physical := w.leaf.Type.V
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
func (w *rawWalk) checkUnpacked(raw *formats.RawPage) error {
	codec, levels := w.pages.codec, int64(raw.RepetitionLevels)+int64(raw.DefinitionLevels)
	if raw.Type == int32(format.DataPageV2) && !raw.Compressed {
		codec = format.Uncompressed
	}
	claimed := int64(raw.Unpacked) - levels
	said, err := unpackedSize(codec, w.pages.packed[levels:], claimed)
	if err != nil {
		return fmt.Errorf("read page: %w: %w", err, formats.ErrDamaged)
	}
	if said != claimed {
		return fmt.Errorf("page of %d bytes claims %d: %w", said, claimed, formats.ErrDamaged)
	}
	return nil
}

// unpackedSize returns the size that a compressed stream tells, or the one claimed.
func unpackedSize(codec format.CompressionCodec, head []byte, claimed int64) (int64, error) {
	switch {
	case codec == format.Uncompressed:
		return int64(len(head)), nil
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
			return claimed + 1, nil
		}
	}
	return claimed, nil
}

// end checks what only the whole chunk shows.
func (w *rawWalk) end() (*formats.RawChunk, error) {
	if w.usage.unused > 0 {
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
	if !w.plain && !w.nested {
		w.chunk.Dictionary = w.usage.values
	}
	return w.chunk, nil
}

// dictionaryUsage notes which entries of a chunk's dictionary its rows have.
type dictionaryUsage struct {
	values *formats.Values // of the dictionary
	used   []bool          // nil before the dictionary page
	unused int             // entries not met yet
}

// open reads the dictionary page. It reports false when the page is not exactly its values, or
// has none: not every reader takes that.
func (u *dictionaryUsage) open(c *cells, p *page) bool {
	if p.values == 0 || c.reset(p.data, p.encoding, p.values) != nil {
		return false
	}
	plain.Reserve(u.values, len(p.data), c.width, p.values)
	if c.append(u.values, p.values) != nil || len(c.data) > 0 {
		return false
	}
	u.unused, u.used = p.values, make([]bool, p.values)
	return true
}

// weight returns the bytes that it holds.
func (u *dictionaryUsage) weight() int64 { return u.values.MemoryBytes() + int64(cap(u.used)) }

func (u *dictionaryUsage) mark(indexes []uint32) error {
	used := u.used
	for _, index := range indexes {
		if int(index) >= len(used) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", index, len(used), formats.ErrDamaged)
		}
		if !used[index] {
			used[index] = true
			u.unused--
		}
	}
	return nil
}
