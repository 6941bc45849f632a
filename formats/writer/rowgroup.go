package writer

import (
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Column is one column of a release.
type Column struct {
	Field formats.Field // name, type, nullable
	// rebuilt from labels: the source's declaration is not used, and the column always has a
	// dictionary
	Masked bool
	// for a masked column of structs: its fields in order; the type in Field is then Nested
	Parts []Part
}

// Part is a field of the structs that represent labels. It may be null in a struct that is not
// null.
type Part struct {
	Name   string
	Values *formats.Values
	Codes  []uint32 // by position of a label: 1 + the position of its value, 0 for null
}

// elements returns the column's subtree of the release's schema.
func (c Column) elements() schema.Elements {
	f := c.Field
	if c.Masked {
		f.Declared = nil
	}
	if c.Parts == nil {
		return schema.Of(f)
	}
	var fields []schema.Elements
	for _, part := range c.Parts {
		fields = append(fields, schema.Of(formats.Field{
			Name:     part.Name,
			Type:     part.Values.Type,
			Nullable: true,
		}))
	}
	return schema.Group(format.SchemaElement{
		Name:           f.Name,
		RepetitionType: thrift.New(schema.Repetition(f.Nullable)),
	}, fields...)
}

// part returns the part of a leaf of the column, or nil.
func (c Column) part(leaf int) *Part {
	if c.Parts == nil {
		return nil
	}
	return &c.Parts[leaf]
}

// Levels are the highest levels of a leaf.
type Levels struct{ Repetition, Definition int }

// Levels returns the levels of the column's leaves.
func (c Column) Levels() ([]Levels, error) {
	leaves, err := c.elements().Leaves()
	levels := make([]Levels, len(leaves))
	for i, leaf := range leaves {
		levels[i] = Levels{leaf.Repetition, leaf.Definition}
	}
	return levels, err
}

// Options are the options of compression.
type Options struct {
	Compression string // zstd (also when empty), snappy, gzip or none
	Level       int    // of zstd (1 to 22) and gzip (1 to 9); 0: the codec's default
}

// RowGroup collects the rows of one row group of a release and encodes them. Several may be filled
// and encoded at a time, and several columns of one, each by one goroutine. The encoded bytes
// depend only on the rows' values: not on the division into batches, on the source's encodings, or
// on Values entries that no row uses.
type RowGroup struct {
	columns  []Column
	chunks   [][]*chunk // by column: one for each leaf
	encoders *PageEncoders
	// memory of indexes, which a complete column passes on to the next one, in the next row group,
	// too
	room []uint32
}

// NewRowGroup returns an empty row group with its own encoders: see PageEncoders.
func NewRowGroup(columns []Column, opt Options) (*RowGroup, error) {
	encoders, err := NewPageEncoders(opt)
	if err != nil {
		return nil, err
	}
	return encoders.NewRowGroup(columns)
}

// NewRowGroup returns an empty row group. It returns formats.ErrUnsupported for a column whose type
// its schema element cannot hold.
func (p *PageEncoders) NewRowGroup(columns []Column) (*RowGroup, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("write row group: %w: no columns", formats.ErrSchema)
	}
	g := &RowGroup{columns: columns, encoders: p}
	for i, column := range columns {
		leaves, err := column.elements().Leaves()
		if err != nil {
			return nil, g.wrap(i, err)
		}
		chunks := make([]*chunk, len(leaves))
		for j, leaf := range leaves {
			if chunks[j], err = newChunk(column, column.part(j), leaf, p); err != nil {
				return nil, g.wrap(i, err)
			}
		}
		g.chunks = append(g.chunks, chunks)
	}
	return g, nil
}

// Append adds rows from to to−1 of a batch's column to a column of the row group. All columns must
// have got the same rows when Encode is called.
func (g *RowGroup) Append(column int, c *formats.Column, from, to int) error {
	chunks := g.chunks[column]
	if g.columns[column].Field.Type.Kind != formats.Nested {
		g.begin(chunks[0])
		return g.wrap(column, chunks[0].append(c, from, to))
	}
	if len(c.Leaves) != len(chunks) {
		return g.wrap(column, fmt.Errorf("%w: %d leaves, %d declared", formats.ErrSchema,
			len(c.Leaves), len(chunks)))
	}
	for i, leaf := range chunks {
		if err := leaf.appendLeaf(&c.Leaves[i], from, to); err != nil {
			return g.wrap(column, err)
		}
	}
	return nil
}

// AppendLabels adds a row for each code to a masked column: its label is 1 + a position in labels,
// 0 for null. In a column of structs the parts have the values of a label, and only the number of
// labels matters.
func (g *RowGroup) AppendLabels(column int, labels *formats.Values, codes []uint32) error {
	for _, chunk := range g.chunks[column] {
		if !chunk.dict.forced {
			return g.wrap(column, fmt.Errorf("%w: not a column of labels", formats.ErrSchema))
		}
		g.begin(chunk)
		if err := chunk.appendCodes(labels, codes); err != nil {
			return g.wrap(column, err)
		}
	}
	return nil
}

// EnterLabels adds labels, each 1 + a position in labels, as the next entries of a masked column's
// dictionary, in this order. Every one must get a row.
func (g *RowGroup) EnterLabels(column int, labels *formats.Values, codes []uint32) error {
	for _, chunk := range g.chunks[column] {
		chunk.dict.follow(labels)
		if _, err := chunk.dict.lookUp(make([]uint32, len(codes)), codes); err != nil {
			return g.wrap(column, err)
		}
	}
	return nil
}

// begin gives a chunk without memory for indexes the memory that another one has left.
func (g *RowGroup) begin(c *chunk) {
	if c.indexes == nil && g.room != nil {
		c.indexes, g.room = g.room, nil
	}
}

// Complete makes pages of all rows of a column, which takes less memory. Nothing may be appended to
// it afterwards. Later columns must not be filled at the same time.
func (g *RowGroup) Complete(column int) error {
	for _, leaf := range g.chunks[column] {
		if err := leaf.complete(); err != nil {
			return g.wrap(column, err)
		}
		if room := leaf.forget(); cap(room) > cap(g.room) {
			g.room = room
		}
	}
	return nil
}

func (g *RowGroup) wrap(column int, err error) error {
	if err != nil {
		return fmt.Errorf("write column %s: %w", g.columns[column].Field.Name, err)
	}
	return nil
}

// Encode returns the rows collected so far, and empties g.
func (g *RowGroup) Encode() (*EncodedRowGroup, error) {
	defer g.Reset()
	encoder, err := g.encoders.acquire()
	if err != nil {
		return nil, err
	}
	pages := pageWriter{codec: encoder.Codec}
	g.encoders.release(encoder)
	e := &EncodedRowGroup{Rows: int64(g.chunks[0][0].rows())}
	for i, leaves := range g.chunks {
		for _, leaf := range leaves {
			if rows := int64(leaf.rows()); rows != e.Rows {
				return nil, g.wrap(i, fmt.Errorf("%w: %d rows, column %s has %d", formats.ErrSchema,
					rows, g.columns[0].Field.Name, e.Rows))
			}
			if err := leaf.encode(&pages); err != nil {
				return nil, g.wrap(i, err)
			}
			leaf.forget()
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

// HeldBy returns the approximate number of bytes of a column.
func (g *RowGroup) HeldBy(column int) (bytes int64) {
	for _, leaf := range g.chunks[column] {
		bytes += int64(leaf.held())
	}
	return bytes
}

// usualRoom is how many indexes there is room for in a row group without rows, at most.
const usualRoom = 1 << 19

// Reset empties g.
func (g *RowGroup) Reset() {
	if cap(g.room) > usualRoom {
		g.room = nil
	}
	for _, leaves := range g.chunks {
		for _, leaf := range leaves {
			leaf.reset()
		}
	}
}

// EncodedRowGroup is a row group ready to be written.
type EncodedRowGroup struct {
	Rows  int64
	out   [][]byte // pages
	size  int64
	entry meta.RowGroup // with the offsets of the first row group of a file
}

// Size returns the number of bytes that the row group adds to a file, without its footer entry.
func (g *EncodedRowGroup) Size() int64 { return g.size }
