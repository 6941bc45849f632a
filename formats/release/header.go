package release

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// maxHeader bounds a page header, in bytes: one that holds two long values of the column is
// still far below.
const maxHeader = 1 << 24

// pageHeader is what the header of a page says. A number that is missing is 0.
type pageHeader struct {
	meta.PageHeader
	size     int64 // bytes of the header itself
	entries  int   // nulls too
	encoding format.Encoding
	nulls    int64
	counted  bool // it says how many nulls there are
	rows     int64
	foreign  bool // it is not of the form that kcut writes
}

// readHeader reads the next header.
func readHeader(w *meta.Walker) (*pageHeader, error) {
	raw, err := w.Next()
	if err != nil {
		return nil, fmt.Errorf("page header: %w", err)
	}
	h := &pageHeader{size: int64(len(raw))}
	same, err := decode(raw, &h.PageHeader)
	if err != nil {
		return nil, fmt.Errorf("page header: %w", err)
	}
	if p := h.Data; p.Valid {
		h.entries, h.encoding = int(p.V.NumValues), p.V.Encoding
		h.nulls, h.counted = p.V.Statistics.V.NullCount.Get()
	}
	if p := h.Dictionary; p.Valid {
		h.entries, h.encoding = int(p.V.NumValues), p.V.Encoding
	}
	if p := h.DataV2; p.Valid {
		h.entries, h.encoding, h.rows = int(p.V.NumValues), p.V.Encoding, int64(p.V.NumRows)
		h.nulls, h.counted = int64(p.V.NumNulls), true
	}
	v := &h.DataV2.V
	if min(h.Uncompressed, h.Compressed, v.NumRows, v.DefinitionBytes, v.RepetitionBytes) < 0 || h.entries < 0 {
		return nil, fmt.Errorf("%w: page header has a negative size", formats.ErrDamaged)
	}
	h.foreign = !same || !h.ofItsKind()
	return h, nil
}

// ofItsKind reports whether a header has the parts that its kind of page asks for, and no other.
func (h *pageHeader) ofItsKind() bool {
	parts := [3]bool{h.Data.Valid, h.Dictionary.Valid, h.DataV2.Valid}
	switch h.Type {
	case format.DataPage:
		return parts == [3]bool{true} && h.Data.V.Definitions == format.RLE && h.Data.V.Repetitions == format.RLE
	case format.DictionaryPage:
		return parts == [3]bool{1: true}
	case format.DataPageV2:
		return parts == [3]bool{2: true}
	}
	return false
}

// isPlain reports whether the values of a page of version 2 are stored as they are.
func (h *pageHeader) isPlain() bool {
	compressed, said := h.DataV2.V.IsCompressed.Get()
	return said && !compressed
}

// check compares the checksum of a page with the one in its header.
func (h *pageHeader) check(crc uint32) error {
	if h.CRC.Valid && int32(crc) != h.CRC.V {
		return fmt.Errorf("%w: a page is not what its checksum says", formats.ErrDamaged)
	}
	return nil
}

// cutLevels separates the levels of a page of version 2, repetitions first, from its values.
func (h *pageHeader) cutLevels(stored []byte) (repetitions, definitions, values []byte, err error) {
	first, last := int64(h.DataV2.V.RepetitionBytes), int64(h.DataV2.V.DefinitionBytes)
	if first+last > int64(min(len(stored), int(h.Uncompressed))) {
		return nil, nil, nil, fmt.Errorf("%w: levels are longer than their page", formats.ErrDamaged)
	}
	return stored[:first], stored[first : first+last], stored[first+last:], nil
}
