package formats

import "github.com/apache/arrow/go/v17/arrow"

// arrowFlatType returns the type of a flat Arrow column, Nested for what cannot be masked.
func arrowFlatType(dt arrow.DataType, meta arrow.Metadata) Type {
	switch dt := dt.(type) {
	case *arrow.NullType:
		return Type{Kind: Null}
	case *arrow.BooleanType:
		return Type{Kind: Boolean}
	case *arrow.Date32Type, *arrow.Date64Type:
		return Type{Kind: Date}
	case *arrow.Time32Type:
		return Type{Kind: Time, Unit: arrowUnit(dt.Unit)}
	case *arrow.Time64Type:
		return Type{Kind: Time, Unit: arrowUnit(dt.Unit)}
	case *arrow.TimestampType:
		return Type{Kind: Timestamp, Unit: arrowUnit(dt.Unit), Zone: dt.TimeZone}
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return Type{Kind: String}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return Type{Kind: Binary}
	case *arrow.FixedSizeBinaryType:
		return arrowBinaryType(dt, meta)
	case arrow.DecimalType:
		return arrowDecimalType(dt)
	}
	return arrowNumberType(dt)
}

func arrowNumberType(dt arrow.DataType) Type {
	fixed, ok := dt.(arrow.FixedWidthDataType)
	switch {
	case ok && arrow.IsSignedInteger(dt.ID()):
		return Type{Kind: Int, Bits: fixed.BitWidth()}
	case ok && arrow.IsUnsignedInteger(dt.ID()):
		return Type{Kind: Uint, Bits: fixed.BitWidth()}
	case ok && arrow.IsFloating(dt.ID()):
		return Type{Kind: Float, Bits: fixed.BitWidth()}
	}
	return Type{Kind: Nested, Nested: dt.String()}
}

func arrowUnit(u arrow.TimeUnit) Unit {
	switch u {
	case arrow.Millisecond:
		return Milli
	case arrow.Microsecond:
		return Micro
	case arrow.Nanosecond:
		return Nano
	}
	return Second
}

func arrowBinaryType(dt *arrow.FixedSizeBinaryType, meta arrow.Metadata) Type {
	name, _ := meta.GetValue("ARROW:extension:name")
	switch {
	case name == "arrow.uuid" && dt.ByteWidth == 16:
		return Type{Kind: UUID}
	case dt.ByteWidth == 0: // no size at all to Parquet
		return Type{Kind: Nested, Nested: dt.String()}
	}
	return Type{Kind: Binary, Size: dt.ByteWidth}
}

// arrowDecimalType returns the type of a decimal, Nested for one whose point lies outside its
// digits: Parquet does not have those.
func arrowDecimalType(dt arrow.DecimalType) Type {
	precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
	if precision < 1 || precision > 76 || scale < 0 || scale > precision {
		return Type{Kind: Nested, Nested: dt.String()}
	}
	return Type{Kind: Decimal, Precision: precision, Scale: scale, Wide: precision > 18}
}

// shapeOf returns how a column of a type lies in buffers, and the width of what
// arrowShape says about it.
func shapeOf(dt arrow.DataType) (arrowShape, int) {
	switch dt := dt.(type) {
	case *arrow.NullType:
		return arrowNulls, 0
	case *arrow.BooleanType:
		return arrowBits, 0
	case *arrow.StringType, *arrow.BinaryType:
		return arrowVariable, 4
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return arrowVariable, 8
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return arrowViews, 16
	case arrow.FixedWidthDataType:
		return fixedShape(dt)
	}
	return nestedShape(dt)
}

func fixedShape(dt arrow.FixedWidthDataType) (arrowShape, int) {
	if f, ok := dt.(*arrow.FixedSizeBinaryType); ok { // its BitWidth overflows for absurd widths
		return arrowFixed, f.ByteWidth
	}
	return arrowFixed, dt.BitWidth() / 8
}

func nestedShape(dt arrow.DataType) (arrowShape, int) {
	switch dt := dt.(type) {
	case *arrow.ListType, *arrow.MapType:
		return arrowList, 4
	case *arrow.LargeListType:
		return arrowList, 8
	case *arrow.ListViewType:
		return arrowListView, 4
	case *arrow.LargeListViewType:
		return arrowListView, 8
	case *arrow.FixedSizeListType:
		return arrowFixedList, int(dt.Len())
	case *arrow.SparseUnionType:
		return arrowUnion, 0
	case *arrow.DenseUnionType:
		return arrowUnion, 4
	case *arrow.RunEndEncodedType:
		return arrowRuns, 0
	}
	return arrowStruct, 0
}
