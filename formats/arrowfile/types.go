package arrowfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/kcut/kcut/formats"
)

// errType is returned for types that Arrow's format does not have.
var errType = fmt.Errorf("%w: a type that Arrow does not have", formats.ErrUnsupported)

// declaredField returns the field that a table declares. The tables below it have been checked: see checkSchema. It panics
// at what is broken, and so do the types of Arrow's library.
func declaredField(t table) (f arrow.Field, err error) {
	f.Name, f.Nullable = t.text(0), number(t, 1, flatbuffers.GetByte) != 0
	var keys, values []string
	for _, entry := range t.tables(6) {
		keys, values = append(keys, entry.text(0)), append(values, entry.text(1))
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	var children []arrow.Field
	for _, c := range t.tables(5) {
		child, err := declaredField(c)
		if err != nil {
			return f, err
		}
		children = append(children, child)
	}
	if f.Type, err = declaredType(number(t, 2, flatbuffers.GetByte), t.child(3), children); err != nil {
		return f, err
	}
	if encoding := t.child(4); encoding.Bytes != nil {
		index := arrow.DataType(arrow.PrimitiveTypes.Int32)
		if declared := encoding.child(1); declared.Bytes != nil {
			if index, err = wholeType(declared); err != nil {
				return f, err
			}
		}
		f.Type = &arrow.DictionaryType{IndexType: index, ValueType: f.Type, Ordered: number(encoding, 2, flatbuffers.GetByte) != 0}
	}
	return f, nil
}

// Tags in the union of types.
const (
	decimalTag = 7
	unionTag   = 14
)

// plainTypes are the types without parameters, by their tags.
var plainTypes = map[byte]arrow.DataType{
	1: arrow.Null, 4: arrow.BinaryTypes.Binary, 5: arrow.BinaryTypes.String, 6: arrow.FixedWidthTypes.Boolean,
	19: arrow.BinaryTypes.LargeBinary, 20: arrow.BinaryTypes.LargeString, 23: arrow.BinaryTypes.BinaryView, 24: arrow.BinaryTypes.StringView,
}

// declaredType returns the type of a tag, a table of parameters and children.
func declaredType(tag byte, t table, children []arrow.Field) (arrow.DataType, error) {
	if plain := plainTypes[tag]; plain != nil {
		return plain, nil
	}
	unit := arrow.TimeUnit(numberOr(t, 0, flatbuffers.GetInt16, 1)) // of dates, times and durations
	switch tag {
	case 2:
		return wholeType(t)
	case 3:
		return choose(number(t, 0, flatbuffers.GetInt16), arrow.DataType(arrow.FixedWidthTypes.Float16), arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64)
	case decimalTag:
		return decimalType(t)
	case 8:
		return choose(unit, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64)
	case 9:
		return timeType(unit, numberOr(t, 1, flatbuffers.GetInt32, 32))
	case 10:
		unit = arrow.TimeUnit(number(t, 0, flatbuffers.GetInt16))
		if unit < 0 || unit > arrow.Nanosecond {
			return nil, errType
		}
		return &arrow.TimestampType{Unit: unit, TimeZone: t.text(1)}, nil
	case 11:
		return choose(number(t, 0, flatbuffers.GetInt16), arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval)
	case 15:
		return &arrow.FixedSizeBinaryType{ByteWidth: int(number(t, 0, flatbuffers.GetInt32))}, nil
	case 18:
		return choose(unit, arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ms, arrow.FixedWidthTypes.Duration_us, arrow.FixedWidthTypes.Duration_ns)
	}
	return nestedType(tag, t, children)
}

// choose returns one of several types.
func choose[N int16 | arrow.TimeUnit](n N, types ...arrow.DataType) (arrow.DataType, error) {
	if n < 0 || int(n) >= len(types) {
		return nil, errType
	}
	return types[n], nil
}

// wholeType returns the type of integers.
func wholeType(t table) (arrow.DataType, error) {
	signed := number(t, 1, flatbuffers.GetByte) != 0
	for _, dt := range []arrow.FixedWidthDataType{
		&arrow.Int8Type{}, &arrow.Int16Type{}, &arrow.Int32Type{}, &arrow.Int64Type{}, &arrow.Uint8Type{}, &arrow.Uint16Type{}, &arrow.Uint32Type{}, &arrow.Uint64Type{},
	} {
		if dt.BitWidth() == int(number(t, 0, flatbuffers.GetInt32)) && arrow.IsUnsignedInteger(dt.ID()) != signed {
			return dt, nil
		}
	}
	return nil, errType
}

// decimalType returns the type of decimals, of 128 bits for shorter ones, which Arrow's library does not know.
func decimalType(t table) (arrow.DataType, error) {
	precision, scale := number(t, 0, flatbuffers.GetInt32), number(t, 1, flatbuffers.GetInt32)
	switch numberOr(t, 2, flatbuffers.GetInt32, 128) {
	case 32, 64, 128:
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}, nil
	case 256:
		return &arrow.Decimal256Type{Precision: precision, Scale: scale}, nil
	}
	return nil, errType
}

// timeType returns the type of times of day: seconds and milliseconds have 32 bits, others 64.
func timeType(unit arrow.TimeUnit, bits int32) (arrow.DataType, error) {
	switch {
	case bits == 32 && (unit == arrow.Second || unit == arrow.Millisecond):
		return &arrow.Time32Type{Unit: unit}, nil
	case bits == 64 && (unit == arrow.Microsecond || unit == arrow.Nanosecond):
		return &arrow.Time64Type{Unit: unit}, nil
	}
	return nil, errType
}

// nestedType returns a type that has children.
func nestedType(tag byte, t table, children []arrow.Field) (arrow.DataType, error) {
	switch {
	case tag == 13:
		return arrow.StructOf(children...), nil
	case tag == unionTag:
		return unionType(t, children)
	case tag == 22 && len(children) == 2:
		return arrow.RunEndEncodedOf(children[0].Type, children[1].Type), nil
	case len(children) != 1:
		return nil, errType
	}
	item := children[0]
	switch tag {
	case 12:
		return arrow.ListOfField(item), nil
	case 16:
		return arrow.FixedSizeListOfField(number(t, 0, flatbuffers.GetInt32), item), nil
	case 17:
		pair, ok := item.Type.(*arrow.StructType)
		if !ok || item.Nullable || pair.NumFields() != 2 || pair.Field(0).Nullable {
			return nil, errType
		}
		m := arrow.MapOf(pair.Field(0).Type, pair.Field(1).Type)
		m.SetItemNullable(pair.Field(1).Nullable)
		m.KeysSorted = number(t, 0, flatbuffers.GetByte) != 0
		return m, nil
	case 21:
		return arrow.LargeListOfField(item), nil
	case 25:
		return arrow.ListViewOfField(item), nil
	case 26:
		return arrow.LargeListViewOfField(item), nil
	}
	return nil, errType
}

func unionType(t table, children []arrow.Field) (arrow.DataType, error) {
	at, n := t.vector(1, 4)
	codes := make([]arrow.UnionTypeCode, 0, len(children))
	for i := range n {
		code := flatbuffers.GetInt32(t.Bytes[int(at)+4*i:])
		if int32(arrow.UnionTypeCode(code)) != code {
			return nil, errType
		}
		codes = append(codes, arrow.UnionTypeCode(code))
	}
	for i := range children {
		if n == 0 {
			codes = append(codes, arrow.UnionTypeCode(i))
		}
	}
	mode := arrow.SparseMode
	if number(t, 0, flatbuffers.GetInt16) == 1 {
		mode = arrow.DenseMode
	}
	return arrow.UnionOf(mode, children, codes), nil
}
