package parquetfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/writer"
)

// releaseOf writes the rows of a file, row group by row group, as a release that keeps all columns,
// and returns its path.
func releaseOf(t *testing.T, path string) (_ string, err error) {
	t.Helper()
	src, err := Open(t.Context(), path, formats.ReadOptions{})
	if err != nil {
		return "", err
	}
	defer src.Close()
	out, err := os.Create(filepath.Join(t.TempDir(), "release.parquet"))
	must(t, err)
	defer out.Close()
	var columns []writer.Column
	var requests []formats.Request
	for i, f := range src.Fields() {
		columns, requests = append(columns, writer.Column{Field: f}),
			append(requests, formats.Request{Column: i})
	}
	rows, err := writer.NewRowGroup(columns, writer.Options{})
	if err != nil {
		return "", err
	}
	w, err := writer.New(out, columns, nil)
	must(t, err)
	for g := range src.Chunks() {
		reader, err := src.Read(t.Context(), g, 1, requests)
		must(t, err)
		err = errors.Join(appendAll(rows, reader), reader.Close())
		if err != nil {
			return "", err
		}
		encoded, err := rows.Encode()
		if err == nil {
			err = w.Write(encoded)
		}
		if err != nil {
			return "", err
		}
	}
	return out.Name(), w.Close()
}

// appendAll appends all rows of a reader.
func appendAll(rows *writer.RowGroup, reader formats.BatchReader) error {
	for {
		batch, err := reader.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, column := range batch.Columns {
			if err := rows.Append(i, column, 0, batch.Rows); err != nil {
				return err
			}
		}
	}
}

// checkRelease checks that arrow-go reads the same from both files, and that the second contains
// nothing that a release must not have.
func checkRelease(t *testing.T, source, written string) {
	t.Helper()
	s, want, err := leavesOf(t, source)
	if err != nil {
		t.Skipf("arrow-go cannot read it: %v", err)
	}
	_, got, err := leavesOf(t, written)
	must(t, err)
	for i := range want {
		if s.Column(i).PhysicalType() == arrowparquet.Types.Int96 {
			intoTheirDays(want[i].Values)
		}
		compareLeaf(t, s.Column(i), got[i], want[i])
	}
	r, err := release.Open(t.Context(), written)
	must(t, err)
	defer r.Close()
	findings, err := r.FooterLeaks()
	for g := 0; g < r.RowGroups() && err == nil; g++ {
		var kept []release.Finding
		kept, err = release.NewScanner(nil).Kept(t.Context(), r, g)
		findings = append(findings, kept...)
	}
	if err != nil || len(findings) > 0 {
		t.Errorf("it is no release: %v, %v", findings, err)
	}
}

// intoTheirDays normalizes INT96 timestamps as releases do: old writers let their nanoseconds be
// those of another day.
func intoTheirDays(timestamps [][]byte) {
	const day = 86_400_000_000_000
	for i, b := range timestamps {
		moment := big.NewInt(int64(int32(binary.LittleEndian.Uint32(b[8:]))))
		moment.Mul(moment, big.NewInt(day)).Add(moment,
			big.NewInt(int64(binary.LittleEndian.Uint64(b))))
		days, nanos := moment.DivMod(moment, big.NewInt(day), new(big.Int))
		timestamps[i] = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil,
			nanos.Uint64()), uint32(days.Int64()))
	}
}

// Rows of files of every codec, page version and encoding are the same in a release.
func TestReleaseOfAnyPages(t *testing.T) {
	rows := sampleRows(formatstest.Rand(t), 3000)
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip,
		&parquet.Zstd, &parquet.Brotli} {
		for _, version := range []int{1, 2} {
			for name, options := range map[string][]parquet.WriterOption{
				"dictionaries": nil,
				"fallen back":  {parquet.DictionaryMaxBytes(100)},
				"small pages":  {parquet.PageBufferSize(2000), parquet.DataPageStatistics(true)},
			} {
				t.Run(fmt.Sprint(codec, " ", version, " ", name), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "source.parquet")
					writeSample(t, path, rows, 1600,
						append(options, parquet.Compression(codec),
							parquet.DataPageVersion(version))...)
					written, err := releaseOf(t, path)
					must(t, err)
					checkRelease(t, path, written)
				})
			}
		}
	}
}

// Everything in the real data is the same in a release.
func TestReleaseOfRealData(t *testing.T) {
	for _, path := range realFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			written, err := releaseOf(t, path)
			if err != nil {
				checkRefusal(t, err)
				return
			}
			checkRelease(t, path, written)
		})
	}
}

// Content that belongs to no row is not released: unused entries of a dictionary, indexes, filters,
// statistics and metadata.
func TestReleaseLeavesBehind(t *testing.T) {
	const canary = "canary"
	column := []formatstest.Text{{Name: "x", Unused: []string{canary + " entry"}}}
	for i := range 500 {
		column[0].Rows = append(column[0].Rows, fmt.Sprint("row ", i%7))
	}
	for name, write := range map[string]func(string, []formatstest.Text, map[string]string) error{
		"unused": formatstest.WriteUnused, "indexed": formatstest.WriteIndexed,
	} {
		path := filepath.Join(t.TempDir(), name)
		must(t, write(path, column, map[string]string{canary: canary}))
		written, err := releaseOf(t, path)
		must(t, err)
		held, err := formatstest.Bytes(written)
		must(t, err)
		if all := bytes.Join(held, nil); bytes.Contains(all, []byte(canary)) ||
			!bytes.Contains(all, []byte("row 6")) {
			t.Errorf("%s: the release has the canary, or not its rows", name)
		}
	}
}
