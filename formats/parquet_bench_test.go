package formats

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
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
			writeSample(b, path, sampleRows(testRand(b), 200_000), 200_000, c.options...)
			d, err := Open(context.Background(), []string{path}, ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			var columns []Request
			for _, name := range []string{"age", "city", "changes", "ready", "sparse"} {
				columns = append(columns, Request{Column: d.Schema().Index(name), Coded: true})
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range d.Splits() {
					readSplit(b, d, s, columns)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(d.Rows()), "ns/row")
		})
	}
}

// readSplit reads a split and returns how many rows came.
func readSplit(t testing.TB, d *Dataset, s Split, columns []Request) (rows int64) {
	t.Helper()
	r, err := d.Read(context.Background(), s, columns)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		batch, err := r.Next(context.Background())
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += int64(batch.Rows)
	}
}
