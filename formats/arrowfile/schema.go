package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// field is a column of an Arrow schema, or a part of a nested one.
type field struct {
	name     string
	nullable bool
	inner    bool         // lies inside a nested column
	typ      formats.Type // of the values; Kind Nested when they are not flat
	text     string
	children []*field
	isMap    bool
	values   *field // of a dictionary; nil: the column has none
	id       int64  // of the dictionary

	storage arrow.DataType // how the rows lie in buffers; the type of a dictionary's indexes
	buffers []arrow.BufferSpec
	views   bool // more buffers follow, as many as the batch says
	offsets bool // the second buffer has one more entry than there are rows
	empty   bool // it has no buffers: all rows are null
}

func (f *field) isStruct() bool { return f.storage.ID() == arrow.STRUCT }

// isList reports whether rows are lists, of any layout. Maps are lists of key and value.
func (f *field) isList() bool {
	_, list := f.storage.(arrow.ListLikeType)
	return list
}

// store sets the type as which Arrow's library lays out the field.
func (f *field) store(dt arrow.DataType) {
	layout, id := dt.Layout(), dt.ID()
	f.storage, f.views = dt, layout.VariadicSpec != nil
	f.buffers = slices.DeleteFunc(layout.Buffers, func(b arrow.BufferSpec) bool { return b.Kind == arrow.KindAlwaysNull })
	f.offsets = id == arrow.LIST || id == arrow.LARGE_LIST || arrow.IsBaseBinary(id)
	f.empty = id == arrow.NULL
}

const deepest = 64 // levels of nesting, as other readers allow

// encoding is what Arrow's library does not tell about a field: the id of its
// dictionary (-1: none) and its size when it is a short decimal.
type encoding struct {
	id       int64
	decimal  int
	children []encoding
}

// decodeSchema returns the columns that a schema message declares, and whether the numbers
// in the file are big-endian.
func decodeSchema(m *message) (fields []*field, big bool, err error) {
	if m.kind != schemaMessage || m.size != 0 {
		return nil, false, fmt.Errorf("%w: no schema message at the start", formats.ErrDamaged)
	}
	check := &schemaCheck{meta: &m.meta, left: len(m.meta.data) / 8}
	check.count(m.header.vector(2, 4))
	encodings := check.fields(m.header.vector(1, 4), 0)
	if m.meta.bad {
		return nil, false, fmt.Errorf("%w: broken schema", formats.ErrDamaged)
	}
	schema, err := libraryDecode(m)
	if err != nil {
		return nil, false, err
	}
	if schema.NumFields() != len(encodings) {
		return nil, false, fmt.Errorf("%w: broken schema", formats.ErrDamaged)
	}
	for i, f := range schema.Fields() {
		field, err := newField(f, encodings[i])
		if err != nil {
			return nil, false, fmt.Errorf("column %q: %w", f.Name, err)
		}
		fields = append(fields, field)
	}
	return fields, m.header.number(0, 2) == 1, nil
}

// libraryDecode lets Arrow's library read the schema, framed as a stream of its own.
func libraryDecode(m *message) (schema *arrow.Schema, err error) {
	defer fence.Catch(&err)
	frame := binary.LittleEndian.AppendUint32(nil, continued)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(m.meta.data)))
	r, err := ipc.NewReader(bytes.NewReader(append(frame, m.meta.data...)), ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, fmt.Errorf("%w: a schema that Arrow's library refuses", formats.ErrUnsupported)
	}
	defer r.Release()
	return r.Schema(), nil
}

// schemaCheck visits the fields of a schema before the library does, which neither checks
// the lengths of vectors nor notices fields that are shared a million times.
type schemaCheck struct {
	meta *flatbuf
	left int // fields and other entries that the message has bytes for
}

// count takes the entries of a vector from what is left.
func (c *schemaCheck) count(v flatVector) {
	if c.left -= v.n; c.left < 0 {
		c.meta.bad = true
	}
}

func (c *schemaCheck) fields(v flatVector, depth int) []encoding {
	c.count(v)
	if c.meta.bad = c.meta.bad || depth > deepest; c.meta.bad {
		return nil
	}
	out := make([]encoding, v.n)
	for i := range out {
		out[i] = c.field(c.meta.table(v.pos+4*i), depth)
	}
	return out
}

// Tags in the union of types.
const (
	decimalTag = 7
	unionTag   = 14
)

func (c *schemaCheck) field(t flatTable, depth int) encoding {
	e := encoding{id: -1}
	if d, ok := t.child(4); ok {
		e.id = int64(d.number(0, 8))
	}
	typ, _ := t.child(3)
	switch t.number(2, 1) {
	case decimalTag:
		e.decimal = c.shortDecimal(typ)
	case unionTag:
		typ.vector(1, 4) // checks the length of its type ids
	}
	c.count(t.vector(6, 4))
	e.children = c.fields(t.vector(5, 4), depth+1)
	return e
}

// shortDecimal returns the bytes of a decimal of 32 or 64 bits, which the library does not
// know, and makes it one of 128 bits in the copy that the library is given.
func (c *schemaCheck) shortDecimal(t flatTable) int {
	bits := t.number(2, 4)
	if c.meta.bad || bits != 32 && bits != 64 {
		return 0
	}
	binary.LittleEndian.PutUint32(c.meta.data[t.slot(2):], 128)
	return int(bits / 8)
}

// newField joins what the library and the check know about a field.
func newField(f arrow.Field, e encoding) (*field, error) {
	dt := f.Type
	if extension, ok := dt.(arrow.ExtensionType); ok {
		dt = extension.StorageType()
	}
	out := &field{name: f.Name, nullable: f.Nullable, text: f.Type.String(), id: e.id}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return out, out.addValues(f, d, e)
	}
	out.typ = typeOf(dt, f.Metadata)
	_, out.isMap = dt.(*arrow.MapType)
	out.store(storageOf(dt, e.decimal))
	if width, ok := fixedWidth(out.storage); ok && width < 0 {
		return nil, fmt.Errorf("%w: a negative width", formats.ErrDamaged)
	}
	return out, out.addChildren(dt, e)
}

// fixedWidth returns the bytes or items that a type declares for each row.
func fixedWidth(dt arrow.DataType) (width int, ok bool) {
	switch dt := dt.(type) {
	case *arrow.FixedSizeBinaryType:
		return dt.ByteWidth, true
	case *arrow.FixedSizeListType:
		return int(dt.Len()), true
	}
	return 0, false
}

func (f *field) addChildren(dt arrow.DataType, e encoding) error {
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return nil
	}
	children := nested.Fields()
	if _, list := dt.(arrow.ListLikeType); list && len(children) != 1 || len(children) != len(e.children) {
		return fmt.Errorf("%w: broken nested type", formats.ErrDamaged)
	}
	for i, c := range children {
		child, err := newField(c, e.children[i])
		if err != nil {
			return err
		}
		child.inner = true
		f.children = append(f.children, child)
	}
	return nil
}

// addValues makes f a field of indexes into values.
func (f *field) addValues(declared arrow.Field, d *arrow.DictionaryType, e encoding) error {
	declared.Type, declared.Nullable = d.ValueType, true
	child, err := newField(declared, e)
	if err != nil {
		return err
	}
	if !arrow.IsInteger(d.IndexType.ID()) || f.id == -1 {
		return fmt.Errorf("%w: broken dictionary type", formats.ErrDamaged)
	}
	f.typ, f.values = child.typ, child
	f.store(d.IndexType)
	return nil
}
