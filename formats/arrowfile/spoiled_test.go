package arrowfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/seedtest"
)

// oneColumn writes a record batch of 1,000 rows of one required int64 column.
func oneColumn(t testing.TB, stream bool, options ...ipc.Option) []byte {
	return numbers(t, 1000, stream, options...)
}

func numbers(t testing.TB, rows int, stream bool, options ...ipc.Option) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i % 7))
	}
	return arrowBytes(t, stream, schema, []arrow.Record{b.NewRecord()}, options...)
}

func TestRefuses(t *testing.T) {
	file, stream := oneColumn(t, false), oneColumn(t, true)
	twice := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null},
		{Name: "a", Type: arrow.Null}}, nil)
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, formats.ErrDamaged},
		{"magic alone", []byte("ARROW1\x00\x00"), formats.ErrDamaged},
		{"no Arrow", []byte("a,b\n1,2\n1,2\n1,2\n"), formats.ErrDamaged},
		{"feather 1", []byte("FEA1\x00\x00\x00\x00FEA1"), formats.ErrUnsupported},
		{"file without its end", file[:len(file)-1], formats.ErrDamaged},
		{"half a file", file[:len(file)/2], formats.ErrDamaged},
		{"stream cut in the body", stream[:len(stream)/2], formats.ErrDamaged},
		{"stream cut in the schema", stream[:20], formats.ErrDamaged},
		{"a length of gigabytes", []byte("\xff\xff\xff\xff\xff\xff\xff\x7f"), formats.ErrDamaged},
		{"two columns of one name", arrowBytes(t, true, twice, nil), formats.ErrUnsupported},
	}
	for _, tt := range tests {
		_, err := Open(context.Background(), formatstest.WriteTemp(t, "t.arrow", tt.data),
			formats.ReadOptions{})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		formatstest.CheckRefused(t, err)
	}
}

// TestSchemaOfTheFooter reads files that start without a schema message: polars 2 writes a schema
// there without the surrounding message.
func TestSchemaOfTheFooter(t *testing.T) {
	whole := oneColumn(t, false)
	want := formatstest.ReadAll(t, mustArrow(t, whole, 0), false)
	length := 8 + int(binary.LittleEndian.Uint32(whole[12:]))
	for name, leading := range map[string][]byte{
		"four bytes of a message": {4, 0, 0, 0, 0xf2, 0xff, 0xff, 0xff},
		"no message":              bytes.Repeat([]byte{0}, length),
		"no bytes that mean much": bytes.Repeat([]byte{0xff}, length),
		"an end of the stream":    {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	} {
		data := bytes.Clone(whole)
		copy(data[8:8+length], leading)
		if got := formatstest.ReadAll(t, mustArrow(t, data, 0), false); !slices.EqualFunc(got, want,
			slices.Equal[[]string]) {
			t.Errorf("%s: other cells than with a schema message", name)
		}
	}
}

// TestMuchMetadata refuses a message with large metadata before it allocates memory for it.
func TestMuchMetadata(t *testing.T) {
	path := formatstest.WriteTemp(t, "t.arrow", []byte("\xff\xff\xff\xff\x00\x00\x00\x08"))
	if err := os.Truncate(path, 1<<28); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path, formats.ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "134217728 bytes of metadata") {
		t.Errorf("got %v", err)
	}
}

// TestTextsThatAreNoUTF8 refuses texts that are not UTF-8, also when all of them together are.
func TestTextsThatAreNoUTF8(t *testing.T) {
	text := arrow.BinaryTypes.String
	for _, dt := range []arrow.DataType{
		text, arrow.BinaryTypes.StringView, arrow.ListOf(text),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text},
	} {
		for _, texts := range [][]string{{"a", "\xff"}, {"\xc3", "\xa9"}, {"é", "\xa9", ""}} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt, Nullable: true}}, nil)
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for _, text := range texts {
				switch b := b.Field(0).(type) {
				case *array.BinaryDictionaryBuilder:
					if err := b.AppendString(text); err != nil {
						t.Fatal(err)
					}
				case *array.ListBuilder:
					b.Append(true)
					b.ValueBuilder().(*array.StringBuilder).Append(text)
				case interface{ Append(string) }:
					b.Append(text)
				}
			}
			s := mustArrow(t, arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()}), 0)
			for _, coded := range []bool{true, false} {
				if coded && s.Fields()[0].Type.Kind == formats.Nested {
					continue
				}
				_, err := formatstest.Drain(s, []formats.Request{{Coded: coded}})
				if !errors.Is(err, formats.ErrDamaged) {
					t.Errorf("%v, %q, coded %v: got %v", dt, texts, coded, err)
				}
			}
		}
	}
}

func TestCompressedLengthThatLies(t *testing.T) {
	for _, option := range []ipc.Option{ipc.WithZstd(), ipc.WithLZ4()} {
		data := oneColumn(t, true, option)
		at := bytes.Index(data, binary.LittleEndian.AppendUint64(nil, 8000))
		if at < 0 {
			t.Fatal("no buffer of 8,000 bytes")
		}
		for _, n := range []int64{-2, 7000, 7999, 8001, 1 << 29, 1 << 31, 1 << 62} {
			binary.LittleEndian.PutUint64(data[at:], uint64(n))
			s := mustArrow(t, data, 0)
			_, err := formatstest.Drain(s, []formats.Request{{Coded: true}})
			if err == nil {
				t.Errorf("%d bytes: no error", n)
			}
			formatstest.CheckRefused(t, err)
		}
	}
}

// TestChecksumsOfBlocks reads an LZ4 buffer in the form of polars: with a checksum of each stored
// block.
func TestChecksumsOfBlocks(t *testing.T) {
	const frame = "04224d185440ae2e00000022070001000f0800" +
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" +
		"3f5000000000001aa6e3f000000000e43f14f3"
	packed, err := hex.DecodeString(frame)
	if err != nil {
		t.Fatal(err)
	}
	packed = append(binary.LittleEndian.AppendUint64(nil, 8000), packed...)
	r := &reader{lz4: lz4.NewReader(nil)}
	unpack := func() ([]byte, error) { return r.unpack(codecLZ4, packed, r.slab) }
	raw, err := unpack()
	if want := bytes.Repeat([]byte{7, 0, 0, 0, 0, 0, 0, 0}, 1000); err != nil ||
		!bytes.Equal(raw, want) {
		t.Errorf("got %d bytes, %v", len(raw), err)
	}
	packed[len(packed)-12] ^= 1 // of the checksum
	if _, err := unpack(); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("another checksum: got %v", err)
	}
}

// TestHold checks that a reader reports held bytes before it allocates them, and gives them back.
func TestHold(t *testing.T) {
	const rows = 1 << 20
	for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		path := formatstest.WriteTemp(t, "t.arrow", numbers(t, rows, true, options...))
		formatstest.CheckHeld(t, 8*rows-1<<20, 9*rows, false,
			func(hold func(int64) error) (formats.Source, error) {
				return Open(t.Context(), path, formats.ReadOptions{Hold: hold})
			})
	}
}

// TestLargeCellIsHeld: a large text is reported as part of the file, and again before a column
// holds it.
func TestLargeCellIsHeld(t *testing.T) {
	const size = 8 << 20
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"x", strings.Repeat("y", size), "z"},
		nil)
	path := formatstest.WriteTemp(t, "t.arrow",
		arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()}))
	for _, coded := range []bool{true, false} {
		formatstest.CheckHeld(t, 2*size-2<<20, 3*size, coded,
			func(hold func(int64) error) (formats.Source, error) {
				return Open(t.Context(), path, formats.ReadOptions{Hold: hold})
			})
	}
}

func TestNullWhereNoneIsAllowed(t *testing.T) {
	required := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, required)
	b.Field(0).AppendNull()
	s := mustArrow(t, arrowBytes(t, true, required, []arrow.Record{b.NewRecord()}), 0)
	for _, coded := range []bool{true, false} {
		if _, err := formatstest.Drain(s, []formats.Request{{Coded: coded}}); !errors.Is(err,
			formats.ErrDamaged) {
			t.Errorf("coded %v: got %v", coded, err)
		}
	}
}

// TestNullsWithoutTheirBitmap refuses a batch that has nulls but no bitmap of them.
func TestNullsWithoutTheirBitmap(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{
		Name:     "a",
		Type:     arrow.PrimitiveTypes.Int64,
		Nullable: true,
	}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for range 500 {
		b.Field(0).AppendNull()
		b.Field(0).(*array.Int64Builder).Append(7)
	}
	data := arrowBytes(t, true, schema, []arrow.Record{b.NewRecord()})
	place := make([]byte, 16) // of the bitmap, in the body of its message
	binary.LittleEndian.PutUint64(place[8:], 128)
	at := bytes.Index(data, place)
	if at < 0 {
		t.Fatal("no buffer of 128 bytes at the start of a body")
	}
	for _, length := range []byte{0, 124} {
		data[at+8] = length
		for _, coded := range []bool{true, false} {
			_, err := formatstest.Drain(mustArrow(t, data, 0), []formats.Request{{Coded: coded}})
			if !errors.Is(err, formats.ErrDamaged) {
				t.Errorf("%d bytes, coded %v: got %v", length, coded, err)
			}
		}
	}
}

func TestIndexOutOfRange(t *testing.T) {
	dt := &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.String,
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt, Nullable: true}}, nil)
	data := arrowBytes(t, true, schema, []arrow.Record{dictionaryRecord(schema, "x", "y", "z")})
	at := bytes.LastIndex(data, []byte{0, 1, 2})
	for _, index := range []byte{3, 127, 0xff} {
		data[at+1] = index
		if _, err := formatstest.Drain(mustArrow(t, data, 0),
			[]formats.Request{{}}); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("index %d: got %v", index, err)
		}
	}
}

// TestSpoiled changes random bytes of sound files: they are read or refused.
func TestSpoiled(t *testing.T) {
	seed := seedtest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for i, sound := range arrowSeeds(t) {
		path := formatstest.WriteTemp(t, "t.arrow", nil)
		for range 50 {
			data := bytes.Clone(sound)
			for range 1 + r.IntN(4) {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if readOrRefuse(t, path); t.Failed() {
				t.Fatalf("seed %d, file %d", seed, i)
			}
		}
	}
}

// arrowSeeds returns small sound files of all kinds.
func arrowSeeds(t testing.TB) (seeds [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	flat, nested := flatSchema(), nestedSchema()
	for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		record := randomRecord(t, r, flat, 20)
		seeds = append(seeds,
			arrowBytes(t, false, flat, []arrow.Record{record}, options...),
			arrowBytes(t, true, flat, []arrow.Record{record, randomRecord(t, r, flat, 3)},
				options...),
			arrowBytes(t, true, nested, []arrow.Record{nestedRecord(r, nested, 10)}, options...))
	}
	return seeds
}

func FuzzRead(f *testing.F) {
	for _, seed := range arrowSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readOrRefuse(t, formatstest.WriteTemp(t, "t.arrow", data))
	})
}

func BenchmarkRead(b *testing.B) {
	schema := flatSchema()
	r := rand.New(rand.NewPCG(1, 1))
	s := mustArrow(b, arrowBytes(b, false, schema,
		[]arrow.Record{randomRecord(b, r, schema, 200000)}), 0)
	for i, f := range s.Fields() {
		for _, coded := range []bool{true, false} {
			b.Run(fmt.Sprintf("%v/coded=%v", f.Type, coded), func(b *testing.B) {
				for b.Loop() {
					if _, err := formatstest.Drain(s,
						[]formats.Request{{Column: i, Coded: coded}}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200000, "ns/row")
			})
		}
	}
}
