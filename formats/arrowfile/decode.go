package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/storage"
)

// column is a column of a record batch, or of a dictionary. It has no rows before it is loaded. Its
// offsets and views may still point outside of it: its array panics then.
type column struct {
	field   *field
	rows    arrow.Array
	data    *array.Data
	buffers []buffer
}

// buffer is a buffer of a column, with its place in the file.
type buffer struct {
	place storage.Range
	into  *memory.Buffer
	least int // number of bytes that its rows need
	field *field
	spec  arrow.BufferSpec
}

// column takes the first column, with all columns below it, off a record batch. It panics when the
// batch has too few nodes or buffers.
func (b *recordBatch) column(f *field) *column {
	c := &column{field: f}
	c.data = b.array(f, c)
	return c
}

// array takes the array of a field off a record batch. Its buffers become those of a column.
func (b *recordBatch) array(f *field, c *column) *array.Data {
	layout := f.storage.Layout()
	specs := layout.Buffers
	_, union := f.storage.(arrow.UnionType)
	if specs[0].Kind == arrow.KindAlwaysNull && (!union || b.version >= version5) {
		specs = specs[1:]
	}
	if layout.VariadicSpec != nil {
		views := slices.Repeat([]arrow.BufferSpec{*layout.VariadicSpec}, int(b.variadic[0]))
		specs = append(specs, views...)
		b.variadic = b.variadic[1:]
	}
	rows, nulls := int(b.nodes[0]), int(b.nodes[1])
	places := b.buffers[:len(specs)]
	b.nodes, b.buffers = b.nodes[2:], b.buffers[len(specs):]
	buffers := make([]*memory.Buffer, len(specs))
	for i, spec := range specs {
		if rows > 0 && (i > 0 || nulls > 0) { // nobody reads a validity bitmap without nulls
			buffers[i] = memory.NewBufferBytes(nil)
			c.buffers = append(c.buffers, buffer{places[i], buffers[i], least(spec, rows), f, spec})
		}
	}
	children := make([]arrow.ArrayData, len(f.children))
	for i, child := range f.children {
		children[i] = b.array(child, c)
	}
	return array.NewData(f.storage, rows, buffers, children, nulls, 0)
}

// least returns the number of bytes of a buffer that some rows need; a buffer of offsets needs one
// more offset.
func least(spec arrow.BufferSpec, rows int) int {
	switch spec.Kind {
	case arrow.KindBitmap:
		return (rows + 7) / 8
	case arrow.KindFixedWidth:
		return rows * spec.ByteWidth
	}
	return 0
}

// allocator returns n bytes, or an error when the budget is too small.
type allocator func(n int) ([]byte, error)

// load reads the buffers of a column.
func (r *reader) load(c *column, packing int8, from io.ReaderAt, alloc allocator) error {
	for _, p := range c.buffers {
		raw, err := r.read(p.place, packing, from, alloc)
		if err != nil {
			return err
		}
		if len(raw) < p.least {
			return errShortBuffer
		}
		if r.src.big {
			p.swap(raw)
		}
		p.into.Reset(raw)
	}
	return c.build()
}

var errShortBuffer = fmt.Errorf("%w: a buffer is too short for its rows", formats.ErrDamaged)

// build makes the array of a loaded column. Arrow's library panics where lengths disagree.
func (c *column) build() (err error) {
	defer func() {
		if recover() != nil {
			err = errShortBuffer
		}
	}()
	c.rows = array.MakeFromData(c.data)
	return nil
}

// swap makes the numbers of a big-endian file little-endian. In a view it swaps the length and, if
// it is long, the buffer number and the offset.
func (p buffer) swap(b []byte) {
	switch id := p.field.storage.ID(); {
	case p.spec.Kind != arrow.KindFixedWidth:
	case id == arrow.BINARY_VIEW:
		for view := range slices.Chunk(b, arrow.ViewHeaderSizeBytes) {
			slices.Reverse(view[:4])
			if int32(binary.LittleEndian.Uint32(view)) > viewInline {
				slices.Reverse(view[8:12])
				slices.Reverse(view[12:])
			}
		}
	// other ones are bytes
	case id != arrow.FIXED_SIZE_BINARY || p.field.typ.Kind == formats.Decimal:
		for number := range slices.Chunk(b, p.spec.ByteWidth) {
			slices.Reverse(number)
		}
	}
}

// viewInline is the length of the longest value that a view contains.
const viewInline = 12

// read reads a buffer and unpacks it.
func (r *reader) read(place storage.Range, packing int8, from io.ReaderAt, alloc allocator) ([]byte,
	error) {
	n := int(place.To - place.From)
	if n == 0 {
		return nil, nil
	}
	if packing == codecNone {
		raw, err := alloc(n)
		if err != nil {
			return nil, err
		}
		return raw, readFrom(from, raw, place.From)
	}
	packed, err := r.room(&r.packed, n)
	if err == nil {
		err = readFrom(from, packed, place.From)
	}
	if err != nil {
		return nil, err
	}
	return r.unpack(packing, packed, alloc)
}

// slab returns n bytes that are valid until the next record batch is loaded.
func (r *reader) slab(n int) ([]byte, error) {
	if r.used == len(r.slabs) {
		r.slabs = append(r.slabs, nil)
	}
	r.used++
	return r.room(&r.slabs[r.used-1], n)
}

// room returns n bytes of b, which it enlarges if necessary.
func (r *reader) room(b *[]byte, n int) ([]byte, error) {
	if had := cap(*b); had < n {
		if err := r.take(int64(n - had)); err != nil {
			return nil, err
		}
		*b = make([]byte, n)
	}
	return (*b)[:n:n], nil
}

const (
	largest = 1 << 30 // largest size of an unpacked buffer
	densest = 40000   // largest compression factor of zstd: 128 KiB of one byte take four
)

// unpack returns the contents of a compressed buffer, which consists of their length, or -1 for
// uncompressed contents, and the frame. It allocates the declared size, never more.
func (r *reader) unpack(packing int8, packed []byte, alloc allocator) ([]byte, error) {
	n, frame := int64(binary.LittleEndian.Uint64(packed)), packed[8:]
	stored := n == -1
	switch {
	case stored:
		n = int64(len(frame))
	case n > largest:
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", formats.ErrUnsupported, n)
	case n < 0 || n > int64(len(frame)+1)*densest:
		return nil, fmt.Errorf("%w: a compressed buffer too short for its %d bytes",
			formats.ErrDamaged, n)
	}
	raw, err := alloc(int(n))
	switch {
	case err != nil:
		return nil, err
	case stored:
		copy(raw, frame)
	case packing == codecZstd:
		_, err = codec.Unpack(format.Zstd, raw, frame)
	default:
		r.lz4.Reset(bytes.NewReader(frame))
		_, err = io.ReadFull(r.lz4, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a compressed buffer: %w", formats.ErrDamaged, err)
	}
	return raw, nil
}
