package release

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"

	"github.com/kcut/kcut/formats"
)

// turn goes to the next data page that has rows.
func (c *maskedChunk) turn() error {
	for c.left == 0 {
		h, err := c.next()
		if err != nil {
			return err
		}
		if h == nil {
			return errRows
		}
		if err := c.page(h); err != nil {
			return err
		}
	}
	return nil
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

func (c *maskedChunk) page(h *pageHeader) error {
	switch h.kind {
	case dictionaryPage:
		return c.dictionary(h)
	case dataPage, dataPageV2:
		return c.data(h)
	}
	return c.pass(h)
}

func (c *maskedChunk) dictionary(h *pageHeader) error {
	if c.dictionaries > 1 || c.entries > 0 {
		return fmt.Errorf("%w: the dictionary page is not the first", formats.ErrDamaged)
	}
	stored, err := c.load(h)
	if err != nil {
		return err
	}
	values, err := c.unpack(stored, h.uncompressed)
	if err != nil {
		return err
	}
	rest, err := c.form.each(values, int(h.entries), func(value []byte) {
		number, ok := c.masked.Number(c.form.text(value), false)
		if !ok {
			c.wrong.foreign++
		}
		c.labels, c.used = append(c.labels, number), append(c.used, false)
	})
	c.unused = len(c.used)
	c.wrong.spare += len(rest)
	return err
}

// data begins to read a data page.
func (c *maskedChunk) data(h *pageHeader) error {
	stored, err := c.load(h)
	if err != nil {
		return err
	}
	levels, body, err := c.cut(h, stored)
	if err != nil {
		return err
	}
	c.left = int(h.entries)
	defined := c.left
	if c.group.column(c.leaf).MaxDefinitionLevel() > 0 {
		c.levels = newRuns(levels, 1, c.left)
		if defined, levels, err = c.levels.ones(); err != nil {
			return err
		}
		c.wrong.spare += len(levels)
	} else {
		c.levels = runs{left: c.left, value: 1}
	}
	return c.body(h, body, defined)
}

// cut separates a page's definition levels from its values, which it unpacks.
func (c *maskedChunk) cut(h *pageHeader, stored []byte) (levels, body []byte, err error) {
	if h.kind == dataPageV2 {
		levels, body, err = h.cutLevels(stored)
		if err == nil && !h.plain {
			body, err = c.unpack(body, h.uncompressed-int64(len(levels)))
		}
		return levels, body, err
	}
	if body, err = c.unpack(stored, h.uncompressed); err != nil || c.group.column(c.leaf).MaxDefinitionLevel() == 0 {
		return nil, body, err
	}
	if h.definitions != runLengths {
		return nil, nil, fmt.Errorf("%w: level encoding %d", formats.ErrUnsupported, h.definitions)
	}
	if len(body) < 4 {
		return nil, nil, errValues
	}
	size := int64(binary.LittleEndian.Uint32(body))
	if body = body[4:]; size > int64(len(body)) {
		return nil, nil, errValues
	}
	return body[:size], body[size:], nil
}

// body begins to read the values of a page.
func (c *maskedChunk) body(h *pageHeader, body []byte, defined int) error {
	encoding := parquet.Encoding(h.encoding)
	c.isPlain = encoding == parquet.Encodings.Plain
	switch encoding {
	case parquet.Encodings.Plain:
		return c.readPlain(body, defined)
	case parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		return c.readIndexes(body, defined)
	}
	return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, encoding)
}

func (c *maskedChunk) readPlain(body []byte, defined int) error {
	c.plain = c.plain[:0]
	rest, err := c.form.each(body, defined, func(value []byte) {
		number, ok := c.masked.Number(c.form.text(value), false)
		if !ok {
			c.wrong.values++
		}
		c.plain = append(c.plain, number)
	})
	c.wrong.spare += len(rest)
	return err
}

func (c *maskedChunk) readIndexes(body []byte, defined int) error {
	if c.dictionaries == 0 {
		return fmt.Errorf("%w: indexes without a dictionary", formats.ErrDamaged)
	}
	if len(body) == 0 && defined == 0 {
		c.indexes = runs{}
		return nil
	}
	if len(body) == 0 || body[0] > 32 {
		return errRuns
	}
	c.indexes = newRuns(body[1:], int(body[0]), defined)
	rest := c.indexes
	for rest.n > 0 {
		if err := rest.advance(); err != nil {
			return err
		}
	}
	c.wrong.spare += len(rest.bytes)
	return nil
}
