package csvfile

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// randomTable returns CSV with a header, mostly of one field less than its lines. Few lines have
// other numbers of fields if the table is irregular.
func randomTable(r *rand.Rand, delim string, irregular bool) string {
	quoted := r.IntN(2) == 0
	write := func(texts []string) string {
		for i, text := range texts {
			if quoted && text != "" {
				texts[i] = `"` + text + `"`
			}
		}
		return strings.Join(texts, delim) + "\n"
	}
	names := 1 + r.IntN(4)
	width := names + min(1, r.IntN(4))
	text := write([]string{"a", "b", "c", "d"}[:names])
	for range r.IntN(30) {
		record := []string{"x"}
		if irregular && r.IntN(20) == 0 {
			record = append(record, "more")
		}
		for len(record) < width {
			cells := []string{"12", "y z", "", "7", "w"}
			if quoted {
				cells = append(cells, "p"+delim+"q", "two\nlines")
			}
			record = append(record, cells[r.IntN(len(cells))])
		}
		// A line without anything is a row of one column, which the naive reader skips.
		if irregular && width > 1 && r.IntN(20) == 0 && (width > 2 || record[1] != "") {
			record = record[1:]
		}
		if r.IntN(20) == 0 {
			record = append(record, "")
		}
		text += write(record)
	}
	return text
}

// naiveTable returns the names and the columns of CSV, nil if a line has too many or too few
// fields.
func naiveTable(t *testing.T, text string, delim rune) (names []string, columns [][]string) {
	from := csv.NewReader(strings.NewReader(text))
	from.Comma, from.FieldsPerRecord = delim, -1
	records, err := from.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names, records = records[0], records[1:]
	if n := len(names); n > 1 && len(records) > 0 && len(records[0]) == n+1 &&
		records[0][n] != "" {
		names = append([]string{"column1"}, names...)
	}
	columns = make([][]string, len(names))
	for _, record := range records {
		if len(record) < len(names) || strings.Join(record[len(names):], "") != "" {
			return names, nil
		}
		for c := range names {
			if record[c] == "" {
				record[c] = formatstest.NullCell
			}
			columns[c] = append(columns[c], record[c])
		}
	}
	return names, columns
}

// Random tables, of any delimiter and with blocks split anywhere, have the names and values that a
// naive reader finds: all names are those of the columns to their right if each line has one field
// more.
func TestShifted(t *testing.T) {
	r := formatstest.Rand(t)
	for range 1000 {
		delim := delimiters[r.IntN(len(delimiters))]
		opt := formats.ReadOptions{CSV: formats.CSV{Naming: true}, Types: map[string]formats.Type{}}
		for _, name := range []string{"column1", "a", "b", "c", "d"} {
			opt.Types[name] = formats.Type{Kind: formats.String}
		}
		irregular := r.IntN(2) == 0
		text := randomTable(r, string(delim), irregular)
		names, want := naiveTable(t, text, rune(delim))
		if irregular || len(names) == 1 {
			opt.CSV.Delimiter = delim
		}
		s, err := open(context.Background(), formatstest.WriteTemp(t, "t.csv", []byte(text)), opt,
			cutting{block: 1 + r.Int64N(50), chunk: 1 + r.Int64N(9), mark: 1 + r.Int64N(4)})
		if want == nil {
			if !errors.Is(err, formats.ErrDamaged) || !strings.Contains(err.Error(), "line ") {
				t.Fatalf("seed %d: %q: %v", formatstest.Seed, text, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %q: %v", formatstest.Seed, text, err)
		}
		for i, f := range s.Fields() {
			if f.Name != names[i] || (f.Position > 0) != (f.Name == "column1") {
				t.Fatalf("seed %d: %q: column %d is %v", formatstest.Seed, text, i, f)
			}
		}
		if got := formatstest.ReadAll(t, s, true); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %q: got %q, want %q", formatstest.Seed, text, got, want)
		}
	}
}

// The name of the first column is that of the job. Without one the error says how to name it.
func TestShiftedNames(t *testing.T) {
	const text = "\"a\"\t\"b, c\"\n\"1\"\t2\t\"x\"\n\"2\"\t3\t\"y, z\"\n"
	_, err := tryCSV(t, text, formats.ReadOptions{})
	if !errors.Is(err, formats.ErrSchema) || !strings.Contains(err.Error(), "one field more than "+
		"the header: column 1 has no name") || !strings.Contains(hintOf(err), "rename: 1}") {
		t.Errorf("%v, hint %s", err, hintOf(err))
	}
	for _, tt := range []struct {
		given map[int]string
		want  string
	}{
		{map[int]string{1: "row"}, "row|a|b, c"},
		{map[int]string{1: "row", 3: "d"}, "row|a|d"},
		{map[int]string{1: "b, c", 3: "a", 2: "d"}, "b, c|d|a"},
	} {
		s := mustCSV(t, text, formats.ReadOptions{CSV: formats.CSV{Names: tt.given}})
		var names []string
		for _, f := range s.Fields() {
			names = append(names, f.Name)
		}
		got := formatstest.ReadAll(t, s, true)
		if strings.Join(names, "|") != tt.want ||
			!reflect.DeepEqual(got, [][]string{{"1", "2"}, {"2", "3"}, {"x", "y, z"}}) ||
			len(s.(formats.Inferring).Notes()) > 0 {
			t.Errorf("%v: %q of %q, notes %q", tt.given, got, names, s.(formats.Inferring).Notes())
		}
	}
	s := mustCSV(t, "column1,b\n1,2,x\n", formats.ReadOptions{CSV: formats.CSV{Naming: true}})
	if notes := s.(formats.Inferring).Notes(); len(notes) != 1 ||
		!strings.Contains(notes[0], "one field more") {
		t.Errorf("notes %q", notes)
	}
	if f := s.Fields(); f[0].Name != "column1" || f[1].Name != "column2" || f[2].Name != "b" {
		t.Errorf("a header with the name of the first position: %v", f)
	}
}

// Lines with one field more show a delimiter only if no other one parts all lines as the header.
func TestShiftedDelimiters(t *testing.T) {
	for _, tt := range []struct{ text, names string }{
		{"a;b\n1;2;x,y\n2;3;z\n", "column1 a b"}, {"a\tb\n1\t2\tx\n", "column1 a b"},
		{"id;height, cm;kg\n1;170,5;70,2\n2;180,1;71,3\n", "id height, cm kg"},
		{"a;b\n1;2,5;\n", "a b"}, {",a\n", " a"},
	} {
		s := mustCSV(t, tt.text, formats.ReadOptions{CSV: formats.CSV{Naming: true}})
		var names []string
		for _, f := range s.Fields() {
			names = append(names, f.Name)
		}
		if strings.Join(names, " ") != tt.names {
			t.Errorf("%q: %q", tt.text, names)
		}
	}
	_, err := tryCSV(t, "a;b,c\n1;2;3,4,5\n2;3;4,5,6\n", formats.ReadOptions{})
	if !strings.Contains(hintOf(err), "csv.delimiter") {
		t.Errorf("two delimiters: %v", err)
	}
	for _, text := range []string{",a\n1,2,3\n", "\"\",a\n1,2,3\n", "a\n1,2\n"} {
		if _, err := tryCSV(t, text, formats.ReadOptions{}); !errors.Is(err, formats.ErrDamaged) ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
