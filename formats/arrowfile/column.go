package arrowfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// column is a column of a record batch, or a part of a nested one. Its buffers are as long as its
// rows need, and its offsets in order and inside what they point into.
type column struct {
	field    *field
	n        int
	buffers  []storage.Range // in the file
	children []*column

	validity   []byte // a bit a row; nil: all rows are valid, or allNull
	allNull    bool
	data       [][]byte // of the buffers
	dictionary *dictionary
}

// rowsOf returns the rows of a buffer.
func rowsOf[T whole](c *column, buffer int) []T {
	if len(c.data[buffer]) == 0 {
		return nil
	}
	return arrow.GetData[T](c.data[buffer])[:c.n]
}

// offsets returns where rows begin, and where the last one ends.
func offsets[T int32 | int64](c *column) []T { return arrow.GetData[T](c.data[1])[:c.n+1] }

// hasBytes reports whether rows are bytes: variable, fixed or views.
func (f *field) hasBytes() bool {
	return f.views || f.storage.ID() == arrow.FIXED_SIZE_BINARY || arrow.IsBaseBinary(f.storage.ID())
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
		return c.data[2+v.BufferIndex()][from : from+v.Len()]
	}
	from, to := c.span(i)
	return c.data[2][from:to]
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

// swap makes the numbers of a big-endian file little-endian.
func (f *field) swap(b []byte, spec arrow.BufferSpec) {
	switch {
	case f.views:
		swapViews(b)
	case spec.Kind == arrow.KindFixedWidth && (f.storage.ID() != arrow.FIXED_SIZE_BINARY || f.typ.Kind == formats.Decimal):
		for ; len(b) >= spec.ByteWidth; b = b[spec.ByteWidth:] {
			slices.Reverse(b[:spec.ByteWidth])
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

// viewInline is the longest value that lies in its view.
const viewInline = 12

// checkParts makes sure that children are as long as their parent needs, and offsets in order
// and inside what they point into.
func (c *column) checkParts() error {
	switch dt := c.field.storage.(type) {
	case *arrow.StructType:
		for _, child := range c.children {
			if child.n < c.n {
				return errShortBuffer
			}
		}
	case *arrow.FixedSizeListType:
		if c.children[0].n < c.n*int(dt.Len()) {
			return errShortBuffer
		}
	}
	if !c.field.offsets || c.n == 0 {
		return nil
	}
	end := len(c.data[len(c.data)-1])
	if len(c.children) > 0 {
		end = c.children[0].n
	}
	if c.field.buffers[1].ByteWidth == 4 {
		return checkOffsets(offsets[int32](c), end)
	}
	return checkOffsets(offsets[int64](c), end)
}

// checkOffsets makes sure that offsets never go back nor beyond end.
func checkOffsets[T int32 | int64](offsets []T, end int) error {
	last := T(0)
	for i, o := range offsets {
		if o < last {
			return fmt.Errorf("%w: an offset goes back at row %d", formats.ErrDamaged, i)
		}
		last = o
	}
	if int(last) > end {
		return errShortBuffer
	}
	return nil
}

// checkRows makes sure that all that valid rows refer to exists, and that texts are UTF-8.
func (c *column) checkRows() error {
	switch c.field.storage.ID() {
	case arrow.BINARY_VIEW:
		if err := c.checkViews(); err != nil {
			return err
		}
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		for i := range c.n {
			from, to := c.span(i)
			if c.valid(i) && (from < 0 || to < from || to > int64(c.children[0].n)) {
				return fmt.Errorf("%w: a list outside its items at row %d", formats.ErrDamaged, i)
			}
		}
	}
	if !c.field.hasBytes() || c.field.typ.Kind != formats.String || c.n == 0 || c.wholeRunes() {
		return nil
	}
	for i := range c.n {
		if c.valid(i) && !utf8.Valid(c.bytes(i)) {
			return fmt.Errorf("%w: invalid UTF-8 at row %d", formats.ErrDamaged, i)
		}
	}
	return nil
}

// wholeRunes reports whether all values together, nulls too, are UTF-8 and none starts
// inside a character. Of views it does not know.
func (c *column) wholeRunes() bool {
	if !c.field.offsets {
		return false
	}
	first, _ := c.span(0)
	_, last := c.span(c.n - 1)
	text := c.data[2][first:last]
	if !utf8.Valid(text) {
		return false
	}
	for i := range c.n {
		if from, _ := c.span(i); from < last && !utf8.RuneStart(text[from-first]) {
			return false
		}
	}
	return true
}

func (c *column) checkViews() error {
	blocks := c.data[2:]
	if c.n == 0 {
		return nil
	}
	views := arrow.GetData[arrow.ViewHeader](c.data[1])
	for i := range c.n {
		if !c.valid(i) {
			continue
		}
		v := &views[i]
		size, block, from := v.Len(), int(v.BufferIndex()), int(v.BufferOffset())
		inside := size <= viewInline ||
			block >= 0 && block < len(blocks) && from >= 0 && from <= len(blocks[block])-size
		if size < 0 || !inside {
			return fmt.Errorf("%w: a view outside its buffers at row %d", formats.ErrDamaged, i)
		}
	}
	return nil
}

// valid reports whether row i is not null.
func (c *column) valid(i int) bool {
	if c.validity == nil {
		return !c.allNull
	}
	return c.validity[i>>3]>>(i&7)&1 != 0
}
