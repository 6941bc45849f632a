package release

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

func (c *maskedChunk) dictionary(h *pageHeader) error {
	values, err := c.dictionaryValues(h)
	if err != nil {
		return err
	}
	rest, err := eachPlain(values, c.labels.width, h.entries, func(value []byte) {
		c.entry, c.used = append(c.entry, c.numberOf(value, &c.wrong.foreign)), append(c.used, false)
	})
	c.wrong.unused = len(c.used)
	c.wrong.spare += len(rest)
	return err
}

// data begins to read a data page.
func (c *maskedChunk) data(h *pageHeader) error {
	stored, err := c.load(h)
	if err != nil {
		return err
	}
	levels, values, err := c.cut(h, stored)
	if err != nil {
		return err
	}
	c.left = h.entries
	c.levels = runs{left: c.left, value: 1}
	defined := c.left
	if c.leaf.definition > 0 {
		c.levels = newRuns(levels, 1, c.left)
		if defined, levels, err = c.levels.ones(); err != nil {
			return err
		}
	}
	c.wrong.spare += len(levels)
	switch h.encoding {
	case format.Plain:
		return c.readPlain(values, defined)
	case format.RLEDictionary, format.PlainDictionary:
		return c.readIndexes(values, defined)
	}
	return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, h.encoding)
}

// cut separates a page's definition levels from its values, which it unpacks.
func (c *maskedChunk) cut(h *pageHeader, stored []byte) (levels, values []byte, err error) {
	if h.Type == format.DataPageV2 {
		var repetitions []byte // of a flat column there are none
		repetitions, levels, values, err = h.cutLevels(stored)
		c.wrong.spare += len(repetitions)
		if err == nil && !h.isPlain() {
			values, err = c.unpack(values, int64(h.Uncompressed)-int64(len(stored)-len(values)))
		}
		return levels, values, err
	}
	if values, err = c.unpack(stored, int64(h.Uncompressed)); err != nil || c.leaf.definition == 0 {
		return nil, values, err
	}
	if h.Data.V.Definitions != format.RLE {
		return nil, nil, fmt.Errorf("%w: level encoding %v", formats.ErrUnsupported, h.Data.V.Definitions)
	}
	if len(values) < 4 {
		return nil, nil, errValues
	}
	size := int64(binary.LittleEndian.Uint32(values))
	if values = values[4:]; size > int64(len(values)) {
		return nil, nil, errValues
	}
	return values[:size], values[size:], nil
}

func (c *maskedChunk) readPlain(values []byte, defined int) error {
	c.isPlain, c.plain = true, c.plain[:0]
	rest, err := eachPlain(values, c.labels.width, defined, func(value []byte) {
		c.plain = append(c.plain, c.numberOf(value, &c.wrong.values))
	})
	c.wrong.spare += len(rest)
	return err
}

func (c *maskedChunk) readIndexes(values []byte, defined int) error {
	c.isPlain, c.indexes = false, runs{}
	if c.dictionaries == 0 {
		return fmt.Errorf("%w: indexes without a dictionary", formats.ErrDamaged)
	}
	if len(values) == 0 && defined == 0 {
		return nil
	}
	if len(values) == 0 || values[0] > 32 {
		return errRuns
	}
	c.indexes = newRuns(values[1:], int(values[0]), defined)
	rest, err := c.indexes.end()
	c.wrong.spare += len(rest)
	return err
}
