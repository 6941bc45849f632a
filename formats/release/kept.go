package release

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
)

// kept walks the pages of a kept column's chunk, whatever their codec and encoding are, and
// returns what is wrong with them in words. Values are its reader's business and are not
// unpacked; what a checksum does not cover is held against the page: the number of values
// of a dictionary, and the lengths of levels that are not compressed.
func (p *pages) kept() (report []string, err error) {
	unpacks := codec.Known(p.chunk.Codec)
	spare := 0
	for {
		h, err := p.next()
		if err != nil {
			return nil, err
		}
		if h == nil {
			return p.report(counted{spare, "bytes after the values of a page"}), nil
		}
		switch {
		case h.Type == format.DictionaryPage && unpacks:
			spare, err = p.keepDictionary(h)
		case h.Type == format.DataPageV2:
			err = p.keepV2(h, unpacks)
		default:
			err = p.pass(h)
		}
		if err != nil {
			return nil, err
		}
	}
}

// keepDictionary returns the number of bytes after the values of a dictionary.
func (p *pages) keepDictionary(h *pageHeader) (spare int, err error) {
	values, err := p.dictionaryValues(h)
	if err != nil {
		return 0, err
	}
	rest, err := plain.Skip(values, plain.SizeOf(p.leaf.SchemaElement), h.entries)
	return len(rest), err
}

// dictionaryValues returns the PLAIN values of a dictionary page.
func (p *pages) dictionaryValues(h *pageHeader) ([]byte, error) {
	stored, err := p.load(h)
	if err != nil {
		return nil, err
	}
	return p.unpack(stored, int64(h.Uncompressed))
}

// keepV2 checks the levels of a page, and the values only when nothing else tells whether
// they are compressed.
func (p *pages) keepV2(h *pageHeader, unpacks bool) error {
	stored, err := p.load(h)
	if err != nil {
		return err
	}
	repetitions, definitions, values, err := h.cutLevels(stored)
	if err != nil {
		return err
	}
	if err := checkLevels(repetitions, p.leaf.Repetition, h.entries); err != nil {
		return err
	}
	if err := checkLevels(definitions, p.leaf.Definition, h.entries); err != nil {
		return err
	}
	if h.isPlain() && h.Compressed != h.Uncompressed {
		return errSize
	}
	if !h.isPlain() && h.Compressed == h.Uncompressed && len(values) > 0 && unpacks {
		_, err = p.unpack(values, int64(len(values)))
	}
	return err
}

// checkLevels reports an error unless the bytes are n levels of at most the highest.
func checkLevels(levels []byte, highest, n int) error {
	if highest == 0 {
		n = 0
	}
	used, err := rle.Length(levels, rle.Width(highest), n)
	if err == nil && used < len(levels) {
		err = fmt.Errorf("%w: bytes after the levels of a page", formats.ErrDamaged)
	}
	return err
}
