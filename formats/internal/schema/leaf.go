package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Leaf is a leaf of a schema. Each row group has one column chunk for it.
type Leaf struct {
	*format.SchemaElement
	Path       []string // names, from the top-level column on
	Repetition int      // highest level
	Definition int      // highest level
}

// Column returns the leaf's name with the names above it.
func (l *Leaf) Column() string { return strings.Join(l.Path, ".") }

// Column is a top-level column, with the range of its leaves.
type Column struct {
	Elements
	First, Last int // leaves First to Last−1
}

// Flat reports whether the column is a leaf with one value for each row.
func (c *Column) Flat() bool {
	return len(c.Elements) == 1 && c.Elements[0].RepetitionType.V != format.Repeated
}

// Columns checks the schema of a file, root first, and returns its columns and leaves.
func Columns(elements []format.SchemaElement) (columns []Column, leaves []Leaf, err error) {
	if len(elements) == 0 || elements[0].Type.Valid {
		return nil, nil, fmt.Errorf("read schema: no root: %w", formats.ErrDamaged)
	}
	rest := elements[1:]
	for range elements[0].NumChildren.V {
		c := Column{Elements: rest, First: len(leaves)}
		if leaves, rest, err = appendLeaves(leaves, rest, Leaf{}); err != nil {
			return nil, nil, err
		}
		c.Elements, c.Last = c.Elements[:len(c.Elements)-len(rest)], len(leaves)
		columns = append(columns, c)
	}
	if len(rest) > 0 {
		return nil, nil, fmt.Errorf("read schema: %d elements outside the tree: %w", len(rest),
			formats.ErrDamaged)
	}
	return columns, leaves, nil
}

// Leaves returns the leaves of a column's subtree.
func (e Elements) Leaves() ([]Leaf, error) {
	leaves, _, err := appendLeaves(nil, e, Leaf{})
	return leaves, err
}

// maxDepth is far more than real schemas have, and small enough for a level to fit in a byte.
const maxDepth = 100

// maxValue is the largest number of bytes of a value of fixed length.
const maxValue = 256 << 20

// appendLeaves appends the leaves of the first element, and returns the elements behind its
// subtree.
func appendLeaves(leaves []Leaf, elements []format.SchemaElement, parent Leaf) ([]Leaf,
	[]format.SchemaElement, error) {
	if len(elements) == 0 || len(parent.Path) > maxDepth {
		return nil, nil, fmt.Errorf("read schema: tree does not end: %w", formats.ErrDamaged)
	}
	e, rest := &elements[0], elements[1:]
	node := Leaf{e, append(slices.Clip(parent.Path), e.Name), parent.Repetition, parent.Definition}
	switch e.RepetitionType.V {
	case format.Optional:
		node.Definition++
	case format.Repeated:
		node.Repetition, node.Definition = node.Repetition+1, node.Definition+1
	case format.Required:
	default:
		return nil, nil, fmt.Errorf("read schema: column %q: unknown repetition: %w", e.Name,
			formats.ErrDamaged)
	}
	if e.Type.Valid {
		return append(leaves, node), rest, node.check()
	}
	if e.NumChildren.V < 1 {
		return nil, nil, fmt.Errorf("read schema: column %q: group without columns: %w",
			node.Column(), formats.ErrUnsupported)
	}
	var err error
	for range e.NumChildren.V {
		if leaves, rest, err = appendLeaves(leaves, rest, node); err != nil {
			return nil, nil, err
		}
	}
	return leaves, rest, nil
}

func (l *Leaf) check() error {
	physical, length := l.Type.V, l.TypeLength.V
	if physical < format.Boolean || physical > format.FixedLenByteArray {
		return fmt.Errorf("read schema: column %q: unknown physical type: %w", l.Column(),
			formats.ErrUnsupported)
	}
	if physical == format.FixedLenByteArray && (length < 1 || length > maxValue) {
		return fmt.Errorf("read schema: column %q: values of %d bytes: %w", l.Column(), length,
			formats.ErrUnsupported)
	}
	return nil
}
