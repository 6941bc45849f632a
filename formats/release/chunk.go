package release

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// chunk reads the pages of one flat column chunk.
type chunk struct {
	column *schema.Column
	form   form
	rows   int64
	pages  file.PageReader

	entries []string // of the dictionary page; nil before it
	page
	levels []uint32 // scratch
}

// page is one data page, read. It is overwritten by the next.
type page struct {
	entries []string // the dictionary that indexes point into; nil for a page of values
	defined []bool   // one a row
	indexes []uint32 // one a defined row, when there are entries
	values  []string // one a defined row, when there are none
	spare   int      // bytes after the last value
	stats   metadata.EncodedStatistics
}

// pageVisitor is told of the data pages of a chunk, in order.
type pageVisitor interface{ page(p *page) }

// dictionaryVisitor is a pageVisitor that wants to know the dictionary page too.
type dictionaryVisitor interface {
	dictionary(entries []string, spare int)
}

// chunk opens a chunk of a flat column.
func (r *File) chunk(rowGroup, leaf int) (c *chunk, err error) {
	defer fence.Catch(&err)
	column := r.footer.Schema.Column(leaf)
	form, err := formOf(column)
	if err != nil {
		return nil, err
	}
	section, err := r.section(rowGroup, leaf)
	if err != nil {
		return nil, err
	}
	c = &chunk{column: column, form: form, rows: r.RowGroupRows(rowGroup)}
	c.pages, err = r.pages(rowGroup, leaf, bufio.NewReaderSize(section, bufferSize))
	return c, err
}

// bufferSize is how much of a chunk is read at a time, in bytes.
const bufferSize = 1 << 16

// pages returns a reader of the pages of a chunk, given its bytes.
func (r *File) pages(rowGroup, leaf int, bytes *bufio.Reader) (file.PageReader, error) {
	meta, err := r.reader.RowGroup(rowGroup).MetaData().ColumnChunk(leaf)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	pages, err := file.NewPageReader(bytes, meta.NumValues(), meta.Compression(), newPageMemory(meta.TotalUncompressedSize()), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", formats.ErrUnsupported, err)
	}
	return pages, nil
}

// pageMemory refuses, by a panic that the fence catches, a page that says it is larger than
// its whole chunk: a damaged header must not cost gigabytes.
type pageMemory struct {
	memory.Allocator
	limit int64
}

func newPageMemory(chunk int64) pageMemory {
	const slack = 1 << 12 // buffers are rounded up
	return pageMemory{memory.NewGoAllocator(), chunk + slack}
}

func (m pageMemory) Allocate(size int) []byte {
	if int64(size) > m.limit {
		panic("page larger than its chunk")
	}
	return m.Allocator.Allocate(size)
}

func (m pageMemory) Reallocate(size int, b []byte) []byte {
	if int64(size) > m.limit {
		panic("page larger than its chunk")
	}
	return m.Allocator.Reallocate(size, b)
}

// extent returns where a chunk begins and how long it is.
func (r *File) extent(rowGroup, leaf int) (from, size int64) {
	m := r.footer.RowGroups[rowGroup].Columns[leaf].MetaData
	from = m.DataPageOffset
	if m.IsSetDictionaryPageOffset() && m.GetDictionaryPageOffset() > 0 {
		from = min(from, m.GetDictionaryPageOffset())
	}
	return from, m.TotalCompressedSize
}

// section returns the bytes of a chunk.
func (r *File) section(rowGroup, leaf int) (*io.SectionReader, error) {
	from, size := r.extent(rowGroup, leaf)
	if from < 0 || size < 0 || from > r.size-size {
		return nil, fmt.Errorf("%w: column chunk lies outside the file", formats.ErrDamaged)
	}
	return io.NewSectionReader(r.file, from, size), nil
}

// scan shows every page to v.
func (c *chunk) scan(v pageVisitor) (err error) {
	defer fence.Catch(&err)
	for rows := int64(0); ; {
		if !c.pages.Next() {
			return c.finish(rows)
		}
		switch p := c.pages.Page().(type) {
		case *file.DictionaryPage:
			err = c.readDictionary(p, v)
		case file.DataPage:
			rows += int64(p.NumValues())
			if rows > c.rows {
				return errRows
			}
			if err = c.readPage(p); err == nil {
				v.page(&c.page)
			}
		}
		if err != nil {
			return err
		}
	}
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

// finish checks that all rows were met.
func (c *chunk) finish(rows int64) error {
	if err := c.pages.Err(); err != nil {
		return fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	if rows != c.rows {
		return errRows
	}
	return nil
}

func (c *chunk) readDictionary(p *file.DictionaryPage, v pageVisitor) error {
	if c.entries != nil {
		return fmt.Errorf("%w: two dictionary pages", formats.ErrDamaged)
	}
	entries, rest, err := c.form.labels(p.Data(), int(p.NumValues()))
	if err != nil {
		return err
	}
	c.entries = entries
	if d, ok := v.(dictionaryVisitor); ok {
		d.dictionary(entries, len(rest))
	}
	return nil
}

// readPage reads levels and values of a data page.
func (c *chunk) readPage(p file.DataPage) error {
	body, defined, err := c.readLevels(p)
	if err != nil {
		return err
	}
	c.page = page{defined: c.defined, indexes: c.indexes[:0], stats: p.Statistics()}
	switch parquet.Encoding(p.Encoding()) {
	case parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		return c.readIndexes(body, defined)
	case parquet.Encodings.Plain:
		var rest []byte
		c.values, rest, err = c.form.labels(body, defined)
		c.spare = len(rest)
		return err
	}
	return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, p.Encoding())
}

// readLevels fills defined, and returns the rest of the page and the number of rows that
// are not null.
func (c *chunk) readLevels(p file.DataPage) (body []byte, defined int, err error) {
	n := int(p.NumValues())
	c.defined = c.defined[:0]
	levels, body, err := c.cutLevels(p)
	if err != nil {
		return nil, 0, err
	}
	if c.column.MaxDefinitionLevel() == 0 {
		for range n {
			c.defined = append(c.defined, true)
		}
		return body, n, nil
	}
	r := runs{bytes: levels, width: 1}
	if c.levels, err = r.read(c.levels[:0], n); err != nil {
		return nil, 0, err
	}
	for _, level := range c.levels {
		c.defined = append(c.defined, level == 1)
		defined += int(level)
	}
	return body, defined, nil
}

// cutLevels separates a page's definition levels from its values.
func (c *chunk) cutLevels(p file.DataPage) (levels, body []byte, err error) {
	body = p.Data()
	size := 0
	switch p := p.(type) {
	case *file.DataPageV2:
		body = body[min(len(body), int(p.RepetitionLevelByteLen())):]
		size = int(p.DefinitionLevelByteLen())
	case *file.DataPageV1:
		if c.column.MaxDefinitionLevel() == 0 {
			return nil, body, nil
		}
		if p.DefinitionLevelEncoding() != parquet.Encodings.RLE {
			return nil, nil, fmt.Errorf("%w: level encoding %v", formats.ErrUnsupported, p.DefinitionLevelEncoding())
		}
		if len(body) < 4 {
			return nil, nil, errValues
		}
		size, body = int(binary.LittleEndian.Uint32(body)), body[4:]
	}
	if size > len(body) {
		return nil, nil, errValues
	}
	return body[:size], body[size:], nil
}

// readIndexes reads the dictionary indexes of a page.
func (c *chunk) readIndexes(body []byte, n int) error {
	if c.entries == nil {
		return fmt.Errorf("%w: indexes without a dictionary", formats.ErrDamaged)
	}
	c.page.entries = c.entries
	if n == 0 && len(body) <= 1 {
		return nil
	}
	if len(body) == 0 || body[0] > 32 {
		return errRuns
	}
	r := runs{bytes: body[1:], width: int(body[0])}
	var err error
	if c.indexes, err = r.read(c.indexes, n); err != nil {
		return err
	}
	c.spare = len(r.bytes)
	for _, index := range c.indexes {
		if int(index) >= len(c.entries) {
			return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(c.entries))
		}
	}
	return nil
}
