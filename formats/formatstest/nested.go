package formatstest

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// NestedValues are the different values of a nested column, in the JSON of ReadParquet.
type NestedValues struct {
	Texts []string
	of    arrow.DataType
}

var pairType = arrow.StructOf(
	arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
)

// nestedKinds are nested types, and JSON of their values.
var nestedKinds = []struct {
	of   arrow.DataType
	text func(i int) string
}{
	{arrow.ListOf(arrow.PrimitiveTypes.Int64), func(i int) string {
		return "[" + strings.Join([]string{"1", "null", fmt.Sprint(i)}[:i%4], ",") + "]"
	}},
	{pairType, func(i int) string {
		return fmt.Sprintf(`{"a":%d,"b":%s}`, i, []string{"null", `""`, `"x"`}[i%3])
	}},
	{arrow.ListOf(pairType), func(i int) string {
		return "[" + strings.Join([]string{`{"a":null,"b":"y"}`, "null",
			fmt.Sprintf(`{"a":%d,"b":null}`, i)}[:i%4], ",") + "]"
	}},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), func(i int) string {
		return fmt.Sprintf(`[{"key":"k%d","value":%d.5},{"key":"","value":null}]`, i, i)
	}},
	{arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), func(i int) string {
		return "[" + strings.Join([]string{"[]", fmt.Sprintf("[%d,null]", i), "null", "[7]"}[:i%5],
			",") + "]"
	}},
}

// NestedKinds is the number of kinds of nested columns.
var NestedKinds = len(nestedKinds)

// NewNested returns some values of a kind of nested columns. Some may be equal.
func NewNested(kind, values int) *NestedValues {
	v := &NestedValues{of: nestedKinds[kind].of}
	var texts []string
	for i := range values {
		texts = append(texts, nestedKinds[kind].text(i))
	}
	for row, a := 0, v.array(texts); row < a.Len(); row++ {
		v.Texts = append(v.Texts, a.ValueStr(row))
	}
	return v
}

// rows returns rows with some values: 0 is null, others are 1 + a position in Texts.
func (v *NestedValues) rows(codes []uint32) arrow.Array {
	var texts []string
	for _, code := range codes {
		text := "null"
		if code > 0 {
			text = v.Texts[code-1]
		}
		texts = append(texts, text)
	}
	return v.array(texts)
}

func (v *NestedValues) array(texts []string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, v.of,
		strings.NewReader("["+strings.Join(texts, ",")+"]"))
	if err != nil {
		panic(err)
	}
	return a
}
