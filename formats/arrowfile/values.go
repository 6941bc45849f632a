package arrowfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
)

const batchEntries = 64 << 20 // of one leaf of a nested column

var (
	errLarge  = fmt.Errorf("%w: too many entries of a column at a time", formats.ErrUnsupported)
	errText   = fmt.Errorf("%w: a text that is no UTF-8", formats.ErrDamaged)
	errDigits = fmt.Errorf("%w: a decimal of more digits than its column", formats.ErrDamaged)
)

// appendValues appends the valid rows of [from, to) of a flat column. Room makes room for values
// of a number of bytes.
func (c *column) appendValues(
	v *formats.Values, from, to int, room func(v *formats.Values, bytes int) error,
) (err error) {
	if v.Type.Kind == formats.Null {
		return nil
	}
	start := v.Len()
	if !v.Type.InWords() {
		if err := c.each(from, to, func(i int, b []byte) error {
			if cap(v.Data)-len(v.Data) < len(b) {
				if err := room(v, c.bytesOf(i, to)); err != nil {
					return err
				}
			}
			v.AppendBytes(b)
			return nil
		}); err != nil {
			return err
		}
		return checkTexts(v, start)
	}
	if v.Words, err = c.field.flat.words(v.Words, c, from, to); err != nil || c.validity == nil {
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

// appendPositions appends codes of rows [from, to) whose values come one by one behind so many others.
func (c *column) appendPositions(dst []uint32, before, from, to int) []uint32 {
	dst, code := slices.Grow(dst, to-from), uint32(before)
	for i := from; i < to; i++ {
		own := uint32(0)
		if c.valid(i) {
			code++
			own = code
		}
		dst = append(dst, own)
	}
	return dst
}

// each calls do with the bytes of each valid row of [from, to), as Values keeps them.
func (c *column) each(from, to int, do func(i int, b []byte) error) error {
	var scratch [32]byte
	for i := from; i < to; i++ {
		if !c.valid(i) {
			continue
		}
		b, err := c.value(i, &scratch)
		if err == nil {
			err = do(i, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTexts makes sure that texts from one on are UTF-8: all of them together are, and none starts
// inside a character.
func checkTexts(v *formats.Values, from int) error {
	if v.Type.Kind != formats.String || from == v.Len() {
		return nil
	}
	whole := utf8.Valid(v.Data[int(v.Ends[from])-len(v.Bytes(from)):])
	for _, end := range v.Ends[from:] {
		whole = whole && (int(end) == len(v.Data) || utf8.RuneStart(v.Data[end]))
	}
	if !whole {
		return errText
	}
	return nil
}

// value returns the bytes of row i as Values keeps them.
func (c *column) value(i int, scratch *[32]byte) ([]byte, error) {
	b := c.bytes(i)
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

// flat is how columns of a flat type of Arrow are read.
type flat struct {
	typ formats.Type // but for what a column adds
	// words appends the word of every row of [from, to); that of a null means nothing.
	words func(dst []uint64, c *column, from, to int) ([]uint64, error)
	codes func(dst []uint32, c *column, from, to int) ([]uint32, error) // of indexes: see appendCodes
	index func(c *column, row int) uint64
}

// flats are by what a file declares.
var flats = map[arrow.Type]flat{
	arrow.NULL: {typ: formats.Type{Kind: formats.Null}},
	arrow.BOOL: {typ: formats.Type{Kind: formats.Boolean}, words: appendBooleans},
	arrow.INT8: wholeOf[int8](formats.Int, 8), arrow.INT16: wholeOf[int16](formats.Int, 16),
	arrow.INT32: wholeOf[int32](formats.Int, 32), arrow.INT64: wholeOf[int64](formats.Int, 64),
	arrow.UINT8: wholeOf[uint8](formats.Uint, 8), arrow.UINT16: wholeOf[uint16](formats.Uint, 16),
	arrow.UINT32: wholeOf[uint32](formats.Uint, 32), arrow.UINT64: wholeOf[uint64](formats.Uint, 64),
	arrow.FLOAT16: {typ: formats.Type{Kind: formats.Float, Bits: 16}, words: appendFloats},
	arrow.FLOAT32: {typ: formats.Type{Kind: formats.Float, Bits: 32}, words: appendFloats},
	arrow.FLOAT64: {typ: formats.Type{Kind: formats.Float, Bits: 64}, words: appendFloats},
	arrow.DATE32:  wholeOf[int32](formats.Date, 0),
	arrow.DATE64:  {typ: formats.Type{Kind: formats.Date}, words: appendDays},
	arrow.TIME32:  wholeOf[int32](formats.Time, 0), arrow.TIME64: wholeOf[int64](formats.Time, 0),
	arrow.TIMESTAMP:  wholeOf[int64](formats.Timestamp, 0),
	arrow.DECIMAL128: {typ: formats.Type{Kind: formats.Decimal}, words: appendDecimals},
	arrow.DECIMAL256: {typ: formats.Type{Kind: formats.Decimal}, words: appendDecimals},
	arrow.STRING:     {typ: formats.Type{Kind: formats.String}}, arrow.LARGE_STRING: {typ: formats.Type{Kind: formats.String}},
	arrow.BINARY: {typ: formats.Type{Kind: formats.Binary}}, arrow.LARGE_BINARY: {typ: formats.Type{Kind: formats.Binary}},
	arrow.STRING_VIEW: {typ: formats.Type{Kind: formats.String}}, arrow.BINARY_VIEW: {typ: formats.Type{Kind: formats.Binary}},
	arrow.FIXED_SIZE_BINARY: {typ: formats.Type{Kind: formats.Binary}},
}

type whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// wholeOf reads whole numbers, as such or as dates and times.
func wholeOf[T whole](kind formats.Kind, bits int) flat {
	flip := formats.IntWord(0)
	if kind == formats.Uint {
		flip = 0
	}
	words := func(dst []uint64, c *column, from, to int) ([]uint64, error) {
		start := len(dst)
		dst = slices.Grow(dst, to-from)[:start+to-from]
		for i, x := range rowsOf[T](c, 1)[from:to] {
			dst[start+i] = uint64(x) ^ flip
		}
		return dst, nil
	}
	index := func(c *column, row int) uint64 { return uint64(rowsOf[T](c, 1)[row]) }
	return flat{formats.Type{Kind: kind, Bits: bits}, words, appendCodes[T], index}
}

func appendFloats(dst []uint64, c *column, from, to int) ([]uint64, error) {
	dst = slices.Grow(dst, to-from)
	switch c.field.typ.Bits {
	case 16:
		for _, x := range rowsOf[uint16](c, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat16(x)))
		}
	case 32:
		for _, x := range rowsOf[uint32](c, 1)[from:to] {
			dst = append(dst, formats.FloatWord(formats.WidenFloat32(x)))
		}
	default:
		for _, x := range rowsOf[uint64](c, 1)[from:to] {
			dst = append(dst, formats.FloatWord(x))
		}
	}
	return dst, nil
}

func appendBooleans(dst []uint64, c *column, from, to int) ([]uint64, error) {
	bits, dst := c.data[1], slices.Grow(dst, to-from)
	for i := from; i < to; i++ {
		dst = append(dst, uint64(bits[i>>3]>>(i&7)&1))
	}
	return dst, nil
}

// appendDecimals appends decimals of at most 18 digits, whatever their size in the file.
func appendDecimals(dst []uint64, c *column, from, to int) ([]uint64, error) {
	var v [8]byte
	dst = slices.Grow(dst, to-from)
	for i := from; i < to; i++ {
		if fits := extend(v[:], c.bytes(i)); !fits && c.valid(i) {
			return dst, errDigits
		}
		dst = append(dst, formats.IntWord(int64(binary.LittleEndian.Uint64(v[:]))))
	}
	return dst, nil
}

const millisPerDay = 24 * 60 * 60 * 1000

// appendDays appends dates that the file keeps as milliseconds.
func appendDays(dst []uint64, c *column, from, to int) ([]uint64, error) {
	dst = slices.Grow(dst, to-from)
	for i, ms := range rowsOf[int64](c, 1)[from:to] {
		if ms%millisPerDay != 0 && c.valid(from+i) {
			return dst, fmt.Errorf("%w: a date that is no whole day at row %d", formats.ErrDamaged, from+i)
		}
		dst = append(dst, formats.IntWord(ms/millisPerDay))
	}
	return dst, nil
}
