package arrowfile

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// arrowTesting holds the Arrow project's own files.
const arrowTesting = "arrow-testing/data"

// integrationFiles returns the integration files of many Arrow versions and both byte orders
// that match a pattern.
func integrationFiles(t *testing.T, pattern string) []string {
	t.Helper()
	data := formatstest.SharedData(t, arrowTesting)
	files, err := filepath.Glob(filepath.Join(data, "arrow-ipc-stream/integration/*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compareFlat compares the flat columns of a file with cells from another reader, and returns the
// number of columns compared.
func compareFlat(t *testing.T, path string, cells func(column int) []string) (compared int) {
	t.Helper()
	s, err := Open(context.Background(), path, formats.ReadOptions{BatchRows: 3})
	if err != nil {
		formatstest.CheckRefused(t, err)
		if !errors.Is(err, formats.ErrUnsupported) ||
			!strings.Contains(err.Error(), "two columns named") {
			t.Error(err)
		}
		return 0
	}
	defer s.Close()
	for i, f := range s.Fields() {
		if f.Type.Kind == formats.Nested {
			continue
		}
		want := cells(i)
		for _, coded := range []bool{true, false} {
			request := formats.Request{Column: i, Coded: coded}
			got, err := formatstest.ReadCells(s, 0, len(s.Chunks()), request)
			compared++
			switch {
			case err == nil && reflect.DeepEqual(got[0], want):
			case err != nil && strings.Contains(strings.Join(want, " "), partOfDay):
				formatstest.CheckRefused(t, err)
			default:
				t.Errorf("%s: column %s (%v): got %q (%v), want %q", path, f.Name, f.Type, got, err,
					want)
			}
		}
	}
	return compared
}

// TestGold compares the flat columns of the integration files with those that Arrow's own library
// reads.
func TestGold(t *testing.T) {
	compared := 0
	for _, ext := range []string{"*.stream", "*.arrow_file"} {
		for _, path := range integrationFiles(t, ext) {
			if records, err := libraryRecords(path); err == nil {
				compared += compareFlat(t, path, func(i int) []string {
					return arrowCells(records, i)
				})
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d columns compared", compared)
	}
}

// TestShortDecimals compares decimals that the library does not support with the same file in JSON.
func TestShortDecimals(t *testing.T) {
	files := integrationFiles(t, "generated_decimal[36][24].json.gz")
	if len(files) < 2 {
		t.Errorf("only %d files", len(files))
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var gold struct {
			Batches []struct {
				Columns []struct {
					Validity []int    `json:"VALIDITY"`
					Data     []string `json:"DATA"`
				}
			}
		}
		z, err := gzip.NewReader(f)
		if err == nil {
			err = json.NewDecoder(z).Decode(&gold)
		}
		if err != nil {
			t.Fatal(err)
		}
		compared := compareFlat(t, strings.TrimSuffix(path, ".json.gz")+".stream",
			func(i int) (out []string) {
				for _, b := range gold.Batches {
					for k, text := range b.Columns[i].Data {
						if b.Columns[i].Validity[k] == 0 {
							text = formatstest.NullCell
						}
						out = append(out, text)
					}
				}
				return out
			})
		if compared < 4 {
			t.Errorf("%s: only %d columns compared", path, compared)
		}
	}
}

// TestDamaged reads files that crashed other readers: each is read or refused.
func TestDamaged(t *testing.T) {
	n := 0
	for _, dir := range []string{"arrow-ipc-file", "arrow-ipc-stream"} {
		err := filepath.WalkDir(filepath.Join(formatstest.SharedData(t, arrowTesting), dir),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.Contains(path, "integration") {
					return err
				}
				n++
				readOrRefuse(t, path)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

// readOrRefuse reads every column of an Arrow file, coded and plain.
func readOrRefuse(t testing.TB, path string) {
	t.Helper()
	s, err := Open(context.Background(), path, formats.ReadOptions{})
	if err != nil {
		formatstest.CheckRefused(t, err)
		return
	}
	defer s.Close()
	for i := range s.Fields() {
		for _, coded := range []bool{true, false} {
			if rows, err := formatstest.Drain(s,
				[]formats.Request{{Column: i, Coded: coded}}); err != nil {
				formatstest.CheckRefused(t, err)
			} else if rows != formatstest.Rows(s) {
				t.Errorf("%s: %d rows, said %d", path, rows, formatstest.Rows(s))
			}
		}
	}
}
