package writer

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	pq "github.com/parquet-go/parquet-go"
)

// readParquetGo returns the PLAIN bytes of every row of the only column, nil for null.
func readParquetGo(t *testing.T, b []byte) []any {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var rows []any
	buffer := make([]pq.Value, 1000)
	for _, g := range f.RowGroups() {
		pages := g.ColumnChunks()[0].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			values := page.Values()
			for err = error(nil); err == nil; {
				var n int
				n, err = values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					rows = append(rows, plainOf(v))
				}
			}
			if err != io.EOF {
				t.Fatal(err)
			}
		}
		pages.Close()
	}
	return rows
}

func plainOf(v pq.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == pq.Int96:
		i := v.Int96()
		return le32(i[0]) + le32(i[1]) + le32(i[2])
	}
	return string(v.Bytes())
}

// readArrow is readParquetGo by arrow.
func readArrow(t *testing.T, b []byte) []any {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []any
	for g := range f.NumRowGroups() {
		c, err := f.RowGroup(g).Column(0)
		if err != nil {
			t.Fatal(err)
		}
		n := int(f.RowGroup(g).NumRows())
		switch c := c.(type) {
		case *file.BooleanColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v bool) string {
				if v {
					return "\x01"
				}
				return "\x00"
			})...)
		case *file.Int32ColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v int32) string { return le32(uint32(v)) })...)
		case *file.Int64ColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v int64) string { return le64(uint64(v)) })...)
		case *file.Int96ColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v parquet.Int96) string { return string(v[:]) })...)
		case *file.Float32ColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v float32) string { return le32(math.Float32bits(v)) })...)
		case *file.Float64ColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v float64) string { return le64(math.Float64bits(v)) })...)
		case *file.ByteArrayColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v parquet.ByteArray) string { return string(v) })...)
		case *file.FixedLenByteArrayColumnChunkReader:
			rows = append(rows, batch(t, c.ReadBatch, c, n, func(v parquet.FixedLenByteArray) string { return string(v) })...)
		}
	}
	return rows
}

func batch[T any](t *testing.T, read func(int64, []T, []int16, []int16) (int64, int, error), c file.ColumnChunkReader, n int, plain func(T) string) []any {
	t.Helper()
	var rows []any
	for len(rows) < n {
		values, levels := make([]T, n), make([]int16, n)
		total, _, err := read(int64(n-len(rows)), values, levels, nil)
		if err != nil || total == 0 {
			t.Fatalf("read batch: %d rows, %v", total, err)
		}
		used := 0
		for _, level := range levels[:total] {
			if level < c.Descriptor().MaxDefinitionLevel() {
				rows = append(rows, nil)
				continue
			}
			rows = append(rows, plain(values[used]))
			used++
		}
	}
	return rows
}
