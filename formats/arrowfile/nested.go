package arrowfile

import (
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
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
	if elements := f.elements(f.name, f.nullable); len(elements) > 1 {
		out.Declared, out.Type.Nested = elements, elements.Structure()
	}
	return out
}

// elements returns the Parquet schema of a column, or nil when Parquet has none for it.
func (f *field) elements(name string, nullable bool) schema.Elements {
	e := format.SchemaElement{Name: name, RepetitionType: thrift.New(schema.Repetition(nullable))}
	repeated := func(name string) format.SchemaElement {
		return format.SchemaElement{Name: name, RepetitionType: thrift.New(format.Repeated)}
	}
	_, list := f.storage.(arrow.ListLikeType)
	switch {
	case f.typ.Kind != formats.Nested:
		nullable = nullable || f.typ.Kind == formats.Null
		return schema.Of(formats.Field{Name: name, Type: f.typ, Nullable: nullable})
	case f.values != nil:
		return f.values.elements(name, nullable)
	case f.storage.ID() == arrow.STRUCT:
		return schema.Group(e, f.members()...)
	case f.isMap && len(f.children[0].children) == 2:
		e.LogicalType.Value, e.ConvertedType = &format.MapType{}, thrift.New(deprecated.Map)
		return schema.Group(e, schema.Group(repeated("key_value"), f.children[0].members()...))
	case list:
		item := f.children[0]
		e.LogicalType.Value, e.ConvertedType = &format.ListType{}, thrift.New(deprecated.List)
		return schema.Group(e, schema.Group(repeated("list"), item.elements("element", item.nullable)))
	}
	return nil
}

// members returns the schemas of all fields of a struct.
func (f *field) members() (members []schema.Elements) {
	for _, c := range f.children {
		members = append(members, c.elements(c.name, c.nullable))
	}
	return members
}

// shredder cuts a nested column into the leaves of Parquet.
type shredder struct {
	root   *nestedNode
	leaves []*nestedLeaf
	out    []formats.Leaf
}

// nestedNode is a node of a nested column; a dictionary and its values are one.
type nestedNode struct {
	nullable   bool
	repetition int // level of the items of a list but the first; 0: no list
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
	s.root, err = s.node(f, 0, 0)
	s.out = make([]formats.Leaf, len(s.leaves))
	return s, err
}

// node builds the tree below a field that lies under the given levels.
func (s *shredder) node(f *field, repetition, definition int) (*nestedNode, error) {
	n := &nestedNode{nullable: f.nullable || f.typ.Kind == formats.Null}
	for f.values != nil {
		f = f.values
	}
	if n.nullable {
		definition++
	}
	if f.typ.Kind != formats.Nested {
		e := schema.Of(formats.Field{Type: f.typ})[0]
		form, err := plain.FormOf(f.typ, e)
		n.leaf = &nestedLeaf{
			form: form, raw: e.Type.V == format.ByteArray,
			repetitions: repetition > 0, definitions: definition > 0,
		}
		n.leaf.values.Type = formats.Type{Kind: formats.Binary}
		s.leaves = append(s.leaves, n.leaf)
		return n, err
	}
	if f.storage.ID() != arrow.STRUCT {
		repetition, definition = repetition+1, definition+1
		n.repetition = repetition
	}
	for _, c := range f.children {
		child, err := s.node(c, repetition, definition)
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

// visit adds row i of a, which lies under the given levels, or an entry without a value when a is
// nil.
func (n *nestedNode) visit(a *column, i, repetition, definition int) (err error) {
	if a != nil {
		a, i, err = a.resolve(i)
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
		return n.items(a, i, repetition, definition)
	}
	for k, c := range n.children {
		var child *column
		if a != nil {
			child = a.children[k]
		}
		if err := c.visit(child, i, repetition, definition); err != nil {
			return err
		}
	}
	return nil
}

// items adds the items of a list.
func (n *nestedNode) items(a *column, i, repetition, definition int) error {
	from, to, err := a.items(i)
	switch {
	case err != nil:
		return err
	case from == to:
		return n.children[0].visit(nil, 0, repetition, definition)
	}
	for k := from; k < to; k++ {
		if err := n.children[0].visit(a.children[0], k, repetition, definition+1); err != nil {
			return err
		}
		repetition = n.repetition
	}
	return nil
}

// resolve follows dictionaries to the value of row i, nil when it is null.
func (c *column) resolve(i int) (*column, int, error) {
	for c.valid(i) && c.field.values != nil {
		index := c.field.flat.index(c, i)
		if index >= uint64(c.dictionary.n) {
			return nil, 0, errIndex(i)
		}
		c, i = c.dictionary.entry(int(index))
	}
	if !c.valid(i) {
		return nil, 0, nil
	}
	return c, i, nil
}

// add adds an entry, with the value of row i of a, which is valid, unless a is nil.
func (l *nestedLeaf) add(a *column, i, repetition, definition int) (err error) {
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
	switch {
	case a == nil:
		return nil
	case l.form.Type.InWords():
		if l.words, err = a.field.flat.words(l.words[:0], a, i, i+1); err == nil {
			v.Data, err = l.form.AppendWords(v.Data, l.words)
		}
	default:
		var scratch [32]byte
		value, failed := a.value(i, &scratch)
		switch {
		case failed != nil:
			return failed
		case l.form.Type.Kind == formats.String && !utf8.Valid(value):
			return errText
		case l.raw:
			v.Data = append(v.Data, value...)
		default:
			v.Data, err = l.form.AppendBytes(v.Data, value)
		}
	}
	v.Ends = append(v.Ends, uint32(len(v.Data)))
	return err
}
