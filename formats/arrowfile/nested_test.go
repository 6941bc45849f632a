package arrowfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	declared "github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/seedtest"
)

func nestedSchema() *arrow.Schema {
	item := arrow.StructOf(
		arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "sizes", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
		arrow.Field{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
	)
	return arrow.NewSchema([]arrow.Field{
		{Name: "structs", Type: item, Nullable: true},
		{Name: "lists", Type: arrow.ListOf(item), Nullable: true},
		{Name: "required", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)},
		{Name: "large", Type: arrow.LargeListOf(arrow.BinaryTypes.LargeString), Nullable: true},
		{
			Name:     "map",
			Type:     arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64),
			Nullable: true,
		},
		{
			Name:     "deep",
			Type:     arrow.ListOf(arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32))),
			Nullable: true,
		},
	}, nil)
}

func nestedRecord(r *rand.Rand, schema *arrow.Schema, rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, column := range b.Fields() {
		for range rows {
			appendRandom(r, column, schema.Field(i).Nullable)
		}
	}
	return b.NewRecord()
}

// appendRandom appends a random value, null in a fifth of the cases that allow it.
func appendRandom(r *rand.Rand, b array.Builder, nullable bool) {
	if nullable && r.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	n := r.IntN(4)
	switch b := b.(type) {
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(r, b.FieldBuilder(i), b.Type().(*arrow.StructType).Field(i).Nullable)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range n {
			appendRandom(r, b.KeyBuilder(), false)
			appendRandom(r, b.ItemBuilder(), true)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range n {
			appendRandom(r, b.ValueBuilder(), b.Type().(*arrow.ListType).ElemField().Nullable)
		}
	case *array.LargeListBuilder:
		b.Append(true)
		for range n {
			appendRandom(r, b.ValueBuilder(), true)
		}
	default:
		if err := b.AppendValueFromString(randomArrowText(r, b.Type())); err != nil {
			panic(err)
		}
	}
}

// leafText is a leaf as text: levels, and values in hex.
type leafText struct {
	Repetition, Definition string
	Values                 []string
}

// readLeaves returns the leaves of one nested column, batch after batch.
func readLeaves(s formats.Source, column int) ([]leafText, error) {
	r, err := s.Read(context.Background(), 0, len(s.Chunks()), []formats.Request{{Column: column}})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []leafText
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		leaves := b.Columns[0].Leaves
		if out == nil {
			out = make([]leafText, len(leaves))
		}
		for i, l := range leaves {
			out[i].Repetition += fmt.Sprintf("%x", l.Repetition)
			out[i].Definition += fmt.Sprintf("%x", l.Definition)
			for k := range l.Values.Len() {
				out[i].Values = append(out[i].Values, fmt.Sprintf("%x", l.Values.Bytes(k)))
			}
		}
	}
}

// libraryLeaves returns the leaves of one column as Arrow's own library makes them, through a
// Parquet file, or an error when it cannot.
func libraryLeaves(records []arrow.Record, column int) (out []leafText, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	schema := arrow.NewSchema(records[0].Schema().Fields()[column:column+1], nil)
	var b bytes.Buffer
	properties := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false),
		parquet.WithVersion(parquet.V2_LATEST))
	w, err := pqarrow.NewFileWriter(schema, &b, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := w.Write(array.NewRecord(schema, r.Columns()[column:column+1],
			r.NumRows())); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	parquet, leaves, err := formatstest.Leaves(b.Bytes())
	if err != nil {
		return nil, err
	}
	out = make([]leafText, len(leaves))
	for i, l := range leaves {
		c := parquet.Column(i)
		for k := range l.Definition {
			if c.MaxRepetitionLevel() > 0 {
				out[i].Repetition += fmt.Sprintf("%02x", l.Repetition[k])
			}
			if c.MaxDefinitionLevel() > 0 {
				out[i].Definition += fmt.Sprintf("%02x", l.Definition[k])
			}
		}
		for _, v := range l.Values {
			out[i].Values = append(out[i].Values, fmt.Sprintf("%x", v))
		}
	}
	return out, nil
}

func TestNestedAgreesWithLibrary(t *testing.T) {
	seed := seedtest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	schema := nestedSchema()
	for round := range 20 {
		records := []arrow.Record{nestedRecord(r, schema, 1+r.IntN(60)),
			nestedRecord(r, schema, 1+r.IntN(20))}
		s := mustArrow(t, arrowBytes(t, round%2 == 0, schema, records, ipc.WithZstd()),
			[]int{0, 1, 7}[round%3])
		for c := range schema.NumFields() {
			want, err := libraryLeaves(records, c)
			// the library does not implement it: its leaves must only be readable
			if schema.Field(c).Name == "large" {
				want, err = readLeaves(s, c)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := readLeaves(s, c)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, column %s: got %+v (%v), want %+v", seed, schema.Field(c).Name,
					got, err, want)
			}
		}
	}
}

// TestNestedGold does the same with the nested columns of the integration files, as far as the
// library supports them.
func TestNestedGold(t *testing.T) {
	compared := 0
	for _, path := range integrationFiles(t, "*.stream") {
		records, err := libraryRecords(path)
		if err != nil || len(records) == 0 {
			continue
		}
		s, err := Open(context.Background(), path, formats.ReadOptions{})
		if err != nil {
			formatstest.CheckRefused(t, err)
			continue
		}
		for c, f := range s.Fields() {
			want, err := libraryLeaves(records, c)
			if err != nil || f.Type.Kind != formats.Nested {
				continue
			}
			got, err := readLeaves(s, c)
			if errors.Is(err, formats.ErrUnsupported) {
				continue
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: column %s %s: got %+v (%v), want %+v", path, f.Name, f.Type.Nested,
					got, err, want)
			}
			compared++
		}
		s.Close()
	}
	if compared < 20 {
		t.Errorf("only %d columns compared", compared)
	}
}

// libraryRecords returns the record batches of a file or stream that have rows.
func libraryRecords(path string) (records []arrow.Record, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r interface{ Read() (arrow.Record, error) }
	if strings.HasSuffix(path, ".stream") {
		r, err = ipc.NewReader(f)
	} else {
		r, err = ipc.NewFileReader(f)
	}
	for err == nil {
		var record arrow.Record
		if record, err = r.Read(); err == nil && record.NumRows() > 0 {
			record.Retain()
			records = append(records, record)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return records, err
}

func TestNestedElements(t *testing.T) {
	s := mustArrow(t, arrowBytes(t, true, nestedSchema(), nil), 0)
	for _, f := range s.Fields() {
		if e := declared.Of(f); f.Type.Kind != formats.Nested || len(e) < 2 || e[0].Name != f.Name {
			t.Errorf("%s: %+v", f.Name, e)
		}
	}
	leaves := declaredLeaves(t, s.Fields()[1])
	want := []string{"lists.list.element.text", "lists.list.element.sizes.list.element",
		"lists.list.element.flag"}
	levels := [][2]int16{{1, 4}, {2, 6}, {1, 3}}
	for i := range want {
		l := leaves.Column(i)
		if l.Path() != want[i] || l.MaxRepetitionLevel() != levels[i][0] ||
			l.MaxDefinitionLevel() != levels[i][1] {
			t.Errorf("leaf %d: %v, levels %d and %d", i, l.Path(), l.MaxRepetitionLevel(),
				l.MaxDefinitionLevel())
		}
	}
	if root := declared.Of(s.Fields()[4]); root[0].LogicalType.Value == nil ||
		root[1].RepetitionType.V != format.Repeated || len(root) != 4 {
		t.Errorf("map: %+v", root)
	}
}

// declaredLeaves returns the schema of an empty release of f, as Arrow's own library reads it.
func declaredLeaves(t *testing.T, f formats.Field) *schema.Schema {
	t.Helper()
	var b bytes.Buffer
	w, err := writer.New(&b, []writer.Column{{Field: f}}, nil)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return r.MetaData().Schema
}

// TestRequiredItems has its own expected values: the library declares required items as optional.
func TestRequiredItems(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{
		Name:     "a",
		Type:     arrow.FixedSizeListOfNonNullable(2, arrow.PrimitiveTypes.Int32),
		Nullable: true,
	}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	list := b.Field(0).(*array.FixedSizeListBuilder)
	for i := range 3 {
		list.Append(i != 1)
		list.ValueBuilder().(*array.Int32Builder).AppendValues([]int32{int32(i), -1}, nil)
	}
	s := mustArrow(t, arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()}), 2)
	got, err := readLeaves(s, 0)
	want := []leafText{{"0001000001", "0202000202",
		[]string{"00000000", "ffffffff", "02000000", "ffffffff"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	const structure = `optional LIST {"list" repeated {"element" required int32 INT(32,true)}}`
	if text := s.Fields()[0].Type.Nested; text != structure {
		t.Errorf("got %s, want %s", text, structure)
	}
}
