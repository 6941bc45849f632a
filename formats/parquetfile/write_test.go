package parquetfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/kcut/kcut/formats/formatstest"
)

// sampleRow is a row of the files that tests write with parquet-go. Pointers are nullable.
type sampleRow struct {
	ID      int64    `parquet:"id"`
	Age     *int32   `parquet:"age,dict"`
	City    *string  `parquet:"city,dict"`
	Note    *string  `parquet:"note"`
	Weight  *float64 `parquet:"weight"`
	Ready   *bool    `parquet:"ready"`
	Sparse  *string  `parquet:"sparse,dict"`
	Changes int64    `parquet:"changes,delta"`
	Tags    []string `parquet:"tags,list"`
}

func maybe[T any](r *rand.Rand, v T) *T {
	if r.IntN(4) == 0 {
		return nil
	}
	return &v
}

func sampleRows(r *rand.Rand, n int) []sampleRow {
	rows := make([]sampleRow, n)
	for i := range rows {
		rows[i] = sampleRow{
			ID:      int64(i),
			Age:     maybe(r, int32(r.IntN(90))),
			City:    maybe(r, fmt.Sprintf("city %d", r.IntN(40))),
			Note:    maybe(r, fmt.Sprintf("note %d", r.IntN(n*2))),
			Weight:  maybe(r, r.NormFloat64()),
			Ready:   maybe(r, r.IntN(2) == 0),
			Changes: r.Int64N(1000) - 500,
			Tags:    make([]string, r.IntN(4)),
		}
		for k := range rows[i].Tags {
			rows[i].Tags[k] = fmt.Sprint("tag ", r.IntN(5))
		}
		if i%97 == 0 {
			rows[i].Sparse = maybe(r, "here")
		}
	}
	return rows
}

// writeSample writes rows in row groups of the given size.
func writeSample(t testing.TB, path string, rows []sampleRow, group int,
	options ...parquet.WriterOption) {
	t.Helper()
	file, err := os.Create(path)
	must(t, err)
	defer file.Close()
	w := parquet.NewGenericWriter[sampleRow](file, options...)
	for start := 0; start < len(rows); start += group {
		if _, err := w.Write(rows[start:min(start+group, len(rows))]); err != nil {
			t.Fatal(err)
		}
		must(t, w.Flush())
	}
	must(t, w.Close())
}

// TestRoundTrip reads files that parquet-go has written in every form, and compares them with
// arrow-go.
func TestRoundTrip(t *testing.T) {
	r := formatstest.Rand(t)
	rows := sampleRows(r, 3000)
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd,
		&parquet.Brotli, &parquet.Zstd}
	for i, c := range []struct {
		group   int
		options []parquet.WriterOption
	}{
		{3000, nil},
		{3000, []parquet.WriterOption{parquet.PageBufferSize(700), parquet.DataPageVersion(1)}},
		// falls back half-way
		{3000, []parquet.WriterOption{parquet.PageBufferSize(700),
			parquet.DictionaryMaxBytes(100)}},
		{3000, []parquet.WriterOption{parquet.PageBufferSize(900), parquet.DictionaryMaxBytes(100),
			parquet.DataPageVersion(1)}},
		{700, []parquet.WriterOption{parquet.PageBufferSize(512)}},
		{1, []parquet.WriterOption{parquet.DataPageVersion(1)}},
	} {
		few := rows
		if c.group == 1 {
			few = rows[:50]
		}
		path := filepath.Join(t.TempDir(), "sample.parquet")
		writeSample(t, path, few, c.group, append(c.options, parquet.Compression(codecs[i]))...)
		schema, want, err := leavesOf(t, path)
		must(t, err)
		for _, batchRows := range []int{1, 7, 65536} {
			for _, coded := range []bool{true, false} {
				t.Run(fmt.Sprintf("%d/batches of %d/coded %v", i, batchRows, coded),
					func(t *testing.T) {
						compareFile(t, path, schema, want, coded, batchRows)
					})
			}
		}
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
