// Package schema knows how columns are declared in Parquet: what its readers fill
// formats.Field.Declared with, what that means as a formats.Type, and what a release declares.
//
// Contract: no type of Parquet leaves the packages of formats that use this one; to all others
// a declaration is a handle.
package schema

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Elements is a column's subtree of a Parquet schema, root first, depth first.
type Elements []format.SchemaElement

// Of returns what a release declares for f: what the source declared, under f's name, or the
// usual element of a flat type. Field ids are never copied: they are the source's, and a
// release has no use for them.
func Of(f formats.Field) Elements {
	declared, _ := f.Declared.(Elements)
	elements := slices.Clone(declared)
	if len(elements) == 0 {
		elements = Elements{flatElement(f.Type)}
	}
	for i := range elements {
		elements[i].FieldID = 0
	}
	elements[0].Name = f.Name
	if f.Type.Kind != formats.Nested {
		elements[0].RepetitionType = thrift.New(Repetition(f.Nullable))
	}
	return elements
}

// Optional implements formats.Declaration.
func (e Elements) Optional() formats.Declaration {
	e = slices.Clone(e)
	e[0].RepetitionType = thrift.New(format.Optional)
	return e
}

// SamePages implements formats.Declaration.
func (e Elements) SamePages(other formats.Declaration) bool {
	o, _ := other.(Elements)
	return slices.EqualFunc(e, o, func(a, b format.SchemaElement) bool {
		return a.Type == b.Type && a.TypeLength == b.TypeLength && a.RepetitionType == b.RepetitionType && a.NumChildren == b.NumChildren
	})
}

// Structure returns the subtree as text, without the name of its root.
func (e Elements) Structure() string {
	var b strings.Builder
	e.writeStructure(&b)
	return b.String()
}

// writeStructure writes the first element with all below it, and returns the rest.
func (e Elements) writeStructure(b *strings.Builder) Elements {
	root, rest := &e[0], e[1:]
	b.WriteString(strings.ToLower(root.RepetitionType.V.String()))
	if root.Type.Valid {
		b.WriteString(" " + strings.ToLower(root.Type.V.String()))
	}
	if root.Type.V == format.FixedLenByteArray {
		fmt.Fprintf(b, "(%d)", root.TypeLength.V)
	}
	if logical := logicalType(root); logical != nil {
		b.WriteString(" " + logical.String())
	}
	if root.Type.Valid {
		return rest
	}
	for i := range root.NumChildren.V {
		b.WriteString([]string{" {", ", "}[min(i, 1)])
		fmt.Fprintf(b, "%q ", rest[0].Name)
		rest = rest.writeStructure(b)
	}
	b.WriteString("}")
	return rest
}

// Repetition returns how Parquet declares a column that is nullable, or not.
func Repetition(nullable bool) format.FieldRepetitionType {
	if nullable {
		return format.Optional
	}
	return format.Required
}

// flatElement returns the usual schema element of a flat type, without name and repetition.
func flatElement(t formats.Type) format.SchemaElement {
	switch t.Kind {
	case formats.Boolean:
		return physical(format.Boolean)
	case formats.Int, formats.Uint:
		return integerElement(t)
	case formats.Float:
		return floatElement(t.Bits)
	case formats.Decimal:
		return decimalElement(t)
	case formats.Date:
		return annotated(physical(format.Int32), &format.DateType{}, deprecated.Date)
	case formats.Time:
		return timeElement(t)
	case formats.Timestamp:
		return timestampElement(t)
	case formats.String:
		return annotated(physical(format.ByteArray), &format.StringType{}, deprecated.UTF8)
	case formats.UUID:
		return logical(fixed(16), &format.UUIDType{})
	case formats.Null:
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

func integerElement(t formats.Type) format.SchemaElement {
	e, converted := physical(format.Int32), deprecated.Uint8 // and 16, 32, 64 behind it
	if t.Kind == formats.Int {
		converted = deprecated.Int8
	}
	if t.Bits == 64 {
		e = physical(format.Int64)
	}
	converted += deprecated.ConvertedType(bits.TrailingZeros(uint(t.Bits) / 8))
	return annotated(e, &format.IntType{BitWidth: int8(t.Bits), IsSigned: t.Kind == formats.Int}, converted)
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
func decimalElement(t formats.Type) format.SchemaElement {
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
func timeElement(t formats.Type) format.SchemaElement {
	e := physical(format.Int64)
	if t.Unit <= formats.Milli {
		e = physical(format.Int32)
	}
	return logical(e, &format.TimeType{Unit: timeUnit(t.Unit)})
}

func timestampElement(t formats.Type) format.SchemaElement {
	annotation := &format.TimestampType{IsAdjustedToUTC: t.Zone != "", Unit: timeUnit(t.Unit)}
	e := physical(format.Int64)
	switch {
	case t.Zone == "" || t.Unit == formats.Nano: // the converted types mean UTC, and know no nanoseconds
		return logical(e, annotation)
	case t.Unit == formats.Micro:
		return annotated(e, annotation, deprecated.TimestampMicros)
	}
	return annotated(e, annotation, deprecated.TimestampMillis)
}

// timeUnit returns the unit a release declares: Parquet has no seconds, so that their
// values are written as milliseconds.
func timeUnit(u formats.Unit) format.TimeUnit {
	switch u {
	case formats.Micro:
		return format.TimeUnit{Value: &format.MicroSeconds{}}
	case formats.Nano:
		return format.TimeUnit{Value: &format.NanoSeconds{}}
	}
	return format.TimeUnit{Value: &format.MilliSeconds{}}
}
