package formatstest

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
)

// TextColumn is a column read by arrow-go: the texts of its different values, and for every row 1 +
// a position in them, or 0 for a null. A nested value is JSON.
type TextColumn struct {
	formats.Field
	Texts []string
	Codes []uint32
	known map[string]uint32
}

// ReadParquet reads a Parquet file with arrow-go. A struct named by split is replaced by its
// fields.
func ReadParquet(path string, split func(name string) bool) (columns []TextColumn, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arrow-go: %v", p)
		}
	}()
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, fmt.Errorf("arrow-go: %w", err)
	}
	defer f.Close()
	properties := pqarrow.ArrowReadProperties{BatchSize: 1 << 20}
	reader, err := pqarrow.NewFileReader(f, properties, memory.DefaultAllocator)
	if err != nil {
		return nil, fmt.Errorf("arrow-go: %w", err)
	}
	table, err := reader.ReadTable(context.Background())
	if err != nil {
		return nil, fmt.Errorf("arrow-go: %w", err)
	}
	defer table.Release()
	root := f.MetaData().Schema.Root()
	for i, field := range table.Schema().Fields() {
		chunks := table.Column(i).Data().Chunks()
		if split(field.Name) {
			columns = append(columns, fieldsOf(field, root.Field(i).(*schema.GroupNode), chunks)...)
			continue
		}
		c := newTextColumn(field.Name, field, root.Field(i))
		for _, chunk := range chunks {
			c.add(chunk, chunk.IsNull)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// fieldsOf returns the fields of a column of structs.
func fieldsOf(of arrow.Field, node *schema.GroupNode, chunks []arrow.Array) (columns []TextColumn) {
	for i, field := range of.Type.(*arrow.StructType).Fields() {
		c := newTextColumn(of.Name+"."+field.Name, field, node.Field(i))
		c.Nullable = true
		for _, chunk := range chunks {
			own := chunk.(*array.Struct).Field(i)
			c.add(own, func(row int) bool { return chunk.IsNull(row) || own.IsNull(row) })
		}
		columns = append(columns, c)
	}
	return columns
}

func newTextColumn(name string, field arrow.Field, node schema.Node) TextColumn {
	return TextColumn{
		Field: formats.Field{Name: name, Type: typeOf(field.Type, node), Nullable: field.Nullable},
		known: make(map[string]uint32),
	}
}

// typeOf returns the type of a column that is stored as a node describes.
func typeOf(of arrow.DataType, node schema.Node) formats.Type {
	bits := 0
	if fixed, ok := of.(arrow.FixedWidthDataType); ok {
		bits = fixed.BitWidth()
	}
	switch t := of.(type) {
	case *arrow.BooleanType:
		return formats.Type{Kind: formats.Boolean}
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		return formats.Type{Kind: formats.Int, Bits: bits}
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		return formats.Type{Kind: formats.Uint, Bits: bits}
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		return formats.Type{Kind: formats.Float, Bits: bits}
	case *arrow.Decimal128Type:
		of := formats.Type{Kind: formats.Decimal, Precision: int(t.Precision), Scale: int(t.Scale)}
		of.Wide = of.Precision > 18
		return of
	case *arrow.Date32Type:
		return formats.Type{Kind: formats.Date}
	case *arrow.Time32Type:
		return formats.Type{Kind: formats.Time, Unit: formats.Unit(t.Unit)}
	case *arrow.Time64Type:
		return formats.Type{Kind: formats.Time, Unit: formats.Unit(t.Unit)}
	case *arrow.TimestampType:
		// without a time zone
		if node.(*schema.PrimitiveNode).PhysicalType() == arrowparquet.Types.Int96 {
			return formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true}
		}
		return formats.Type{Kind: formats.Timestamp, Unit: formats.Unit(t.Unit), Zone: t.TimeZone}
	case *arrow.StringType:
		return formats.Type{Kind: formats.String}
	case *arrow.BinaryType:
		return formats.Type{Kind: formats.Binary}
	case *arrow.FixedSizeBinaryType:
		if node.LogicalType().Equals(schema.UUIDLogicalType{}) {
			return formats.Type{Kind: formats.UUID}
		}
		return formats.Type{Kind: formats.Binary, Size: t.ByteWidth}
	}
	return formats.Type{Kind: formats.Nested}
}

// add adds the rows of an array.
func (c *TextColumn) add(values arrow.Array, isNull func(row int) bool) {
	a := rowsOf{values.Len(), isNull}
	switch v := values.(type) {
	case *array.Boolean:
		addRows(c, a, v.Value, strconv.FormatBool)
	case *array.Int8:
		addRows(c, a, v.Value, signed)
	case *array.Int16:
		addRows(c, a, v.Value, signed)
	case *array.Int32:
		addRows(c, a, v.Value, signed)
	case *array.Int64:
		addRows(c, a, v.Value, signed)
	case *array.Uint8:
		addRows(c, a, v.Value, unsigned)
	case *array.Uint16:
		addRows(c, a, v.Value, unsigned)
	case *array.Uint32:
		addRows(c, a, v.Value, unsigned)
	case *array.Uint64:
		addRows(c, a, v.Value, unsigned)
	case *array.String:
		addRows(c, a, v.Value, strings.Clone)
	default:
		c.addOthers(a, values)
	}
}

// clock is the form of times, with an optional fraction.
const clock = "15:04:05.999999999"

// addOthers is add for types whose values are not numbers or texts of Go.
func (c *TextColumn) addOthers(a rowsOf, values arrow.Array) {
	switch v := values.(type) {
	case *array.Float16:
		addRows(c, a, v.Value, func(x float16.Num) string {
			return floatText(formats.WidenFloat16(x.Uint16()), 16)
		})
	case *array.Float32:
		bits := func(row int) uint32 { return math.Float32bits(v.Value(row)) }
		addRows(c, a, bits, func(bits uint32) string {
			return floatText(formats.WidenFloat32(bits), 32)
		})
	case *array.Float64:
		bits := func(row int) uint64 { return math.Float64bits(v.Value(row)) }
		addRows(c, a, bits, func(bits uint64) string { return floatText(bits, 64) })
	case *array.Decimal128:
		scale := int(v.DataType().(*arrow.Decimal128Type).Scale)
		addRows(c, a, v.Value, func(x decimal128.Num) string {
			return decimalText(x.BigInt(), scale)
		})
	case *array.Date32:
		addRows(c, a, v.Value, func(day arrow.Date32) string {
			return day.ToTime().Format(time.DateOnly)
		})
	case *array.Time32:
		unit := v.DataType().(*arrow.Time32Type).Unit
		addRows(c, a, v.Value, func(x arrow.Time32) string { return x.ToTime(unit).Format(clock) })
	case *array.Time64:
		unit := v.DataType().(*arrow.Time64Type).Unit
		addRows(c, a, v.Value, func(x arrow.Time64) string { return x.ToTime(unit).Format(clock) })
	case *array.Timestamp:
		of := v.DataType().(*arrow.TimestampType)
		form := time.DateOnly + "T" + clock
		if c.Type.Zone != "" {
			form += "Z"
		}
		addRows(c, a, v.Value, func(x arrow.Timestamp) string {
			return x.ToTime(of.Unit).UTC().Format(form)
		})
	case *array.Binary:
		addRows(c, a, v.ValueString, func(b string) string { return hex.EncodeToString([]byte(b)) })
	case *array.FixedSizeBinary:
		addRows(c, a, func(row int) string { return string(v.Value(row)) }, c.fixedText)
	default:
		addRows(c, a, v.ValueStr, strings.Clone)
	}
}

// rowsOf are the rows of an array.
type rowsOf struct {
	n      int
	isNull func(row int) bool
}

// addRows adds rows. Each different value is converted to text once.
func addRows[T comparable](c *TextColumn, rows rowsOf, value func(row int) T, text func(T) string) {
	codes := make(map[T]uint32)
	for row := range rows.n {
		if rows.isNull(row) {
			c.Codes = append(c.Codes, 0)
			continue
		}
		v := value(row)
		code, ok := codes[v]
		if !ok {
			code = c.code(text(v))
			codes[v] = code
		}
		c.Codes = append(c.Codes, code)
	}
}

func (c *TextColumn) code(text string) uint32 {
	code, ok := c.known[text]
	if !ok {
		c.Texts = append(c.Texts, text)
		code = uint32(len(c.Texts))
		c.known[text] = code
	}
	return code
}

func signed[T int8 | int16 | int32 | int64](x T) string { return strconv.FormatInt(int64(x), 10) }

func unsigned[T uint8 | uint16 | uint32 | uint64](x T) string {
	return strconv.FormatUint(uint64(x), 10)
}

func (c *TextColumn) fixedText(b string) string {
	text := hex.EncodeToString([]byte(b))
	if c.Type.Kind == formats.UUID {
		return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]},
			"-")
	}
	return text
}

// floatText returns the text of a float with a number of bits in its file.
func floatText(bits uint64, size int) string {
	x := math.Float64frombits(bits)
	switch {
	case bits == 0x7ff8000000000000:
		return "NaN"
	case x != x:
		return fmt.Sprintf("NaN:%016x", bits)
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 0, 64), "+") + "inity"
	case size == 16:
		v := formats.Values{Type: formats.Type{Kind: formats.Float, Bits: 16}}
		v.Words = []uint64{formats.FloatWord(bits)}
		return v.Text(0)
	case x != 0 && (math.Abs(x) < 1e-6 || math.Abs(x) >= 1e21):
		return strconv.FormatFloat(x, 'g', -1, size)
	}
	return strconv.FormatFloat(x, 'f', -1, size)
}

func decimalText(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if unscaled.Sign() < 0 {
		return "-" + digits
	}
	return digits
}
