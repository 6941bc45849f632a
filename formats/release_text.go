package formats

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// labelForm says how the PLAIN bytes of a column's values become labels.
type labelForm struct {
	size int // bytes of a value; 0: a length of 4 bytes comes first
	text func([]byte) string
}

// labelFormOf returns the form of a flat column.
func labelFormOf(c *schema.Column) (labelForm, error) {
	switch c.PhysicalType() {
	case parquet.Types.Int32:
		text := integerText(c.LogicalType(), 32)
		return labelForm{4, func(b []byte) string { return text(int64(int32(binary.LittleEndian.Uint32(b)))) }}, nil
	case parquet.Types.Int64:
		text := integerText(c.LogicalType(), 64)
		return labelForm{8, func(b []byte) string { return text(int64(binary.LittleEndian.Uint64(b))) }}, nil
	case parquet.Types.Float:
		return labelForm{4, func(b []byte) string { return floatText(widenFloat32(binary.LittleEndian.Uint32(b)), 32) }}, nil
	case parquet.Types.Double:
		return labelForm{8, func(b []byte) string { return floatText(binary.LittleEndian.Uint64(b), 64) }}, nil
	case parquet.Types.ByteArray:
		return labelForm{0, bytesText(c.LogicalType())}, nil
	case parquet.Types.FixedLenByteArray:
		if c.TypeLength() <= 0 {
			return labelForm{}, fmt.Errorf("%w: width %d", ErrDamaged, c.TypeLength())
		}
		return labelForm{c.TypeLength(), bytesText(c.LogicalType())}, nil
	}
	return labelForm{}, fmt.Errorf("%w: %v is no type of labels", ErrUnsupported, c.PhysicalType())
}

// integerText returns how integers of so many bits with a logical type are written.
func integerText(t schema.LogicalType, bits int) func(int64) string {
	switch t := t.(type) {
	case *schema.DecimalLogicalType:
		return func(v int64) string { return decimalText(strconv.FormatInt(v, 10), int(t.Scale())) }
	case schema.DateLogicalType:
		return func(v int64) string { return string(appendDate(nil, v)) }
	case *schema.TimeLogicalType:
		return func(v int64) string { return timeText(v, labelUnit(t.TimeUnit())) }
	case *schema.TimestampLogicalType:
		zone := ""
		if t.IsAdjustedToUTC() {
			zone = "UTC"
		}
		return func(v int64) string { return timestampText(v, labelUnit(t.TimeUnit()), zone) }
	case *schema.IntLogicalType:
		if !t.IsSigned() {
			return func(v int64) string { return strconv.FormatUint(uint64(v)<<(64-bits)>>(64-bits), 10) }
		}
	}
	return func(v int64) string { return strconv.FormatInt(v, 10) }
}

func labelUnit(u schema.TimeUnitType) Unit {
	switch u {
	case schema.TimeUnitMillis:
		return Milli
	case schema.TimeUnitMicros:
		return Micro
	}
	return Nano
}

// bytesText returns how byte arrays with a logical type are written.
func bytesText(t schema.LogicalType) func([]byte) string {
	switch t := t.(type) {
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		return func(b []byte) string { return string(b) }
	case *schema.DecimalLogicalType:
		return func(b []byte) string { return decimalText(twosComplement(b).String(), int(t.Scale())) }
	case schema.UUIDLogicalType:
		return func(b []byte) string { return uuidText(b) }
	case schema.Float16LogicalType:
		return func(b []byte) string { return floatText(widenFloat16(binary.LittleEndian.Uint16(b)), 16) }
	}
	return hex.EncodeToString
}

// twosComplement returns a big-endian two's complement number.
func twosComplement(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// labels returns n PLAIN values as labels, and the bytes after them.
func (f labelForm) labels(b []byte, n int) ([]string, []byte, error) {
	labels := make([]string, 0, min(n, len(b)/max(1, f.size)))
	for range n {
		size := f.size
		if size == 0 {
			if len(b) < 4 {
				return nil, nil, errValues
			}
			size = int(binary.LittleEndian.Uint32(b))
			b = b[4:]
		}
		if len(b) < size {
			return nil, nil, errValues
		}
		labels = append(labels, f.text(b[:size]))
		b = b[size:]
	}
	return labels, b, nil
}

var errValues = fmt.Errorf("%w: values end too early", ErrDamaged)
