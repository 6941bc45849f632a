package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// arrowShape is the way in which an Arrow column lies in buffers.
type arrowShape uint8

const (
	arrowNulls      arrowShape = iota // no buffers
	arrowBits                         // one bit a value
	arrowFixed                        // width bytes a value
	arrowVariable                     // offsets of width bytes, data
	arrowViews                        // 16 bytes a value, any number of data buffers
	arrowDictionary                   // indices of width bytes
	arrowStruct                       // children of the same length
	arrowList                         // offsets of width bytes, one child
	arrowListView                     // offsets and sizes of width bytes, one child
	arrowFixedList                    // width items of one child a value
	arrowUnion                        // types, width bytes of offsets, children; passed over only
	arrowRuns                         // children only; passed over only
)

// arrowField is a column of an Arrow schema, or a part of a nested one.
type arrowField struct {
	name     string
	nullable bool
	typ      Type // of the values; Kind Nested when they are not flat
	text     string
	shape    arrowShape
	width    int
	signed   bool  // indices of a dictionary
	id       int64 // of the dictionary
	children []*arrowField
	isMap    bool
	inner    bool // lies inside a nested column
}

// values returns the field of a dictionary's values.
func (f *arrowField) values() *arrowField { return f.children[0] }

const arrowDeepest = 64 // levels of nesting, as other readers allow

// arrowEncoding is what Arrow's library does not tell about a field: the id of its
// dictionary (-1: none) and its size when it is a short decimal.
type arrowEncoding struct {
	id       int64
	decimal  int
	children []arrowEncoding
}

// decodeSchema returns the columns that a schema message declares, and whether the numbers
// in the file are big-endian.
func decodeSchema(m *arrowMessage) (fields []*arrowField, big bool, err error) {
	if m.kind != arrowSchemaMessage || m.size != 0 {
		return nil, false, fmt.Errorf("%w: no schema message at the start", ErrDamaged)
	}
	encodings, err := walkArrowSchema(m)
	if err != nil {
		return nil, false, err
	}
	schema, err := libraryDecode(m)
	if err != nil {
		return nil, false, err
	}
	if schema.NumFields() != len(encodings) {
		return nil, false, fmt.Errorf("%w: broken schema", ErrDamaged)
	}
	for i, f := range schema.Fields() {
		field, err := newArrowField(f, encodings[i])
		if err != nil {
			return nil, false, fmt.Errorf("column %q: %w", f.Name, err)
		}
		fields = append(fields, field)
	}
	return fields, m.header.int16(0) == 1, nil
}

// libraryDecode lets Arrow's library read the schema, framed as a stream of its own.
func libraryDecode(m *arrowMessage) (schema *arrow.Schema, err error) {
	defer arrowFence(&err)
	frame := binary.LittleEndian.AppendUint32(nil, arrowContinued)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(m.meta.data)))
	r, err := ipc.NewReader(bytes.NewReader(append(frame, m.meta.data...)), ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, fmt.Errorf("%w: a schema that Arrow's library refuses", ErrUnsupported)
	}
	defer r.Release()
	return r.Schema(), nil
}

// arrowFence turns a panic into ErrDamaged. The panic's words are dropped: they could quote the
// file.
func arrowFence(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: reading it panicked (%T)", ErrDamaged, r)
	}
}

// arrowWalk visits the fields of a schema before the library does, which neither checks
// the lengths of vectors nor notices fields that are shared a million times.
type arrowWalk struct {
	meta *flatbuf
	left int // fields that the message has bytes for
}

func walkArrowSchema(m *arrowMessage) ([]arrowEncoding, error) {
	w := &arrowWalk{meta: &m.meta, left: len(m.meta.data) / 8}
	w.keyValues(m.header.vector(2, 4))
	encodings := w.fields(m.header.vector(1, 4), 0)
	if m.meta.bad {
		return nil, fmt.Errorf("%w: broken schema", ErrDamaged)
	}
	return encodings, nil
}

func (w *arrowWalk) fields(v flatVector, depth int) []arrowEncoding {
	w.left -= v.n
	if w.left < 0 || depth > arrowDeepest {
		w.meta.bad = true
	}
	if w.meta.bad {
		return nil
	}
	out := make([]arrowEncoding, v.n)
	for i := range out {
		out[i] = w.field(v.table(i), depth)
	}
	return out
}

// Tags in the union of types.
const (
	arrowDecimalTag = 7
	arrowUnionTag   = 14
)

func (w *arrowWalk) field(t flatTable, depth int) arrowEncoding {
	e := arrowEncoding{id: -1}
	if d, ok := t.child(4); ok {
		e.id = d.int64(0)
	}
	typ, _ := t.child(3)
	switch t.byte(2) {
	case arrowDecimalTag:
		e.decimal = w.shortDecimal(typ)
	case arrowUnionTag:
		typ.vector(1, 4) // checks the length of its type ids
	}
	w.keyValues(t.vector(6, 4))
	e.children = w.fields(t.vector(5, 4), depth+1)
	return e
}

// shortDecimal returns the bytes of a decimal of 32 or 64 bits, which the library does not
// know, and makes it one of 128 bits in the copy that the library is given.
func (w *arrowWalk) shortDecimal(t flatTable) int {
	p := t.slot(2)
	if p == 0 {
		return 0
	}
	bits := w.meta.uint32(p)
	if w.meta.bad || bits != 32 && bits != 64 {
		return 0
	}
	binary.LittleEndian.PutUint32(w.meta.data[p:], 128)
	return int(bits / 8)
}

// keyValues checks the lengths in custom metadata.
func (w *arrowWalk) keyValues(v flatVector) {
	w.left -= v.n
	if w.left < 0 {
		w.meta.bad = true
	}
}

// newArrowField joins what the library and the walk know about a field.
func newArrowField(f arrow.Field, e arrowEncoding) (*arrowField, error) {
	dt := f.Type
	if extension, ok := dt.(arrow.ExtensionType); ok {
		dt = extension.StorageType()
	}
	out := &arrowField{name: f.Name, nullable: f.Nullable, text: f.Type.String()}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return out.dictionary(f, d, e)
	}
	out.typ = arrowFlatType(dt, f.Metadata)
	out.shape, out.width = shapeOf(dt)
	if e.decimal != 0 {
		out.width = e.decimal
	}
	if out.shape == arrowFixedList && out.width < 0 || out.shape == arrowFixed && out.width < 0 {
		return nil, fmt.Errorf("%w: a negative width", ErrDamaged)
	}
	_, out.isMap = dt.(*arrow.MapType)
	return out, out.addChildren(dt, e)
}

func (f *arrowField) addChildren(dt arrow.DataType, e arrowEncoding) error {
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return nil
	}
	children := nested.Fields()
	if len(children) != len(e.children) || f.shape != arrowStruct && f.shape != arrowUnion && f.shape != arrowRuns && len(children) != 1 {
		return fmt.Errorf("%w: broken nested type", ErrDamaged)
	}
	for i, c := range children {
		child, err := newArrowField(c, e.children[i])
		if err != nil {
			return err
		}
		child.inner = true
		f.children = append(f.children, child)
	}
	return nil
}

// dictionary makes f a field of indices into values.
func (f *arrowField) dictionary(field arrow.Field, d *arrow.DictionaryType, e arrowEncoding) (*arrowField, error) {
	values := field
	values.Type, values.Nullable = d.ValueType, true
	child, err := newArrowField(values, e)
	if err != nil {
		return nil, err
	}
	index, ok := d.IndexType.(arrow.FixedWidthDataType)
	if !ok || e.id == -1 {
		return nil, fmt.Errorf("%w: broken dictionary type", ErrDamaged)
	}
	f.typ, f.shape, f.id, f.children = child.typ, arrowDictionary, e.id, []*arrowField{child}
	f.width = index.BitWidth() / 8
	switch d.IndexType.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		f.signed = true
	}
	return f, nil
}
