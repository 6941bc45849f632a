package parquetfile

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// TestReadsWithoutAllocatingPerRow reads two files of which one has four times the rows:
// pages, row groups and new values take allocations, rows do not.
func TestReadsWithoutAllocatingPerRow(t *testing.T) {
	for name, options := range map[string][]parquet.WriterOption{
		"dictionary": {parquet.Compression(&parquet.Zstd)},
		"plain":      {parquet.Compression(&parquet.Snappy), parquet.DictionaryMaxBytes(16)},
	} {
		var allocations [2]float64
		for i, rows := range []int{10_000, 40_000} {
			path := filepath.Join(t.TempDir(), "t.parquet")
			writeSample(t, path, sampleRows(formatstest.Rand(t), rows), rows, options...)
			src, err := Open(context.Background(), path, formats.ReadOptions{BatchRows: 1000})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			var columns []formats.Request
			for c, f := range src.Fields() {
				if f.Name == "age" || f.Name == "city" || f.Name == "ready" {
					columns = append(columns, formats.Request{Column: c, Coded: true})
				}
			}
			allocations[i] = testing.AllocsPerRun(5, func() {
				if _, err := formatstest.Drain(src, columns); err != nil {
					t.Fatal(err)
				}
			})
		}
		if more := allocations[1] - allocations[0]; more > 200 {
			t.Errorf("%s: %v allocations for 10,000 rows, %v more for 40,000", name, allocations[0], more)
		}
	}
}
