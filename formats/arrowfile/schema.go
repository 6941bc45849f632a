package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// field is a column of an Arrow schema, or a part of a nested one.
type field struct {
	name     string
	nullable bool
	typ      formats.Type // type of the values; Kind Nested when they are not flat
	children []*field
	values   *field // the values of a dictionary; nil: the column has none
	id       int64  // number of the dictionary

	storage arrow.DataType // of the arrays; the type of a dictionary's indexes

	// numbers appends the numbers of rows [from, to), or their indexes in the dictionary: see flat.
	numbers func(dst []uint64, a arrow.ArrayData, from, to int) []uint64
}

const deepest = 64 // largest number of levels of nesting, as in other readers

// decodeSchema returns the columns that the table of a schema declares.
func decodeSchema(declared table) (fields []*field, err error) {
	checked := table{flatbuffers.Table{Bytes: bytes.Clone(declared.Bytes), Pos: declared.Pos}}
	if err := checkSchema(checked); err != nil {
		return nil, err
	}
	schema, err := librarySchema(checked)
	if err != nil {
		return nil, err
	}
	for i, t := range declared.tables(1) {
		fields = append(fields, newField(schema.Field(i), t))
	}
	return fields, nil
}

var errSchema = fmt.Errorf("%w: a schema of too many entries, or nested too deep",
	formats.ErrDamaged)

// checkSchema visits the fields of a schema before Arrow's library, which checks no lengths. It
// panics at vectors that are longer than the buffer, and refuses more fields than the bytes allow:
// a shared one may occur a million times. The library does not support decimals of 32 and 64 bits:
// here they become those of 128.
func checkSchema(t table) error {
	left := len(t.Bytes) / 8 // largest number of fields and other entries for this many bytes
	take := func(t table, field int) {
		_, n := t.vector(field, 4)
		left -= n
	}
	var check func(fields []table, depth int) error
	check = func(fields []table, depth int) error {
		for _, f := range fields {
			typ := f.child(3)
			switch number(f, 2, flatbuffers.GetByte) {
			case decimalTag:
				if bits := number(typ, 2, flatbuffers.GetInt32); bits == 32 || bits == 64 {
					typ.MutateInt32(typ.slot(2), 128)
				}
			case unionTag:
				take(typ, 1)
			}
			take(f, 5)
			take(f, 6)
			if left < 0 || depth > deepest {
				return errSchema
			}
			if err := check(f.tables(5), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	take(t, 1)
	take(t, 2)
	if left < 0 || t.Bytes == nil {
		return errSchema
	}
	return check(t.tables(1), 0)
}

// Tags in the union of types.
const (
	decimalTag = 7
	unionTag   = 14
)

// librarySchema parses the table of a schema with Arrow's library, as a stream of one message.
func librarySchema(declared table) (schema *arrow.Schema, err error) {
	defer fence.Catch(&err)
	// the message's own table, and the position of its reference to the table of the schema
	const prefix, header = 32, 24
	order, message := binary.LittleEndian, make([]byte, prefix, prefix+len(declared.Bytes))
	order.PutUint32(message, 20)                      // position of its table
	for i, n := range []uint16{12, 12, 8, 10, 4, 0} { // its list of fields: version, kind, header
		order.PutUint16(message[4+2*i:], n)
	}
	order.PutUint32(message[20:], 16) // distance of its list of fields before the table
	order.PutUint32(message[header:], prefix-header+uint32(declared.Pos))
	order.PutUint16(message[28:], version5)
	message[30] = schemaMessage
	message = append(message, declared.Bytes...)
	stream := order.AppendUint32(order.AppendUint32(nil, continued), uint32(len(message)))
	r, err := ipc.NewReader(bytes.NewReader(append(stream, message...)),
		ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, fmt.Errorf("%w: a type that Arrow's library does not know: %w",
			formats.ErrUnsupported, err)
	}
	defer r.Release()
	return r.Schema(), nil
}

// newField combines the type of a field with properties that the types of Arrow's library do not
// have: the id of a dictionary and the size of a short decimal.
func newField(f arrow.Field, t table) *field {
	dt, declared := f.Type, f.Type.String()
	// registered by a program that uses kcut as a library
	if extension, ok := dt.(arrow.ExtensionType); ok {
		dt = extension.StorageType()
	}
	out := &field{name: f.Name, nullable: f.Nullable}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		f.Type, f.Nullable = d.ValueType, true
		out.values, out.id = newField(f, t), number(t.child(4), 0, flatbuffers.GetInt64)
		out.typ, out.storage = out.values.typ, d.IndexType
	} else {
		out.typ, out.storage = typeOf(dt, f.Metadata), storageOf(dt, t.child(3))
	}
	out.numbers = flats[out.storage.ID()].numbers
	if out.typ.Kind == formats.Nested {
		out.typ.Nested = declared
	}
	if nested, ok := dt.(arrow.NestedType); ok {
		children := t.tables(5)
		for i, c := range nested.Fields() {
			out.children = append(out.children, newField(c, children[i]))
		}
	}
	return out
}

// storageOf returns the type of the arrays for a type in a file: texts are arrays of bytes,
// decimals of bytes of fixed length.
func storageOf(dt arrow.DataType, declared table) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.StringType:
		return arrow.BinaryTypes.Binary
	case *arrow.LargeStringType:
		return arrow.BinaryTypes.LargeBinary
	case *arrow.StringViewType:
		return arrow.BinaryTypes.BinaryView
	case arrow.DecimalType:
		if bits := number(declared, 2, flatbuffers.GetInt32); bits == 32 || bits == 64 {
			return &arrow.FixedSizeBinaryType{ByteWidth: int(bits / 8)}
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: dt.(arrow.FixedWidthDataType).Bytes()}
	}
	return dt
}

// typeOf returns the type of a flat Arrow column, Nested for a column that cannot be masked.
func typeOf(dt arrow.DataType, meta arrow.Metadata) formats.Type {
	nested := formats.Type{Kind: formats.Nested}
	flat, known := flats[dt.ID()]
	if !known {
		return nested
	}
	out := formats.Type{Kind: flat.kind, Bits: flat.bits}
	if t, ok := dt.(arrow.TemporalWithUnit); ok {
		out.Unit = formats.Unit(t.TimeUnit())
	}
	switch dt := dt.(type) {
	case *arrow.TimestampType:
		out.Zone = dt.TimeZone
	case *arrow.FixedSizeBinaryType:
		name, _ := meta.GetValue("ARROW:extension:name")
		switch out.Size = dt.ByteWidth; {
		case name == "arrow.uuid" && dt.ByteWidth == 16:
			return formats.Type{Kind: formats.UUID}
		case dt.ByteWidth <= 0: // Parquet has no such size
			return nested
		}
	case arrow.DecimalType:
		out.Precision, out.Scale = int(dt.GetPrecision()), int(dt.GetScale())
		if out.Precision < 1 || out.Precision > 76 || out.Scale < 0 || out.Scale > out.Precision {
			return nested // Parquet requires the point among the digits
		}
		out.Wide = out.Precision > 18
	}
	return out
}
