package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/writer"
)

// copyFile writes a copy of a file, row group by row group, in which every column that can be
// copied is. It returns the copy's path and how many columns of row groups were copied.
func copyFile(t *testing.T, path string) (_ string, copied int, err error) {
	t.Helper()
	src, err := Open(context.Background(), path, formats.ReadOptions{})
	if err != nil {
		return "", 0, err
	}
	defer src.Close()
	out, err := os.Create(filepath.Join(t.TempDir(), "copy.parquet"))
	must(t, err)
	defer out.Close()
	c := copier{source: src.(formats.RawSource)}
	for _, f := range src.Fields() {
		c.columns = append(c.columns, writer.Column{Field: f})
	}
	if c.rows, err = writer.NewRowGroup(c.columns, writer.Options{}); err != nil {
		return "", 0, err
	}
	w, err := writer.New(out, c.columns, nil)
	must(t, err)
	for g := range src.Chunks() {
		if err := c.rowGroup(g, w); err != nil {
			return "", 0, err
		}
	}
	return out.Name(), c.copied, w.Close()
}

type copier struct {
	source  formats.RawSource
	columns []writer.Column
	rows    *writer.RowGroup
	copied  int
}

func (c *copier) rowGroup(g int, w *writer.Writer) error {
	ctx := context.Background()
	number := c.source.Chunks()[g]
	for i := range c.columns {
		chunks, err := c.source.RawChunks(ctx, g, i)
		if err == nil && chunks == nil {
			err = c.encode(g, i)
		} else if err == nil {
			c.copied++
			err = c.rows.Copy(i, number, chunks)
		}
		if err != nil {
			return err
		}
	}
	e, err := c.rows.Encode()
	if err != nil {
		return err
	}
	return w.WriteFrom(c.source, e)
}

// encode encodes a column of a row group anew.
func (c *copier) encode(g, column int) error {
	r, err := c.source.Read(context.Background(), g, 1, []formats.Request{{Column: column}})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.rows.Append(column, b.Columns[0], 0, b.Rows)
		}
		if err != nil {
			return err
		}
	}
}

// checkCopy demands that arrow-go reads the same of both files, and that the copy has
// nothing but what a release has.
func checkCopy(t *testing.T, source, copied string) {
	t.Helper()
	s, want, err := leavesOf(t, source)
	if err != nil {
		t.Skipf("arrow-go cannot read it: %v", err)
	}
	_, got, err := leavesOf(t, copied)
	must(t, err)
	for i := range want {
		compareLeaf(t, s.Column(i), got[i], want[i])
	}
	r, err := release.Open(t.Context(), copied)
	must(t, err)
	defer r.Close()
	findings, err := r.FooterLeaks()
	for g := 0; g < r.RowGroups() && err == nil; g++ {
		var kept []release.Finding
		kept, err = release.NewScanner(nil).Kept(t.Context(), r, g)
		findings = append(findings, kept...)
	}
	if err != nil || len(findings) > 0 {
		t.Errorf("the copy is no release: %v, %v", findings, err)
	}
}

// Of files of every codec and page version that are copied all columns are that have neither
// differences nor lengths in front, and say the same.
func TestCopyWhole(t *testing.T) {
	rows := sampleRows(formatstest.Rand(t), 3000)
	columns := reflect.TypeFor[sampleRow]().NumField() - len([]string{"note", "changes", "tags"})
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli} {
		for _, version := range []int{1, 2} {
			for name, options := range map[string][]parquet.WriterOption{
				"dictionaries": nil,
				"fallen back":  {parquet.DictionaryMaxBytes(100)},
				"small pages":  {parquet.PageBufferSize(2000), parquet.DataPageStatistics(true)},
			} {
				want := []int{2 * columns, 2 * columns}
				switch {
				case codec == &parquet.Brotli:
					want = []int{0, 0}
				case name == "small pages": // of "sparse", a page of nulls alone has a run of no values
					want[0] -= 2
				}
				t.Run(fmt.Sprint(codec, " ", version, " ", name), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "source.parquet")
					writeSample(t, path, rows, 1600, append(options, parquet.Compression(codec), parquet.DataPageVersion(version))...)
					got, copied, err := copyFile(t, path)
					must(t, err)
					if copied < want[0] || copied > want[1] {
						t.Errorf("%d of %d columns are copied, want %v", copied, 2*columns, want)
					}
					checkCopy(t, path, got)
				})
			}
		}
	}
}

// Everything in the real data is copied or encoded anew, and says the same.
func TestCopyRealData(t *testing.T) {
	whole := 0
	for _, path := range realFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, copied, err := copyFile(t, path)
			if err != nil {
				checkRefusal(t, err)
				return
			}
			if copied > 0 {
				whole++
			}
			checkCopy(t, path, got)
		})
	}
	if whole < 40 {
		t.Errorf("columns of only %d files are copied", whole)
	}
}

// What no row has stays behind: entries of a dictionary, by way of a new encoding; indexes,
// filters, statistics and metadata, which are no pages.
func TestCopyLeavesBehind(t *testing.T) {
	const canary = "canary"
	column := []formatstest.Text{{Name: "x", Unused: []string{canary + " entry"}}}
	for i := range 500 {
		column[0].Rows = append(column[0].Rows, fmt.Sprint("row ", i%7))
	}
	metadata := map[string]string{canary: canary}
	for _, tc := range []struct {
		name   string
		write  func(string, []formatstest.Text, map[string]string) error
		copied int
	}{{"unused", formatstest.WriteUnused, 0}, {"indexed", formatstest.WriteIndexed, 1}} {
		path := filepath.Join(t.TempDir(), tc.name)
		must(t, tc.write(path, column, metadata))
		got, copied, err := copyFile(t, path)
		if err != nil || copied != tc.copied {
			t.Errorf("%s: %d columns copied, want %d: %v", tc.name, copied, tc.copied, err)
		}
		held, err := formatstest.Bytes(got)
		must(t, err)
		if all := bytes.Join(held, nil); bytes.Contains(all, []byte(canary)) || !bytes.Contains(all, []byte("row 6")) {
			t.Errorf("%s: the copy has the canary, or not its rows", tc.name)
		}
	}
}

// Statistics are those of the dictionary, and nulls are counted where pages have one.
func TestCopyStatistics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "source.parquet")
	rows := sampleRows(formatstest.Rand(t), 2000)
	writeSample(t, path, rows, 2000, parquet.DataPageVersion(1))
	got, _, err := copyFile(t, path)
	must(t, err)
	low, high, nulls := "city 99", "", int64(0)
	for _, r := range rows {
		if r.City == nil {
			nulls++
			continue
		}
		low, high = min(low, *r.City), max(high, *r.City)
	}
	var meta format.FileMetaData
	held, err := formatstest.Bytes(got)
	if err == nil {
		err = thrift.Unmarshal(new(thrift.CompactProtocol), held[1], &meta)
	}
	must(t, err)
	for _, c := range meta.RowGroups[0].Columns {
		s := c.MetaData.Statistics
		switch strings.Join(c.MetaData.PathInSchema, ".") {
		case "city":
			if string(s.MinValue) != low || string(s.MaxValue) != high || s.NullCount != nulls {
				t.Errorf("city from %q to %q with %d nulls, want %q to %q with %d", s.MinValue, s.MaxValue, s.NullCount, low, high, nulls)
			}
		case "weight":
			if s.MinValue != nil || s.MaxValue != nil || s.NullCount != 0 {
				t.Errorf("%s has statistics that nobody knows", c.MetaData.PathInSchema)
			}
		}
	}
}
