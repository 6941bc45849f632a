package formatstest

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestPlainLoop(t *testing.T) {
	type row struct {
		Name *string `parquet:"name,optional,dict"`
		Age  int32   `parquet:"age"`
		City string  `parquet:"city,dict"`
	}
	type masked struct {
		Name *string `parquet:"name,optional"`
		Age  string  `parquet:"age"`
		City string  `parquet:"city"`
	}
	from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
	var rows []row
	const times = loopRows // so that there is more than one block of rows
	for range times {
		rows = append(rows, row{new("a"), 30, "x"}, row{nil, 30, "x"}, row{new("b"), 41, "y"})
	}
	if err := parquet.WriteFile(from, rows, parquet.MaxRowsPerRowGroup(2*times)); err != nil {
		t.Fatal(err)
	}
	groups, values := CountGroups(t, from, []string{"name", "age"})
	if want := [][]string{{"a", "", "b"}, {"30", "41"}}; groups != 3 ||
		!reflect.DeepEqual(values, want) {
		t.Errorf("got %d groups of %q, want 3 of %q", groups, values, want)
	}
	labels := map[string]map[string]string{"name": {"a": "A", "b": "B"},
		"age": {"30": "young", "41": "old"}}
	RewriteColumns(t, from, to, []string{"name", "age", "city"}, labels)
	got, err := parquet.ReadFile[masked](to)
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(got), len(rows), err)
	}
	want := []masked{{new("A"), "young", "x"}, {nil, "young", "x"}, {new("B"), "old", "y"}}
	for i, row := range got {
		if !reflect.DeepEqual(row, want[i%len(want)]) {
			t.Fatalf("row %d: got %+v, want %+v", i, row, want[i%len(want)])
		}
	}
}
