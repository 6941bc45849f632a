package parquetfile

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/schema"
)

// leafColumn is a leaf of a Parquet schema: what one column chunk of each row group holds.
type leafColumn struct {
	path          string
	physical      format.Type
	length        int // of FIXED_LEN_BYTE_ARRAY
	maxRepetition int
	maxDefinition int
}

// topColumn is a field of a Parquet file and its leaves, by position among all leaves.
type topColumn struct {
	field       formats.Field
	first, last int // leaves first to last−1
}

// tree is a Parquet schema as a table: its top-level columns and its leaves.
type tree struct {
	columns []topColumn
	leaves  []leafColumn
}

// maxSchemaDepth is far more than real schemas have, and few enough for a level to fit a byte.
const maxSchemaDepth = 100

// readSchema reads the flattened tree of a footer.
func readSchema(elements []format.SchemaElement) (*tree, error) {
	if len(elements) == 0 || elements[0].Type.Valid {
		return nil, fmt.Errorf("read schema: no root: %w", formats.ErrDamaged)
	}
	w := schemaWalk{elements: elements, at: 1}
	var t tree
	for range elements[0].NumChildren.V {
		first := len(w.leaves)
		start := w.at
		if err := w.node("", 0, 0, 0); err != nil {
			return nil, err
		}
		field, err := fieldOf(elements[start:w.at])
		if err != nil {
			return nil, err
		}
		t.columns = append(t.columns, topColumn{field, first, len(w.leaves)})
	}
	if w.at != len(elements) {
		return nil, fmt.Errorf("read schema: %d elements outside the tree: %w", len(elements)-w.at, formats.ErrDamaged)
	}
	t.leaves = w.leaves
	return &t, nil
}

// schemaWalk goes through the elements depth first, checks them and collects the leaves.
type schemaWalk struct {
	elements []format.SchemaElement
	at       int
	leaves   []leafColumn
}

// node walks over one element and what is below it.
func (w *schemaWalk) node(parent string, repetition, definition, depth int) error {
	if w.at >= len(w.elements) || depth > maxSchemaDepth {
		return fmt.Errorf("read schema: tree does not end: %w", formats.ErrDamaged)
	}
	e := &w.elements[w.at]
	w.at++
	switch e.RepetitionType.V {
	case format.Optional:
		definition++
	case format.Repeated:
		repetition, definition = repetition+1, definition+1
	case format.Required:
	default:
		return fmt.Errorf("read schema: column %q: unknown repetition: %w", e.Name, formats.ErrDamaged)
	}
	path := strings.TrimPrefix(parent+"."+e.Name, ".")
	switch {
	case e.Type.Valid:
		return w.leaf(e, path, repetition, definition)
	case e.NumChildren.V < 1:
		return fmt.Errorf("read schema: column %q: group without columns: %w", path, formats.ErrUnsupported)
	}
	for range e.NumChildren.V {
		if err := w.node(path, repetition, definition, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *schemaWalk) leaf(e *format.SchemaElement, path string, repetition, definition int) error {
	physical, length := e.Type.V, int(e.TypeLength.V)
	if physical < format.Boolean || physical > format.FixedLenByteArray {
		return fmt.Errorf("read schema: column %q: unknown physical type: %w", path, formats.ErrUnsupported)
	}
	if physical == format.FixedLenByteArray && (length < 1 || length > maxPageBytes) {
		return fmt.Errorf("read schema: column %q: values of %d bytes: %w", path, length, formats.ErrUnsupported)
	}
	w.leaves = append(w.leaves, leafColumn{path, physical, length, repetition, definition})
	return nil
}

// fieldOf makes a field of a top-level column's subtree.
func fieldOf(elements schema.Elements) (field formats.Field, err error) {
	root := &elements[0]
	field = formats.Field{Name: root.Name, Nullable: root.RepetitionType.V == format.Optional, Declared: slices.Clone(elements)}
	if len(elements) > 1 || root.RepetitionType.V == format.Repeated {
		field.Type = formats.Type{Kind: formats.Nested, Nested: elements.Structure()}
		return field, nil
	}
	field.Type, err = schema.TypeOf(root)
	return field, err
}

// levelWidth returns the bits of a level.
func levelWidth(highest int) uint { return uint(bits.Len(uint(highest))) }
