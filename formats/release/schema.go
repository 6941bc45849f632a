package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// schema is the columns of a file.
type schema struct {
	columns []column
	leaves  []leaf
}

// column is a top-level column.
type column struct {
	name  string
	first int  // of its leaves
	flat  bool // it is a leaf, and has one value a row
}

// leaf is what is stored of a flat column, or of a part of a nested one.
type leaf struct {
	element    *format.SchemaElement
	path       []string
	repetition int // highest level
	definition int // highest level
}

// name returns the names on the way to the leaf.
func (l *leaf) name() string { return strings.Join(l.path, ".") }

// maxDepth is more than any Parquet structure has.
const maxDepth = 64

// newSchema makes a schema of elements in the order of a footer: the root, and every element
// before its children.
func newSchema(elements []format.SchemaElement) (s schema, err error) {
	if len(elements) == 0 {
		return s, fmt.Errorf("%w: no schema", formats.ErrDamaged)
	}
	rest := elements[1:]
	for range elements[0].NumChildren.V {
		c := column{first: len(s.leaves)}
		if len(rest) > 0 {
			c.name = rest[0].Name
			c.flat = rest[0].NumChildren.V == 0 && rest[0].RepetitionType.V != format.Repeated
		}
		if rest, err = s.add(rest, leaf{}); err != nil {
			return s, err
		}
		s.columns = append(s.columns, c)
	}
	if len(rest) > 0 {
		return s, fmt.Errorf("%w: the schema has elements without a parent", formats.ErrDamaged)
	}
	return s, nil
}

// add adds the leaves of the first element, and returns the elements behind it and what is below.
func (s *schema) add(elements []format.SchemaElement, parent leaf) (rest []format.SchemaElement, err error) {
	if len(elements) == 0 || len(parent.path) == maxDepth {
		return nil, fmt.Errorf("%w: the schema lacks elements, or is too deep", formats.ErrDamaged)
	}
	node := parent
	node.element, rest = &elements[0], elements[1:]
	node.path = append(slices.Clip(parent.path), node.element.Name)
	switch node.element.RepetitionType.V {
	case format.Optional:
		node.definition++
	case format.Repeated:
		node.definition++
		node.repetition++
	}
	children := node.element.NumChildren.V
	if children == 0 {
		if !node.element.Type.Valid {
			return nil, fmt.Errorf("%w: an element of the schema without a type", formats.ErrDamaged)
		}
		s.leaves = append(s.leaves, node)
		return rest, nil
	}
	for range children {
		if rest, err = s.add(rest, node); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// leaf returns the position of a flat column among the leaves.
func (s *schema) leaf(name string) (int, error) {
	i := slices.IndexFunc(s.columns, func(c column) bool { return c.name == name })
	switch {
	case i < 0:
		return 0, fmt.Errorf("%w: no such column", formats.ErrSchema)
	case !s.columns[i].flat:
		return 0, fmt.Errorf("%w: nested column", formats.ErrUnsupported)
	}
	return s.columns[i].first, nil
}
