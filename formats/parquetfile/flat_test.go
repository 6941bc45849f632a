package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// halfDictionary writes a file whose dictionary columns leave their dictionary half-way.
func halfDictionary(t *testing.T, rows []sampleRow, group int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "half.parquet")
	writeSample(t, path, rows, group, parquet.PageBufferSize(700), parquet.DictionaryMaxBytes(100))
	return path
}

func openSource(t *testing.T, path string) *source {
	t.Helper()
	src, err := Open(context.Background(), path, formats.ReadOptions{BatchRows: 64})
	must(t, err)
	t.Cleanup(func() { src.Close() })
	return src.(*source)
}

// TestValuesOnlyGrow checks the promise of a Column: as long as Values are the same, their entries
// stay, and codes keep their meaning, whether pages have a dictionary or not, and whether the
// values are replaced in between.
func TestValuesOnlyGrow(t *testing.T) {
	rows := sampleRows(formatstest.Rand(t), 3000)
	for _, limit := range []int{maxTableValues, 10} {
		src := openSource(t, halfDictionary(t, rows, 1100))
		mixed := 0
		for i, field := range src.Fields() {
			if field.Type.Kind == formats.Nested {
				continue
			}
			r, err := src.Read(context.Background(), 0, len(src.Chunks()),
				[]formats.Request{{Column: i, Coded: true}})
			must(t, err)
			c := r.(*reader).columns[0].(*flatColumn)
			c.limit = limit
			var seen formats.Values
			var last *formats.Values
			var got gotColumn
			for {
				b, err := r.Next(context.Background())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("column %s: %v", field.Name, err)
				}
				v := b.Columns[0].Values
				if v == last && !equal(headOf(v, seen.Len()), &seen) {
					t.Fatalf("column %s: values changed at row %d", field.Name, b.Row)
				}
				last, seen = v, formats.Values{
					Type:  v.Type,
					Words: slices.Clone(v.Words),
					Ends:  slices.Clone(v.Ends),
					Data:  bytes.Clone(v.Data),
				}
				got.add(t, b.Columns[0], b.Rows)
				if c.dictionary > 0 && !c.Indexed {
					mixed++
				}
			}
			if field.Name == "city" {
				for row, cell := range got.cells {
					want := formatstest.NullCell
					if city := rows[row].City; city != nil {
						want = *city
					}
					if cell != want {
						t.Fatalf("seed %d: limit %d: city of row %d: %q, want %q", formatstest.Seed,
							limit, row, cell, want)
					}
				}
			}
		}
		if mixed == 0 {
			t.Error("no chunk had pages with and without a dictionary: the test tests nothing")
		}
	}
}

// TestSharedDictionary checks that row groups with the same dictionary keep their Values.
func TestSharedDictionary(t *testing.T) {
	rows := make([]sampleRow, 400)
	for i := range rows {
		city := []string{"a", "b", "c"}[i%3]
		rows[i].City = &city
	}
	path := filepath.Join(t.TempDir(), "shared.parquet")
	writeSample(t, path, rows, 99)
	src := openSource(t, path)
	column := slices.IndexFunc(src.Fields(), func(f formats.Field) bool { return f.Name == "city" })
	r, err := src.Read(context.Background(), 0, len(src.Chunks()),
		[]formats.Request{{Column: column}})
	must(t, err)
	var first *formats.Values
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			break
		}
		must(t, err)
		if first == nil {
			first = b.Columns[0].Values
		}
		if b.Columns[0].Values != first || first.Len() != 3 {
			t.Fatalf("row %d has values of its own", b.Row)
		}
	}
	must(t, r.Close())
	if first.MemoryBytes() > 0 {
		t.Error("whoever still has the pointer keeps the values of a closed reader")
	}
}

// Columns without a type have no values.
func TestNullsHaveNoValues(t *testing.T) {
	leaf := &schema.Leaf{SchemaElement: &format.SchemaElement{Type: thrift.New(format.ByteArray)}}
	c := newFlatColumn(leaf, &formats.Column{}, formats.Type{Kind: formats.Null}, true, 1)
	if err := c.readRows([]byte{1}, 1, 1); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestReaderStopsWhenAsked(t *testing.T) {
	src := openSource(t, halfDictionary(t, sampleRows(formatstest.Rand(t), 500), 500))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := src.Read(ctx, 0, 1, []formats.Request{{Column: 0}})
	must(t, err)
	if _, err := r.Next(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Next(ctx); err != context.Canceled {
		t.Errorf("after cancel: %v", err)
	}
}

// TestRowLoopAllocatesNothing reads batch after batch of a row group, with dictionaries and
// without: pages and new values need allocations, rows do not.
func TestRowLoopAllocatesNothing(t *testing.T) {
	for _, dictionary := range []int64{1 << 20, 16} {
		path := filepath.Join(t.TempDir(), "sample.parquet")
		writeSample(t, path, sampleRows(formatstest.Rand(t), 20000), 20000,
			parquet.DictionaryMaxBytes(dictionary))
		checkRowLoop(t, openSource(t, path))
	}
}

func checkRowLoop(t *testing.T, src *source) {
	t.Helper()
	var requests []formats.Request
	for i, f := range src.Fields() {
		if f.Type.Kind != formats.Nested {
			requests = append(requests, formats.Request{Column: i, Coded: f.Name != "id" &&
				f.Name != "note"})
		}
	}
	r, err := src.Read(context.Background(), 0, 1, requests)
	must(t, err)
	next := func() {
		if _, err := r.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		next()
	}
	const lists = 2 // of the values of a batch's rows that were not requested as codes
	if got := testing.AllocsPerRun(100, next); got > 2+lists {
		t.Errorf("%v allocations a batch of 64 rows", got)
	}
}

// BenchmarkReadCodes reads five columns as codes, whose pages have dictionaries or, in the second
// case, none.
func BenchmarkReadCodes(b *testing.B) {
	for _, c := range []struct {
		name    string
		options []parquet.WriterOption
	}{
		{"dictionary", []parquet.WriterOption{parquet.Compression(&parquet.Zstd)}},
		{"plain", []parquet.WriterOption{parquet.Compression(&parquet.Zstd),
			parquet.DictionaryMaxBytes(16)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bench.parquet")
			writeSample(b, path, sampleRows(formatstest.Rand(b), 200_000), 200_000, c.options...)
			src, err := Open(context.Background(), path, formats.ReadOptions{})
			must(b, err)
			defer src.Close()
			var columns []formats.Request
			for i, f := range src.Fields() {
				if slices.Contains([]string{"age", "city", "changes", "ready", "sparse"}, f.Name) {
					columns = append(columns, formats.Request{Column: i, Coded: true})
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := formatstest.Drain(src, columns); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(
				formatstest.Rows(src)), "ns/row")
		})
	}
}

// Readers of many columns read few rows and bytes of each at a time, and hold no more unreported
// memory than they may.
func TestManyColumnsShareRoom(t *testing.T) {
	const leaves, usual = 200, 1 << 20
	columns := make([]topColumn, leaves)
	for i := range columns {
		columns[i].First, columns[i].Last = i, i+1
	}
	requests := make([]formats.Request, leaves)
	for i := range requests {
		requests[i].Column = i
	}
	chunk := &meta.Column{NumValues: 1 << 20, TotalCompressedSize: 1 << 20}
	for _, room := range []int64{1 << 20, 16 << 20, 1 << 30} {
		s := &source{batchRows: defaultBatchRows, columns: columns, room: room, usual: usual}
		each := s.columnRoom(requests)
		if all := leaves * each.fixed(chunk); each.rows < stepRows ||
			each.rows > defaultBatchRows ||
			room > leaves*(leastRead+rowBytes*stepRows+columnBytes) && all > room {
			t.Errorf("room of %d: %+v", room, each)
		}
		if untold := leaves * (usualRoom - each.less); untold > usual {
			t.Errorf("%d bytes are not told", untold)
		}
	}
	if alone := (&source{batchRows: defaultBatchRows, columns: columns}).columnRoom(
		requests); alone != (columnRoom{rows: defaultBatchRows, buffer: readBuffer}) {
		t.Errorf("without limits: %+v", alone)
	}
}
