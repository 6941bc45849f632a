package release

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// width returns the bytes of a PLAIN value; 0: a length of 4 bytes comes first.
func (l *leaf) width() int {
	switch l.element.Type.V {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return int(l.element.TypeLength.V)
	}
	return 0
}

// labels makes labels of the PLAIN values of a flat column. One goroutine uses it at a time.
type labels struct {
	one   formats.Values
	width int
}

func newLabels(l *leaf) (labels, error) {
	t, width := labelType(l.element), l.width()
	switch {
	case l.element.Type.V == format.Boolean || l.element.Type.V == format.Int96:
		return labels{}, fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, l.element.Type.V)
	case l.element.Type.V == format.FixedLenByteArray && width <= 0, t.Kind == formats.Float && 8*width != t.Bits:
		return labels{}, fmt.Errorf("%w: width %d", formats.ErrDamaged, width)
	}
	return labels{formats.Values{Type: t, Words: make([]uint64, 1), Ends: make([]uint32, 1)}, width}, nil
}

// labelType returns the type of an element's values.
func labelType(e *format.SchemaElement) formats.Type {
	wide := e.Type.V == format.ByteArray || e.Type.V == format.FixedLenByteArray
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		return formats.Type{Kind: formats.Decimal, Scale: int(t.Scale), Wide: wide}
	case *format.Float16Type:
		return formats.Type{Kind: formats.Float, Bits: 16}
	case *format.StringType, *format.EnumType, *format.JsonType:
		return formats.Type{Kind: formats.String}
	case *format.UUIDType:
		return formats.Type{Kind: formats.UUID}
	case *format.DateType:
		return formats.Type{Kind: formats.Date}
	case *format.TimeType:
		return formats.Type{Kind: formats.Time, Unit: unitOf(t.Unit)}
	case *format.TimestampType:
		zone := ""
		if t.IsAdjustedToUTC {
			zone = "UTC"
		}
		return formats.Type{Kind: formats.Timestamp, Unit: unitOf(t.Unit), Zone: zone}
	case *format.IntType:
		if !t.IsSigned {
			return formats.Type{Kind: formats.Uint}
		}
	}
	switch {
	case e.Type.V == format.Float:
		return formats.Type{Kind: formats.Float, Bits: 32}
	case e.Type.V == format.Double:
		return formats.Type{Kind: formats.Float, Bits: 64}
	case wide:
		return formats.Type{Kind: formats.Binary}
	}
	return formats.Type{Kind: formats.Int}
}

func unitOf(u format.TimeUnit) formats.Unit {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return formats.Milli
	case *format.MicroSeconds:
		return formats.Micro
	}
	return formats.Nano
}

// of returns the label of a value.
func (l *labels) of(value []byte) string {
	var word [8]byte
	if l.one.Type.InWords() {
		copy(word[:], value)
	}
	bits := binary.LittleEndian.Uint64(word[:])
	switch t := l.one.Type; {
	case t.Kind == formats.Float && t.Bits == 16:
		l.one.Words[0] = formats.FloatWord(formats.WidenFloat16(uint16(bits)))
	case t.Kind == formats.Float && t.Bits == 32:
		l.one.Words[0] = formats.FloatWord(formats.WidenFloat32(uint32(bits)))
	case t.Kind == formats.Float:
		l.one.Words[0] = formats.FloatWord(bits)
	case t.Kind == formats.Uint:
		l.one.Words[0] = bits
	case t.InWords() && l.width == 4:
		l.one.Words[0] = formats.IntWord(int64(int32(bits)))
	case t.InWords():
		l.one.Words[0] = formats.IntWord(int64(bits))
	case t.Kind == formats.Decimal: // in memory its sign bit is flipped
		value = append([]byte{}, value...)
		if len(value) == 0 {
			value = []byte{0}
		}
		value[0] ^= 0x80
		fallthrough
	default:
		l.one.Data, l.one.Ends[0] = value, uint32(len(value))
	}
	return l.one.Text(0)
}

// eachPlain shows n PLAIN values of so many bytes, see width, and returns the bytes after them.
func eachPlain(b []byte, width, n int, show func(value []byte)) (rest []byte, err error) {
	for range n {
		size := width
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
