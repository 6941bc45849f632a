package parquetfile

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
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
		text, err := w.node("", 0, 0, 0)
		if err != nil {
			return nil, err
		}
		field, err := fieldOf(elements[start:w.at], text)
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

// schemaWalk goes through the elements depth first.
type schemaWalk struct {
	elements []format.SchemaElement
	at       int
	leaves   []leafColumn
}

// node walks over one element and what is below it, and returns its structure as text.
func (w *schemaWalk) node(parent string, repetition, definition, depth int) (string, error) {
	if w.at >= len(w.elements) || depth > maxSchemaDepth {
		return "", fmt.Errorf("read schema: tree does not end: %w", formats.ErrDamaged)
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
		return "", fmt.Errorf("read schema: column %q: unknown repetition: %w", e.Name, formats.ErrDamaged)
	}
	path := strings.TrimPrefix(parent+"."+e.Name, ".")
	if e.Type.Valid {
		return w.leaf(e, path, repetition, definition)
	}
	return w.group(e, path, repetition, definition, depth)
}

func (w *schemaWalk) leaf(e *format.SchemaElement, path string, repetition, definition int) (string, error) {
	physical, length := e.Type.V, int(e.TypeLength.V)
	if physical < format.Boolean || physical > format.FixedLenByteArray {
		return "", fmt.Errorf("read schema: column %q: unknown physical type: %w", path, formats.ErrUnsupported)
	}
	if physical == format.FixedLenByteArray && (length < 1 || length > maxPageBytes) {
		return "", fmt.Errorf("read schema: column %q: values of %d bytes: %w", path, length, formats.ErrUnsupported)
	}
	w.leaves = append(w.leaves, leafColumn{path, physical, length, repetition, definition})
	text := e.RepetitionType.V.String() + " " + physical.String()
	if physical == format.FixedLenByteArray {
		text += fmt.Sprintf("(%d)", length)
	}
	return strings.ToLower(text) + annotation(e), nil
}

func (w *schemaWalk) group(e *format.SchemaElement, path string, repetition, definition, depth int) (string, error) {
	if e.NumChildren.V < 1 {
		return "", fmt.Errorf("read schema: column %q: group without columns: %w", path, formats.ErrUnsupported)
	}
	var children []string
	for range e.NumChildren.V {
		if w.at >= len(w.elements) {
			return "", fmt.Errorf("read schema: column %q: columns missing: %w", path, formats.ErrDamaged)
		}
		name := w.elements[w.at].Name
		text, err := w.node(path, repetition, definition, depth+1)
		if err != nil {
			return "", err
		}
		children = append(children, fmt.Sprintf("%q %s", name, text))
	}
	return strings.ToLower(e.RepetitionType.V.String()) + annotation(e) + " {" + strings.Join(children, ", ") + "}", nil
}

// annotation returns the logical type as text, with a space before it, or nothing.
func annotation(e *format.SchemaElement) string {
	if logical := logicalType(e); logical != nil {
		return " " + logical.String()
	}
	return ""
}

// fieldOf makes a field of a top-level column's subtree.
func fieldOf(elements []format.SchemaElement, text string) (formats.Field, error) {
	root := elements[0]
	field := formats.Field{Name: root.Name, Nullable: root.RepetitionType.V == format.Optional, Declared: schema.Elements(slices.Clone(elements))}
	if len(elements) > 1 || root.RepetitionType.V == format.Repeated {
		field.Type = formats.Type{Kind: formats.Nested, Nested: text}
		return field, nil
	}
	var err error
	field.Type, err = flatType(&root)
	return field, err
}

// levelWidth returns the bits of a level.
func levelWidth(highest int) uint { return uint(bits.Len(uint(highest))) }

// flatType returns the type of a flat column: by its logical type where that fits the
// physical one, else by the physical one.
func flatType(e *format.SchemaElement) (formats.Type, error) {
	physical := e.Type.V
	switch logical := logicalType(e).(type) {
	case *format.NullType:
		return formats.Type{Kind: formats.Null}, nil
	case *format.DecimalType:
		return decimalType(e, logical)
	case *format.StringType, *format.EnumType, *format.JsonType:
		if physical == format.ByteArray {
			return formats.Type{Kind: formats.String}, nil
		}
	case *format.DateType:
		if physical == format.Int32 {
			return formats.Type{Kind: formats.Date}, nil
		}
	case *format.TimeType:
		if unit, ok := unitOf(logical.Unit); ok && (physical == format.Int64 || physical == format.Int32 && unit == formats.Milli) {
			return formats.Type{Kind: formats.Time, Unit: unit}, nil
		}
	case *format.TimestampType:
		if unit, ok := unitOf(logical.Unit); ok && physical == format.Int64 {
			return formats.Type{Kind: formats.Timestamp, Unit: unit, Zone: zoneOf(logical)}, nil
		}
	case *format.IntType:
		if physical == format.Int32 || physical == format.Int64 {
			return intType(physical, logical), nil
		}
	case *format.UUIDType:
		if physical == format.FixedLenByteArray && e.TypeLength.V == 16 {
			return formats.Type{Kind: formats.UUID}, nil
		}
	case *format.Float16Type:
		if physical == format.FixedLenByteArray && e.TypeLength.V == 2 {
			return formats.Type{Kind: formats.Float, Bits: 16}, nil
		}
	}
	return physicalType(e), nil
}

func physicalType(e *format.SchemaElement) formats.Type {
	switch e.Type.V {
	case format.Boolean:
		return formats.Type{Kind: formats.Boolean}
	case format.Int32:
		return formats.Type{Kind: formats.Int, Bits: 32}
	case format.Int64:
		return formats.Type{Kind: formats.Int, Bits: 64}
	case format.Int96:
		return formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true}
	case format.Float:
		return formats.Type{Kind: formats.Float, Bits: 32}
	case format.Double:
		return formats.Type{Kind: formats.Float, Bits: 64}
	case format.FixedLenByteArray:
		return formats.Type{Kind: formats.Binary, Size: int(e.TypeLength.V)}
	}
	return formats.Type{Kind: formats.Binary}
}

// decimalType keeps numbers of up to 18 digits, and all whose physical type is a number, in words.
func decimalType(e *format.SchemaElement, d *format.DecimalType) (formats.Type, error) {
	t := formats.Type{Kind: formats.Decimal, Precision: int(d.Precision), Scale: int(d.Scale)}
	if d.Precision < 1 || d.Scale < 0 || d.Scale > d.Precision {
		return t, fmt.Errorf("read schema: column %q: %s: %w", e.Name, d, formats.ErrDamaged)
	}
	switch e.Type.V {
	case format.Int32, format.Int64:
		return t, nil
	case format.ByteArray, format.FixedLenByteArray:
		t.Wide = d.Precision > 18
		if d.Precision > 76 {
			return t, fmt.Errorf("read schema: column %q: %s: %w", e.Name, d, formats.ErrUnsupported)
		}
		return t, nil
	}
	return t, fmt.Errorf("read schema: column %q: %s as %s: %w", e.Name, d, e.Type.V, formats.ErrDamaged)
}

func intType(physical format.Type, logical *format.IntType) formats.Type {
	t := formats.Type{Kind: formats.Uint, Bits: int(logical.BitWidth)}
	if logical.IsSigned {
		t.Kind = formats.Int
	}
	if physical == format.Int64 || t.Bits != 8 && t.Bits != 16 {
		t.Bits = 32
		if physical == format.Int64 {
			t.Bits = 64
		}
	}
	return t
}

func unitOf(u format.TimeUnit) (formats.Unit, bool) {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return formats.Milli, true
	case *format.MicroSeconds:
		return formats.Micro, true
	case *format.NanoSeconds:
		return formats.Nano, true
	}
	return 0, false
}

func zoneOf(t *format.TimestampType) string {
	if t.IsAdjustedToUTC {
		return "UTC"
	}
	return ""
}

// logicalType returns the logical type, or what the older ConvertedType says, or nil.
func logicalType(e *format.SchemaElement) format.LogicalTypeValue {
	if logical := e.LogicalType.Value; logical != nil || !e.ConvertedType.Valid {
		return logical
	}
	milli, micro := format.TimeUnit{Value: &format.MilliSeconds{}}, format.TimeUnit{Value: &format.MicroSeconds{}}
	switch c := e.ConvertedType.V; c {
	case deprecated.UTF8:
		return &format.StringType{}
	case deprecated.Enum:
		return &format.EnumType{}
	case deprecated.Json:
		return &format.JsonType{}
	case deprecated.Bson:
		return &format.BsonType{}
	case deprecated.Map, deprecated.MapKeyValue:
		return &format.MapType{}
	case deprecated.List:
		return &format.ListType{}
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return &format.DateType{}
	case deprecated.TimeMillis:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: milli}
	case deprecated.TimeMicros:
		return &format.TimeType{IsAdjustedToUTC: true, Unit: micro}
	case deprecated.TimestampMillis:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: milli}
	case deprecated.TimestampMicros:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: micro}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Int8), IsSigned: true}
	}
	return nil
}
