package parquetfile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/page"
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
	w := rawWalk{chunk: &formats.RawChunk{Codec: int32(meta.Codec)}, rows: group.NumRows, dictionary: &formats.Values{Type: t}}
	if t.Kind == formats.Nested {
		w.dictionary.Type.Kind = formats.Binary
	}
	w.init(&s.leaves[leaf], t)
	plan := s.file.Plan(ctx, []storage.Range{s.extent(meta)})
	defer plan.Close()
	w.open(s, plan, &group.Columns[leaf])
	defer w.close()
	w.prefixesCross = s.footer.writtenBefore("parquet-mr", 1, 8)
	for w.promised > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := w.page(); err != nil || !ok {
			return nil, err
		}
	}
	if w.unused > 0 || w.chunk.Entries == 0 {
		return nil, nil
	}
	if !w.plain && t.Kind != formats.Nested {
		w.chunk.Dictionary = w.dictionary
	}
	return w.chunk, nil
}

// rawWalk goes over the pages of one chunk. Pages of plain values are not unpacked. What
// points into a dictionary is, because a dictionary may hold what no row has: rows that
// were filtered out before, say. Such a chunk is not copied.
type rawWalk struct {
	entryReader
	chunk         *formats.RawChunk
	rows          int64
	dictionary    *formats.Values
	used          []bool // entries of the dictionary; nil before its page
	unused        int    // entries not met yet
	plain         bool   // some data page does not point into the dictionary
	prefixesCross bool   // a page of DELTA_BYTE_ARRAY may begin with what the one before ends with (PARQUET-246)
	some          [stepRows]uint32
}

// minPageRows is how many rows a page has at least, on average. Smaller ones are a burden
// to readers, and their descriptions would take as much memory as the pages.
const minPageRows = 64

// page reads one page. It reports false when the chunk cannot be copied. Pages that no reader looks into
// are left behind.
func (w *rawWalk) page() (ok bool, err error) {
	h, err := w.Next()
	if err != nil {
		return false, err
	}
	raw := formats.RawPage{
		Type: int32(h.Type), Encoding: int32(h.Encoding), Entries: int32(h.Entries), Nulls: -1,
		Offset: h.Offset, Stored: h.Compressed, Unpacked: h.Uncompressed,
	}
	if raw.CRC, err = w.Load(h); err != nil {
		return false, err
	}
	switch {
	case h.Type == format.DictionaryPage:
		raw.Encoding = int32(format.Plain)
		ok, err = w.readEntries(h)
	case !isData(h):
		return true, nil
	default:
		if ok, err = w.describe(h, &raw); err != nil || !ok || h.Entries == 0 {
			return ok, err
		}
		w.chunk.Entries += int64(h.Entries)
		switch {
		case isIndexes(h.Encoding):
			raw.Encoding = int32(format.RLEDictionary)
			ok, err = w.readIndexes(h, &raw)
		case !w.knows(h.Encoding):
			return false, nil
		default:
			w.plain = true
			err = cmp.Or(w.count(h), w.checkUnpacked(h))
		}
	}
	w.chunk.Pages = append(w.chunk.Pages, raw)
	return ok && int64(len(w.chunk.Pages)) <= 2+w.rows/minPageRows, err
}

// readEntries reads the dictionary page. It reports false when the page is not exactly its values, or
// has none: not every reader takes that.
func (w *rawWalk) readEntries(h *page.Header) (bool, error) {
	if len(w.chunk.Pages) > 0 {
		return false, fmt.Errorf("dictionary page after others: %w", formats.ErrDamaged)
	}
	if err := w.readDictionary(h, w.dictionary, 0); err != nil {
		return false, err
	}
	w.unused, w.used = h.Entries, make([]bool, h.Entries)
	return h.Entries > 0 && len(w.cells.data) == 0, w.holdBeside(w.dictionary.MemoryBytes() + int64(h.Entries))
}

// describe takes in what only a header says. It reports false when the page cannot be copied.
func (w *rawWalk) describe(h *page.Header, raw *formats.RawPage) (bool, error) {
	if h.Type == format.DataPage { // BIT_PACKED levels are deprecated
		v := &h.Data.V
		return (w.leaf.Repetition == 0 || v.Repetitions == format.RLE) && (w.leaf.Definition == 0 || v.Definitions == format.RLE), nil
	}
	v := &h.DataV2.V
	if v.NumNulls < 0 || v.NumNulls > v.NumValues || v.NumRows > v.NumValues || v.NumNulls > 0 && w.leaf.Definition == 0 {
		return false, fmt.Errorf("page of %d values, %d nulls and %d rows: %w", v.NumValues, v.NumNulls, v.NumRows, formats.ErrDamaged)
	}
	p, err := w.Split(h)
	if err != nil {
		return false, err
	}
	raw.Nulls, raw.Rows, raw.Compressed = v.NumNulls, v.NumRows, !h.IsPlain()
	raw.RepetitionLevels, raw.DefinitionLevels = v.RepetitionBytes, v.DefinitionBytes
	if !raw.Compressed && w.AlwaysCompressed {
		return false, nil // readers know that from the name of the writer, which a copy does not have
	}
	return areLevels(p.Repetition, w.leaf.Repetition, h.Entries) && areLevels(p.Definition, w.leaf.Definition, h.Entries), nil
}

// readIndexes reads a page of dictionary indexes. It reports false when the chunk cannot be copied.
func (w *rawWalk) readIndexes(h *page.Header, raw *formats.RawPage) (bool, error) {
	if err := w.start(h); err != nil || w.used == nil {
		return false, err
	}
	defined := 0
	for left := h.Entries; left > 0; left -= stepRows {
		n, err := w.defined(w.some[:min(left, stepRows)])
		if err != nil {
			return false, err
		}
		defined += n
	}
	for left := defined; left > 0 && w.unused > 0; left -= stepRows {
		some := w.some[:min(left, stepRows)]
		if err := w.indexes.Read(some); err != nil {
			return false, err
		}
		if err := w.mark(some); err != nil {
			return false, err
		}
	}
	said := raw.Nulls
	raw.Nulls = raw.Entries - int32(defined)
	return said < 0 || said == raw.Nulls, nil // a wrong number is not repeated
}

// mark notes which entries of the dictionary rows have.
func (w *rawWalk) mark(indexes []uint32) error {
	used := w.used
	for _, index := range indexes {
		if int(index) >= len(used) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", index, len(used), formats.ErrDamaged)
		}
		if !used[index] {
			used[index] = true
			w.unused--
		}
	}
	return nil
}

// areLevels reports whether stored levels are those of so many entries, and nothing else.
func areLevels(stored []byte, highest, entries int) bool {
	if highest == 0 {
		entries = 0
	}
	used, err := rle.Length(stored, rle.Width(highest), entries)
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
func (w *rawWalk) checkUnpacked(h *page.Header) error {
	codec, levels := w.Codec, int64(0)
	if h.Type == format.DataPageV2 {
		if levels = int64(h.DataV2.V.RepetitionBytes) + int64(h.DataV2.V.DefinitionBytes); h.IsPlain() {
			codec = format.Uncompressed
		}
	}
	claimed := int64(h.Uncompressed) - levels
	said, err := unpackedSize(codec, w.Stored[levels:], claimed)
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
