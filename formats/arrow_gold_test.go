package formats

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
)

const arrowTesting = "../../shared/data/arrow-testing/data"

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
				out = append(out, nullCell)
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
			out[i] = nullCell
		case i >= len(c.Validity):
			ok = false
		case c.Validity[i] == "0":
			out[i] = nullCell
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

// TestArrowGold reads the integration files of many Arrow versions and both byte orders and
// compares their flat columns with what the same files say in JSON.
func TestArrowGold(t *testing.T) {
	files, _ := filepath.Glob(arrowTesting + "/arrow-ipc-stream/integration/*/*.json.gz")
	if len(files) == 0 {
		t.Skip("no shared data")
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
	s, err := openArrow(context.Background(), path, ReadOptions{BatchRows: 3})
	if err != nil {
		checkRefused(t, err)
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "two columns named") {
			t.Error(err)
		}
		return 0
	}
	defer s.close()
	for i, f := range s.fields() {
		want, ok := gold.cells(i)
		for _, coded := range []bool{true, false} {
			if f.Type.Kind == Nested {
				continue
			}
			got, err := readCells(s, 0, len(s.chunks()), Request{Column: i, Coded: coded})
			if err != nil {
				checkRefused(t, err)
				if f.Type.Kind != Date || ok {
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

// TestArrowDamaged reads files that used to crash other readers: each is read or refused.
func TestArrowDamaged(t *testing.T) {
	n := 0
	for _, dir := range []string{"/arrow-ipc-file", "/arrow-ipc-stream"} {
		err := filepath.WalkDir(arrowTesting+dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "integration") {
				return err
			}
			n++
			readOrRefuse(t, path)
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("no shared data")
		}
	}
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

// readOrRefuse reads every column of an Arrow file in both ways.
func readOrRefuse(t testing.TB, path string) {
	t.Helper()
	s, err := openArrow(context.Background(), path, ReadOptions{})
	if err != nil {
		checkRefused(t, err)
		return
	}
	defer s.close()
	for i := range s.fields() {
		for _, coded := range []bool{true, false} {
			if rows, err := drain(s, []Request{{Column: i, Coded: coded}}); err != nil {
				checkRefused(t, err)
			} else if rows != rowsOf(s) {
				t.Errorf("%s: %d rows, said %d", path, rows, rowsOf(s))
			}
		}
	}
}
