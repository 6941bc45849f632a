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

var errFewBuffers = fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)

// skip passes over the next column.
func (l *loader) skip(f *field) error {
	if _, _, err := l.nextNode(); err != nil {
		return err
	}
	l.buffer += len(f.buffers) + l.oldValidity(f)
	blocks, err := l.nextBlocks(f)
	if l.buffer += blocks; err == nil && l.buffer > l.batch.buffers.n {
		err = errFewBuffers
	}
	for i := 0; err == nil && i < len(f.children); i++ {
		err = l.skip(f.children[i])
	}
	return err
}

// load returns the next column.
func (l *loader) load(f *field) (*column, error) {
	n, nulls, err := l.nextNode()
	if err != nil {
		return nil, err
	}
	c := &column{field: f, n: n}
	buffers, err := l.loadBuffers(c, nulls > 0)
	if err != nil {
		return nil, err
	}
	if f.values != nil {
		if c.dictionary, err = l.reader.dictionary(f); err != nil {
			return nil, err
		}
	}
	for _, f := range f.children {
		child, err := l.load(f)
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, child)
	}
	return c, c.build(buffers, nulls)
}

// nextNode returns the rows and nulls of the next column.
func (l *loader) nextNode() (rows, nulls int, err error) {
	if l.node >= l.batch.nodes.n {
		return 0, 0, fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	n, k := l.batch.nodes.pair(l.node)
	l.node++
	if n < 0 || n > mostRows || k < 0 || k > n {
		return 0, 0, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, n, k)
	}
	return int(n), int(k), nil
}

// oldValidity returns 1 for a union of before Arrow 1.0, which has a validity of its own.
func (l *loader) oldValidity(f *field) int {
	if _, union := f.storage.(arrow.UnionType); union && l.batch.message.version < version5 {
		return 1
	}
	return 0
}

// nextBlocks returns how many data buffers follow those of views.
func (l *loader) nextBlocks(f *field) (int, error) {
	if !f.views {
		return 0, nil
	}
	if l.variadic >= l.batch.variadic.n {
		return 0, fmt.Errorf("%w: views without a count of their buffers", formats.ErrDamaged)
	}
	n := int64(l.batch.message.meta.number(l.batch.variadic.pos+8*l.variadic, 8))
	l.variadic++
	if n < 0 || n > int64(l.batch.buffers.n) {
		return 0, fmt.Errorf("%w: views into %d buffers", formats.ErrDamaged, n)
	}
	return int(n), nil
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
func (l *loader) loadBuffers(c *column, nulls bool) ([]*memory.Buffer, error) {
	f := c.field
	buffers := make([]*memory.Buffer, len(f.buffers), len(f.buffers)+1)
	for i, spec := range f.buffers {
		if i == 0 && !nulls {
			l.buffer++
			continue
		}
		raw, err := l.take()
		if err == nil && len(raw) < f.needs(spec, c.n) {
			err = errShortBuffer
		}
		if err != nil {
			return nil, err
		}
		if l.reader.src.big {
			f.swap(raw, spec)
		}
		buffers[i] = memory.NewBufferBytes(raw)
	}
	if nulls && len(buffers) > 0 {
		c.validity = buffers[0].Bytes()
	}
	blocks, err := l.nextBlocks(f)
	for range blocks {
		block, err := l.take()
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, memory.NewBufferBytes(block))
	}
	return buffers, err
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

// take returns the next buffer, unpacked.
func (l *loader) take() ([]byte, error) {
	if l.buffer >= l.batch.buffers.n {
		return nil, errFewBuffers
	}
	offset, length := l.batch.buffers.pair(l.buffer)
	l.buffer++
	if length == 0 {
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
