package release

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
)

// kept walks the pages of a kept column's chunk, whatever their codec and encoding are, and
// returns what is wrong with them in words. Values are its reader's business and are not
// unpacked; what a checksum does not cover is held against the page: the number of values
// of a dictionary, and the lengths of levels that are not compressed.
func (p *pages) kept() (report []string, err error) {
	unpacks := true
	if p.codec, err = p.group.codecOf(p.leaf, p.out); errors.Is(err, formats.ErrUnsupported) {
		unpacks = false
	}
	spare := 0
	for {
		h, err := p.next()
		if err != nil {
			return nil, err
		}
		if h == nil {
			return append(p.report(), counted{{spare, "bytes after the values of a page"}}.words()...), nil
		}
		n, err := p.keep(h, unpacks)
		if err != nil {
			return nil, err
		}
		spare += n
	}
}

// keep checks one page, and returns the number of bytes after its values as far as that is
// looked at.
func (p *pages) keep(h *pageHeader, unpacks bool) (spare int, err error) {
	switch {
	case h.kind == dictionaryPage && unpacks:
		if p.entries > 0 {
			return 0, fmt.Errorf("%w: the dictionary page is not the first", formats.ErrDamaged)
		}
		return p.keepDictionary(h)
	case h.kind == dataPageV2:
		return 0, p.keepV2(h, unpacks)
	}
	return 0, p.pass(h)
}

func (p *pages) keepDictionary(h *pageHeader) (spare int, err error) {
	stored, err := p.load(h)
	if err != nil {
		return 0, err
	}
	values, err := p.unpack(stored, h.uncompressed)
	if err != nil {
		return 0, err
	}
	rest, err := form{size: sizeOf(p.group.column(p.leaf))}.each(values, int(h.entries), func([]byte) {})
	return len(rest), err
}

// keepV2 checks the levels of a page, and the values only when nothing else tells whether
// they are compressed.
func (p *pages) keepV2(h *pageHeader, unpacks bool) error {
	stored, err := p.load(h)
	if err != nil {
		return err
	}
	column, n := p.group.column(p.leaf), int(h.entries)
	levels, values, err := h.cutLevels(stored)
	if err != nil {
		return err
	}
	repetitions, definitions := levels[:h.repetitionBytes], levels[h.repetitionBytes:]
	if err := fills(repetitions, column.MaxRepetitionLevel(), n); err != nil {
		return err
	}
	if err := fills(definitions, column.MaxDefinitionLevel(), n); err != nil {
		return err
	}
	if h.plain && h.compressed != h.uncompressed {
		return errSize
	}
	if !h.plain && h.compressed == h.uncompressed && len(values) > 0 && unpacks {
		_, err = p.unpack(values, int64(len(values)))
	}
	return err
}

// fills reports an error unless levels are n levels of at most the highest.
func fills(levels []byte, highest int16, n int) error {
	if highest == 0 {
		n = 0
	}
	r := newRuns(levels, bits.Len16(uint16(highest)), n)
	for r.n > 0 {
		if err := r.advance(); err != nil {
			return err
		}
	}
	if len(r.bytes) > 0 {
		return fmt.Errorf("%w: bytes after the levels of a page", formats.ErrDamaged)
	}
	return nil
}

// cutLevels separates the levels of a dataPageV2, repetitions first, from its values.
func (h *pageHeader) cutLevels(stored []byte) (levels, values []byte, err error) {
	size := h.repetitionBytes + h.definitionBytes
	if size > min(int64(len(stored)), h.uncompressed) {
		return nil, nil, errValues
	}
	return stored[:size], stored[size:], nil
}

// sizeOf returns the number of bytes of a PLAIN value; 0: a length of 4 bytes comes first.
func sizeOf(c *schema.Column) int {
	switch c.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return c.TypeLength()
	}
	return 0
}
