// Package plain implements PLAIN, the encoding of single values in Parquet: readers decode columns
// with it, the writer fills its pages with it, and the leaves of nested columns use it.
//
// Limits: booleans differ from those in pages. Here each takes a byte.
package plain

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Form converts the values of one flat column to PLAIN bytes. It undoes the encoding by which
// Values keeps order: flipped sign bits, widened floats, big-endian INT96.
type Form struct {
	Type formats.Type // of the values
	Size int          // number of bytes of a fixed-width value; 0: a length of 4 bytes comes first

	physical format.Type
	scale    int64 // factor of words: 1,000 for seconds, which Parquet does not have
}

// FormOf returns the form of a flat column, or formats.ErrUnsupported when the schema element
// cannot store values of the column's type.
func FormOf(t formats.Type, e format.SchemaElement) (Form, error) {
	f := Form{Type: t, Size: SizeOf(&e), physical: e.Type.V, scale: 1}
	if (t.Kind == formats.Time || t.Kind == formats.Timestamp) && t.Unit == formats.Second {
		f.scale = 1000
	}
	if !f.fits() {
		return f, fmt.Errorf("%w: a column of this type stored as %v", formats.ErrUnsupported,
			f.physical)
	}
	return f, nil
}

// SizeOf returns the number of bytes of one PLAIN value, 0 for byte arrays. Booleans take one byte
// until a page packs them.
func SizeOf(e *format.SchemaElement) int {
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

// fits reports whether AppendWords (words) or AppendBytes (bytes) supports the form.
func (f Form) fits() bool {
	wide := !f.Type.InWords()
	switch f.physical {
	case format.Boolean:
		return f.Type.Kind == formats.Boolean
	case format.Int32, format.Int64:
		return !wide && f.Type.Kind != formats.Float && f.Type.Kind != formats.Boolean ||
			f.Type.Kind == formats.Null
	case format.Float, format.Double:
		return f.Type.Kind == formats.Float
	case format.Int96:
		return wide && f.Type.Kind == formats.Timestamp
	case format.FixedLenByteArray:
		return f.Size > 0 && (wide || f.Type.Kind == formats.Decimal ||
			f.Type.Kind == formats.Float && f.Size == 2)
	}
	return wide || f.Type.Kind == formats.Decimal
}

// AppendWords appends the PLAIN bytes of words, or returns formats.ErrUnsupported for a value that
// the physical type cannot hold.
func (f Form) AppendWords(dst []byte, words []uint64) (_ []byte, err error) {
	for _, w := range words {
		switch {
		case f.physical == format.Boolean:
			dst = append(dst, byte(w&1))
		case f.physical == format.Double:
			dst = binary.LittleEndian.AppendUint64(dst, formats.WordFloat(w))
		case f.physical == format.Float:
			dst = binary.LittleEndian.AppendUint32(dst, formats.NarrowFloat32(formats.WordFloat(w)))
		case f.Type.Kind == formats.Float:
			dst = binary.LittleEndian.AppendUint16(dst, formats.NarrowFloat16(formats.WordFloat(w)))
		case f.Type.Kind == formats.Uint && f.physical == format.Int64:
			dst = binary.LittleEndian.AppendUint64(dst, w)
		case f.Type.Kind == formats.Uint:
			if w > math.MaxUint32 {
				return dst, errRange
			}
			dst = binary.LittleEndian.AppendUint32(dst, uint32(w))
		default:
			if dst, err = f.appendSigned(dst, formats.WordInt(w)); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// errRange is returned for a value that its physical type cannot hold.
var errRange = fmt.Errorf("%w: value outside the range of its physical type",
	formats.ErrUnsupported)

func (f Form) appendSigned(dst []byte, v int64) ([]byte, error) {
	scaled := v * f.scale
	if scaled/f.scale != v || f.physical == format.Int32 && int64(int32(scaled)) != scaled {
		return dst, errRange
	}
	switch f.physical {
	case format.Int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(scaled)), nil
	case format.Int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(scaled)), nil
	}
	var twos [8]byte
	binary.BigEndian.PutUint64(twos[:], uint64(scaled))
	return f.appendTwos(dst, twos[:])
}

// AppendBytes appends the PLAIN bytes of one value that is not InWords, or returns
// formats.ErrUnsupported for one that the physical type cannot hold.
func (f Form) AppendBytes(dst, value []byte) ([]byte, error) {
	switch {
	case f.physical == format.Int96:
		return appendInt96(dst, value)
	case f.Type.Kind == formats.Decimal:
		if len(value) == 0 {
			return dst, errRange
		}
		var twos [32]byte
		n := copy(twos[:], value)
		twos[0] ^= 0x80
		return f.appendTwos(dst, twos[:n])
	}
	return AppendRaw(dst, value, f.Size)
}

// AppendRaw appends the bytes of a value of size bytes or, when size is 0, their length followed by
// the bytes. A value of another size is formats.ErrUnsupported.
func AppendRaw(dst, value []byte, size int) ([]byte, error) {
	if size == 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	} else if len(value) != size {
		return dst, errRange
	}
	return append(dst, value...), nil
}

// appendTwos appends a big-endian two's complement number, extended to the width of the form, or as
// short as possible in a byte array.
func (f Form) appendTwos(dst, twos []byte) ([]byte, error) {
	sign := byte(int8(twos[0]) >> 7)
	size := f.Size
	if size == 0 {
		size = 1
	}
	for len(twos) > size && twos[0] == sign && twos[1]>>7 == sign>>7 {
		twos = twos[1:]
	}
	if f.Size == 0 {
		return AppendRaw(dst, twos, 0)
	}
	if len(twos) > f.Size {
		return dst, errRange
	}
	for range f.Size - len(twos) {
		dst = append(dst, sign)
	}
	return append(dst, twos...), nil
}

// appendInt96 converts day and nanoseconds, both big-endian, to Parquet's nanoseconds and day, both
// little-endian.
func appendInt96(dst, value []byte) ([]byte, error) {
	if len(value) != 12 {
		return dst, errRange
	}
	day := binary.BigEndian.Uint32(value) ^ 1<<31
	dst = binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(value[4:]))
	return binary.LittleEndian.AppendUint32(dst, day), nil
}
