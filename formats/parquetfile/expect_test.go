package parquetfile

import (
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
)

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
