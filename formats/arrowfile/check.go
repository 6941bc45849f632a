package arrowfile

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
)

// check makes sure that all that valid rows refer to exists.
func (a *column) check() error {
	switch a.field.shape {
	case asBits:
		return a.need(len(a.data), (a.n+7)/8)
	case asFixed, asDictionary:
		return a.need(len(a.data), a.n*a.field.width)
	case asVariable:
		return a.checkVariable()
	case asViews:
		return a.checkViews()
	case asStruct:
		for _, c := range a.children {
			if c.n < a.n {
				return errShortBuffer
			}
		}
	case asList:
		return a.checkOffsets(a.children[0].n)
	case asListView:
		return a.checkListViews()
	case asFixedList:
		return a.need(a.children[0].n, a.n*a.field.width)
	}
	return nil
}

func (a *column) need(have, want int) error {
	if have < want {
		return errShortBuffer
	}
	return nil
}

// valid reports whether row i is not null.
func (a *column) valid(i int) bool {
	if a.validity == nil {
		return a.field.shape != asNulls
	}
	return a.validity[i>>3]>>(i&7)&1 != 0
}

// offset returns number i of offsets or sizes of 4 or 8 bytes.
func offset(b []byte, width, i int) int {
	if width == 4 {
		return int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return int(binary.LittleEndian.Uint64(b[8*i:]))
}

// span returns the range of row i of variable values or a list.
func (a *column) span(i int) (from, to int) {
	w := a.field.width
	switch a.field.shape {
	case asFixedList:
		return i * w, (i + 1) * w
	case asListView:
		from = offset(a.offsets, w, i)
		return from, from + offset(a.sizes, w, i)
	}
	return offset(a.offsets, w, i), offset(a.offsets, w, i+1)
}

// checkOffsets makes sure that offsets never go back nor beyond end.
func (a *column) checkOffsets(end int) error {
	w := a.field.width
	if a.n == 0 {
		return nil
	}
	if len(a.offsets) < (a.n+1)*w {
		return errShortBuffer
	}
	last := 0
	for i := range a.n + 1 {
		o := offset(a.offsets, w, i)
		if o < last {
			return fmt.Errorf("%w: an offset goes back at row %d", formats.ErrDamaged, i)
		}
		last = o
	}
	if last > end {
		return errShortBuffer
	}
	return nil
}

func (a *column) checkListViews() error {
	w, end := a.field.width, a.children[0].n
	if len(a.offsets) < a.n*w || len(a.sizes) < a.n*w {
		return errShortBuffer
	}
	for i := range a.n {
		if !a.valid(i) {
			continue
		}
		from, size := offset(a.offsets, w, i), offset(a.sizes, w, i)
		if from < 0 || size < 0 || size > end || from > end-size {
			return fmt.Errorf("%w: a list outside its items at row %d", formats.ErrDamaged, i)
		}
	}
	return nil
}

func (a *column) checkVariable() error {
	if err := a.checkOffsets(len(a.data)); err != nil {
		return err
	}
	if a.n == 0 || a.field.typ.Kind != formats.String || a.wholeRunes() {
		return nil
	}
	return a.checkTexts()
}

// wholeRunes reports whether all values together, nulls too, are UTF-8 and none starts
// inside a character.
func (a *column) wholeRunes() bool {
	w := a.field.width
	first, last := offset(a.offsets, w, 0), offset(a.offsets, w, a.n)
	text := a.data[first:last]
	if !utf8.Valid(text) {
		return false
	}
	for i := range a.n {
		if o := offset(a.offsets, w, i); o < last && !utf8.RuneStart(a.data[o]) {
			return false
		}
	}
	return true
}

// checkTexts makes sure that each valid text is UTF-8.
func (a *column) checkTexts() error {
	for i := range a.n {
		if a.valid(i) && !utf8.Valid(a.bytes(i)) {
			return fmt.Errorf("%w: invalid UTF-8 at row %d", formats.ErrDamaged, i)
		}
	}
	return nil
}

func (a *column) checkViews() error {
	if len(a.data) < 16*a.n {
		return errShortBuffer
	}
	for i := range a.n {
		if !a.valid(i) {
			continue
		}
		size, block, from := a.view(i)
		if size < 0 || size > 12 && (block < 0 || block >= len(a.blocks) || from < 0 || from > len(a.blocks[block])-size) {
			return fmt.Errorf("%w: a view outside its buffers at row %d", formats.ErrDamaged, i)
		}
	}
	if a.field.typ.Kind == formats.String {
		return a.checkTexts()
	}
	return nil
}

// view returns the parts of view i; block and from mean something when size is over 12.
func (a *column) view(i int) (size, block, from int) {
	v := a.data[16*i : 16*i+16]
	number := func(at int) int { return int(int32(binary.LittleEndian.Uint32(v[at:]))) }
	return number(0), number(8), number(12)
}

// bytes returns the bytes of row i, which is valid, of a column of variable or fixed width.
func (a *column) bytes(i int) []byte {
	switch a.field.shape {
	case asFixed:
		return a.data[i*a.field.width : (i+1)*a.field.width]
	case asViews:
		size, block, from := a.view(i)
		if size <= 12 {
			return a.data[16*i+4 : 16*i+4+size]
		}
		return a.blocks[block][from : from+size]
	}
	from, to := a.span(i)
	return a.data[from:to]
}
