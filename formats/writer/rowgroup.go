package writer

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Column is one column of a release.
type Column struct {
	Field  formats.Field // name, type, nullable
	Masked bool          // rebuilt from labels: nothing of the source's declaration is used, and the column is always dictionary encoded
}

// elements returns the column's subtree of the release's schema.
func (c Column) elements() schema.Elements {
	f := c.Field
	if c.Masked {
		f.Declared = nil
	}
	return schema.Of(f)
}

// Options say how pages are compressed.
type Options struct {
	Compression string // zstd (when empty), snappy, gzip or none
	Level       int    // of zstd (1 to 22) and gzip (1 to 9); 0: the codec's usual one
}

// RowGroup collects the rows of one row group of a release and encodes them. Several may be
// filled and encoded at a time, and columns of one filled, each by one goroutine. The encoded
// bytes are a function of the rows' values alone: not of how batches were cut, of the source's
// encodings, or of Values entries that no row uses. Columns that are copied are one of their
// pages, too.
type RowGroup struct {
	columns  []Column
	own      []columnChunk // that encode
	chunks   []columnChunk // of the row group being filled: own, or copied
	encoders *PageEncoders
}

// columnChunk collects one column of a row group.
type columnChunk interface {
	append(c *formats.Column, from, to int) error
	rows() int
	encode(p *pageWriter) error
	held() int
	reset()
}

// NewRowGroup returns an empty row group with encoders of its own: see PageEncoders.
func NewRowGroup(columns []Column, opt Options) (*RowGroup, error) {
	encoders, err := NewPageEncoders(opt)
	if err != nil {
		return nil, err
	}
	return encoders.NewRowGroup(columns)
}

// NewRowGroup returns an empty row group. It returns formats.ErrUnsupported for a column whose
// type its schema element cannot hold.
func (p *PageEncoders) NewRowGroup(columns []Column) (*RowGroup, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("write row group: %w: no columns", formats.ErrSchema)
	}
	g := &RowGroup{columns: columns, encoders: p}
	for i, column := range columns {
		chunk, err := g.newChunk(column)
		if err != nil {
			return nil, g.wrap(i, err)
		}
		g.own = append(g.own, chunk)
	}
	g.chunks = slices.Clone(g.own)
	return g, nil
}

func (g *RowGroup) newChunk(c Column) (columnChunk, error) {
	leaves, err := c.elements().Leaves()
	switch {
	case err != nil:
		return nil, err
	case c.Field.Type.Kind == formats.Nested:
		nested := nestedChunk{}
		for _, l := range leaves {
			nested = append(nested, newPlainChunk(l, g.encoders))
		}
		return nested, nil
	case c.Masked && leaves[0].Type.V != format.Boolean: // a dictionary of booleans is not allowed
		return newLabelChunk(c, leaves[0], g.encoders)
	}
	return newFlatChunk(c, leaves[0], g.encoders)
}

// Append adds rows from to to−1 of a batch's column to a column of the row group. All
// columns must have got the same rows when Encode is called.
func (g *RowGroup) Append(column int, c *formats.Column, from, to int) error {
	return g.wrap(column, g.chunks[column].append(c, from, to))
}

// AppendLabels adds a row for each code to a masked column: its label is 1 + the position
// through[code] in labels, 0 for null. It is Append for codes that many rows share.
func (g *RowGroup) AppendLabels(column int, labels *formats.Values, through, codes []uint32) error {
	chunk, ok := g.chunks[column].(*labelChunk)
	if !ok {
		return g.wrap(column, fmt.Errorf("%w: not a column of labels", formats.ErrSchema))
	}
	chunk.dict.follow(labels)
	return g.wrap(column, chunk.appendCodes(through, codes))
}

// Copy makes a column of the row group a copy of chunks of so many rows, one a leaf. Bytes
// are read when the row group is written.
func (g *RowGroup) Copy(column int, rows int64, chunks []formats.RawChunk) error {
	c := g.columns[column]
	if c.Masked {
		return g.wrap(column, fmt.Errorf("%w: pages of a source for a masked column", formats.ErrSchema))
	}
	copied, err := newCopiedChunk(c, int(rows), chunks)
	if err != nil {
		return g.wrap(column, err)
	}
	g.chunks[column] = copied
	return nil
}

func (g *RowGroup) wrap(column int, err error) error {
	if err != nil {
		return fmt.Errorf("write column %s: %w", g.columns[column].Field.Name, err)
	}
	return nil
}

// Encode returns the rows collected so far, and empties g for the next ones.
func (g *RowGroup) Encode() (*EncodedRowGroup, error) {
	defer g.Reset()
	encoder, err := g.encoders.acquire()
	if err != nil {
		return nil, err
	}
	defer g.encoders.release(encoder)
	pages := pageWriter{pageEncoder: encoder}
	e := &EncodedRowGroup{Rows: int64(g.chunks[0].rows())}
	for i, chunk := range g.chunks {
		if rows := int64(chunk.rows()); rows != e.Rows {
			return nil, g.wrap(i, fmt.Errorf("%w: %d rows, column %s has %d", formats.ErrSchema, rows, g.columns[0].Field.Name, e.Rows))
		}
		if err := chunk.encode(&pages); err != nil {
			return nil, g.wrap(i, err)
		}
	}
	unpacked, packed := int64(0), int64(0)
	for _, c := range pages.chunks {
		unpacked += c.MetaData.V.TotalUncompressedSize
		packed += c.MetaData.V.TotalCompressedSize
	}
	e.out, e.size = pages.out, pages.size
	e.entry = meta.RowGroup{
		Columns: pages.chunks, NumRows: e.Rows, TotalByteSize: unpacked,
		TotalCompressedSize: thrift.New(packed), FileOffset: thrift.New(firstOffset),
	}
	return e, nil
}

// Held returns about how many bytes the rows collected so far take.
func (g *RowGroup) Held() int64 {
	n := 0
	for _, chunk := range g.chunks {
		n += chunk.held()
	}
	return int64(n)
}

// Reset empties g.
func (g *RowGroup) Reset() {
	for i, chunk := range g.own {
		chunk.reset()
		g.chunks[i] = chunk
	}
}

// nestedChunk collects the leaves of a nested column, copied as they are.
type nestedChunk []*plainChunk

func (n nestedChunk) append(c *formats.Column, from, to int) error {
	if len(c.Leaves) != len(n) {
		return fmt.Errorf("%w: %d leaves, %d declared", formats.ErrSchema, len(c.Leaves), len(n))
	}
	for i, leaf := range n {
		if err := leaf.appendLeaf(&c.Leaves[i], from, to); err != nil {
			return err
		}
	}
	return nil
}

func (n nestedChunk) rows() int { return n[0].rows() }

func (n nestedChunk) encode(p *pageWriter) error {
	for _, leaf := range n {
		p.begin(leaf.leaf)
		if err := leaf.encodePages(p); err != nil {
			return err
		}
		p.end(nil, nil)
	}
	return nil
}

func (n nestedChunk) held() (bytes int) {
	for _, leaf := range n {
		bytes += leaf.held()
	}
	return bytes
}

func (n nestedChunk) reset() {
	for _, leaf := range n {
		leaf.reset()
	}
}
