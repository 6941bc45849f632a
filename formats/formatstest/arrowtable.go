package formatstest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/kcut/kcut/formats"
)

// ArrowTable is a table of coded columns for arrow-go to write.
type ArrowTable struct {
	Fields  []formats.Field
	Columns []*formats.Column
	Nested  map[int]*NestedValues // by column: the values of nested ones
}

// ArrowLayout is the layout in which arrow-go stores a table.
type ArrowLayout struct {
	GroupRows int    // of a row group, or a record batch
	Codec     string // zstd, snappy, gzip or none; for Arrow files zstd, lz4 or none
	PageBytes int64  // of Parquet's data pages
	// size after which a column chunk continues with plain pages; 0: no dictionaries
	DictionaryBytes int64
	Version2        bool // of Parquet's data pages
	Int96           bool // Parquet stores timestamps of nanoseconds in this type
}

// ArrowTakes reports whether an ArrowTable may have columns of a type.
func ArrowTakes(t formats.Type) bool {
	switch t.Kind {
	case formats.UUID, formats.Null, formats.Nested:
		return false
	}
	return !t.Wide || t.Kind == formats.Decimal && t.Precision <= 38
}

// zstdCodec compresses with the encoder that Arrow keeps: otherwise it makes one for each page.
type zstdCodec struct{ compress.Codec }

func (c zstdCodec) EncodeLevel(dst, src []byte, _ int) []byte { return c.Encode(dst, src) }

func init() {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err)
	}
	compress.RegisterCodec(compress.Codecs.Zstd, zstdCodec{codec})
}

// WriteParquet writes rows from..to-1 as Parquet.
func (t *ArrowTable) WriteParquet(path string, from, to int, how ArrowLayout) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	version := arrowparquet.DataPageV1
	if how.Version2 {
		version = arrowparquet.DataPageV2
	}
	codec := map[string]compress.Compression{"zstd": compress.Codecs.Zstd,
		"snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip}[how.Codec]
	w, err := pqarrow.NewFileWriter(t.schema(false), f, arrowparquet.NewWriterProperties(
		arrowparquet.WithCompression(codec), arrowparquet.WithDataPageSize(how.PageBytes),
		arrowparquet.WithDataPageVersion(version),
		arrowparquet.WithDictionaryDefault(how.DictionaryBytes > 0),
		arrowparquet.WithDictionaryPageSizeLimit(how.DictionaryBytes),
	), pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(how.Int96)))
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	// Close closes f
	return errors.Join(t.eachRecord(from, to, how.GroupRows, false, w.Write), w.Close())
}

// WriteIPC writes rows from..to-1 as an Arrow file. If the layout has dictionaries, texts get them.
func (t *ArrowTable) WriteIPC(path string, from, to int, how ArrowLayout) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	coded := how.DictionaryBytes > 0
	options := []ipc.Option{ipc.WithSchema(t.schema(coded))}
	switch how.Codec {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	w, err := ipc.NewFileWriter(f, options...)
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	return errors.Join(t.eachRecord(from, to, how.GroupRows, coded, w.Write), w.Close(), f.Close())
}

func (t *ArrowTable) schema(coded bool) *arrow.Schema {
	var fields []arrow.Field
	for i, field := range t.Fields {
		of := arrowType(field.Type, coded)
		if nested := t.Nested[i]; nested != nil {
			of = nested.of
		}
		fields = append(fields, arrow.Field{Name: field.Name, Type: of, Nullable: field.Nullable})
	}
	return arrow.NewSchema(fields, nil)
}

func (t *ArrowTable) eachRecord(from, to, rows int, coded bool,
	write func(arrow.Record) error) error {
	schema := t.schema(coded)
	for ; from < to; from += rows {
		end := min(to, from+rows)
		var arrays []arrow.Array
		for i := range t.Columns {
			if nested := t.Nested[i]; nested != nil {
				arrays = append(arrays, nested.rows(t.Columns[i].Codes[from:end]))
			} else {
				arrays = append(arrays, arrayOf(t.Columns[i], schema.Field(i).Type, from, end))
			}
		}
		record := array.NewRecord(schema, arrays, int64(end-from))
		if err := write(record); err != nil {
			return fmt.Errorf("write rows %d to %d: %w", from, end-1, err)
		}
		record.Release()
	}
	return nil
}

var units = [...]arrow.TimeUnit{formats.Second: arrow.Second, formats.Milli: arrow.Millisecond,
	formats.Micro: arrow.Microsecond, formats.Nano: arrow.Nanosecond}

// arrowType returns Arrow's type; coded texts have a dictionary.
func arrowType(t formats.Type, coded bool) arrow.DataType {
	switch t.Kind {
	case formats.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case formats.Int:
		return map[int]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16,
			32: arrow.PrimitiveTypes.Int32, 64: arrow.PrimitiveTypes.Int64}[t.Bits]
	case formats.Uint:
		return map[int]arrow.DataType{8: arrow.PrimitiveTypes.Uint8,
			16: arrow.PrimitiveTypes.Uint16, 32: arrow.PrimitiveTypes.Uint32,
			64: arrow.PrimitiveTypes.Uint64}[t.Bits]
	case formats.Float:
		return map[int]arrow.DataType{16: arrow.FixedWidthTypes.Float16,
			32: arrow.PrimitiveTypes.Float32, 64: arrow.PrimitiveTypes.Float64}[t.Bits]
	case formats.Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case formats.Date:
		return arrow.FixedWidthTypes.Date32
	case formats.Time:
		if t.Unit <= formats.Milli {
			return &arrow.Time32Type{Unit: units[t.Unit]}
		}
		return &arrow.Time64Type{Unit: units[t.Unit]}
	case formats.Timestamp:
		return &arrow.TimestampType{Unit: units[t.Unit], TimeZone: t.Zone}
	case formats.Binary:
		if t.Size > 0 {
			return &arrow.FixedSizeBinaryType{ByteWidth: t.Size}
		}
		return arrow.BinaryTypes.Binary
	}
	if coded {
		return &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int32,
			ValueType: arrow.BinaryTypes.String,
		}
	}
	return arrow.BinaryTypes.String
}

// arrayOf returns rows from..to-1 of a column.
func arrayOf(c *formats.Column, t arrow.DataType, from, to int) arrow.Array {
	if t, ok := t.(*arrow.DictionaryType); ok {
		return indexed(c, t, from, to)
	}
	builder := array.NewBuilder(memory.DefaultAllocator, t)
	defer builder.Release()
	put := putter(builder, c.Values)
	for _, code := range c.Codes[from:to] {
		if code == 0 {
			builder.AppendNull()
		} else {
			put(int(code - 1))
		}
	}
	return builder.NewArray()
}

// indexed returns rows from..to-1 of a column of texts, with a dictionary of all its values: a file
// has one for all batches.
func indexed(c *formats.Column, t *arrow.DictionaryType, from, to int) arrow.Array {
	entries := array.NewStringBuilder(memory.DefaultAllocator)
	codes := array.NewInt32Builder(memory.DefaultAllocator)
	defer entries.Release()
	defer codes.Release()
	for i := range c.Values.Len() {
		entries.Append(string(c.Values.Bytes(i)))
	}
	for _, code := range c.Codes[from:to] {
		if code == 0 {
			codes.AppendNull()
		} else {
			codes.Append(int32(code - 1))
		}
	}
	dictionary, index := entries.NewArray(), codes.NewArray()
	defer dictionary.Release()
	defer index.Release()
	return array.NewDictionaryArray(t, index, dictionary)
}

// putter returns a function that appends one of the values to a builder.
func putter(builder array.Builder, v *formats.Values) func(i int) {
	whole := func(i int) int64 { return formats.WordInt(v.Words[i]) }
	float := func(i int) uint64 { return formats.WordFloat(v.Words[i]) }
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		return func(i int) { b.Append(v.Text(i) == "true") }
	case *array.Int8Builder:
		return func(i int) { b.Append(int8(whole(i))) }
	case *array.Int16Builder:
		return func(i int) { b.Append(int16(whole(i))) }
	case *array.Int32Builder:
		return func(i int) { b.Append(int32(whole(i))) }
	case *array.Int64Builder:
		return func(i int) { b.Append(whole(i)) }
	case *array.Uint8Builder:
		return func(i int) { b.Append(uint8(v.Words[i])) }
	case *array.Uint16Builder:
		return func(i int) { b.Append(uint16(v.Words[i])) }
	case *array.Uint32Builder:
		return func(i int) { b.Append(uint32(v.Words[i])) }
	case *array.Uint64Builder:
		return func(i int) { b.Append(v.Words[i]) }
	case *array.Float16Builder:
		return func(i int) { b.Append(float16.FromBits(formats.NarrowFloat16(float(i)))) }
	case *array.Float32Builder:
		return func(i int) { b.Append(math.Float32frombits(formats.NarrowFloat32(float(i)))) }
	case *array.Float64Builder:
		return func(i int) { b.Append(math.Float64frombits(float(i))) }
	case *array.Date32Builder:
		return func(i int) { b.Append(arrow.Date32(whole(i))) }
	case *array.Time32Builder:
		return func(i int) { b.Append(arrow.Time32(whole(i))) }
	case *array.Time64Builder:
		return func(i int) { b.Append(arrow.Time64(whole(i))) }
	case *array.TimestampBuilder:
		return func(i int) { b.Append(arrow.Timestamp(whole(i))) }
	}
	return bytesPutter(builder, v)
}

// bytesPutter is putter for values that may be longer than a word.
func bytesPutter(builder array.Builder, v *formats.Values) func(i int) {
	switch b := builder.(type) {
	case *array.Decimal128Builder:
		return func(i int) {
			if v.Type.Wide {
				of := v.Bytes(i)
				b.Append(decimal128.New(formats.WordInt(binary.BigEndian.Uint64(of)),
					binary.BigEndian.Uint64(of[8:])))
			} else {
				b.Append(decimal128.FromI64(formats.WordInt(v.Words[i])))
			}
		}
	case *array.FixedSizeBinaryBuilder:
		return func(i int) { b.Append(v.Bytes(i)) }
	case *array.BinaryBuilder:
		return func(i int) { b.Append(v.Bytes(i)) }
	case *array.StringBuilder:
		return func(i int) { b.Append(string(v.Bytes(i))) }
	}
	panic(fmt.Sprintf("no column of %T", builder))
}
