package job

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const tablesText = `limits: {memory: 64MiB}
quasi_identifiers: [{columns: all, k: 4}]
columns: {id: drop, tables: keep, age: discretize}
taxonomies: {job: {Work: [baker, nurse]}}
max_unique: 20%
tables:
  stays: {input: stays.csv, output: stays.parquet, columns: {zip: suppress, age: keep}}
  bills:
    input: bills.csv
    output: {path: bills/, compression: snappy}
    columns: {job: generalize, columns: suppress}
    taxonomies: {columns: {X: [y, z]}}
    quasi_identifiers: [{columns: [job, age, columns], k: 3}]
    max_unique: 1%
`

func loadTables(t *testing.T, text string, overrides ...Override) (*Tables, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadTables(path, overrides)
}

// A table has its own keys, and those of the top that it lacks. Columns are merged by name, also
// such with the names of keys. Flags replace values of every table.
func TestTables(t *testing.T) {
	tables, err := loadTables(t, tablesText, Override{"quasi_identifiers[].k", "7", "--k"},
		Override{"order", "input", "--order"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range tables.Tables {
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, c.Name+" "+c.Mask)
		}
		slices.Sort(columns)
		set := table.Sets[0]
		got = append(got, fmt.Sprintln(table.Name, columns, set.Columns, set.K, table.MaxUnique,
			table.Order, table.Limits.Memory>>20, filepath.Base(table.Output.Path),
			table.Output.Compression, len(table.Taxonomies)))
	}
	want := []string{
		"stays [age keep id drop tables keep zip suppress] [zip] 7 20% input 64 " +
			"stays.parquet zstd 1\n",
		"bills [age discretize columns suppress id drop job generalize tables keep] " +
			"[job age columns] 7 1% input 64 bills snappy 2\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tables.MaxUnique != 0.2 || tables.Job("bills") != tables.Tables[1].Job ||
		tables.Job("none") != nil || tables.Single() != nil {
		t.Errorf("got %v", tables)
	}
	again, err := Parse("job.yaml", []byte(tables.Job("stays").YAML()), nil)
	if err != nil || again.Sets[0].K != 7 {
		t.Errorf("got %+v, %v", again, err)
	}
	if tables, err = loadTables(t, tablesText, Override{"max_unique", "3%", "--max-unique"}); err !=
		nil || tables.MaxUnique != 0.03 || *tables.Tables[1].MaxUnique != 0.03 {
		t.Errorf("got %+v, %v", tables, err)
	}
	if tables, err = loadTables(t, strings.Replace(tablesText, "max_unique: 20%\n", "", 1)); err !=
		nil || tables.MaxUnique != 0.01 {
		t.Errorf("got %+v, %v", tables, err)
	}
}

// The problems of all tables are reported together, each once and with its place.
func TestWrongTables(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     []string
	}{
		{"k: 4", "k: 0", []string{":2:"}},
		{"age: discretize", "age: discret", []string{":3:"}},
		{"input: stays.csv, ", "inputs: stays.csv, ", []string{":7:11: unknown key \"inputs\"",
			":7:10: missing key \"input\""}},
		{"job: generalize", "job: generalise", []string{":11:20: mask must be"}},
		{"max_unique: 20%", "max_unique: 200%", []string{":5:"}},
		{"  bills:\n", "  bills: 7\n  more:\n",
			[]string{":8:3: table \"bills\" must have a name, and be"}},
		{"tables:\n", "tables: []\nmore:\n", []string{":6:1: tables must be a map"}},
		{"max_unique: 1%", "tables: {}", []string{":14:5: unknown key \"tables\""}},
	} {
		if !strings.Contains(tablesText, tt.old) {
			t.Fatalf("not in the job: %s", tt.old)
		}
		tables, err := loadTables(t, strings.Replace(tablesText, tt.old, tt.new, 1))
		said := fmt.Sprint(err)
		if err == nil || tables != nil {
			t.Errorf("%s: got %+v", tt.new, tables)
			continue
		}
		for _, want := range tt.want {
			if strings.Count(said, want) != 1 {
				t.Errorf("%s: got\n%s\nwant once %q", tt.new, said, want)
			}
		}
	}
	if _, err := Parse("job.yaml", []byte(tablesText), nil); err == nil ||
		!strings.Contains(err.Error(), "job.yaml:6:1: this takes a job of one table") {
		t.Errorf("got %v", err)
	}
	single := "input: a.csv\noutput: b\nquasi_identifiers: [{columns: [a], k: 2}]\n" +
		"columns: {a: suppress}\n"
	if tables, err := loadTables(t, single); err != nil || tables.Single().Columns[0].Name != "a" {
		t.Errorf("got %v, %v", tables, err)
	}
}
