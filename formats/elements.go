package formats

import (
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// CreatedBy is how a release says who wrote it. It names no version: equal input gives
// equal bytes.
const CreatedBy = "kcut"

// Declaration returns the subtree of a Parquet schema that a release declares for f: what
// the source declared, under f's name, or the usual element of a flat type. Field ids are
// never copied: they are the source's, and a release has no use for them.
func (f Field) Declaration() []format.SchemaElement {
	elements := slices.Clone(f.Elements)
	if len(elements) == 0 {
		elements = []format.SchemaElement{flatElement(f.Type)}
	}
	for i := range elements {
		elements[i].FieldID = 0
	}
	elements[0].Name = f.Name
	if f.Type.Kind != Nested {
		elements[0].RepetitionType = thrift.New(Repetition(f.Nullable))
	}
	return elements
}

// Repetition returns how Parquet declares a column that is nullable, or not.
func Repetition(nullable bool) format.FieldRepetitionType {
	if nullable {
		return format.Optional
	}
	return format.Required
}

// flatElement returns the usual schema element of a flat type, without name and repetition.
func flatElement(t Type) format.SchemaElement {
	switch t.Kind {
	case Boolean:
		return physical(format.Boolean)
	case Int, Uint:
		return integerElement(t)
	case Float:
		return floatElement(t.Bits)
	case Decimal:
		return decimalElement(t)
	case Date:
		return annotated(physical(format.Int32), &format.DateType{}, deprecated.Date)
	case Time:
		return timeElement(t)
	case Timestamp:
		return timestampElement(t)
	case String:
		return annotated(physical(format.ByteArray), &format.StringType{}, deprecated.UTF8)
	case UUID:
		return logical(fixed(16), &format.UUIDType{})
	case Null:
		return logical(physical(format.Int32), &format.NullType{})
	}
	if t.Size > 0 {
		return fixed(t.Size)
	}
	return physical(format.ByteArray)
}

func physical(t format.Type) format.SchemaElement {
	return format.SchemaElement{Type: thrift.New(t)}
}

func fixed(size int) format.SchemaElement {
	e := physical(format.FixedLenByteArray)
	e.TypeLength = thrift.New(int32(size))
	return e
}

func logical(e format.SchemaElement, t format.LogicalTypeValue) format.SchemaElement {
	e.LogicalType = format.LogicalType{Value: t}
	return e
}

// annotated gives e both annotations: readers older than logical types know only the second.
func annotated(e format.SchemaElement, t format.LogicalTypeValue, c deprecated.ConvertedType) format.SchemaElement {
	e.ConvertedType = thrift.New(c)
	return logical(e, t)
}

func integerElement(t Type) format.SchemaElement {
	converted := map[int]deprecated.ConvertedType{
		8: deprecated.Int8, 16: deprecated.Int16, 32: deprecated.Int32, 64: deprecated.Int64,
	}
	if t.Kind == Uint {
		converted = map[int]deprecated.ConvertedType{
			8: deprecated.Uint8, 16: deprecated.Uint16, 32: deprecated.Uint32, 64: deprecated.Uint64,
		}
	}
	e := physical(format.Int32)
	if t.Bits == 64 {
		e = physical(format.Int64)
	}
	return annotated(e, &format.IntType{BitWidth: int8(t.Bits), IsSigned: t.Kind == Int}, converted[t.Bits])
}

func floatElement(bits int) format.SchemaElement {
	switch bits {
	case 16:
		return logical(fixed(2), &format.Float16Type{})
	case 32:
		return physical(format.Float)
	}
	return physical(format.Double)
}

// decimalElement picks the smallest physical type that holds t's digits.
func decimalElement(t Type) format.SchemaElement {
	var e format.SchemaElement
	switch {
	case t.Precision <= 9:
		e = physical(format.Int32)
	case t.Precision <= 18:
		e = physical(format.Int64)
	case t.Precision <= 38:
		e = fixed(16)
	default:
		e = fixed(32)
	}
	e.Scale, e.Precision = thrift.New(int32(t.Scale)), thrift.New(int32(t.Precision))
	return annotated(e, &format.DecimalType{Scale: int32(t.Scale), Precision: int32(t.Precision)}, deprecated.Decimal)
}

// timeElement returns the element of a time of day, which belongs to no zone: no converted type says that.
func timeElement(t Type) format.SchemaElement {
	e := physical(format.Int64)
	if t.Unit <= Milli {
		e = physical(format.Int32)
	}
	return logical(e, &format.TimeType{Unit: timeUnit(t.Unit)})
}

func timestampElement(t Type) format.SchemaElement {
	annotation := &format.TimestampType{IsAdjustedToUTC: t.Zone != "", Unit: timeUnit(t.Unit)}
	e := physical(format.Int64)
	switch {
	case t.Zone == "" || t.Unit == Nano: // the converted types mean UTC, and know no nanoseconds
		return logical(e, annotation)
	case t.Unit == Micro:
		return annotated(e, annotation, deprecated.TimestampMicros)
	}
	return annotated(e, annotation, deprecated.TimestampMillis)
}

// timeUnit returns the unit a release declares: Parquet has no seconds, so that their
// values are written as milliseconds.
func timeUnit(u Unit) format.TimeUnit {
	switch u {
	case Micro:
		return format.TimeUnit{Value: &format.MicroSeconds{}}
	case Nano:
		return format.TimeUnit{Value: &format.NanoSeconds{}}
	}
	return format.TimeUnit{Value: &format.MilliSeconds{}}
}
