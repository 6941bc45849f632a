package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/storage"
)

// column takes the first column, with all below it, off a record batch.
func (b *recordBatch) column(f *field) (*column, error) {
	if len(b.nodes) == 0 {
		return nil, fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	rows, nulls := b.nodes[0], b.nodes[1]
	b.nodes = b.nodes[2:]
	if rows < 0 || rows > mostRows || nulls < 0 || nulls > rows {
		return nil, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, rows, nulls)
	}
	count := int64(len(f.buffers))
	if _, union := f.storage.(arrow.UnionType); union && b.version < version5 {
		count++ // a validity of its own
	}
	if f.views {
		if len(b.variadic) == 0 || b.variadic[0] < 0 || b.variadic[0] > int64(len(b.buffers)) {
			return nil, fmt.Errorf("%w: views without a sound count of their buffers", formats.ErrDamaged)
		}
		count += b.variadic[0]
		b.variadic = b.variadic[1:]
	}
	if count > int64(len(b.buffers)) {
		return nil, fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)
	}
	c := &column{field: f, n: int(rows), allNull: f.storage.ID() == arrow.NULL, buffers: b.buffers[:count]}
	if nulls == 0 && len(f.buffers) > 0 {
		c.buffers[0] = storage.Range{} // a validity that nobody looks at
	}
	b.buffers = b.buffers[count:]
	for _, child := range f.children {
		part, err := b.column(child)
		if err != nil {
			return nil, err
		}
		if part.n < f.itemsOf(c.n) {
			return nil, errShortBuffer
		}
		c.children = append(c.children, part)
	}
	return c, nil
}

// allocator returns n bytes, or an error when the budget does not have them.
type allocator func(n int) ([]byte, error)

// load reads the buffers of a column and of all below it.
func (r *reader) load(c *column, packing int8, from io.ReaderAt, alloc allocator) error {
	f := c.field
	c.data = make([][]byte, len(c.buffers))
	for i, place := range c.buffers {
		if i == 0 && place == (storage.Range{}) {
			continue
		}
		raw, err := r.read(place, packing, from, alloc)
		if err != nil {
			return err
		}
		if i < len(f.buffers) && len(raw) < f.needs(f.buffers[i], c.n) {
			return errShortBuffer
		}
		if i == 0 {
			c.validity = raw
		} else if i < len(f.buffers) && r.src.big {
			f.swap(raw, f.buffers[i])
		}
		c.data[i] = raw
	}
	var err error
	if f.values != nil {
		if c.dictionary, err = r.dictionaryOf(f); err != nil {
			return err
		}
	}
	for _, child := range c.children {
		if err := r.load(child, packing, from, alloc); err != nil {
			return err
		}
	}
	return nil
}

// read reads a buffer, unpacked.
func (r *reader) read(place storage.Range, packing int8, from io.ReaderAt, alloc allocator) ([]byte, error) {
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

// slab returns n bytes that are good until the next record batch is loaded.
func (r *reader) slab(n int) ([]byte, error) {
	if r.used == len(r.slabs) {
		r.slabs = append(r.slabs, nil)
	}
	r.used++
	return r.room(&r.slabs[r.used-1], n)
}

// room returns n bytes of b, which is made larger when it must be.
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
	largest = 1 << 30 // bytes that a compressed buffer may unpack to
	densest = 40000   // times that zstd shrinks at best: 128 KiB of one byte take four
)

// unpack returns the contents of a compressed buffer: their length, or -1 when they are stored as
// they are, then the frame. They take memory of the size that they declare, never more.
func (r *reader) unpack(packing int8, packed []byte, alloc allocator) ([]byte, error) {
	n, frame := int64(binary.LittleEndian.Uint64(packed)), packed[8:]
	stored := n == -1
	switch {
	case stored:
		n = int64(len(frame))
	case n > largest:
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", formats.ErrUnsupported, n)
	case n < 0 || n > int64(len(frame)+1)*densest:
		return nil, fmt.Errorf("%w: a compressed buffer too short for its %d bytes", formats.ErrDamaged, n)
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
