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
	"github.com/kcut/kcut/formats/storage"
)

// column is a column of a record batch, or a part of a nested one. Once it is loaded it is an
// array of Arrow's library: its buffers are as long as its rows need, and its offsets in
// order and inside what they point into.
type column struct {
	field        *field
	n, nulls     int
	first, count int // buffers in the record batch
	children     []*column

	validity   []byte // a bit a row; nil: all rows are valid, or allNull
	allNull    bool
	array      arrow.Array
	bytes      byteArray      // the array, if its rows are bytes
	lists      array.ListLike // the array, if its rows are lists
	dictionary *dictionary
}

// byteArray is an array of bytes: variable, fixed or views.
type byteArray interface {
	arrow.Array
	Value(row int) []byte
}

// layout walks the nodes and buffers of a record batch in the order of the schema.
type layout struct {
	*recordBatch
	node, buffer, view int // the next ones
}

// column lays out the next column, with all below it.
func (l *layout) column(f *field) (*column, error) {
	if l.node >= l.nodes.n {
		return nil, fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	rows, nulls := l.nodes.number(l.node, 2, 0), l.nodes.number(l.node, 2, 1)
	l.node++
	if rows < 0 || rows > mostRows || nulls < 0 || nulls > rows {
		return nil, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, rows, nulls)
	}
	c := &column{field: f, n: int(rows), nulls: int(nulls), first: l.buffer, count: len(f.buffers)}
	if _, union := f.storage.(arrow.UnionType); union && l.version < version5 {
		c.count++ // a validity of its own
	}
	if f.views {
		if l.view >= l.variadic.n {
			return nil, fmt.Errorf("%w: views without a count of their buffers", formats.ErrDamaged)
		}
		n := l.variadic.number(l.view, 1, 0)
		l.view++
		if n < 0 || n > int64(l.buffers.n) {
			return nil, fmt.Errorf("%w: views into %d buffers", formats.ErrDamaged, n)
		}
		c.count += int(n)
	}
	if l.buffer += c.count; l.buffer > l.buffers.n {
		return nil, fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)
	}
	for _, f := range f.children {
		child, err := l.column(f)
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, child)
	}
	return c, nil
}

// place is where a buffer lies in the file.
func (b *recordBatch) place(buffer int) storage.Range {
	from := b.body + b.buffers.number(buffer, 2, 0)
	return storage.Range{From: from, To: from + b.buffers.number(buffer, 2, 1)}
}

// places appends where the buffers of a column lie, with all below it.
func (c *column) places(b *recordBatch, places []storage.Range) []storage.Range {
	for i := range c.count {
		places = append(places, b.place(c.first+i))
	}
	for _, child := range c.children {
		places = child.places(b, places)
	}
	return places
}

// loader loads columns of a record batch, or of a dictionary.
type loader struct {
	*reader
	batch *recordBatch
	from  io.ReaderAt // its file, or a plan of it
	alloc func(n int) ([]byte, error)
}

var errShortBuffer = fmt.Errorf("%w: a buffer is too short for its rows", formats.ErrDamaged)

// load reads the buffers of a column, the first of which is the validity, and makes its
// array.
func (l *loader) load(c *column) (err error) {
	f := c.field
	c.allNull = f.storage.ID() == arrow.NULL
	buffers := make([]*memory.Buffer, c.count)
	for i := range buffers {
		if i == 0 && c.nulls == 0 {
			continue
		}
		raw, err := l.read(l.batch.place(c.first + i))
		if err != nil {
			return err
		}
		if i < len(f.buffers) {
			if len(raw) < f.needs(f.buffers[i], c.n) {
				return errShortBuffer
			}
			if l.src.big {
				f.swap(raw, f.buffers[i])
			}
		}
		buffers[i] = memory.NewBufferBytes(raw)
		if i == 0 {
			c.validity = raw
		}
	}
	if f.values != nil {
		if c.dictionary, err = l.dictionaryOf(f); err != nil {
			return err
		}
	}
	children := make([]arrow.ArrayData, len(c.children))
	for i, child := range c.children {
		if err := l.load(child); err != nil {
			return err
		}
		children[i] = child.array.Data()
	}
	data := array.NewData(f.storage, c.n, buffers, children, c.nulls, 0)
	if err := c.checkParts(data); err != nil {
		return err
	}
	c.array = array.MakeFromData(data)
	c.bytes, _ = c.array.(byteArray)
	c.lists, _ = c.array.(array.ListLike)
	return c.checkRows()
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

// read returns a buffer, unpacked.
func (l *loader) read(place storage.Range) ([]byte, error) {
	length := int(place.To - place.From)
	if length == 0 {
		return nil, nil
	}
	packed := l.batch.codec != codecNone
	alloc := l.alloc
	if packed {
		alloc = func(n int) ([]byte, error) { return l.room(&l.packed, n) }
	}
	raw, err := alloc(length)
	if err == nil {
		err = readFrom(l.from, raw, place.From)
	}
	if err != nil || !packed {
		return raw, err
	}
	return l.unpack(l.batch.codec, raw, l.alloc)
}

// swap makes the numbers of a big-endian file little-endian, where bytes are numbers.
func (f *field) swap(b []byte, spec arrow.BufferSpec) {
	width := spec.ByteWidth
	switch {
	case spec.Kind != arrow.KindFixedWidth || width == 0:
	case f.views:
		swapViews(b)
	case f.typ.Kind == formats.Decimal || f.storage.ID() != arrow.FIXED_SIZE_BINARY:
		for ; len(b) >= width; b = b[width:] {
			slices.Reverse(b[:width])
		}
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
