package writer

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/schema"
	pq "github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats/formatstest"
)

// readParquetGo returns the PLAIN bytes of every row of the only column, nil for null.
func readParquetGo(t *testing.T, b []byte) []any {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	var rows []any
	buffer := make([]pq.Value, 1000)
	for _, g := range f.RowGroups() {
		pages := g.ColumnChunks()[0].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			must(t, err)
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
func readArrow(t *testing.T, b []byte) (rows []any) {
	t.Helper()
	s, leaves := leavesOf(t, b)
	values := leaves[0].Values
	for _, level := range leaves[0].Definition {
		if level < s.Column(0).MaxDefinitionLevel() {
			rows = append(rows, nil)
			continue
		}
		rows = append(rows, string(values[0]))
		values = values[1:]
	}
	return rows
}

func leavesOf(t *testing.T, b []byte) (*schema.Schema, []formatstest.Leaf) {
	t.Helper()
	s, leaves, err := formatstest.Leaves(b)
	must(t, err)
	return s, leaves
}
