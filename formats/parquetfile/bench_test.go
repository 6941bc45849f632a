package parquetfile

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// BenchmarkReadCodes reads five columns as codes, whose pages have dictionaries or, in
// the second case, none.
func BenchmarkReadCodes(b *testing.B) {
	for _, c := range []struct {
		name    string
		options []parquet.WriterOption
	}{
		{"dictionary", []parquet.WriterOption{parquet.Compression(&parquet.Zstd)}},
		{"plain", []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.DictionaryMaxBytes(16)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bench.parquet")
			writeSample(b, path, sampleRows(formatstest.Rand(b), 200_000), 200_000, c.options...)
			src, err := Open(context.Background(), path, formats.ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
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
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(formatstest.Rows(src)), "ns/row")
		})
	}
}
