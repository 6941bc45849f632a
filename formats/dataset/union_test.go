package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
)

// narrowRow and widerRow are rows of one table before and after its columns were widened.
type narrowRow struct {
	A int32     `parquet:"a"`
	B int32     `parquet:"b"`
	F float32   `parquet:"f"`
	T time.Time `parquet:"t,timestamp(millisecond)"`
	D int32     `parquet:"d,decimal(2:5)"`
	U uint32    `parquet:"u"`
	X string    `parquet:"x"`
	L []int32   `parquet:"l,list"`
	N string    `parquet:"n"`
}

type widerRow struct {
	N *string   `parquet:"n,optional"`
	L []int64   `parquet:"l,list"`
	X int64     `parquet:"x"`
	A int64     `parquet:"a"`
	B float64   `parquet:"b"`
	F float64   `parquet:"f"`
	T time.Time `parquet:"t,timestamp(microsecond)"`
	D int64     `parquet:"d,decimal(3:12)"`
	U int64     `parquet:"u"`
	E string    `parquet:"e"`
}

// writeNulls writes an Arrow file of a column without a type.
func writeNulls(t *testing.T, path, column string, rows int) {
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	schema := arrow.NewSchema([]arrow.Field{{Name: column, Type: arrow.Null, Nullable: true}}, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	must(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).AppendNulls(rows)
	must(t, errors.Join(w.Write(b.NewRecord()), w.Close()))
}

// evolved writes a folder of files whose columns changed over time.
func evolved(t *testing.T) string {
	dir, at := t.TempDir(), time.Date(2020, 5, 1, 10, 0, 0, 5e8, time.UTC)
	var narrow []narrowRow
	var wider []widerRow
	for i := range int32(50) {
		narrow = append(narrow, narrowRow{i % 3, -i, float32(i) / 2,
			at.Add(time.Duration(i%2) * time.Hour), i, uint32(i), "x", []int32{i}, "n"})
		wider = append(wider, widerRow{nil, []int64{1}, 1, 1 << 40, 0.5, 0.25, at, int64(i), -1,
			"e"})
	}
	writeRows(t, dir, "1.parquet", narrow)
	writeRows(t, dir, "2.parquet", wider)
	writeNulls(t, filepath.Join(dir, "3.arrow"), "a", 2)
	return dir
}

func TestColumnsThatChanged(t *testing.T) {
	d, err := Open(t.Context(), []string{evolved(t)},
		formats.ReadOptions{MissingNull: true, BatchRows: 7})
	must(t, err)
	defer d.Close()
	types := make(map[string]string)
	for _, f := range d.Schema().Fields {
		types[f.Name] = f.Type.String()
		if !f.Nullable || f.Lacked != (f.Name != "a") ||
			(f.Differs != nil) != (f.Name == "x" || f.Name == "l") {
			t.Errorf("column %s: %+v", f.Name, f)
		}
	}
	for name, want := range map[string]string{"a": "int64", "b": "float64", "f": "float64",
		"t": "timestamp[us, UTC]", "d": "decimal(12,3)", "u": "int64", "n": "string",
		"e": "string"} {
		if types[name] != want {
			t.Errorf("column %s is %s, want %s", name, types[name], want)
		}
	}
	for _, coded := range []bool{true, false} {
		rows := readCells(t, d, coded, "a", "b", "f", "t", "d", "u", "n", "e")
		for row, want := range map[int]string{
			0: "0 0 0 1588327200500000 0 0 n null", 49: "1 -49 24.5 1588330800500000 490 49 n null",
			50: "1099511627776 0.5 0.25 1588327200500000 0 -1 null e", 99: "1099511627776 0.5 " +
				"0.25 1588327200500000 49 -1 null e",
			100: "null null null null null null null null", 101: "null null null null null null " +
				"null null",
		} {
			if len(rows) != 102 || rows[row] != want {
				t.Errorf("coded %t: row %d of %d is %q, want %q", coded, row, len(rows), rows[row],
					want)
			}
		}
	}
	for name, words := range map[string][]string{"x": {"1.parquet", "2.parquet", "string", "int64"},
		"l": {"1.parquet", "2.parquet", "nested"}} {
		_, err := d.Read(t.Context(), d.Splits()[0],
			[]formats.Request{{Column: d.Schema().Index(name)}})
		for _, word := range append(words, `"`+name+`"`) {
			if !errors.Is(err, formats.ErrSchema) || !strings.Contains(err.Error(), word) {
				t.Errorf("column %s: got %v, want %s there", name, err, word)
			}
		}
	}
}

// readCells returns the rows of some columns.
func readCells(t *testing.T, d *Dataset, coded bool, names ...string) (rows []string) {
	var requests []formats.Request
	for _, name := range names {
		requests = append(requests, formats.Request{Column: d.Schema().Index(name), Coded: coded})
	}
	for _, split := range d.Splits() {
		r, err := d.Read(t.Context(), split, requests)
		must(t, err)
		for {
			b, err := r.Next(t.Context())
			if err == io.EOF {
				break
			}
			must(t, err)
			cells := make([][]string, b.Rows)
			for _, c := range b.Columns {
				column, err := formatstest.CellsOf(c, b.Rows)
				must(t, err)
				for row, cell := range column {
					cells[row] = append(cells[row], cell)
				}
			}
			for _, row := range cells {
				rows = append(rows, strings.ReplaceAll(strings.Join(row, " "), formatstest.NullCell,
					"null"))
			}
		}
		must(t, r.Close())
	}
	return rows
}

// TestMissingColumns: without the option only columns of all files are read, and the error has
// advice.
func TestMissingColumns(t *testing.T) {
	d := openDataset(t, evolved(t))
	for _, f := range d.Schema().Fields {
		var advised *fault.Error
		if f.Name != "a" && (!errors.As(f.Differs, &advised) || advised.Class != fault.Input ||
			f.Name != "x" && f.Name != "l" && !strings.Contains(advised.Hint, "missing_columns")) {
			t.Errorf("column %s: %v", f.Name, f.Differs)
		}
	}
	if rows := readCells(t, d, true, "a"); len(rows) != 102 || rows[50] != fmt.Sprint(1<<40) {
		t.Errorf("column a is %q", rows)
	}
}

// TestTypesInAnyOrder: the order of files does not decide the type.
func TestTypesInAnyOrder(t *testing.T) {
	types := []formats.Type{{Kind: formats.Int, Bits: 32}, {Kind: formats.Float, Bits: 32},
		{Kind: formats.Float, Bits: 64}, {Kind: formats.Null}, {Kind: formats.Int, Bits: 64}}
	for range types {
		types = slices.Concat(types[1:], types[:1])
		var u union
		for i, kind := range types {
			u.add(fmt.Sprint(i), []formats.Field{{Name: "c", Type: kind}}, -1)
		}
		if f := u.fields(false)[0]; f.Type.String() != "float64" || !f.Nullable ||
			f.Differs != nil {
			t.Errorf("of %v it is %+v", types, f)
		}
	}
}

// TestInexactIntegers: an integer that is not exact as a float is refused, not rounded.
func TestInexactIntegers(t *testing.T) {
	dir := t.TempDir()
	writeRows(t, dir, "1.parquet", []struct {
		A int64 `parquet:"a"`
	}{{1<<53 + 1}})
	writeRows(t, dir, "2.parquet", []struct {
		A float64 `parquet:"a"`
	}{{0.5}})
	d := openDataset(t, dir)
	r, err := d.Read(t.Context(), d.Splits()[0], []formats.Request{{Column: 0}})
	must(t, err)
	if _, err := r.Next(t.Context()); !errors.Is(err, formats.ErrSchema) ||
		!strings.Contains(err.Error(), "1.parquet") {
		t.Errorf("got %v", err)
	}
	must(t, r.Close())
}

// TestTypesOfTexts: CSV files have the types that the texts of all allow, in any order.
func TestTypesOfTexts(t *testing.T) {
	const kinds = "int float number text date flag empty money"
	files := map[string]string{
		"a.csv": "int,float,number,text,date,flag,empty,money\n1,1,1,1,2020-01-01,true,,1.50\n" +
			"2,2,2,2,,false,,2.50\n",
		"b.csv": "int,float,number,text,date,flag,empty,money\n,1.5,1.50,x,,,,\n,2.5,,,,,,10.05\n",
		"c.csv": "int,float,number,text,date,flag,empty,money\n",
		"d.csv": "money,empty,flag,date,text,number,float,int\n3.00,,true,2020-01-02,3,3,3,3\n",
		"e.csv": "", "f.csv": "\n",
	}
	want := "int64 float64 string string date boolean string decimal(18,2)"
	for _, order := range []string{"abcdef", "dcba", "bd", "cbad", "ecabdf", "fbda"} {
		dir := t.TempDir()
		for i, name := range order {
			must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", i)),
				[]byte(files[string(name)+".csv"]), 0o600))
		}
		d, err := Open(t.Context(), []string{dir}, formats.ReadOptions{})
		must(t, err)
		var types []string
		for _, name := range strings.Fields(kinds) {
			field := d.Schema().Fields[d.Schema().Index(name)]
			if types = append(types, field.Type.String()); field.Differs != nil ||
				!field.Nullable && name != "flag" && name != "money" && name != "text" &&
					name != "float" && name != "number" {
				t.Errorf("%s: %s: %+v", order, name, field)
			}
			if wantNote := name == "number"; field.Text.Number != wantNote {
				t.Errorf("%s: %s: %+v", order, name, field.Text)
			}
		}
		if got := strings.Join(types, " "); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
		var cells []string
		for _, split := range d.Splits() {
			r, err := d.Read(t.Context(), split,
				[]formats.Request{{Column: d.Schema().Index("float"), Coded: true}})
			must(t, err)
			for {
				b, err := r.Next(t.Context())
				if err == io.EOF {
					break
				}
				must(t, err)
				for _, code := range b.Columns[0].Codes {
					cells = append(cells, b.Columns[0].Values.Text(int(code)-1))
				}
			}
			must(t, r.Close())
		}
		slices.Sort(cells)
		if all := strings.Join(cells, " "); all != "1 1.5 2 2.5 3" && all != "1.5 2.5 3" {
			t.Errorf("%s: cells %s", order, all)
		}
		must(t, d.Close())
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.csv"), nil, 0o600))
	if _, err := Open(t.Context(), []string{dir}, formats.ReadOptions{}); !errors.Is(err,
		formats.ErrSchema) {
		t.Errorf("an empty file alone: %v", err)
	}
}
