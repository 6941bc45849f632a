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

var (
	errLarge = fmt.Errorf("%w: more than %d bytes or %d entries in a batch of one column",
		formats.ErrUnsupported, batchBytes, batchEntries)
	errDigits = fmt.Errorf("%w: a decimal of more digits than its column", formats.ErrDamaged)
)

// appendValues appends the valid rows of [from, to) of a flat column.
func (c *column) appendValues(v *formats.Values, from, to int) (err error) {
	switch {
	case v.Type.Kind == formats.Null:
		return nil
	case !v.Type.InWords():
		return c.appendBytes(v, from, to)
	}
	start := len(v.Words)
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
		if v.AppendBytes(b); len(v.Data) > batchBytes {
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
	wide := scratch[:c.field.typ.WideSize()]
	if !extend(wide, b) {
		return nil, errDigits
	}
	slices.Reverse(wide)
	wide[0] ^= 0x80
	return wide, nil
}

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
	data, dst := c.array.Data(), slices.Grow(dst, to-from)
	switch id := c.field.storage.ID(); {
	case c.field.typ.Kind == formats.Boolean:
		bits := data.Buffers()[1].Bytes()
		for i := from; i < to; i++ {
			dst = append(dst, uint64(bits[i>>3]>>(i&7)&1))
		}
	case c.field.typ.Kind == formats.Decimal:
		return c.appendDecimals(dst, from, to)
	case id == arrow.DATE64:
		return c.appendDays(dst, from, to)
	case id == arrow.FLOAT16:
		for _, x := range arrow.GetValues[uint16](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat16(x)))
		}
	case id == arrow.FLOAT32:
		for _, x := range arrow.GetValues[uint32](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat32(x)))
		}
	case id == arrow.FLOAT64:
		for _, x := range arrow.GetValues[uint64](data, 1)[from:to] {
			dst = append(dst, formats.FloatWord(x))
		}
	case c.field.typ.Kind == formats.Uint:
		return c.field.whole.words(dst, data, from, to, 0), nil
	default:
		return c.field.whole.words(dst, data, from, to, formats.IntWord(0)), nil
	}
	return dst, nil
}

type whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// wholeNumbers reads a column of whole numbers of one type.
type wholeNumbers struct {
	words func(dst []uint64, data arrow.ArrayData, from, to int, flip uint64) []uint64
	codes func(dst []uint32, c *column, from, to int) ([]uint32, error)
	index func(data arrow.ArrayData, row int) uint64
}

// wholes are by how the numbers are stored, as such or as dates and times.
var wholes = map[arrow.Type]wholeNumbers{
	arrow.INT8: numbersOf[int8](), arrow.INT16: numbersOf[int16](),
	arrow.INT32: numbersOf[int32](), arrow.INT64: numbersOf[int64](),
	arrow.UINT8: numbersOf[uint8](), arrow.UINT16: numbersOf[uint16](),
	arrow.UINT32: numbersOf[uint32](), arrow.UINT64: numbersOf[uint64](),
	arrow.DATE32: numbersOf[int32](), arrow.TIME32: numbersOf[int32](),
	arrow.TIME64: numbersOf[int64](), arrow.TIMESTAMP: numbersOf[int64](),
}

func numbersOf[T whole]() wholeNumbers {
	return wholeNumbers{appendWhole[T], appendCodes[T], func(data arrow.ArrayData, row int) uint64 {
		return uint64(arrow.GetValues[T](data, 1)[row])
	}}
}

// appendWhole appends numbers as words, in which the bits of flip are flipped.
func appendWhole[T whole](dst []uint64, data arrow.ArrayData, from, to int, flip uint64) []uint64 {
	start := len(dst)
	dst = slices.Grow(dst, to-from)[:start+to-from]
	for i, x := range arrow.GetValues[T](data, 1)[from:to] {
		dst[start+i] = uint64(x) ^ flip
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
