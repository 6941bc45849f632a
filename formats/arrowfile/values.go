package arrowfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
)

const (
	batchBytes   = 1 << 30  // of one column of a batch: views may show the same bytes in every row
	batchEntries = 64 << 20 // of one leaf of a nested column
)

var errLarge = fmt.Errorf("%w: more than %d bytes or %d entries in a batch of one column", formats.ErrUnsupported, batchBytes, batchEntries)

// appendValues appends the valid rows of [from, to) of a flat column.
func (c *column) appendValues(v *formats.Values, from, to int) error {
	if v.Type.Kind == formats.Null {
		return nil
	}
	if !v.Type.InWords() {
		return c.appendBytes(v, from, to)
	}
	start := len(v.Words)
	var err error
	if v.Words, err = c.appendWords(v.Words, from, to); err != nil || c.validity == nil {
		return err
	}
	n := start
	for i := from; i < to; i++ {
		v.Words[n] = v.Words[start+i-from]
		if c.valid(i) {
			n++
		}
	}
	v.Words = v.Words[:n]
	return nil
}

func (c *column) appendBytes(v *formats.Values, from, to int) error {
	var scratch [32]byte
	for i := from; i < to; i++ {
		if !c.valid(i) {
			continue
		}
		b, err := c.value(i, &scratch)
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
func (c *column) value(i int, scratch *[32]byte) ([]byte, error) {
	b := c.bytes.Value(i)
	if c.field.typ.Kind != formats.Decimal {
		return b, nil
	}
	size := c.field.typ.WideSize()
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
func (c *column) appendWords(dst []uint64, from, to int) ([]uint64, error) {
	switch {
	case c.field.typ.Kind == formats.Boolean:
		bits := c.array.Data().Buffers()[1].Bytes()
		for i := from; i < to; i++ {
			dst = append(dst, uint64(bits[i>>3]>>(i&7)&1))
		}
		return dst, nil
	case c.field.typ.Kind == formats.Decimal:
		return c.appendDecimals(dst, from, to)
	case c.field.storage.ID() == arrow.DATE64:
		return c.appendDays(dst, from, to)
	}
	return c.appendNumbers(dst, from, to), nil
}

// appendNumbers appends the words of numbers, and of dates and times that lie as such.
func (c *column) appendNumbers(dst []uint64, from, to int) []uint64 {
	data := c.array.Data()
	dst = slices.Grow(dst, to-from)
	switch c.field.storage.ID() {
	case arrow.INT8:
		return appendSigned(dst, arrow.GetValues[int8](data, 1)[from:to])
	case arrow.INT16:
		return appendSigned(dst, arrow.GetValues[int16](data, 1)[from:to])
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return appendSigned(dst, arrow.GetValues[int32](data, 1)[from:to])
	case arrow.INT64, arrow.TIME64, arrow.TIMESTAMP:
		return appendSigned(dst, arrow.GetValues[int64](data, 1)[from:to])
	case arrow.UINT8:
		return appendUnsigned(dst, arrow.GetValues[uint8](data, 1)[from:to])
	case arrow.UINT16:
		return appendUnsigned(dst, arrow.GetValues[uint16](data, 1)[from:to])
	case arrow.UINT32:
		return appendUnsigned(dst, arrow.GetValues[uint32](data, 1)[from:to])
	case arrow.UINT64:
		return appendUnsigned(dst, arrow.GetValues[uint64](data, 1)[from:to])
	case arrow.FLOAT16:
		for _, x := range arrow.GetValues[uint16](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat16(x)))
		}
	case arrow.FLOAT32:
		for _, x := range arrow.GetValues[uint32](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat32(x)))
		}
	case arrow.FLOAT64:
		for _, x := range arrow.GetValues[uint64](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(x))
		}
	}
	return dst
}

func appendSigned[T int8 | int16 | int32 | int64](dst []uint64, values []T) []uint64 {
	for _, x := range values {
		dst = append(dst, formats.IntWord(int64(x)))
	}
	return dst
}

func appendUnsigned[T uint8 | uint16 | uint32 | uint64](dst []uint64, values []T) []uint64 {
	for _, x := range values {
		dst = append(dst, uint64(x))
	}
	return dst
}

// appendDecimals appends decimals of at most 18 digits, whatever their size in the file.
func (c *column) appendDecimals(dst []uint64, from, to int) ([]uint64, error) {
	var v [8]byte
	for i := from; i < to; i++ {
		if fits := extend(v[:], c.bytes.Value(i)); !fits && c.valid(i) {
			return dst, errDigits
		}
		dst = append(dst, formats.IntWord(int64(binary.LittleEndian.Uint64(v[:]))))
	}
	return dst, nil
}

const millisPerDay = 24 * 60 * 60 * 1000

// appendDays appends dates that the file keeps as milliseconds.
func (c *column) appendDays(dst []uint64, from, to int) ([]uint64, error) {
	for i, ms := range arrow.GetValues[int64](c.array.Data(), 1)[from:to] {
		if ms%millisPerDay != 0 && c.valid(from+i) {
			return dst, fmt.Errorf("%w: a date that is no whole day at row %d", formats.ErrDamaged, from+i)
		}
		dst = append(dst, formats.IntWord(ms/millisPerDay))
	}
	return dst, nil
}
