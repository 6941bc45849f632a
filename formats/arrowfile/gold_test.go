package arrowfile

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// arrowTesting holds the Arrow project's own files.
const arrowTesting = "arrow-testing/data"

// goldFile is an integration file of the Arrow project in JSON.
type goldFile struct {
	Schema struct {
		Fields []goldField
	}
	Batches []struct {
		Columns []goldColumn
	}
	Dictionaries []struct {
		ID   json.Number
		Data struct {
			Columns []goldColumn
		}
	}
}

type goldField struct {
	Name string
	Type struct {
		Name, Unit, Precision any
	}
	Dictionary *struct {
		ID json.Number
	}
}

type goldColumn struct {
	Name     string
	Count    int
	Validity []json.Number `json:"VALIDITY"`
	Data     []any         `json:"DATA"`
	Views    []struct {
		Size        int    `json:"SIZE"`
		Inlined     *any   `json:"INLINED"`
		BufferIndex int    `json:"BUFFER_INDEX"`
		Offset      int    `json:"OFFSET"`
		Prefix      string `json:"PREFIX_HEX"`
	} `json:"VIEWS"`
	Blocks []string `json:"VARIADIC_DATA_BUFFERS"`
}

func readGold(t *testing.T, path string) *goldFile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	d.UseNumber()
	g := &goldFile{}
	if err := d.Decode(g); err != nil {
		t.Fatal(err)
	}
	return g
}

// cells returns a flat column of all batches, and false when JSON has it in a form that is
// not compared.
func (g *goldFile) cells(column int) (out []string, ok bool) {
	f := g.Schema.Fields[column]
	entries, found := []string(nil), false
	for _, d := range g.Dictionaries {
		if f.Dictionary != nil && d.ID == f.Dictionary.ID {
			entries, found = goldCells(f, d.Data.Columns[0])
		}
	}
	for _, b := range g.Batches {
		c := b.Columns[column]
		if f.Dictionary == nil {
			cells, ok := goldCells(f, c)
			if !ok {
				return nil, false
			}
			out = append(out, cells...)
			continue
		}
		for i, index := range c.Data {
			n, err := strconv.Atoi(fmt.Sprint(index))
			switch {
			case err != nil || !found:
				return nil, false
			case c.Validity[i] == "0":
				out = append(out, formatstest.NullCell)
			default:
				out = append(out, entries[n])
			}
		}
	}
	return out, true
}

// goldCells returns the cells of one column of a batch.
func goldCells(f goldField, c goldColumn) ([]string, bool) {
	out := make([]string, c.Count)
	for i := range out {
		ok := true
		switch {
		case f.Type.Name == "null":
			out[i] = formatstest.NullCell
		case i >= len(c.Validity):
			ok = false
		case c.Validity[i] == "0":
			out[i] = formatstest.NullCell
		case c.Views != nil:
			out[i], ok = c.view(i, f.Type.Name == "utf8view")
		case i < len(c.Data):
			out[i], ok = goldCell(f, c.Data[i])
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return out, true
}

func (c *goldColumn) view(i int, text bool) (string, bool) {
	v := c.Views[i]
	switch {
	case v.Inlined == nil && text:
		raw, err := unhex(c.Blocks[v.BufferIndex])
		return string(raw[v.Offset : v.Offset+v.Size]), err == nil
	case v.Inlined == nil:
		return strings.ToLower(c.Blocks[v.BufferIndex][2*v.Offset : 2*(v.Offset+v.Size)]), true
	case text:
		return fmt.Sprint(*v.Inlined), true
	}
	return strings.ToLower(fmt.Sprint(*v.Inlined)), true
}

func unhex(s string) (out []byte, err error) {
	_, err = fmt.Sscanf(s, "%x", &out)
	return out, err
}

// goldCell returns one value as cellText has it.
func goldCell(f goldField, v any) (string, bool) {
	text := fmt.Sprint(v)
	switch f.Type.Name {
	case "int", "utf8", "largeutf8", "time", "timestamp", "decimal":
		return text, true
	case "bool":
		return map[string]string{"true": "1", "false": "0"}[text] + strings.Trim(text, "truefals"), true
	case "binary", "largebinary", "fixedsizebinary":
		return strings.ToLower(text), true
	case "date":
		n, err := strconv.ParseInt(text, 10, 64)
		if f.Type.Unit == "MILLISECOND" {
			return fmt.Sprint(n / millisPerDay), err == nil && n%millisPerDay == 0
		}
		return text, err == nil
	case "floatingpoint":
		bits := map[any]int{"SINGLE": 32, "DOUBLE": 64}[f.Type.Precision]
		x, err := strconv.ParseFloat(text, max(bits, 1))
		return fmt.Sprint(x), err == nil && bits > 0
	}
	return "", false
}

// TestGold reads the integration files of many Arrow versions and both byte orders and
// compares their flat columns with what the same files say in JSON.
func TestGold(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(formatstest.SharedData(t, arrowTesting), "arrow-ipc-stream/integration/*/*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range files {
		gold := readGold(t, path)
		for _, ext := range []string{".arrow_file", ".stream"} {
			compared += compareGold(t, gold, strings.TrimSuffix(path, ".json.gz")+ext)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d columns compared", compared)
	}
}

// compareGold returns the number of columns that it compared.
func compareGold(t *testing.T, gold *goldFile, path string) (compared int) {
	s, err := Open(context.Background(), path, formats.ReadOptions{BatchRows: 3})
	if err != nil {
		formatstest.CheckRefused(t, err)
		if !errors.Is(err, formats.ErrUnsupported) || !strings.Contains(err.Error(), "two columns named") {
			t.Error(err)
		}
		return 0
	}
	defer s.Close()
	for i, f := range s.Fields() {
		want, ok := gold.cells(i)
		for _, coded := range []bool{true, false} {
			if f.Type.Kind == formats.Nested {
				continue
			}
			got, err := formatstest.ReadCells(s, 0, len(s.Chunks()), formats.Request{Column: i, Coded: coded})
			if err != nil {
				formatstest.CheckRefused(t, err)
				if f.Type.Kind != formats.Date || ok {
					t.Errorf("%s: %v", path, err)
				}
				continue
			}
			if !ok || !reflect.DeepEqual(got[0], want) {
				t.Errorf("%s: column %s (%v): got %q, want %q", path, f.Name, f.Type, got[0], want)
			}
			compared++
		}
	}
	return compared
}

// TestDamaged reads files that used to crash other readers: each is read or refused.
func TestDamaged(t *testing.T) {
	n := 0
	for _, dir := range []string{"arrow-ipc-file", "arrow-ipc-stream"} {
		err := filepath.WalkDir(filepath.Join(formatstest.SharedData(t, arrowTesting), dir), func(path string, d fs.DirEntry, err error) error {
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

// readOrRefuse reads every column of an Arrow file in both ways.
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
			if rows, err := formatstest.Drain(s, []formats.Request{{Column: i, Coded: coded}}); err != nil {
				formatstest.CheckRefused(t, err)
			} else if rows != formatstest.Rows(s) {
				t.Errorf("%s: %d rows, said %d", path, rows, formatstest.Rows(s))
			}
		}
	}
}
