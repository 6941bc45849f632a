package schema

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// TypeOf returns the type of a flat column: by its logical type if that fits the physical one, else
// by the physical one.
func TypeOf(e *format.SchemaElement) (formats.Type, error) {
	physical := e.Type.V
	switch logical := logicalType(e).(type) {
	case *format.NullType:
		return formats.Type{Kind: formats.Null}, nil
	case *format.DecimalType:
		return decimalType(e, logical)
	case *format.StringType, *format.EnumType, *format.JsonType:
		if physical == format.ByteArray {
			return formats.Type{Kind: formats.String}, nil
		}
	case *format.DateType:
		if physical == format.Int32 {
			return formats.Type{Kind: formats.Date}, nil
		}
	case *format.TimeType:
		if unit, ok := unitOf(logical.Unit); ok &&
			(physical == format.Int64 || physical == format.Int32 && unit == formats.Milli) {
			return formats.Type{Kind: formats.Time, Unit: unit}, nil
		}
	case *format.TimestampType:
		if unit, ok := unitOf(logical.Unit); ok && physical == format.Int64 {
			t := formats.Type{Kind: formats.Timestamp, Unit: unit}
			if logical.IsAdjustedToUTC {
				t.Zone = "UTC"
			}
			return t, nil
		}
	case *format.IntType:
		if physical == format.Int32 || physical == format.Int64 {
			return intType(physical, logical), nil
		}
	case *format.UUIDType:
		if physical == format.FixedLenByteArray && e.TypeLength.V == 16 {
			return formats.Type{Kind: formats.UUID}, nil
		}
	case *format.Float16Type:
		if physical == format.FixedLenByteArray && e.TypeLength.V == 2 {
			return formats.Type{Kind: formats.Float, Bits: 16}, nil
		}
	}
	return physicalType(e), nil
}

func physicalType(e *format.SchemaElement) formats.Type {
	switch e.Type.V {
	case format.Boolean:
		return formats.Type{Kind: formats.Boolean}
	case format.Int32:
		return formats.Type{Kind: formats.Int, Bits: 32}
	case format.Int64:
		return formats.Type{Kind: formats.Int, Bits: 64}
	case format.Int96:
		return formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true}
	case format.Float:
		return formats.Type{Kind: formats.Float, Bits: 32}
	case format.Double:
		return formats.Type{Kind: formats.Float, Bits: 64}
	case format.FixedLenByteArray:
		return formats.Type{Kind: formats.Binary, Size: int(e.TypeLength.V)}
	}
	return formats.Type{Kind: formats.Binary}
}

// decimalType keeps numbers of up to 18 digits, and all whose physical type is a number, in words.
func decimalType(e *format.SchemaElement, d *format.DecimalType) (formats.Type, error) {
	t := formats.Type{Kind: formats.Decimal, Precision: int(d.Precision), Scale: int(d.Scale)}
	if d.Precision < 1 || d.Scale < 0 || d.Scale > d.Precision {
		return t, fmt.Errorf("read schema: column %q: %s: %w", e.Name, d, formats.ErrDamaged)
	}
	switch e.Type.V {
	case format.Int32, format.Int64:
		return t, nil
	case format.ByteArray, format.FixedLenByteArray:
		t.Wide = d.Precision > 18
		if d.Precision > 76 {
			return t, fmt.Errorf("read schema: column %q: %s: %w", e.Name, d,
				formats.ErrUnsupported)
		}
		return t, nil
	}
	return t, fmt.Errorf("read schema: column %q: %s as %s: %w", e.Name, d, e.Type.V,
		formats.ErrDamaged)
}

func intType(physical format.Type, logical *format.IntType) formats.Type {
	t := formats.Type{Kind: formats.Uint, Bits: int(logical.BitWidth)}
	if logical.IsSigned {
		t.Kind = formats.Int
	}
	if physical == format.Int64 || t.Bits != 8 && t.Bits != 16 {
		t.Bits = 32
		if physical == format.Int64 {
			t.Bits = 64
		}
	}
	return t
}

func unitOf(u format.TimeUnit) (formats.Unit, bool) {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return formats.Milli, true
	case *format.MicroSeconds:
		return formats.Micro, true
	case *format.NanoSeconds:
		return formats.Nano, true
	}
	return 0, false
}

// converted maps the older annotation, ConvertedType, to logical types, except decimals. It has no
// seconds and no nanoseconds, and means UTC.
var converted = []format.LogicalTypeValue{
	deprecated.UTF8:        &format.StringType{},
	deprecated.Map:         &format.MapType{},
	deprecated.MapKeyValue: &format.MapType{},
	deprecated.List:        &format.ListType{},
	deprecated.Enum:        &format.EnumType{},
	deprecated.Date:        &format.DateType{},
	deprecated.TimeMillis: &format.TimeType{
		IsAdjustedToUTC: true,
		Unit:            timeUnit(formats.Milli),
	},
	deprecated.TimeMicros: &format.TimeType{
		IsAdjustedToUTC: true,
		Unit:            timeUnit(formats.Micro),
	},
	deprecated.TimestampMillis: &format.TimestampType{
		IsAdjustedToUTC: true,
		Unit:            timeUnit(formats.Milli),
	},
	deprecated.TimestampMicros: &format.TimestampType{
		IsAdjustedToUTC: true,
		Unit:            timeUnit(formats.Micro),
	},
	deprecated.Uint8:  &format.IntType{BitWidth: 8},
	deprecated.Uint16: &format.IntType{BitWidth: 16},
	deprecated.Uint32: &format.IntType{BitWidth: 32},
	deprecated.Uint64: &format.IntType{BitWidth: 64},
	deprecated.Int8:   &format.IntType{BitWidth: 8, IsSigned: true},
	deprecated.Int16:  &format.IntType{BitWidth: 16, IsSigned: true},
	deprecated.Int32:  &format.IntType{BitWidth: 32, IsSigned: true},
	deprecated.Int64:  &format.IntType{BitWidth: 64, IsSigned: true},
	deprecated.Json:   &format.JsonType{},
	deprecated.Bson:   &format.BsonType{},
}

// logicalType returns the logical type, or that of the older annotation, or nil.
func logicalType(e *format.SchemaElement) format.LogicalTypeValue {
	c := int(e.ConvertedType.V)
	switch {
	case e.LogicalType.Value != nil || !e.ConvertedType.Valid:
		return e.LogicalType.Value
	case e.ConvertedType.V == deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case c >= 0 && c < len(converted):
		return converted[c]
	}
	return nil
}
