package arrowfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
)

const (
	batchBytes   = 1 << 30  // of one column of a batch: views may show the same bytes in every row
	batchEntries = 64 << 20 // of one leaf of a nested column
)

var errLarge = fmt.Errorf("%w: more than %d bytes or %d entries in a batch of one column", formats.ErrUnsupported, batchBytes, batchEntries)

// appendValues appends the valid rows of [from, to) of a flat column.
func (a *column) appendValues(v *formats.Values, from, to int) error {
	if v.Type.Kind == formats.Null {
		return nil
	}
	if !v.Type.InWords() {
		return a.appendBytes(v, from, to)
	}
	start := len(v.Words)
	var err error
	if v.Words, err = a.appendWords(v.Words, from, to); err != nil || a.validity == nil {
		return err
	}
	n := start
	for i := from; i < to; i++ {
		v.Words[n] = v.Words[start+i-from]
		if a.valid(i) {
			n++
		}
	}
	v.Words = v.Words[:n]
	return nil
}

func (a *column) appendBytes(v *formats.Values, from, to int) error {
	var scratch [32]byte
	for i := from; i < to; i++ {
		if !a.valid(i) {
			continue
		}
		b, err := a.value(i, &scratch)
		if err != nil {
			return err
		}
		v.AppendBytes(b)
		if len(v.Data) > batchBytes {
			return errLarge
		}
	}
	return nil
}

// value returns the bytes of row i as Values keeps them.
func (a *column) value(i int, scratch *[32]byte) ([]byte, error) {
	b := a.bytes(i)
	if a.field.typ.Kind != formats.Decimal {
		return b, nil
	}
	size := a.field.typ.WideSize()
	if !extend(scratch[:size], b) {
		return nil, errDigits
	}
	slices.Reverse(scratch[:size])
	scratch[0] ^= 0x80
	return scratch[:size], nil
}

var errDigits = fmt.Errorf("%w: a decimal of more digits than its column", formats.ErrDamaged)

// extend copies a little-endian two's complement number to dst, longer or shorter, and
// reports whether it fits.
func extend(dst, src []byte) bool {
	sign := byte(int8(src[len(src)-1]) >> 7)
	n := copy(dst, src)
	for i := range dst[n:] {
		dst[n+i] = sign
	}
	for _, b := range src[n:] {
		if b != sign {
			return false
		}
	}
	return byte(int8(dst[len(dst)-1])>>7) == sign
}

// appendWords appends the word of every row of [from, to); that of a null means nothing.
func (a *column) appendWords(dst []uint64, from, to int) ([]uint64, error) {
	t := a.field.typ
	switch {
	case t.Kind == formats.Boolean:
		for i := from; i < to; i++ {
			dst = append(dst, uint64(a.data[i>>3]>>(i&7)&1))
		}
		return dst, nil
	case t.Kind == formats.Decimal:
		return a.appendDecimals(dst, from, to)
	case t.Kind == formats.Date && a.field.width == 8:
		return a.appendDays(dst, from, to)
	case t.Kind == formats.Float:
		return a.appendFloats(dst, from, to), nil
	case t.Kind == formats.Uint:
		return a.appendUnsigned(dst, from, to), nil
	}
	return a.appendSigned(dst, from, to), nil
}

func (a *column) appendSigned(dst []uint64, from, to int) []uint64 {
	w := a.field.width
	b := a.data[from*w : to*w]
	switch w {
	case 1:
		for _, x := range b {
			dst = append(dst, formats.IntWord(int64(int8(x))))
		}
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, formats.IntWord(int64(int16(binary.LittleEndian.Uint16(b)))))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, formats.IntWord(int64(int32(binary.LittleEndian.Uint32(b)))))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, formats.IntWord(int64(binary.LittleEndian.Uint64(b))))
		}
	}
	return dst
}

func (a *column) appendUnsigned(dst []uint64, from, to int) []uint64 {
	w := a.field.width
	b := a.data[from*w : to*w]
	switch w {
	case 1:
		for _, x := range b {
			dst = append(dst, uint64(x))
		}
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, uint64(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, uint64(binary.LittleEndian.Uint32(b)))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, binary.LittleEndian.Uint64(b))
		}
	}
	return dst
}

func (a *column) appendFloats(dst []uint64, from, to int) []uint64 {
	w := a.field.width
	b := a.data[from*w : to*w]
	switch w {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat16(binary.LittleEndian.Uint16(b))))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat32(binary.LittleEndian.Uint32(b))))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, formats.FloatWord(binary.LittleEndian.Uint64(b)))
		}
	}
	return dst
}

// appendDecimals appends decimals of at most 18 digits, whatever their size in the file.
func (a *column) appendDecimals(dst []uint64, from, to int) ([]uint64, error) {
	var v [8]byte
	for i := from; i < to; i++ {
		if fits := extend(v[:], a.bytes(i)); !fits && a.valid(i) {
			return dst, errDigits
		}
		dst = append(dst, formats.IntWord(int64(binary.LittleEndian.Uint64(v[:]))))
	}
	return dst, nil
}

const millisPerDay = 24 * 60 * 60 * 1000

// appendDays appends dates that the file keeps as milliseconds.
func (a *column) appendDays(dst []uint64, from, to int) ([]uint64, error) {
	for i := from; i < to; i++ {
		ms := int64(binary.LittleEndian.Uint64(a.data[8*i:]))
		if ms%millisPerDay != 0 && a.valid(i) {
			return dst, fmt.Errorf("%w: a date that is no whole day at row %d", formats.ErrDamaged, i)
		}
		dst = append(dst, formats.IntWord(ms/millisPerDay))
	}
	return dst, nil
}

// index returns the dictionary index of row i; a negative one is beyond all dictionaries.
func (a *column) index(i int) uint32 {
	var one [1]uint32
	return a.appendIndices(one[:0], i, i+1)[0]
}

// appendIndices appends the dictionary indices of rows [from, to), those of nulls too.
func (a *column) appendIndices(dst []uint32, from, to int) []uint32 {
	w := a.field.width
	b := a.data[from*w : to*w]
	switch {
	case w == 1 && a.field.signed:
		for _, x := range b {
			dst = append(dst, uint32(int8(x)))
		}
	case w == 1:
		for _, x := range b {
			dst = append(dst, uint32(x))
		}
	case w == 2 && a.field.signed:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, uint32(int16(binary.LittleEndian.Uint16(b))))
		}
	case w == 2:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, uint32(binary.LittleEndian.Uint16(b)))
		}
	case w == 4:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, binary.LittleEndian.Uint32(b))
		}
	case w == 8:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, uint32(min(binary.LittleEndian.Uint64(b), math.MaxUint32)))
		}
	}
	return dst
}

// dictionary is the dictionary of a column: the values of a flat one, of others the parts
// that their file has.
type dictionary struct {
	first, last int // of the messages that it was made of
	n           int
	values      *formats.Values
	codes       []uint32 // of each entry when some are null; nil: index+1
	parts       []*column
	held        int64 // bytes
}

// extend adds the entries of a message.
func (d *dictionary) extend(a *column) error {
	if d.n > mostRows-a.n {
		return errLarge
	}
	if d.values == nil {
		d.parts = append(d.parts, a)
		d.n += a.n
		return nil
	}
	if err := a.appendValues(d.values, 0, a.n); err != nil {
		return err
	}
	if d.n += a.n; d.values.Len() != d.n {
		d.number(a)
	}
	return nil
}

// number gives entries their codes as soon as some are null.
func (d *dictionary) number(a *column) {
	for i := len(d.codes); i < d.n-a.n; i++ {
		d.codes = append(d.codes, uint32(i+1))
	}
	next := uint32(0)
	for _, c := range d.codes {
		next = max(next, c)
	}
	for i := range a.n {
		if !a.valid(i) {
			d.codes = append(d.codes, 0)
			continue
		}
		next++
		d.codes = append(d.codes, next)
	}
}

// appendCodes appends the codes of rows [from, to) of a dictionary column.
func (a *column) appendCodes(dst []uint32, from, to int) ([]uint32, error) {
	start := len(dst)
	dst = a.appendIndices(dst, from, to)
	d, entries := a.dictionary, uint32(a.dictionary.n)
	for i, at := range dst[start:] {
		switch {
		case at >= entries && a.valid(from+i):
			return dst, fmt.Errorf("%w: a dictionary index out of range at row %d", formats.ErrDamaged, from+i)
		case at >= entries:
			dst[start+i] = 0
		case d.codes != nil:
			dst[start+i] = d.codes[at]
		default:
			dst[start+i] = at + 1
		}
	}
	if a.validity == nil {
		return dst, nil
	}
	for i := range dst[start:] {
		if !a.valid(from + i) {
			dst[start+i] = 0
		}
	}
	return dst, nil
}

// entry returns the entry of a dictionary that index i, which is in range, means.
func (d *dictionary) entry(i uint32) (*column, int) {
	at := int(i)
	for _, p := range d.parts {
		if at < p.n {
			return p, at
		}
		at -= p.n
	}
	return nil, 0
}
