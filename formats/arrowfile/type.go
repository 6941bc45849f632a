package arrowfile

import (
	"github.com/apache/arrow/go/v17/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/kcut/kcut/formats"
)

// storageOf returns the type as which Arrow's library lays out a column, and which the file
// declares so. Texts are bytes to it, decimals bytes of a fixed number, maps lists: it would
// read text as strings, knows no short decimals and panics on null keys.
func storageOf(dt arrow.DataType, declared table) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.StringType:
		return arrow.BinaryTypes.Binary
	case *arrow.LargeStringType:
		return arrow.BinaryTypes.LargeBinary
	case *arrow.StringViewType:
		return arrow.BinaryTypes.BinaryView
	case *arrow.MapType:
		return arrow.ListOf(dt.Elem())
	case arrow.DecimalType:
		if bits := number(declared, 2, flatbuffers.GetInt32); bits == 32 || bits == 64 {
			return &arrow.FixedSizeBinaryType{ByteWidth: int(bits / 8)}
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: dt.(arrow.FixedWidthDataType).Bytes()}
	}
	return dt
}

// typeOf returns the type of a flat Arrow column, Nested for what cannot be masked.
func typeOf(dt arrow.DataType, meta arrow.Metadata) formats.Type {
	nested := formats.Type{Kind: formats.Nested}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return formats.Type{Kind: formats.Null}
	case *arrow.BooleanType:
		return formats.Type{Kind: formats.Boolean}
	case *arrow.Date32Type, *arrow.Date64Type:
		return formats.Type{Kind: formats.Date}
	case *arrow.Time32Type:
		return formats.Type{Kind: formats.Time, Unit: formats.Unit(dt.Unit)}
	case *arrow.Time64Type:
		return formats.Type{Kind: formats.Time, Unit: formats.Unit(dt.Unit)}
	case *arrow.TimestampType:
		return formats.Type{Kind: formats.Timestamp, Unit: formats.Unit(dt.Unit), Zone: dt.TimeZone}
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return formats.Type{Kind: formats.String}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return formats.Type{Kind: formats.Binary}
	case *arrow.FixedSizeBinaryType:
		name, _ := meta.GetValue("ARROW:extension:name")
		switch {
		case name == "arrow.uuid" && dt.ByteWidth == 16:
			return formats.Type{Kind: formats.UUID}
		case dt.ByteWidth == 0: // no size at all to Parquet
			return nested
		}
		return formats.Type{Kind: formats.Binary, Size: dt.ByteWidth}
	case arrow.DecimalType:
		precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
		if precision < 1 || precision > 76 || scale < 0 || scale > precision {
			return nested // Parquet has the point among the digits
		}
		return formats.Type{
			Kind: formats.Decimal, Precision: precision, Scale: scale, Wide: precision > 18,
		}
	case arrow.FixedWidthDataType:
		switch id := dt.ID(); {
		case arrow.IsSignedInteger(id):
			return formats.Type{Kind: formats.Int, Bits: dt.BitWidth()}
		case arrow.IsUnsignedInteger(id):
			return formats.Type{Kind: formats.Uint, Bits: dt.BitWidth()}
		case arrow.IsFloating(id):
			return formats.Type{Kind: formats.Float, Bits: dt.BitWidth()}
		}
	}
	return nested
}
