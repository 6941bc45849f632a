package arrowfile

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// column returns the column of a schema that f is.
func (f *field) column() formats.Field {
	out := formats.Field{Name: f.name, Type: f.typ, Nullable: f.nullable || f.typ.Kind == formats.Null}
	if f.typ.Kind != formats.Nested {
		return out
	}
	out.Type = formats.Type{Kind: formats.Nested, Nested: f.text}
	if elements, ok := f.elements(f.name, f.nullable); ok && len(elements) > 1 {
		out.Declared, out.Type.Nested = elements, elements.Structure()
	}
	return out
}

// elements returns the Parquet schema of a column, and false when Parquet has none for it.
func (f *field) elements(name string, nullable bool) (schema.Elements, bool) {
	outer := groupElement(name, schema.Repetition(nullable))
	switch {
	case f.typ.Kind != formats.Nested:
		return schema.Of(formats.Field{Name: name, Type: f.typ, Nullable: nullable || f.typ.Kind == formats.Null}), true
	case f.values != nil:
		return f.values.elements(name, nullable)
	case f.isStruct():
		return group(outer, f.children)
	case f.isMap && len(f.children[0].children) == 2:
		outer.LogicalType, outer.ConvertedType = format.LogicalType{Value: &format.MapType{}}, thrift.New(deprecated.Map)
		entries, ok := group(groupElement("key_value", format.Repeated), f.children[0].children)
		return wrap(outer, entries), ok
	case f.isList():
		outer.LogicalType, outer.ConvertedType = format.LogicalType{Value: &format.ListType{}}, thrift.New(deprecated.List)
		item, ok := f.children[0].elements("element", f.children[0].nullable)
		return wrap(outer, wrap(groupElement("list", format.Repeated), item)), ok
	}
	return nil, false
}

func groupElement(name string, repetition format.FieldRepetitionType) format.SchemaElement {
	return format.SchemaElement{Name: name, RepetitionType: thrift.New(repetition)}
}

// group makes a group of all fields under their own names.
func group(e format.SchemaElement, fields []*field) (out schema.Elements, ok bool) {
	e.NumChildren = thrift.New(int32(len(fields)))
	out = append(out, e)
	for _, f := range fields {
		elements, ok := f.elements(f.name, f.nullable)
		if !ok {
			return nil, false
		}
		out = append(out, elements...)
	}
	return out, len(fields) > 0
}

// wrap makes a group of one child.
func wrap(e format.SchemaElement, child schema.Elements) schema.Elements {
	e.NumChildren = thrift.New(int32(1))
	return append(schema.Elements{e}, child...)
}

// shredder cuts a nested column into the leaves of Parquet.
type shredder struct {
	root   *nestedNode
	leaves []*nestedLeaf
	out    []formats.Leaf
}

// nestedNode is a node of a nested column; a dictionary and its values are one.
type nestedNode struct {
	field      *field // of the values, behind dictionaries
	nullable   bool
	repetition int // level of the items of a list but the first
	children   []*nestedNode
	leaf       *nestedLeaf // nil: there are children
}

// nestedLeaf is a leaf being filled.
type nestedLeaf struct {
	form        plain.Form
	raw         bool // values are stored as they are, without the length that a page puts before them
	repetitions bool
	definitions bool
	out         formats.Leaf
	values      formats.Values
	words       []uint64
}

func newShredder(f *field) (*shredder, error) {
	s := &shredder{}
	var err error
	s.root, err = s.node(f, f.nullable, 0, 0)
	s.out = make([]formats.Leaf, len(s.leaves))
	return s, err
}

// node builds the tree below a field that lies under the given levels.
func (s *shredder) node(f *field, nullable bool, repetition, definition int) (*nestedNode, error) {
	for f.values != nil {
		f = f.values
	}
	n := &nestedNode{field: f, nullable: nullable || f.typ.Kind == formats.Null}
	if n.nullable {
		definition++
	}
	if f.typ.Kind != formats.Nested {
		e := schema.Of(formats.Field{Type: f.typ})[0]
		form, err := plain.FormOf(f.typ, e)
		n.leaf = &nestedLeaf{form: form, raw: e.Type.V == format.ByteArray, repetitions: repetition > 0, definitions: definition > 0}
		n.leaf.values.Type = formats.Type{Kind: formats.Binary}
		s.leaves = append(s.leaves, n.leaf)
		return n, err
	}
	if !f.isStruct() {
		repetition, definition = repetition+1, definition+1
		n.repetition = repetition
	}
	for _, c := range f.children {
		child, err := s.node(c, c.nullable, repetition, definition)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

// shred returns the leaves of rows [from, to), good until the next call.
func (s *shredder) shred(a *column, from, to int) ([]formats.Leaf, error) {
	for _, l := range s.leaves {
		l.out.Entries, l.out.Repetition, l.out.Definition = 0, l.out.Repetition[:0], l.out.Definition[:0]
		l.values.Ends, l.values.Data = l.values.Ends[:0], l.values.Data[:0]
	}
	for i := from; i < to; i++ {
		if err := s.visit(s.root, a, i, 0, 0); err != nil {
			return nil, err
		}
	}
	for i, l := range s.leaves {
		l.out.Values = &l.values
		s.out[i] = l.out
	}
	return s.out, nil
}

// visit adds row i of a, which lies under the given levels.
func (s *shredder) visit(n *nestedNode, a *column, i, repetition, definition int) error {
	a, i, err := a.resolve(i)
	switch {
	case err != nil:
		return err
	case a == nil && !n.nullable:
		return errNull
	case a == nil:
		return n.empty(repetition, definition)
	case n.nullable:
		definition++
	}
	switch {
	case n.leaf != nil:
		return n.leaf.add(a, i, repetition, definition)
	case n.field.isStruct():
		for k, c := range n.children {
			if err := s.visit(c, a.children[k], i, repetition, definition); err != nil {
				return err
			}
		}
		return nil
	}
	return s.items(n, a, i, repetition, definition)
}

// items adds the items of a list.
func (s *shredder) items(n *nestedNode, a *column, i, repetition, definition int) error {
	from, to := a.lists.ValueOffsets(i)
	if from == to {
		return n.empty(repetition, definition)
	}
	for k := from; k < to; k++ {
		if err := s.visit(n.children[0], a.children[0], int(k), repetition, definition+1); err != nil {
			return err
		}
		repetition = n.repetition
	}
	return nil
}

// resolve follows dictionaries to the value of row i, nil when it is null.
func (a *column) resolve(i int) (*column, int, error) {
	for a.valid(i) && a.field.values != nil {
		var one [1]uint32
		code, err := a.appendCodes(one[:0], i, i+1)
		if err != nil {
			return nil, 0, err
		}
		a, i = a.dictionary.entry(int(code[0]) - 1)
	}
	if !a.valid(i) {
		return nil, 0, nil
	}
	return a, i, nil
}

// empty adds an entry without a value to all leaves below.
func (n *nestedNode) empty(repetition, definition int) error {
	if n.leaf != nil {
		return n.leaf.entry(repetition, definition)
	}
	for _, c := range n.children {
		if err := c.empty(repetition, definition); err != nil {
			return err
		}
	}
	return nil
}

// entry adds the levels of an entry.
func (l *nestedLeaf) entry(repetition, definition int) error {
	if l.out.Entries++; l.out.Entries > batchEntries || len(l.values.Data) > batchBytes {
		return errLarge
	}
	if l.repetitions {
		l.out.Repetition = append(l.out.Repetition, byte(repetition))
	}
	if l.definitions {
		l.out.Definition = append(l.out.Definition, byte(definition))
	}
	return nil
}

// add adds an entry with the value of row i of a, which is valid.
func (l *nestedLeaf) add(a *column, i, repetition, definition int) error {
	if err := l.entry(repetition, definition); err != nil {
		return err
	}
	var scratch [32]byte
	var value []byte
	var err error
	v := &l.values
	if l.form.Type.InWords() {
		l.words, err = a.appendWords(l.words[:0], i, i+1)
	} else {
		value, err = a.value(i, &scratch)
	}
	switch {
	case err != nil:
		return err
	case l.form.Type.InWords():
		v.Data, err = l.form.AppendWords(v.Data, l.words)
	case l.raw:
		v.Data = append(v.Data, value...)
	default:
		v.Data, err = l.form.AppendBytes(v.Data, value)
	}
	v.Ends = append(v.Ends, uint32(len(v.Data)))
	return err
}
