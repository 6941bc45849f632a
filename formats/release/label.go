package release

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
)

// form says how the PLAIN bytes of a column's values become labels.
type form struct {
	size int // bytes of a value; 0: a length of 4 bytes comes first
	text func([]byte) string
}

// formOf returns the form of a flat column.
func formOf(c *schema.Column) (form, error) {
	switch c.PhysicalType() {
	case parquet.Types.Int32:
		t := integerType(c.LogicalType(), 32)
		return wordForm(4, t, func(b []byte) uint64 { return integerWord(t, int64(int32(binary.LittleEndian.Uint32(b)))) }), nil
	case parquet.Types.Int64:
		t := integerType(c.LogicalType(), 64)
		return wordForm(8, t, func(b []byte) uint64 { return integerWord(t, int64(binary.LittleEndian.Uint64(b))) }), nil
	case parquet.Types.Float:
		return wordForm(4, formats.Type{Kind: formats.Float, Bits: 32}, func(b []byte) uint64 {
			return formats.FloatWord(formats.WidenFloat32(binary.LittleEndian.Uint32(b)))
		}), nil
	case parquet.Types.Double:
		return wordForm(8, formats.Type{Kind: formats.Float, Bits: 64}, func(b []byte) uint64 {
			return formats.FloatWord(binary.LittleEndian.Uint64(b))
		}), nil
	case parquet.Types.ByteArray:
		return bytesForm(0, c.LogicalType()), nil
	case parquet.Types.FixedLenByteArray:
		if c.TypeLength() <= 0 {
			return form{}, fmt.Errorf("%w: width %d", formats.ErrDamaged, c.TypeLength())
		}
		return bytesForm(c.TypeLength(), c.LogicalType()), nil
	}
	return form{}, fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, c.PhysicalType())
}

// wordForm returns the form of values in words, given the word of a value's bytes. One
// goroutine uses it at a time.
func wordForm(size int, t formats.Type, word func([]byte) uint64) form {
	one := formats.Values{Type: t, Words: make([]uint64, 1)}
	return form{size, func(b []byte) string {
		one.Words[0] = word(b)
		return one.Text(0)
	}}
}

// integerType returns the type of integers of so many bits with a logical type.
func integerType(t schema.LogicalType, bits int) formats.Type {
	switch t := t.(type) {
	case *schema.DecimalLogicalType:
		return formats.Type{Kind: formats.Decimal, Scale: int(t.Scale())}
	case schema.DateLogicalType:
		return formats.Type{Kind: formats.Date}
	case *schema.TimeLogicalType:
		return formats.Type{Kind: formats.Time, Unit: unitOf(t.TimeUnit())}
	case *schema.TimestampLogicalType:
		zone := ""
		if t.IsAdjustedToUTC() {
			zone = "UTC"
		}
		return formats.Type{Kind: formats.Timestamp, Unit: unitOf(t.TimeUnit()), Zone: zone}
	case *schema.IntLogicalType:
		if !t.IsSigned() {
			return formats.Type{Kind: formats.Uint, Bits: bits}
		}
	}
	return formats.Type{Kind: formats.Int, Bits: bits}
}

func unitOf(u schema.TimeUnitType) formats.Unit {
	switch u {
	case schema.TimeUnitMillis:
		return formats.Milli
	case schema.TimeUnitMicros:
		return formats.Micro
	}
	return formats.Nano
}

func integerWord(t formats.Type, v int64) uint64 {
	if t.Kind == formats.Uint {
		return uint64(v) << (64 - t.Bits) >> (64 - t.Bits)
	}
	return formats.IntWord(v)
}

// bytesForm returns the form of byte arrays with a logical type.
func bytesForm(size int, t schema.LogicalType) form {
	switch t := t.(type) {
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		return form{size, func(b []byte) string { return string(b) }}
	case *schema.DecimalLogicalType:
		return form{size, func(b []byte) string { return decimalLabel(b, int(t.Scale())) }}
	case schema.UUIDLogicalType:
		return form{size, func(b []byte) string { return oneText(formats.Type{Kind: formats.UUID}, b) }}
	case schema.Float16LogicalType:
		return wordForm(size, formats.Type{Kind: formats.Float, Bits: 16}, func(b []byte) uint64 {
			return formats.FloatWord(formats.WidenFloat16(binary.LittleEndian.Uint16(b)))
		})
	}
	return form{size, hex.EncodeToString}
}

// decimalLabel returns the text of a big-endian two's complement number.
func decimalLabel(b []byte, scale int) string {
	if len(b) == 0 {
		b = []byte{0}
	}
	flipped := bytes.Clone(b)
	flipped[0] ^= 0x80
	return oneText(formats.Type{Kind: formats.Decimal, Wide: true, Scale: scale}, flipped)
}

// oneText returns the text of a value that is not in words.
func oneText(t formats.Type, b []byte) string {
	return (&formats.Values{Type: t, Ends: []uint32{uint32(len(b))}, Data: b}).Text(0)
}

// each shows n PLAIN values to f, and returns the bytes after them.
func (f form) each(b []byte, n int, show func(value []byte)) (rest []byte, err error) {
	for range n {
		size := f.size
		if size == 0 {
			if len(b) < 4 {
				return nil, errValues
			}
			size = int(binary.LittleEndian.Uint32(b))
			b = b[4:]
		}
		if len(b) < size {
			return nil, errValues
		}
		show(b[:size])
		b = b[size:]
	}
	return b, nil
}

var errValues = fmt.Errorf("%w: values end too early", formats.ErrDamaged)
