package arrowfile

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/kcut/kcut/formats"
)

// flatTypeOf returns the type of a flat Arrow column, Nested for what cannot be masked.
func flatTypeOf(dt arrow.DataType, meta arrow.Metadata) formats.Type {
	switch dt := dt.(type) {
	case *arrow.NullType:
		return formats.Type{Kind: formats.Null}
	case *arrow.BooleanType:
		return formats.Type{Kind: formats.Boolean}
	case *arrow.Date32Type, *arrow.Date64Type:
		return formats.Type{Kind: formats.Date}
	case *arrow.Time32Type:
		return formats.Type{Kind: formats.Time, Unit: unitOf(dt.Unit)}
	case *arrow.Time64Type:
		return formats.Type{Kind: formats.Time, Unit: unitOf(dt.Unit)}
	case *arrow.TimestampType:
		return formats.Type{Kind: formats.Timestamp, Unit: unitOf(dt.Unit), Zone: dt.TimeZone}
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return formats.Type{Kind: formats.String}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return formats.Type{Kind: formats.Binary}
	case *arrow.FixedSizeBinaryType:
		return binaryOf(dt, meta)
	case arrow.DecimalType:
		return decimalOf(dt)
	}
	return numberOf(dt)
}

func numberOf(dt arrow.DataType) formats.Type {
	fixed, ok := dt.(arrow.FixedWidthDataType)
	switch {
	case ok && arrow.IsSignedInteger(dt.ID()):
		return formats.Type{Kind: formats.Int, Bits: fixed.BitWidth()}
	case ok && arrow.IsUnsignedInteger(dt.ID()):
		return formats.Type{Kind: formats.Uint, Bits: fixed.BitWidth()}
	case ok && arrow.IsFloating(dt.ID()):
		return formats.Type{Kind: formats.Float, Bits: fixed.BitWidth()}
	}
	return formats.Type{Kind: formats.Nested, Nested: dt.String()}
}

func unitOf(u arrow.TimeUnit) formats.Unit {
	switch u {
	case arrow.Millisecond:
		return formats.Milli
	case arrow.Microsecond:
		return formats.Micro
	case arrow.Nanosecond:
		return formats.Nano
	}
	return formats.Second
}

func binaryOf(dt *arrow.FixedSizeBinaryType, meta arrow.Metadata) formats.Type {
	name, _ := meta.GetValue("ARROW:extension:name")
	switch {
	case name == "arrow.uuid" && dt.ByteWidth == 16:
		return formats.Type{Kind: formats.UUID}
	case dt.ByteWidth == 0: // no size at all to Parquet
		return formats.Type{Kind: formats.Nested, Nested: dt.String()}
	}
	return formats.Type{Kind: formats.Binary, Size: dt.ByteWidth}
}

// decimalOf returns the type of a decimal, Nested for one whose point lies outside its
// digits: Parquet does not have those.
func decimalOf(dt arrow.DecimalType) formats.Type {
	precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
	if precision < 1 || precision > 76 || scale < 0 || scale > precision {
		return formats.Type{Kind: formats.Nested, Nested: dt.String()}
	}
	return formats.Type{Kind: formats.Decimal, Precision: precision, Scale: scale, Wide: precision > 18}
}

// shapeOf returns how a column of a type lies in buffers, and the width of what
// shape says about it.
func shapeOf(dt arrow.DataType) (shape, int) {
	switch dt := dt.(type) {
	case *arrow.NullType:
		return asNulls, 0
	case *arrow.BooleanType:
		return asBits, 0
	case *arrow.StringType, *arrow.BinaryType:
		return asVariable, 4
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return asVariable, 8
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return asViews, 16
	case arrow.FixedWidthDataType:
		return fixedShape(dt)
	}
	return nestedShape(dt)
}

func fixedShape(dt arrow.FixedWidthDataType) (shape, int) {
	if f, ok := dt.(*arrow.FixedSizeBinaryType); ok { // its BitWidth overflows for absurd widths
		return asFixed, f.ByteWidth
	}
	return asFixed, dt.BitWidth() / 8
}

func nestedShape(dt arrow.DataType) (shape, int) {
	switch dt := dt.(type) {
	case *arrow.ListType, *arrow.MapType:
		return asList, 4
	case *arrow.LargeListType:
		return asList, 8
	case *arrow.ListViewType:
		return asListView, 4
	case *arrow.LargeListViewType:
		return asListView, 8
	case *arrow.FixedSizeListType:
		return asFixedList, int(dt.Len())
	case *arrow.SparseUnionType:
		return asUnion, 0
	case *arrow.DenseUnionType:
		return asUnion, 4
	case *arrow.RunEndEncodedType:
		return asRuns, 0
	}
	return asStruct, 0
}
