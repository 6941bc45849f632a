package parquetfile

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// TestExpectations compares the files that come with their content as CSV.
func TestExpectations(t *testing.T) {
	dir := formatstest.SharedData(t, "parquet-testing/data")
	for _, name := range []string{"delta_binary_packed", "delta_byte_array", "delta_encoding_optional_column", "delta_encoding_required_column"} {
		t.Run(name, func(t *testing.T) {
			records := readCSV(t, filepath.Join(dir, name+"_expect.csv"))
			got, columns, err := readColumns(t, filepath.Join(dir, name+".parquet"), true, 64)
			if err != nil {
				t.Fatal(err)
			}
			for i, header := range records[0] {
				column := findColumn(columns, header)
				if column < 0 {
					t.Fatalf("no column %q", header)
				}
				compareTexts(t, header, got[column].texts, records[1:], i)
			}
		})
	}
}

// findColumn finds a column by its name without the blanks and colons that the name has
// in the file, or in the expectations, only.
func findColumn(s *formats.Schema, header string) int {
	return slices.IndexFunc(s.Fields, func(f formats.Field) bool { return strings.Trim(f.Name, " :") == strings.Trim(header, " :") })
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func compareTexts(t *testing.T, name string, got []*string, records [][]string, column int) {
	t.Helper()
	if len(got) != len(records) {
		t.Fatalf("column %s: %d rows, want %d", name, len(got), len(records))
	}
	for row, record := range records {
		text := ""
		if got[row] != nil {
			text = *got[row]
		}
		if text != record[column] {
			t.Fatalf("column %s: row %d: %q, want %q", name, row, text, record[column])
		}
	}
}

// TestValues checks values that the files' descriptions state.
func TestValues(t *testing.T) {
	dir := formatstest.SharedData(t, "parquet-testing/data")
	for _, c := range []struct {
		file, column string
		want         []string // "null" is a null
	}{
		{"int96_from_spark", "a", []string{
			"2024-01-01T20:34:56.123456", "2024-01-01T01:00:00", "9999-12-31T03:00:00", "2024-12-30T23:00:00", "null",
		}},
		{"float16_zeros_and_nans", "x", []string{"null", "0", "NaN"}},
		{"hadoop_lz4_compressed", "c0", []string{"1593604800", "1593604800", "1593604801", "1593604801"}},
		{"rle_boolean_encoding", "datatype_boolean", []string{"true", "false", "null", "true", "true", "false", "false", "true"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, columns, err := readColumns(t, filepath.Join(dir, c.file+".parquet"), false, 0)
			if err != nil {
				t.Fatal(err)
			}
			texts := got[columns.Index(c.column)].texts
			for i, want := range c.want {
				text := "null"
				if texts[i] != nil {
					text = *texts[i]
				}
				if text != want {
					t.Errorf("row %d: %s, want %s", i, text, want)
				}
			}
		})
	}
}
