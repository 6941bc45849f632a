package formats

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// plainForm says how the values of one column become Parquet's PLAIN bytes. It undoes what
// Values does to keep order: flipped sign bits, widened floats, big-endian INT96.
type plainForm struct {
	kind  Kind
	wide  bool
	typ   format.Type
	size  int   // bytes of a fixed-width value as stored here; 0: a length of 4 bytes comes first
	scale int64 // factor on words: 1,000 for seconds, which Parquet does not know
}

// newPlainForm returns the form of a flat column, or ErrUnsupported when values of the
// column's type cannot be stored as its schema element says.
func newPlainForm(t Type, e format.SchemaElement) (plainForm, error) {
	f := plainForm{kind: t.Kind, wide: !t.InWords(), typ: e.Type.V, scale: 1}
	if (t.Kind == Time || t.Kind == Timestamp) && t.Unit == Second {
		f.scale = 1000
	}
	f.size = storedSize(e)
	if !f.fits() {
		return f, fmt.Errorf("%w: a column of this type stored as %v", ErrUnsupported, f.typ)
	}
	return f, nil
}

// storedSize returns the bytes of one PLAIN value, 0 for byte arrays. Booleans take one
// byte until a page packs them.
func storedSize(e format.SchemaElement) int {
	switch e.Type.V {
	case format.Boolean:
		return 1
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return int(e.TypeLength.V)
	}
	return 0
}

// fits reports whether appendWords (words) or appendBytes (bytes) knows the form.
func (f plainForm) fits() bool {
	switch f.typ {
	case format.Boolean:
		return f.kind == Boolean
	case format.Int32, format.Int64:
		return !f.wide && f.kind != Float && f.kind != Boolean || f.kind == Null
	case format.Float, format.Double:
		return f.kind == Float
	case format.Int96:
		return f.wide && f.kind == Timestamp
	case format.FixedLenByteArray:
		return f.size > 0 && (f.wide || f.kind == Decimal || f.kind == Float && f.size == 2)
	}
	return f.wide || f.kind == Decimal
}

// appendWords appends the PLAIN bytes of words.
func (f plainForm) appendWords(dst []byte, words []uint64) ([]byte, error) {
	switch {
	case f.typ == format.Boolean:
		for _, w := range words {
			dst = append(dst, byte(w&1))
		}
		return dst, nil
	case f.typ == format.Double:
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint64(dst, wordFloat(w))
		}
		return dst, nil
	case f.typ == format.Float:
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint32(dst, narrow32(wordFloat(w)))
		}
		return dst, nil
	case f.kind == Float:
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint16(dst, narrow16(wordFloat(w)))
		}
		return dst, nil
	case f.kind == Uint:
		return f.appendUnsigned(dst, words)
	}
	return f.appendSigned(dst, words)
}

func (f plainForm) appendUnsigned(dst []byte, words []uint64) ([]byte, error) {
	for _, w := range words {
		if f.typ == format.Int64 {
			dst = binary.LittleEndian.AppendUint64(dst, w)
			continue
		}
		if w > math.MaxUint32 {
			return dst, errRange
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(w))
	}
	return dst, nil
}

// errRange is returned for a value that its physical type cannot hold.
var errRange = fmt.Errorf("%w: value outside the range of its physical type", ErrUnsupported)

func (f plainForm) appendSigned(dst []byte, words []uint64) ([]byte, error) {
	for _, w := range words {
		v := wordInt(w)
		if scaled := v * f.scale; scaled/f.scale == v {
			v = scaled
		} else {
			return dst, errRange
		}
		switch f.typ {
		case format.Int64:
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		case format.Int32:
			if int64(int32(v)) != v {
				return dst, errRange
			}
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
		default:
			var twos [8]byte
			binary.BigEndian.PutUint64(twos[:], uint64(v))
			var err error
			if dst, err = f.appendTwos(dst, twos[:]); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// appendBytes appends the PLAIN bytes of one value that is not InWords.
func (f plainForm) appendBytes(dst, value []byte) ([]byte, error) {
	switch {
	case f.typ == format.Int96:
		return plainInt96(dst, value)
	case f.kind == Decimal:
		if len(value) == 0 {
			return dst, errRange
		}
		var twos [32]byte
		n := copy(twos[:], value)
		twos[0] ^= 0x80
		return f.appendTwos(dst, twos[:n])
	}
	return f.appendRaw(dst, value)
}

// appendRaw appends bytes as they are.
func (f plainForm) appendRaw(dst, value []byte) ([]byte, error) {
	if f.size == 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	} else if len(value) != f.size {
		return dst, errRange
	}
	return append(dst, value...), nil
}

// appendTwos appends a big-endian two's complement number, made as wide as the form is, or
// as short as possible in a byte array.
func (f plainForm) appendTwos(dst, twos []byte) ([]byte, error) {
	sign := byte(int8(twos[0]) >> 7)
	size := f.size
	if size == 0 {
		size = 1
	}
	for len(twos) > size && twos[0] == sign && twos[1]>>7 == sign>>7 {
		twos = twos[1:]
	}
	if f.size == 0 {
		return f.appendRaw(dst, twos)
	}
	if len(twos) > f.size {
		return dst, errRange
	}
	for range f.size - len(twos) {
		dst = append(dst, sign)
	}
	return append(dst, twos...), nil
}

// plainInt96 turns day and nanoseconds, both big-endian, into Parquet's nanoseconds and
// day, both little-endian.
func plainInt96(dst, value []byte) ([]byte, error) {
	if len(value) != 12 {
		return dst, errRange
	}
	day := binary.BigEndian.Uint32(value) ^ 1<<31
	dst = binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(value[4:]))
	return binary.LittleEndian.AppendUint32(dst, day), nil
}

// narrow32 returns the 32-bit float that was widened to these bits, NaN payloads kept.
func narrow32(bits uint64) uint32 {
	if f := math.Float64frombits(bits); f == f {
		return math.Float32bits(float32(f))
	}
	return uint32(bits>>63)<<31 | 0x7f800000 | uint32(bits>>29)&0x7fffff
}

// narrow16 returns the 16-bit float that was widened to these bits.
func narrow16(bits uint64) uint16 {
	sign := uint16(bits>>63) << 15
	exponent := int(bits>>52)&0x7ff - 1023
	mantissa := bits & (1<<52 - 1)
	switch {
	case exponent == 1024: // infinity and NaN
		return sign | 0x7c00 | uint16(mantissa>>42)
	case exponent >= -14:
		return sign | uint16(exponent+15)<<10 | uint16(mantissa>>42)
	case exponent >= -24: // subnormal: a multiple of 2^-24
		return sign | uint16((mantissa|1<<52)>>uint(28-exponent))
	}
	return sign
}
