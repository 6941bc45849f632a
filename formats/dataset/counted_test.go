package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

type countedPerson struct {
	Name  string
	Times *int32
	Age   int32
}

// Each row is read as often as its count, in any format, with any chunks and batches.
func TestCountedRows(t *testing.T) {
	dir := t.TempDir()
	times := func(n int32) *int32 { return &n }
	writeRows(t, dir, "1.parquet", []countedPerson{{"ann", times(2), 1}, {"bob", times(0), 2},
		{"cid", times(0), 3}, {"ann", times(1), 1}, {"dan", times(4), 4}},
		parquet.MaxRowsPerRowGroup(2))
	if err := os.WriteFile(filepath.Join(dir, "2.csv"),
		[]byte("Age,Name,Times\n5,eve,3\n,bob,0\n7,,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"1.parquet", "[ann,1 ann,1 ann,1 dan,4 dan,4 dan,4 dan,4]"},
		{"2.csv", "[5,eve 5,eve 5,eve 7,null]"},
	} {
		for rows := range 5 {
			d, err := Open(t.Context(), []string{filepath.Join(dir, c.file)},
				formats.ReadOptions{Count: "Times", BatchRows: rows})
			if err != nil {
				t.Fatal(err)
			}
			if d.Rows() != int64(len(strings.Fields(c.want))) || d.Schema().Index("Times") >= 0 ||
				len(d.Splits()) != 1 {
				t.Errorf("%s: %d rows, columns %v, splits %v", c.file, d.Rows(), d.Schema().Fields,
					d.Splits())
			}
			if got := fmt.Sprint(datasetTexts(t, d, allColumns(d))); got != c.want {
				t.Errorf("%s in batches of %d: read %s, want %s", c.file, rows, got, c.want)
			}
			if got := fmt.Sprint(datasetTexts(t, d, nil)); strings.Count(got,
				" ") != strings.Count(c.want, " ") {
				t.Errorf("%s in batches of %d: %s without columns, want so many rows as %s", c.file,
					rows, got, c.want)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCountedRowsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ csv, column, want string }{
		{"name,n\nann,2\n", "times", "has no column times"},
		{"name,n\nann,2.5\n", "n", "is no integer"},
		{"name,n\nann,2\nbob,-7\n", "n", "row 2 of a chunk has no count"},
		{"name,n\nann,2\nbob,\n", "n", "row 2 of a chunk has no count"},
		{"name,n\nann,9223372036854775807\n", "n", "above 1099511627775"},
		{"name,n\nann,1099511627775\nbob,1\n", "n", "more than 1099511627775 records"},
	} {
		path := filepath.Join(dir, "in.csv")
		if err := os.WriteFile(path, []byte(c.csv), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(context.Background(), []string{path}, formats.ReadOptions{Count: c.column})
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			fault.ClassOf(err) != fault.Input {
			t.Errorf("%q: %v, want %s", c.csv, err, c.want)
		} else if strings.Contains(err.Error(), "-7") || strings.Contains(err.Error(), "2.5") {
			t.Errorf("%q: %v shows a value", c.csv, err)
		}
	}
	type listed struct {
		N    int64
		Tags []string
	}
	writeRows(t, dir, "nested.parquet", []listed{{1, []string{"a"}}})
	d, err := Open(t.Context(), []string{filepath.Join(dir, "nested.parquet")},
		formats.ReadOptions{Count: "N"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Read(t.Context(), d.Splits()[0], []formats.Request{{Column: 0}}); !errors.Is(err,
		formats.ErrUnsupported) {
		t.Errorf("a nested column: %v", err)
	}
}

// A CSV without rows has no counts, and so no type for them: it may be among other files.
func TestCountedRowsOfEmptyFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"1.csv": "name,n\nann,2\n", "empty.csv": "name,n\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(t.Context(), []string{dir}, formats.ReadOptions{Count: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := fmt.Sprint(datasetTexts(t, d, allColumns(d))); got != "[ann ann]" {
		t.Errorf("read %s", got)
	}
}
