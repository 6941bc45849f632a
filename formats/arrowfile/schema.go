package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// shape is the way in which an Arrow column lies in buffers.
type shape uint8

const (
	asNulls      shape = iota // no buffers
	asBits                    // one bit a value
	asFixed                   // width bytes a value
	asVariable                // offsets of width bytes, data
	asViews                   // 16 bytes a value, any number of data buffers
	asDictionary              // indices of width bytes
	asStruct                  // children of the same length
	asList                    // offsets of width bytes, one child
	asListView                // offsets and sizes of width bytes, one child
	asFixedList               // width items of one child a value
	asUnion                   // types, width bytes of offsets, children; passed over only
	asRuns                    // children only; passed over only
)

// field is a column of an Arrow schema, or a part of a nested one.
type field struct {
	name     string
	nullable bool
	typ      formats.Type // of the values; Kind Nested when they are not flat
	text     string
	shape    shape
	width    int
	signed   bool  // indices of a dictionary
	id       int64 // of the dictionary
	children []*field
	isMap    bool
	inner    bool // lies inside a nested column
}

// values returns the field of a dictionary's values.
func (f *field) values() *field { return f.children[0] }

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
	encodings, err := checkSchema(m)
	if err != nil {
		return nil, false, err
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
	return fields, m.header.int16(0) == 1, nil
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
	left int // fields that the message has bytes for
}

func checkSchema(m *message) ([]encoding, error) {
	c := &schemaCheck{meta: &m.meta, left: len(m.meta.data) / 8}
	c.keyValues(m.header.vector(2, 4))
	encodings := c.fields(m.header.vector(1, 4), 0)
	if m.meta.bad {
		return nil, fmt.Errorf("%w: broken schema", formats.ErrDamaged)
	}
	return encodings, nil
}

func (c *schemaCheck) fields(v flatVector, depth int) []encoding {
	c.left -= v.n
	if c.left < 0 || depth > deepest {
		c.meta.bad = true
	}
	if c.meta.bad {
		return nil
	}
	out := make([]encoding, v.n)
	for i := range out {
		out[i] = c.field(v.table(i), depth)
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
		e.id = d.int64(0)
	}
	typ, _ := t.child(3)
	switch t.byte(2) {
	case decimalTag:
		e.decimal = c.shortDecimal(typ)
	case unionTag:
		typ.vector(1, 4) // checks the length of its type ids
	}
	c.keyValues(t.vector(6, 4))
	e.children = c.fields(t.vector(5, 4), depth+1)
	return e
}

// shortDecimal returns the bytes of a decimal of 32 or 64 bits, which the library does not
// know, and makes it one of 128 bits in the copy that the library is given.
func (c *schemaCheck) shortDecimal(t flatTable) int {
	p := t.slot(2)
	if p == 0 {
		return 0
	}
	bits := c.meta.uint32(p)
	if c.meta.bad || bits != 32 && bits != 64 {
		return 0
	}
	binary.LittleEndian.PutUint32(c.meta.data[p:], 128)
	return int(bits / 8)
}

// keyValues checks the lengths in custom metadata.
func (c *schemaCheck) keyValues(v flatVector) {
	c.left -= v.n
	if c.left < 0 {
		c.meta.bad = true
	}
}

// newField joins what the library and the check know about a field.
func newField(f arrow.Field, e encoding) (*field, error) {
	dt := f.Type
	if extension, ok := dt.(arrow.ExtensionType); ok {
		dt = extension.StorageType()
	}
	out := &field{name: f.Name, nullable: f.Nullable, text: f.Type.String()}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return out.dictionary(f, d, e)
	}
	out.typ = flatTypeOf(dt, f.Metadata)
	out.shape, out.width = shapeOf(dt)
	if e.decimal != 0 {
		out.width = e.decimal
	}
	if out.shape == asFixedList && out.width < 0 || out.shape == asFixed && out.width < 0 {
		return nil, fmt.Errorf("%w: a negative width", formats.ErrDamaged)
	}
	_, out.isMap = dt.(*arrow.MapType)
	return out, out.addChildren(dt, e)
}

func (f *field) addChildren(dt arrow.DataType, e encoding) error {
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return nil
	}
	children := nested.Fields()
	if len(children) != len(e.children) || f.shape != asStruct && f.shape != asUnion && f.shape != asRuns && len(children) != 1 {
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

// dictionary makes f a field of indices into values.
func (f *field) dictionary(declared arrow.Field, d *arrow.DictionaryType, e encoding) (*field, error) {
	values := declared
	values.Type, values.Nullable = d.ValueType, true
	child, err := newField(values, e)
	if err != nil {
		return nil, err
	}
	index, ok := d.IndexType.(arrow.FixedWidthDataType)
	if !ok || e.id == -1 {
		return nil, fmt.Errorf("%w: broken dictionary type", formats.ErrDamaged)
	}
	f.typ, f.shape, f.id, f.children = child.typ, asDictionary, e.id, []*field{child}
	f.width = index.BitWidth() / 8
	switch d.IndexType.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		f.signed = true
	}
	return f, nil
}
