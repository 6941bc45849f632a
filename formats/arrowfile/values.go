package arrowfile

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

const batchEntries = 64 << 20 // largest number of entries of one leaf of a nested column

var (
	errLarge = fmt.Errorf("%w: too many entries of a column at a time", formats.ErrUnsupported)
	errText  = fmt.Errorf("%w: a text that is no UTF-8", formats.ErrDamaged)
	errDay   = fmt.Errorf("%w: a date that is no whole day", formats.ErrDamaged)
)

// validity has a bit for each row. It is empty when all are valid.
type validity []byte

func (v validity) at(row int) bool {
	return len(v) == 0 || v[row>>3]>>(row&7)&1 != 0
}

// appendValues appends the valid rows of [from, to) of an array of a flat type. Room makes room for
// values of a number of bytes.
func (f *field) appendValues(
	v *formats.Values, a arrow.Array, from, to int, room func(v *formats.Values, bytes int) error,
) (err error) {
	start, valid := v.Len(), validity(a.NullBitmapBytes())
	switch {
	case f.typ.Kind == formats.Decimal:
		return f.appendDecimals(v, a, from, to)
	case !v.Type.InWords():
		err = f.each(a, from, to, func(i int, b []byte) error {
			if cap(v.Data)-len(v.Data) < len(b) {
				size := bytesOf(a, i, to)
				if err := room(v, size); err != nil {
					return err
				}
				v.Data = slices.Grow(v.Data, size)
			}
			v.AppendBytes(b)
			return nil
		})
		if err != nil {
			return err
		}
		return checkTexts(v, start)
	}
	v.Words = f.numbers(v.Words, a.Data(), from, to)
	if len(valid) > 0 {
		n := start
		for i, w := range v.Words[start:] {
			v.Words[n] = w
			if valid.at(from + i) {
				n++
			}
		}
		v.Words = v.Words[:n]
	}
	return f.toWords(v.Words[start:])
}

// appendPositions appends codes of rows [from, to) whose values were appended one by one after
// before others.
func (f *field) appendPositions(dst []uint32, a arrow.Array, before, from, to int) []uint32 {
	start, code, valid := len(dst), uint32(before), validity(a.NullBitmapBytes())
	dst = slices.Grow(dst, to-from)[:start+to-from]
	for i := range dst[start:] {
		dst[start+i] = 0
		if f.typ.Kind != formats.Null && valid.at(from+i) {
			code++
			dst[start+i] = code
		}
	}
	return dst
}

// bytesArray is an array whose rows are bytes.
type bytesArray interface{ Value(row int) []byte }

// each calls do with the bytes of each valid row of [from, to) of an array.
func (f *field) each(a arrow.Array, from, to int, do func(i int, b []byte) error) error {
	if f.typ.Kind == formats.Null {
		return nil
	}
	values, valid := a.(bytesArray), validity(a.NullBitmapBytes())
	for i := from; i < to; i++ {
		if valid.at(i) {
			if err := do(i, values.Value(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytesOf returns the number of bytes of the valid rows of [from, to).
func bytesOf(a arrow.Array, from, to int) (size int) {
	for i := from; i < to; i++ {
		if a.IsValid(i) {
			size += len(a.(bytesArray).Value(i))
		}
	}
	return size
}

// checkTexts checks that texts from one on are UTF-8: all of them together are, and none starts
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

// appendDecimals appends decimals in the byte order of Parquet, the sign first.
func (f *field) appendDecimals(v *formats.Values, a arrow.Array, from, to int) error {
	var decimal [32]byte
	return f.each(a, from, to, func(_ int, b []byte) error {
		n := copy(decimal[:], b)
		slices.Reverse(decimal[:n])
		return plain.AppendDecimal(v, decimal[:n])
	})
}

// flat is a flat type of Arrow: the kind and the bits of its values, and a function that appends
// the numbers of rows [from, to), including nulls.
type flat struct {
	kind    formats.Kind
	bits    int
	numbers func(dst []uint64, a arrow.ArrayData, from, to int) []uint64
}

// flats are the flat types by the type in the file.
var flats = map[arrow.Type]flat{
	arrow.NULL:    {kind: formats.Null},
	arrow.BOOL:    {formats.Boolean, 0, booleans},
	arrow.INT8:    {formats.Int, 8, numbersOf[int8]},
	arrow.INT16:   {formats.Int, 16, numbersOf[int16]},
	arrow.INT32:   {formats.Int, 32, numbersOf[int32]},
	arrow.INT64:   {formats.Int, 64, numbersOf[int64]},
	arrow.UINT8:   {formats.Uint, 8, numbersOf[uint8]},
	arrow.UINT16:  {formats.Uint, 16, numbersOf[uint16]},
	arrow.UINT32:  {formats.Uint, 32, numbersOf[uint32]},
	arrow.UINT64:  {formats.Uint, 64, numbersOf[uint64]},
	arrow.FLOAT16: {formats.Float, 16, numbersOf[uint16]},
	arrow.FLOAT32: {formats.Float, 32, numbersOf[uint32]},
	arrow.FLOAT64: {formats.Float, 64, numbersOf[uint64]},

	arrow.DATE32:    {formats.Date, 0, numbersOf[int32]},
	arrow.DATE64:    {formats.Date, 0, numbersOf[int64]},
	arrow.TIME32:    {formats.Time, 0, numbersOf[int32]},
	arrow.TIME64:    {formats.Time, 0, numbersOf[int64]},
	arrow.TIMESTAMP: {formats.Timestamp, 0, numbersOf[int64]},

	arrow.DECIMAL128:        {kind: formats.Decimal},
	arrow.DECIMAL256:        {kind: formats.Decimal},
	arrow.STRING:            {kind: formats.String},
	arrow.LARGE_STRING:      {kind: formats.String},
	arrow.STRING_VIEW:       {kind: formats.String},
	arrow.BINARY:            {kind: formats.Binary},
	arrow.LARGE_BINARY:      {kind: formats.Binary},
	arrow.BINARY_VIEW:       {kind: formats.Binary},
	arrow.FIXED_SIZE_BINARY: {kind: formats.Binary},
}

func numbersOf[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	dst []uint64, a arrow.ArrayData, from, to int,
) []uint64 {
	start := len(dst)
	dst = slices.Grow(dst, to-from)[:start+to-from]
	for i, x := range arrow.GetValues[T](a, 1)[from:to] {
		dst[start+i] = uint64(x)
	}
	return dst
}

func booleans(dst []uint64, a arrow.ArrayData, from, to int) []uint64 {
	bits, dst := a.Buffers()[1].Bytes(), slices.Grow(dst, to-from)
	for i := from; i < to; i++ {
		dst = append(dst, uint64(bits[i>>3]>>(i&7)&1))
	}
	return dst
}

const millisPerDay = 24 * 60 * 60 * 1000

// toWords converts the numbers of a file to the words of a flat type.
func (f *field) toWords(words []uint64) error {
	if f.storage.ID() == arrow.DATE64 {
		for i, w := range words {
			if int64(w)%millisPerDay != 0 {
				return errDay
			}
			words[i] = uint64(int64(w) / millisPerDay)
		}
	}
	switch {
	case f.typ.Kind == formats.Boolean || f.typ.Kind == formats.Uint:
	case f.typ.Kind != formats.Float:
		apply(words, func(w uint64) uint64 { return formats.IntWord(int64(w)) })
	case f.typ.Bits == 16:
		apply(words, func(w uint64) uint64 {
			return formats.FloatWord(formats.WidenFloat16(uint16(w)))
		})
	case f.typ.Bits == 32:
		apply(words, func(w uint64) uint64 {
			return formats.FloatWord(formats.WidenFloat32(uint32(w)))
		})
	default:
		apply(words, formats.FloatWord)
	}
	return nil
}

func apply(words []uint64, word func(uint64) uint64) {
	for i, w := range words {
		words[i] = word(w)
	}
}
