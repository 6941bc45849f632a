package parquetfile

import (
	"context"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/page"
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

// rawChunk describes the chunk of a leaf of a column, or returns nil when it cannot be copied.
func (s *source) rawChunk(ctx context.Context, rowGroup, leaf int, t formats.Type) (*formats.RawChunk, error) {
	group := &s.footer.RowGroups[rowGroup]
	meta := &group.Columns[leaf].Column
	if !codec.Exact(meta.Codec) {
		return nil, nil
	}
	w := rawWalk{chunk: &formats.RawChunk{Codec: int32(meta.Codec)}, rows: group.NumRows, most: 2 + group.NumRows/minPageRows, dictionary: &formats.Values{Type: t}}
	if t.Kind == formats.Nested {
		w.dictionary.Type.Kind = formats.Binary
	}
	w.init(&s.leaves[leaf], t)
	plan := s.file.Plan(ctx, []storage.Range{s.extent(meta)})
	defer plan.Close()
	w.open(s, plan, &group.Columns[leaf], columnRoom{buffer: readBuffer})
	defer w.close()
	for w.promised > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := w.page(); err != nil || !ok {
			return nil, err
		}
	}
	if w.unused > 0 || w.rows != 0 || w.chunk.Entries == 0 {
		return nil, nil
	}
	if !w.plain && t.Kind != formats.Nested {
		w.chunk.Dictionary = w.dictionary
	}
	return w.chunk, nil
}

// rawWalk goes over the pages of one chunk. All are unpacked: a page may hold bytes that no reader looks at,
// and a dictionary what no row has, rows that were filtered out before, say. Such a chunk is not copied.
type rawWalk struct {
	entryReader
	chunk      *formats.RawChunk
	rows       int64 // of the row group that are still to come
	most       int64 // pages that the chunk may have
	dictionary *formats.Values
	used       []bool // entries of the dictionary; nil before its page
	unused     int    // entries not met yet
	plain      bool   // some data page does not point into the dictionary
	some       [stepRows]uint32
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
	if raw.CRC, err = w.loadPage(h); err != nil {
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
		case h.Encoding != format.Plain:
			return false, nil
		default:
			w.plain = true
			ok, err = w.readPlain(h, &raw)
		}
	}
	w.chunk.Pages = append(w.chunk.Pages, raw)
	return ok && int64(len(w.chunk.Pages)) <= w.most, err
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
	return h.Entries > 0 && len(w.cells.data) == 0 && w.Exact, w.holdBeside(w.dictionary.MemoryBytes() + int64(h.Entries))
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
	raw.Nulls, raw.Rows, raw.Compressed = v.NumNulls, v.NumRows, !h.IsPlain()
	raw.RepetitionLevels, raw.DefinitionLevels = v.RepetitionBytes, v.DefinitionBytes
	if !raw.Compressed && w.AlwaysCompressed {
		return false, nil // readers know that from the name of the writer, which a copy does not have
	}
	return true, nil
}

// values unpacks a data page and returns its values, still encoded, and how many there are. It reports false when
// the page has bytes that no level needs, is packed with more than it unpacks to, or has another number of nulls or
// rows than it says.
func (w *rawWalk) values(h *page.Header, raw *formats.RawPage) (values []byte, defined int, ok bool, err error) {
	if err := w.count(h); err != nil {
		return nil, 0, false, err
	}
	p, err := w.Unpack(h)
	if err != nil || !w.Exact || !areLevels(p.Repetition, w.leaf.Repetition, h.Entries) || !areLevels(p.Definition, w.leaf.Definition, h.Entries) {
		return nil, 0, false, err
	}
	rows := h.Entries
	if defined = h.Entries; w.leaf.Definition > 0 {
		w.definitions.Reset(p.Definition, rle.Width(w.leaf.Definition))
		defined, err = w.definitions.Count(uint32(w.leaf.Definition), h.Entries)
	}
	if err == nil && w.leaf.Repetition > 0 {
		w.repetitions.Reset(p.Repetition, rle.Width(w.leaf.Repetition))
		rows, err = w.repetitions.Count(0, h.Entries)
	}
	w.rows -= int64(rows)
	ok = (raw.Nulls < 0 || int(raw.Nulls) == h.Entries-defined) && (h.Type == format.DataPage || int(raw.Rows) == rows)
	return p.Values, defined, ok, err
}

// readPlain reads a page of PLAIN values. It reports false when the chunk cannot be copied.
func (w *rawWalk) readPlain(h *page.Header, raw *formats.RawPage) (bool, error) {
	values, defined, ok, err := w.values(h, raw)
	if err != nil || !ok {
		return false, err
	}
	if w.leaf.Type.V == format.Boolean {
		return (defined+7)/8 == len(values) && !rle.AnySet(values, defined), nil
	}
	rest, err := plain.Skip(values, w.cells.width, defined)
	return len(rest) == 0, err
}

// readIndexes reads a page of dictionary indexes. It reports false when the chunk cannot be copied.
func (w *rawWalk) readIndexes(h *page.Header, raw *formats.RawPage) (bool, error) {
	values, defined, ok, err := w.values(h, raw)
	if err != nil || !ok || w.used == nil {
		return false, err
	}
	runs, width, err := rle.CutWidth(values)
	if err != nil {
		return false, err
	}
	w.indexes.Reset(runs, width)
	for left := defined; left > 0 && w.unused > 0; left -= stepRows {
		some := w.some[:min(left, stepRows)]
		if err := w.indexes.Read(some); err != nil {
			return false, err
		}
		if err := w.mark(some); err != nil {
			return false, err
		}
	}
	spare, err := rle.Spare(runs, width, defined)
	raw.Nulls = raw.Entries - int32(defined)
	return err == nil && spare == 0, nil
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
		return len(stored) == 0
	}
	spare, err := rle.Spare(stored, rle.Width(highest), entries)
	return err == nil && spare == 0
}
