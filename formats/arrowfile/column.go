package arrowfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// column is a column of a record batch, or a part of a nested one: an array of Arrow's library
// whose buffers are as long as its rows need, and its offsets in order and inside what they
// point into.
type column struct {
	field    *field
	n        int
	buffers  []storage.Range // in the file
	children []*column

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

// checkParts makes sure of what the library believes when it makes an array: that children
// are as long as their parent needs, and offsets in order and inside what they point into.
func (c *column) checkParts(data arrow.ArrayData) error {
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
	end := data.Buffers()[len(data.Buffers())-1].Len()
	if len(c.children) > 0 {
		end = c.children[0].n
	}
	if c.field.buffers[1].ByteWidth == 4 {
		return checkOffsets(arrow.GetOffsets[int32](data, 1), end)
	}
	return checkOffsets(arrow.GetOffsets[int64](data, 1), end)
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
	switch a := c.array.(type) {
	case *array.BinaryView:
		if err := c.checkViews(a); err != nil {
			return err
		}
	case *array.ListView, *array.LargeListView:
		for i := range c.n {
			from, to := c.lists.ValueOffsets(i)
			if c.valid(i) && (from < 0 || to < from || to > int64(c.children[0].n)) {
				return fmt.Errorf("%w: a list outside its items at row %d", formats.ErrDamaged, i)
			}
		}
	}
	if c.bytes == nil || c.field.typ.Kind != formats.String || c.n == 0 || c.wholeRunes() {
		return nil
	}
	for i := range c.n {
		if c.valid(i) && !utf8.Valid(c.bytes.Value(i)) {
			return fmt.Errorf("%w: invalid UTF-8 at row %d", formats.ErrDamaged, i)
		}
	}
	return nil
}

// wholeRunes reports whether all values together, nulls too, are UTF-8 and none starts
// inside a character. Of views it does not know.
func (c *column) wholeRunes() bool {
	a, ok := c.array.(array.BinaryLike)
	if !ok {
		return false
	}
	text, first := a.ValueBytes(), a.ValueOffset64(0)
	if !utf8.Valid(text) {
		return false
	}
	for i := range c.n {
		if o := int(a.ValueOffset64(i) - first); o < len(text) && !utf8.RuneStart(text[o]) {
			return false
		}
	}
	return true
}

func (c *column) checkViews(a *array.BinaryView) error {
	blocks := a.Data().Buffers()[2:]
	for i := range c.n {
		if !c.valid(i) {
			continue
		}
		v := a.ValueHeader(i)
		size, block, from := v.Len(), int(v.BufferIndex()), int(v.BufferOffset())
		inside := size <= viewInline ||
			block >= 0 && block < len(blocks) && from >= 0 && from <= blocks[block].Len()-size
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
