package arrowfile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/endian"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
)

// arrowBytes writes records as a file or a stream.
func arrowBytes(t testing.TB, stream bool, schema *arrow.Schema, records []arrow.Record,
	options ...ipc.Option) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "written.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options = append(options, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.Record) error
		Close() error
	} = ipc.NewWriter(f, options...)
	if !stream {
		if w, err = ipc.NewFileWriter(f, options...); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustArrow(t testing.TB, data []byte, batch int) formats.Source {
	t.Helper()
	s, err := Open(context.Background(), formatstest.WriteTemp(t, "t.arrow", data),
		formats.ReadOptions{BatchRows: batch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// flatSchema has one column of every kind of layout, with and without a dictionary.
func flatSchema() *arrow.Schema {
	dictionary := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32,
		arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms,
		arrow.FixedWidthTypes.Time64ns,
		&arrow.TimestampType{Unit: arrow.Second},
		&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"},
		&arrow.Decimal128Type{Precision: 12, Scale: 2},
		&arrow.Decimal128Type{Precision: 30, Scale: 3}, &arrow.Decimal256Type{Precision: 60},
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		arrow.BinaryTypes.Binary,
		&arrow.FixedSizeBinaryType{ByteWidth: 3},
		dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String),
		dictionary(arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64),
	}
	var fields []arrow.Field
	for i, dt := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// randomRecord returns a record of random rows, a fifth of them null.
func randomRecord(t testing.TB, r *rand.Rand, schema *arrow.Schema, rows int) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, column := range b.Fields() {
		for range rows {
			if r.IntN(5) == 0 {
				column.AppendNull()
			} else if err := column.AppendValueFromString(randomArrowText(r,
				column.Type())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.NewRecord()
}

// randomArrowText returns a value's text in the form of Arrow's builders.
func randomArrowText(r *rand.Rand, dt arrow.DataType) string {
	n := r.IntN(100)
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return randomArrowText(r, dt.ValueType)
	case *arrow.BooleanType:
		return fmt.Sprint(n%2 == 0)
	case *arrow.Date32Type:
		return fmt.Sprintf("19%02d-01-02", n)
	case *arrow.Time32Type, *arrow.Time64Type:
		return fmt.Sprintf("12:30:%02d", n%60)
	case *arrow.TimestampType:
		return fmt.Sprintf("19%02d-01-02T03:04:05Z", n)
	case *arrow.BinaryType:
		return "AAH/" // three bytes in base64
	case *arrow.FixedSizeBinaryType:
		return "/wAB"
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return strings.Repeat("é", n%20) + fmt.Sprint(n)
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type, arrow.DecimalType:
		return fmt.Sprintf("-%d.5", n)
	}
	return fmt.Sprint(n)
}

// TestBigEndianViews reads views whose numbers are big-endian. The validity bitmap, which is longer
// than a view here, is not swapped.
func TestBigEndianViews(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	fields := []arrow.Field{{Name: "a", Type: arrow.BinaryTypes.StringView, Nullable: true}}
	schema := arrow.NewSchemaWithEndian(fields, nil, endian.BigEndian)
	record := randomRecord(t, r, schema, 300)
	want := arrowCells([]arrow.Record{record}, 0)
	for views := range slices.Chunk(record.Column(0).Data().Buffers()[1].Bytes(), 16) {
		long := binary.LittleEndian.Uint32(views) > 12
		slices.Reverse(views[:4])
		if long {
			slices.Reverse(views[8:12])
			slices.Reverse(views[12:])
		}
	}
	s := mustArrow(t, arrowBytes(t, false, schema, []arrow.Record{record}), 0)
	if got := formatstest.ReadAll(t, s, false)[0]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// partOfDay is the text of a date that is no whole day, which is refused.
const partOfDay = "part of a day"

// arrowCells returns a column of records in the form of cellText.
func arrowCells(records []arrow.Record, column int) (out []string) {
	for _, r := range records {
		a := r.Column(column)
		for i := range a.Len() {
			out = append(out, arrowCell(a, i))
		}
	}
	return out
}

func arrowCell(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return formatstest.NullCell
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowCell(a.Dictionary(), a.GetValueIndex(i))
	case *array.Boolean:
		return map[bool]string{true: "1", false: "0"}[a.Value(i)]
	case *array.Float16:
		return fmt.Sprint(a.Value(i).Float32())
	case *array.Float32:
		return fmt.Sprint(float64(a.Value(i)))
	case *array.Null:
		return formatstest.NullCell
	case *array.Date32:
		return fmt.Sprint(int(a.Value(i)))
	case *array.Date64:
		if a.Value(i)%millisPerDay != 0 {
			return partOfDay
		}
		return fmt.Sprint(int(a.Value(i)) / millisPerDay)
	case *array.Time32:
		return fmt.Sprint(int(a.Value(i)))
	case *array.Time64:
		return fmt.Sprint(int(a.Value(i)))
	case *array.Timestamp:
		return fmt.Sprint(int(a.Value(i)))
	case *array.Decimal128:
		return a.Value(i).BigInt().String()
	case *array.Decimal256:
		return a.Value(i).BigInt().String()
	case interface{ Value(int) []byte }:
		return fmt.Sprintf("%x", a.Value(i))
	}
	return a.ValueStr(i)
}

func TestCells(t *testing.T) {
	seed := seedtest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	schema := flatSchema()
	for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		var records []arrow.Record
		for _, rows := range []int{100, 0, 1, 9, 64} {
			records = append(records, randomRecord(t, r, schema, rows))
		}
		for _, stream := range []bool{true, false} {
			if !stream { // a file has one dictionary for all batches
				records = records[:1]
			}
			data := arrowBytes(t, stream, schema, records, options...)
			for _, batch := range []int{0, 1, 7} {
				s := mustArrow(t, data, batch)
				for _, coded := range []bool{true, false} {
					for i, got := range formatstest.ReadAll(t, s, coded) {
						if want := arrowCells(records, i); !reflect.DeepEqual(got, want) {
							t.Fatalf("seed %d, stream %v, batch %d, coded %v, column %d: got %q, "+
								"want %q", seed, stream, batch, coded, i, got, want)
						}
					}
				}
			}
		}
	}
}

func TestTypes(t *testing.T) {
	uuid := arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrow.uuid"})
	tests := []struct {
		dt   arrow.DataType
		meta arrow.Metadata
		want formats.Type
	}{
		{dt: arrow.PrimitiveTypes.Uint8, want: formats.Type{Kind: formats.Uint, Bits: 8}},
		{dt: arrow.FixedWidthTypes.Float16, want: formats.Type{Kind: formats.Float, Bits: 16}},
		{dt: arrow.FixedWidthTypes.Date64, want: formats.Type{Kind: formats.Date}},
		{
			dt:   arrow.FixedWidthTypes.Time32s,
			want: formats.Type{Kind: formats.Time, Unit: formats.Second},
		},
		{
			dt:   arrow.FixedWidthTypes.Time64us,
			want: formats.Type{Kind: formats.Time, Unit: formats.Micro},
		},
		{
			dt:   &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "+01:00"},
			want: formats.Type{Kind: formats.Timestamp, Unit: formats.Milli, Zone: "+01:00"},
		},
		{
			dt:   &arrow.Decimal128Type{Precision: 18, Scale: 4},
			want: formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 4},
		},
		{
			dt:   &arrow.Decimal128Type{Precision: 19},
			want: formats.Type{Kind: formats.Decimal, Precision: 19, Wide: true},
		},
		{
			dt:   &arrow.Decimal128Type{Precision: 4, Scale: -2},
			want: formats.Type{Kind: formats.Nested, Nested: "decimal(4, -2)"},
		},
		{dt: arrow.BinaryTypes.LargeBinary, want: formats.Type{Kind: formats.Binary}},
		{
			dt:   &arrow.FixedSizeBinaryType{ByteWidth: 16},
			want: formats.Type{Kind: formats.Binary, Size: 16},
		},
		{
			dt:   &arrow.FixedSizeBinaryType{ByteWidth: 16},
			meta: uuid,
			want: formats.Type{Kind: formats.UUID},
		},
		{dt: arrow.Null, want: formats.Type{Kind: formats.Null}},
		{
			dt:   arrow.FixedWidthTypes.Duration_s,
			want: formats.Type{Kind: formats.Nested, Nested: "duration[s]"},
		},
		{dt: &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int16,
			ValueType: arrow.FixedWidthTypes.Date32,
		}, want: formats.Type{Kind: formats.Date}},
		{
			dt: arrow.ListOf(arrow.PrimitiveTypes.Int32),
			want: formats.Type{
				Kind:   formats.Nested,
				Nested: `optional LIST {"list" repeated {"element" optional int32 INT(32,true)}}`,
			},
		},
	}
	for _, tt := range tests {
		schema := arrow.NewSchema([]arrow.Field{{
			Name:     "a",
			Type:     tt.dt,
			Metadata: tt.meta,
			Nullable: true,
		}}, nil)
		got := mustArrow(t, arrowBytes(t, true, schema, nil), 0).Fields()[0]
		if got.Type != tt.want || !got.Nullable || got.Name != "a" {
			t.Errorf("%v: got %+v, want %+v", tt.dt, got, tt.want)
		}
	}
}

func TestFloatsKeepTheirBits(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{
		Name:     "a",
		Type:     arrow.FixedWidthTypes.Float16,
		Nullable: true,
	}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for bits := range 1 << 16 {
		b.Field(0).(*array.Float16Builder).Append(float16.FromBits(uint16(bits)))
	}
	s := mustArrow(t, arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()}), 0)
	r, err := s.Read(context.Background(), 0, 1, []formats.Request{{Column: 0}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	batch, err := r.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for bits, word := range batch.Columns[0].Values.Words {
		if got := formats.NarrowFloat16(formats.WordFloat(word)); int(got) != bits {
			t.Fatalf("half %#04x came back as %#04x", bits, got)
		}
	}
}

// dictionaryRecord returns a record of one dictionary column with the given entries, all in order.
func dictionaryRecord(schema *arrow.Schema, entries ...string) arrow.Record {
	dict, index := array.NewStringBuilder(memory.DefaultAllocator),
		array.NewInt8Builder(memory.DefaultAllocator)
	for i, e := range entries {
		if e == formatstest.NullCell {
			dict.AppendNull()
		} else {
			dict.Append(e)
		}
		index.Append(int8(i))
	}
	index.AppendNull()
	column := array.NewDictionaryArray(schema.Field(0).Type, index.NewArray(), dict.NewArray())
	return array.NewRecord(schema, []arrow.Array{column}, int64(column.Len()))
}

func TestDictionariesThatChange(t *testing.T) {
	dt := &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.String,
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt, Nullable: true}}, nil)
	records := []arrow.Record{
		dictionaryRecord(schema, "x", "y"),
		dictionaryRecord(schema, "x", "y", formatstest.NullCell, "z"), // a delta
		dictionaryRecord(schema, "x", "y", formatstest.NullCell, "z"), // unchanged
		dictionaryRecord(schema, "p"),                                 // replaced
		dictionaryRecord(schema, "p", "q"),
	}
	s := mustArrow(t, arrowBytes(t, true, schema, records, ipc.WithDictionaryDeltas(true)), 0)
	if got, want := formatstest.ReadAll(t, s, true)[0],
		arrowCells(records, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range records { // read alone, each batch sees the dictionary of its time
		got, err := formatstest.ReadCells(s, i, 1, formats.Request{})
		if want := arrowCells(records[i:i+1], 0); err != nil || !reflect.DeepEqual(got[0], want) {
			t.Errorf("batch %d: got %q (%v), want %q", i, got, err, want)
		}
	}
	checkValuesGrow(t, s, []int{0, 0, 0, 1, 1})
}

// checkValuesGrow checks which batches share their Values, and that shared ones only grow.
func checkValuesGrow(t *testing.T, s formats.Source, want []int) {
	t.Helper()
	r, err := s.Read(context.Background(), 0, len(want), []formats.Request{{Coded: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var seen []*formats.Values
	var texts []string
	for i, group := range want {
		b, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		v := b.Columns[0].Values
		if len(seen) == 0 || seen[len(seen)-1] != v {
			seen, texts = append(seen, v), nil
		}
		if len(seen)-1 != group {
			t.Errorf("batch %d: values %d, want %d", i, len(seen)-1, group)
		}
		for k, text := range texts {
			if string(v.Bytes(k)) != text {
				t.Errorf("batch %d: entry %d changed", i, k)
			}
		}
		for texts = nil; len(texts) < v.Len(); {
			texts = append(texts, string(v.Bytes(len(texts))))
		}
	}
}

func TestFileChunksReadAlone(t *testing.T) {
	schema := arrow.NewSchema(flatSchema().Fields()[:20], nil)
	r := rand.New(rand.NewPCG(1, 1))
	var records []arrow.Record
	for i := range 8 {
		records = append(records, randomRecord(t, r, schema, 10*i))
	}
	s := mustArrow(t, arrowBytes(t, false, schema, records, ipc.WithZstd()), 0)
	if got, want := s.Chunks(), []int64{0, 10, 20, 30, 40, 50, 60, 70}; !slices.Equal(got, want) {
		t.Fatalf("chunks %v, want %v", got, want)
	}
	var wait sync.WaitGroup
	for i := range records {
		wait.Go(func() {
			got, err := formatstest.ReadCells(s, i, 1, formatstest.EveryColumn(s, i%2 == 0)...)
			for c := range got {
				if want := arrowCells(records[i:i+1], c); err != nil ||
					!reflect.DeepEqual(got[c], want) {
					t.Errorf("chunk %d, column %d: got %q (%v), want %q", i, c, got[c], err, want)
				}
			}
		})
	}
	wait.Wait()
}

func TestUnsupportedColumnIsRefusedWhenAskedFor(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Duration_s},
		{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.DurationBuilder).Append(5)
	b.Field(1).(*array.Int64Builder).Append(6)
	s := mustArrow(t, arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()}), 0)
	if got, err := formatstest.ReadCells(s, 0, 1, formats.Request{Column: 1}); err != nil ||
		got[0][0] != "6" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := formatstest.ReadCells(s, 0, 1, formats.Request{Column: 0}); !errors.Is(err,
		formats.ErrUnsupported) || !strings.Contains(err.Error(), `"d"`) {
		t.Errorf("got %v", err)
	}
	if _, err := formatstest.ReadCells(s, 0, 2, formats.Request{Column: 1}); !errors.Is(err,
		formats.ErrSchema) {
		t.Errorf("chunk that is not there: got %v", err)
	}
}

// A record batch of large values is returned in parts, and where the batch does not fit, the error
// has the bytes missing for all of it.
func TestLargeRecordBatch(t *testing.T) {
	const rows, size = 20, 1 << 20
	names := []string{"a", "b"}
	var fields []arrow.Field
	var columns []arrow.Array
	for _, name := range names {
		builder := array.NewStringBuilder(memory.DefaultAllocator)
		for range rows {
			builder.Append(strings.Repeat(name, size))
		}
		fields, columns = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String}),
			append(columns, builder.NewArray())
	}
	schema := arrow.NewSchema(fields, nil)
	path := formatstest.WriteTemp(t, "large.arrow",
		arrowBytes(t, false, schema, []arrow.Record{array.NewRecord(schema, columns, rows)}))
	held, most, limit := int64(0), int64(0), int64(math.MaxInt64)
	hold := func(bytes int64) error {
		if held+bytes > limit {
			return &fault.Error{
				Class: fault.Resources,
				Err:   errors.New("too much"),
				Lacks: bytes,
				Short: func(int64) string {
					return ""
				}}
		}
		held += bytes
		most = max(most, held)
		return nil
	}
	s, err := Open(t.Context(), path, formats.ReadOptions{Hold: hold})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	batches := 0
	read := func() error {
		r, err := s.Read(t.Context(), 0, 1, []formats.Request{{Column: 0}, {Column: 1}})
		if err != nil {
			return err
		}
		defer r.Close()
		for batches = 0; err == nil; batches++ {
			_, err = r.Next(t.Context())
		}
		return err
	}
	if err := read(); err != io.EOF || batches < 4 || most > 2*rows*size+3*batchBytes/2 {
		t.Fatalf("%d batches, %d bytes held: %v", batches-1, most, err)
	}
	all := most
	for _, limit = range []int64{0, rows * size} {
		var short *fault.Error
		if err := read(); !errors.As(err, &short) || limit+short.Lacks < all ||
			limit+short.Lacks > 2*all {
			t.Errorf("of %d bytes %d are had: %v", all, limit, err)
		}
	}
}
