package arrowfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// column returns the field as a column of a schema.
func (f *field) column() formats.Field {
	out := formats.Field{Name: f.name, Type: f.typ, Nullable: f.nullable ||
		f.typ.Kind == formats.Null}
	if f.typ.Kind != formats.Nested {
		return out
	}
	var s shredder
	if _, elements := s.node(f, f.name, f.nullable, 0, 0); len(elements) > 1 {
		out.Declared, out.Type.Nested = elements, elements.Structure()
	}
	return out
}

// shredder converts a nested column to the leaves of Parquet.
type shredder struct {
	root       *nestedNode
	leaves     []*nestedLeaf
	out        []formats.Leaf
	dictionary func(f *field, inner bool) *dictionary
	err        error // of a leaf that Parquet does not support
}

// nestedNode is a node of a nested column; a dictionary and its values are one node.
type nestedNode struct {
	field      *field
	nullable   bool
	dictionary *dictionary
	index      []uint64 // scratch: index of a row in the dictionary
	repetition int      // level of the items of a list except the first; 0: it is no list
	children   []*nestedNode
	leaf       *nestedLeaf // nil: there are children
}

// nestedLeaf is a leaf that is being filled.
type nestedLeaf struct {
	field       *field
	form        plain.Form
	raw         bool // values are stored without the length that a page puts before them
	repetitions bool
	definitions bool
	out         formats.Leaf
	values      formats.Values
	value       formats.Values // scratch: one value
}

func (r *reader) newShredder(f *field) (*shredder, error) {
	s := &shredder{dictionary: r.dictionary}
	s.root, _ = s.node(f, f.name, f.nullable, 0, 0)
	s.out = make([]formats.Leaf, len(s.leaves))
	return s, s.err
}

// node builds the tree below a field at the given levels. It also returns the Parquet schema, or
// nil when Parquet has none for it.
func (s *shredder) node(
	f *field, name string, nullable bool, repetition, definition int,
) (*nestedNode, schema.Elements) {
	nullable = nullable || f.typ.Kind == formats.Null
	n := &nestedNode{field: f, nullable: nullable}
	if f.values != nil {
		if s.dictionary != nil {
			n.dictionary = s.dictionary(f, true)
		}
		f = f.values
	}
	if nullable {
		definition++
	}
	if f.typ.Kind != formats.Nested {
		elements := schema.Of(formats.Field{Name: name, Type: f.typ, Nullable: nullable})
		n.leaf = s.leaf(f, elements[0], repetition > 0, definition > 0)
		return n, elements
	}
	_, list := f.storage.(arrow.ListLikeType)
	if list {
		repetition, definition = repetition+1, definition+1
		n.repetition = repetition
	}
	var members []schema.Elements
	for _, c := range f.children {
		name := c.name
		if list {
			name = "element"
		}
		child, member := s.node(c, name, c.nullable, repetition, definition)
		n.children, members = append(n.children, child), append(members, member)
	}
	repeated := format.SchemaElement{Name: "list", RepetitionType: thrift.New(format.Repeated)}
	e := format.SchemaElement{Name: name, RepetitionType: thrift.New(schema.Repetition(nullable))}
	switch {
	case f.storage.ID() == arrow.STRUCT:
		return n, schema.Group(e, members...)
	case f.storage.ID() == arrow.MAP && members[0] != nil:
		e.LogicalType.Value, e.ConvertedType = &format.MapType{}, thrift.New(deprecated.Map)
		members[0][0].Name, members[0][0].RepetitionType = "key_value", repeated.RepetitionType
		return n, schema.Group(e, members...)
	case list:
		e.LogicalType.Value, e.ConvertedType = &format.ListType{}, thrift.New(deprecated.List)
		return n, schema.Group(e, schema.Group(repeated, members...))
	}
	return n, nil
}

// leaf adds a leaf of a flat type.
func (s *shredder) leaf(f *field, e format.SchemaElement, repetitions,
	definitions bool) *nestedLeaf {
	form, err := plain.FormOf(f.typ, e)
	if err != nil {
		s.err = err
	}
	l := &nestedLeaf{
		field: f, form: form, raw: e.Type.V == format.ByteArray,
		repetitions: repetitions, definitions: definitions,
	}
	l.values.Type, l.value.Type = formats.Type{Kind: formats.Binary}, f.typ
	s.leaves = append(s.leaves, l)
	return l
}

// shred returns the leaves of rows [from, to), valid until the next call.
func (s *shredder) shred(a arrow.Array, from, to int) ([]formats.Leaf, error) {
	for _, l := range s.leaves {
		l.out.Entries = 0
		l.out.Repetition, l.out.Definition = l.out.Repetition[:0], l.out.Definition[:0]
		l.values.Clear()
	}
	for i := from; i < to; i++ {
		if err := s.root.visit(a, i, 0, 0); err != nil {
			return nil, err
		}
	}
	for i, l := range s.leaves {
		l.out.Values = &l.values
		s.out[i] = l.out
	}
	return s.out, nil
}

// visit adds row i of a at the given levels, or an entry without a value when a is nil.
func (n *nestedNode) visit(a arrow.Array, i, repetition, definition int) (err error) {
	if a != nil {
		a, i, err = n.resolve(a, i)
		switch {
		case err != nil:
			return err
		case a == nil && !n.nullable:
			return errNull
		case a != nil && n.nullable:
			definition++
		}
	}
	switch {
	case n.leaf != nil:
		return n.leaf.add(a, i, repetition, definition)
	case n.repetition > 0 && a != nil:
		return n.items(a.(array.ListLike), i, repetition, definition)
	}
	for k, c := range n.children {
		var child arrow.Array
		if a != nil {
			child = a.(*array.Struct).Field(k)
		}
		if err := c.visit(child, i, repetition, definition); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the array and the row of the value of row i, which may be in a dictionary, or nil
// when it is null.
func (n *nestedNode) resolve(a arrow.Array, i int) (arrow.Array, int, error) {
	if d := n.dictionary; d != nil && a.IsValid(i) {
		n.index = n.field.numbers(n.index[:0], a.Data(), i, i+1)
		if n.index[0] >= uint64(d.n) {
			return nil, 0, errIndex(i)
		}
		a, i = d.entry(int(n.index[0]))
	}
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return nil, 0, nil
	}
	return a, i, nil
}

// items adds the items of a list.
func (n *nestedNode) items(a array.ListLike, i, repetition, definition int) error {
	from, to := a.ValueOffsets(i)
	items := a.ListValues()
	switch {
	case from < 0 || from > to || to > int64(items.Len()):
		return fmt.Errorf("%w: a list outside its items at row %d", formats.ErrDamaged, i)
	case from == to:
		return n.children[0].visit(nil, 0, repetition, definition)
	}
	for k := from; k < to; k++ {
		if err := n.children[0].visit(items, int(k), repetition, definition+1); err != nil {
			return err
		}
		repetition = n.repetition
	}
	return nil
}

// add adds an entry: the value of row i of a, which is valid, or none if a is nil.
func (l *nestedLeaf) add(a arrow.Array, i, repetition, definition int) (err error) {
	v := &l.values
	if l.out.Entries++; l.out.Entries > batchEntries {
		return errLarge
	}
	if err := v.Room(0); err != nil {
		return err
	}
	if l.repetitions {
		l.out.Repetition = append(l.out.Repetition, byte(repetition))
	}
	if l.definitions {
		l.out.Definition = append(l.out.Definition, byte(definition))
	}
	if a == nil {
		return nil
	}
	l.value.Clear()
	if err := l.field.appendValues(&l.value, a, i, i+1, (*formats.Values).Room); err != nil {
		return err
	}
	switch {
	case l.value.Type.InWords():
		v.Data, err = l.form.AppendWords(v.Data, l.value.Words)
	case l.raw:
		v.Data = append(v.Data, l.value.Data...)
	default:
		v.Data, err = l.form.AppendBytes(v.Data, l.value.Data)
	}
	v.Ends = append(v.Ends, uint32(len(v.Data)))
	return err
}
