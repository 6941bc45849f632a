// Package schema handles the declarations of columns in Parquet: readers fill
// formats.Field.Declared with them, they determine a formats.Type, and a release has one for each
// column.
//
// Contract: no type of Parquet leaves the packages of formats that use this one; for all others a
// declaration is a handle.
package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Elements is a column's subtree of a Parquet schema, root first, depth first.
type Elements []format.SchemaElement

// Of returns the declaration in a release for f: the source's declaration under f's name, or the
// default element of a flat type. It does not copy field ids, which belong to the source and have
// no use in a release, nor digits and lengths that the type of an element does not have.
func Of(f formats.Field) Elements {
	declared, _ := f.Declared.(Elements)
	elements := slices.Clone(declared)
	if len(elements) == 0 {
		elements = Elements{flatElement(f.Type)}
	}
	for i := range elements {
		elements[i].FieldID = 0
		dropStray(&elements[i])
	}
	elements[0].Name = f.Name
	if f.Type.Kind != formats.Nested {
		elements[0].RepetitionType = thrift.New(Repetition(f.Nullable))
	}
	return elements
}

// dropStray removes properties of an element that its type does not have, or that contradict it.
func dropStray(e *format.SchemaElement) {
	if e.Type.V != format.FixedLenByteArray {
		e.TypeLength = thrift.Null[int32]{}
	}
	d, decimal := logicalType(e).(*format.DecimalType)
	if !decimal {
		e.Scale, e.Precision = thrift.Null[int32]{}, thrift.Null[int32]{}
		return
	}
	if e.Scale.Valid {
		e.Scale.V = d.Scale
	}
	if e.Precision.Valid {
		e.Precision.V = d.Precision
	}
}

// Group makes a group of its members, nil when there are none or one has no schema.
func Group(e format.SchemaElement, members ...Elements) Elements {
	e.NumChildren = thrift.New(int32(len(members)))
	group := Elements{e}
	for _, m := range members {
		if m == nil {
			return nil
		}
		group = append(group, m...)
	}
	if len(members) == 0 {
		return nil
	}
	return group
}

// Optional implements formats.Declaration.
func (e Elements) Optional() formats.Declaration {
	e = slices.Clone(e)
	e[0].RepetitionType = thrift.New(format.Optional)
	return e
}

// Structure returns the subtree as text, without the name of its root.
func (e Elements) Structure() string {
	var b strings.Builder
	e.writeStructure(&b)
	return b.String()
}

// writeStructure writes the first element with its subtree, and returns the rest.
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

// Repetition returns Parquet's repetition of a column that is nullable, or not.
func Repetition(nullable bool) format.FieldRepetitionType {
	if nullable {
		return format.Optional
	}
	return format.Required
}

// flatElement returns the default schema element of a flat type, without name and repetition.
func flatElement(t formats.Type) format.SchemaElement {
	switch t.Kind {
	case formats.Boolean:
		return element(format.Boolean, 0, nil)
	case formats.Int, formats.Uint:
		return element(integer(t.Bits == 64), 0,
			&format.IntType{BitWidth: int8(t.Bits), IsSigned: t.Kind == formats.Int})
	case formats.Float:
		switch t.Bits {
		case 16:
			return element(format.FixedLenByteArray, 2, &format.Float16Type{})
		case 32:
			return element(format.Float, 0, nil)
		}
		return element(format.Double, 0, nil)
	case formats.Decimal:
		annotation := &format.DecimalType{Scale: int32(t.Scale), Precision: int32(t.Precision)}
		switch { // the smallest physical type that holds the digits
		case t.Precision <= 18:
			return element(integer(t.Precision > 9), 0, annotation)
		case t.Precision <= 38:
			return element(format.FixedLenByteArray, 16, annotation)
		}
		return element(format.FixedLenByteArray, 32, annotation)
	case formats.Date:
		return element(format.Int32, 0, &format.DateType{})
	case formats.Time: // of a day, without a time zone
		return element(integer(t.Unit > formats.Milli), 0, &format.TimeType{Unit: timeUnit(t.Unit)})
	case formats.Timestamp:
		return element(format.Int64, 0, &format.TimestampType{
			IsAdjustedToUTC: t.Zone != "",
			Unit:            timeUnit(t.Unit),
		})
	case formats.String:
		return element(format.ByteArray, 0, &format.StringType{})
	case formats.UUID:
		return element(format.FixedLenByteArray, 16, &format.UUIDType{})
	case formats.Null:
		return element(format.Int32, 0, &format.NullType{})
	}
	if t.Size > 0 {
		return element(format.FixedLenByteArray, t.Size, nil)
	}
	return element(format.ByteArray, 0, nil)
}

// integer returns the type of whole numbers with 64 bits, or with 32.
func integer(wide bool) format.Type {
	if wide {
		return format.Int64
	}
	return format.Int32
}

// element returns the element of a physical type, with a size in bytes if that is fixed, with both
// annotations of a logical one: readers older than logical types only read the second.
func element(physical format.Type, size int, logical format.LogicalTypeValue) format.SchemaElement {
	e := format.SchemaElement{Type: thrift.New(physical)}
	if size > 0 {
		e.TypeLength = thrift.New(int32(size))
	}
	if logical == nil {
		return e
	}
	e.LogicalType.Value = logical
	if d, ok := logical.(*format.DecimalType); ok {
		e.ConvertedType = thrift.New(deprecated.Decimal)
		e.Scale, e.Precision = thrift.New(d.Scale), thrift.New(d.Precision)
		return e
	}
	same := func(t format.LogicalTypeValue) bool {
		return t != nil && t.String() == logical.String()
	}
	if c := slices.IndexFunc(converted, same); c >= 0 {
		e.ConvertedType = thrift.New(deprecated.ConvertedType(c))
	}
	return e
}

// timeUnit returns the unit that a release declares: Parquet has no seconds, so that their values
// are written as milliseconds.
func timeUnit(u formats.Unit) format.TimeUnit {
	switch u {
	case formats.Micro:
		return format.TimeUnit{Value: &format.MicroSeconds{}}
	case formats.Nano:
		return format.TimeUnit{Value: &format.NanoSeconds{}}
	}
	return format.TimeUnit{Value: &format.MilliSeconds{}}
}
