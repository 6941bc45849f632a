package arrowfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/kcut/kcut/formats"
)

// column is a loaded column, or a part of a nested one: an array of Arrow's library. Its
// buffers are as long as its rows need, and its offsets in order and inside what they point
// into.
type column struct {
	field      *field
	n          int
	validity   []byte // a bit a row; nil: all rows are valid
	array      arrow.Array
	bytes      byteArray      // the array, if its rows are bytes
	lists      array.ListLike // the array, if its rows are lists
	children   []*column
	dictionary *dictionary
}

// byteArray is an array of bytes: variable, fixed or views.
type byteArray interface {
	arrow.Array
	Value(row int) []byte
}

// loader walks the nodes and buffers of a record batch in the order of the schema.
type loader struct {
	reader   *reader
	batch    *recordBatch
	from     io.ReaderAt // its file, or a plan of it
	alloc    func(n int) ([]byte, error)
	node     int
	buffer   int
	variadic int
}

// load returns the next column, or passes over it.
func (l *loader) load(f *field, want bool) (*column, error) {
	if l.node >= l.batch.nodes.n {
		return nil, fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	length, nulls := l.batch.nodes.pair(l.node)
	l.node++
	if length < 0 || length > mostRows || nulls < 0 || nulls > length {
		return nil, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, length, nulls)
	}
	c := &column{field: f, n: int(length)}
	buffers, err := l.loadBuffers(c, nulls > 0, want)
	if err != nil {
		return nil, err
	}
	if !f.dictionary {
		err = l.loadChildren(c, want)
	} else if want {
		c.dictionary, err = l.reader.dictionary(f)
	}
	if err != nil || !want {
		return nil, err
	}
	return c, c.build(buffers, int(nulls))
}

// build makes the array of a column, checked.
func (c *column) build(buffers []*memory.Buffer, nulls int) error {
	children := make([]arrow.ArrayData, len(c.children))
	for i, child := range c.children {
		children[i] = child.array.Data()
	}
	data := array.NewData(c.field.storage, c.n, buffers, children, nulls, 0)
	if err := c.checkParts(data); err != nil {
		return err
	}
	c.array = array.MakeFromData(data)
	c.bytes, _ = c.array.(byteArray)
	c.lists, _ = c.array.(array.ListLike)
	return c.checkRows()
}

var errShortBuffer = fmt.Errorf("%w: a buffer is too short for its rows", formats.ErrDamaged)

// loadBuffers takes the buffers of a column, the first of which is the validity.
func (l *loader) loadBuffers(c *column, nulls, want bool) ([]*memory.Buffer, error) {
	f := c.field
	if _, union := f.storage.(arrow.UnionType); union && l.batch.message.version < version5 {
		if _, err := l.take(false); err != nil { // their validity of old
			return nil, err
		}
	}
	buffers := make([]*memory.Buffer, 0, len(f.buffers))
	for i, spec := range f.buffers {
		used := want && (i > 0 || nulls)
		raw, err := l.take(used)
		if err == nil && used && len(raw) < f.needs(spec, c.n) {
			err = errShortBuffer
		}
		if err != nil {
			return nil, err
		}
		if l.reader.src.big {
			f.swap(raw, spec)
		}
		buffers = append(buffers, memory.NewBufferBytes(raw))
	}
	if nulls && len(buffers) > 0 {
		c.validity = buffers[0].Bytes()
	}
	if !f.views {
		return buffers, nil
	}
	return l.loadBlocks(buffers, want)
}

// needs returns the bytes that n rows take in a buffer.
func (f *field) needs(spec arrow.BufferSpec, n int) int {
	switch {
	case spec.Kind == arrow.KindBitmap:
		return (n + 7) / 8
	case spec.Kind != arrow.KindFixedWidth:
		return 0
	case f.offsets && n > 0:
		n++
	}
	return n * spec.ByteWidth
}

// loadBlocks takes the data buffers of views.
func (l *loader) loadBlocks(buffers []*memory.Buffer, want bool) ([]*memory.Buffer, error) {
	if l.variadic >= l.batch.variadic.n {
		return nil, fmt.Errorf("%w: views without a count of their buffers", formats.ErrDamaged)
	}
	n := int64(l.batch.message.meta.number(l.batch.variadic.pos+8*l.variadic, 8))
	l.variadic++
	if n < 0 || n > int64(l.batch.buffers.n-l.buffer) {
		return nil, fmt.Errorf("%w: views into %d buffers", formats.ErrDamaged, n)
	}
	for range n {
		block, err := l.take(want)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, memory.NewBufferBytes(block))
	}
	return buffers, nil
}

func (l *loader) loadChildren(c *column, want bool) error {
	for _, f := range c.field.children {
		child, err := l.load(f, want)
		if err != nil {
			return err
		}
		c.children = append(c.children, child)
	}
	return nil
}

// take returns the next buffer, unpacked, or passes over it.
func (l *loader) take(want bool) ([]byte, error) {
	if l.buffer >= l.batch.buffers.n {
		return nil, fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)
	}
	offset, length := l.batch.buffers.pair(l.buffer)
	l.buffer++
	if !want || length == 0 {
		return nil, nil
	}
	packed := l.batch.codec != codecNone
	alloc := l.alloc
	if packed {
		alloc = l.reader.scratch
	}
	raw, err := alloc(int(length))
	if err == nil {
		err = readFrom(l.from, raw, l.batch.message.body+offset)
	}
	if err != nil || !packed {
		return raw, err
	}
	return l.reader.unpack(l.batch.codec, raw, l.alloc)
}

// swap makes the numbers of a big-endian file little-endian, where bytes are numbers.
func (f *field) swap(b []byte, spec arrow.BufferSpec) {
	switch {
	case f.views:
		swapViews(b)
	case spec.Kind == arrow.KindFixedWidth && (f.typ.Kind == formats.Decimal || f.storage.ID() != arrow.FIXED_SIZE_BINARY):
		swapBytes(b, spec.ByteWidth)
	}
}

func swapBytes(b []byte, width int) {
	for ; width > 0 && len(b) >= width; b = b[width:] {
		slices.Reverse(b[:width])
	}
}

// swapViews swaps the length of each view and, when it is long, its buffer and offset.
func swapViews(b []byte) {
	for ; len(b) >= arrow.ViewHeaderSizeBytes; b = b[arrow.ViewHeaderSizeBytes:] {
		slices.Reverse(b[:4])
		if int32(binary.LittleEndian.Uint32(b)) > viewInline {
			slices.Reverse(b[8:12])
			slices.Reverse(b[12:16])
		}
	}
}
