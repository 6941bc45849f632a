package arrowfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// column is a column of a record batch, or a part of a nested one. Its buffers are as long as its
// rows need. Offsets and views may still lead outside of them: see table.
type column struct {
	field    *field
	n        int
	buffers  []storage.Range // in the file
	children []*column

	validity   []byte // a bit a row; nil: all rows are valid, or allNull
	allNull    bool
	data       [][]byte // of the buffers, without room behind them
	dictionary *dictionary
}

// valid reports whether row i is not null.
func (c *column) valid(i int) bool {
	if c.validity == nil {
		return !c.allNull
	}
	return c.validity[i>>3]>>(i&7)&1 != 0
}

// stored returns how many bytes the buffers take in the file, with those of all below the column.
func (c *column) stored() (bytes int64) {
	for _, place := range c.buffers {
		bytes += place.To - place.From
	}
	for _, child := range c.children {
		bytes += child.stored()
	}
	return bytes
}

// rowsOf returns the rows of a buffer.
func rowsOf[T whole](c *column, buffer int) []T {
	return arrow.GetData[T](c.data[buffer])[:c.n:c.n]
}

// bytes returns the bytes of a row.
func (c *column) bytes(i int) []byte {
	switch dt := c.field.storage.(type) {
	case *arrow.FixedSizeBinaryType:
		return c.data[1][i*dt.ByteWidth : (i+1)*dt.ByteWidth]
	case *arrow.BinaryViewType:
		v := &arrow.GetData[arrow.ViewHeader](c.data[1])[i]
		if v.IsInline() {
			return v.InlineBytes()
		}
		from := int(v.BufferOffset())
		return c.data[2+int(v.BufferIndex())][from : from+v.Len()]
	}
	from, to := c.span(i)
	return c.data[2][from:to]
}

// bytesOf returns how many bytes the valid rows of [from, to) have.
func (c *column) bytesOf(from, to int) (size int) {
	for i := from; i < to; i++ {
		if c.valid(i) {
			size += len(c.bytes(i))
		}
	}
	return size
}

// span returns where the bytes, or the items, of a row begin and end.
func (c *column) span(i int) (from, to int64) {
	switch dt := c.field.storage.(type) {
	case *arrow.FixedSizeListType:
		n := int64(dt.Len())
		return int64(i) * n, int64(i+1) * n
	case *arrow.ListViewType:
		from = int64(rowsOf[int32](c, 1)[i])
		return from, from + int64(rowsOf[int32](c, 2)[i])
	case *arrow.LargeListViewType:
		from = rowsOf[int64](c, 1)[i]
		return from, from + rowsOf[int64](c, 2)[i]
	}
	if c.field.buffers[1].ByteWidth == 4 {
		o := arrow.GetData[int32](c.data[1])
		return int64(o[i]), int64(o[i+1])
	}
	o := arrow.GetData[int64](c.data[1])
	return o[i], o[i+1]
}

// items returns the span of a row of a list, which lies inside the items.
func (c *column) items(i int) (from, to int, err error) {
	first, last := c.span(i)
	if first < 0 || first > last || last > int64(c.children[0].n) {
		return 0, 0, fmt.Errorf("%w: a list outside its items at row %d", formats.ErrDamaged, i)
	}
	return int(first), int(last), nil
}

var errShortBuffer = fmt.Errorf("%w: a buffer is too short for its rows", formats.ErrDamaged)

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

// itemsOf returns how many rows a child must have for n rows of f.
func (f *field) itemsOf(n int) int {
	switch dt := f.storage.(type) {
	case *arrow.StructType:
		return n
	case *arrow.FixedSizeListType:
		return n * int(dt.Len())
	}
	return 0
}

// swap makes the numbers of a big-endian file little-endian. Of a view that is its length and,
// when it is long, its buffer and offset.
func (f *field) swap(b []byte, spec arrow.BufferSpec) {
	switch {
	case f.views:
		for view := range slices.Chunk(b, arrow.ViewHeaderSizeBytes) {
			slices.Reverse(view[:4])
			if int32(binary.LittleEndian.Uint32(view)) > viewInline {
				slices.Reverse(view[8:12])
				slices.Reverse(view[12:])
			}
		}
	case f.storage.ID() == arrow.FIXED_SIZE_BINARY && f.typ.Kind != formats.Decimal: // bytes
	case spec.Kind == arrow.KindFixedWidth:
		for number := range slices.Chunk(b, spec.ByteWidth) {
			slices.Reverse(number)
		}
	}
}

// viewInline is the longest value that lies in its view.
const viewInline = 12
