package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/internal/fault"
)

type personRow struct {
	Name string `parquet:"name"`
	Age  int32  `parquet:"age"`
}

// swappedRow has the columns of personRow in the other order, one of them nullable.
type swappedRow struct {
	Age  *int32 `parquet:"age"`
	Name string `parquet:"name"`
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// writeRows writes a file below dir, with its directories.
func writeRows[T any](t testing.TB, dir, name string, rows []T,
	options ...parquet.WriterOption) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, parquet.WriteFile(path, rows, options...))
	return path
}

func openDataset(t *testing.T, patterns ...string) *Dataset {
	t.Helper()
	d, err := Open(context.Background(), patterns, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func allColumns(d *Dataset) []formats.Request {
	requests := make([]formats.Request, len(d.Schema().Fields))
	for i := range requests {
		requests[i] = formats.Request{Column: i, Coded: true}
	}
	return requests
}

// A folder that is too deep is refused, not reported as a bug.
func TestDiscoverDeep(t *testing.T) {
	for levels, want := range map[int]error{maxDirectoryDepth: formats.ErrNoInput,
		maxDirectoryDepth + 1: fault.Input} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", levels)), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := discover(t.Context(), []string{dir}); !errors.Is(err, want) {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.parquet", "a.parquet", "a-1.parquet", "sub/c.parquet",
		"sub/deep/d.parquet", "_SUCCESS", ".crc", "_temporary/x.parquet", ".git/y.parquet",
		"[z].parquet"} {
		writeRows(t, dir, name, []personRow{{"ann", 1}})
	}
	if err := os.Symlink(filepath.Join(dir, "sub"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ pattern, want string }{
		{".", "[z].parquet a-1.parquet a.parquet b.parquet link/c.parquet link/deep/d.parquet"},
		{"a.parquet", "a.parquet"},
		{"a*.parquet", "a-1.parquet a.parquet"},
		{"*.parquet", "[z].parquet a-1.parquet a.parquet b.parquet"},
		{"?.parquet", "a.parquet b.parquet"},
		{"[ab].parquet", "a.parquet b.parquet"},
		{"[z].parquet", "[z].parquet"},
		{"sub/**/*.parquet", "sub/c.parquet sub/deep/d.parquet"},
		{"sub/**", "sub/c.parquet sub/deep/d.parquet"},
		{"su?", "sub/c.parquet sub/deep/d.parquet"},
		{"_temp*/*", "_temporary/x.parquet"},
		{"_SUCCESS", "_SUCCESS"},
		{"nothing*", ""},
		{"missing.parquet", ""},
		{"a.parquet/missing.parquet", ""},
	} {
		files, err := discover(t.Context(), []string{filepath.Join(dir, c.pattern)})
		if c.want == "" {
			if !errors.Is(err, formats.ErrNoInput) {
				t.Errorf("%s: %v, want ErrNoInput", c.pattern, err)
			}
			continue
		}
		var got []string
		for _, file := range files {
			rel, _ := filepath.Rel(dir, file.path)
			got = append(got, filepath.ToSlash(rel))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v, want %s", c.pattern, got, err, c.want)
		}
	}
	both, err := discover(t.Context(), []string{filepath.Join(dir, "b.parquet"),
		filepath.Join(dir, "*.parquet")})
	if err != nil || len(both) != 4 || filepath.Base(both[0].path) != "b.parquet" {
		t.Errorf("two patterns: %v, %v: want b.parquet first, and once", both, err)
	}
	both, err = discover(t.Context(), []string{filepath.Join(dir, "sub", "c.parquet"),
		filepath.Join(dir, "link")})
	if err != nil || len(both) != 2 || filepath.Base(both[0].path) != "c.parquet" ||
		filepath.Base(both[1].path) != "d.parquet" {
		t.Errorf("a file and a link to its folder: %v, %v: want every file once", both, err)
	}
	if err := os.Link(filepath.Join(dir, "a.parquet"),
		filepath.Join(dir, "c.parquet")); err != nil {
		t.Fatal(err)
	}
	both, err = discover(t.Context(), []string{filepath.Join(dir, "*.parquet")})
	if err != nil || len(both) != 4 || filepath.Base(both[2].path) != "a.parquet" {
		t.Errorf("a file of two names: %v, %v: want it once", both, err)
	}
	if _, err := discover(t.Context(), nil); !errors.Is(err, formats.ErrNoInput) {
		t.Errorf("no pattern: %v, want ErrNoInput", err)
	}
}

func TestOpenUnifiesFiles(t *testing.T) {
	dir := t.TempDir()
	writeRows(t, dir, "1.parquet", []personRow{{"ann", 1}, {"bob", 2}})
	age := int32(3)
	writeRows(t, dir, "2.parquet", []swappedRow{{&age, "cid"}, {nil, "dan"}})
	writeRows(t, dir, "3.parquet", []personRow{})
	d := openDataset(t, dir)
	if fields := d.Schema().Fields; len(fields) != 2 || fields[1].Name != "age" ||
		!fields[1].Nullable || fields[0].Nullable {
		t.Fatalf("schema %+v", fields)
	}
	if e := schema.Of(d.Schema().Fields[1])[0]; e.RepetitionType.V != format.Optional {
		t.Errorf("declared as %v, want optional", e.RepetitionType.V)
	}
	if d.Rows() != 4 || len(d.Files()) != 3 || len(d.Splits()) != 2 {
		t.Errorf("%d rows, %d files, %d splits", d.Rows(), len(d.Files()), len(d.Splits()))
	}
	if got := datasetTexts(t, d, allColumns(d)); fmt.Sprint(got) != "[ann,1 bob,2 cid,3 dan,null]" {
		t.Errorf("read %v", got)
	}
}

// datasetTexts reads coded columns and returns the rows as text.
func datasetTexts(t *testing.T, d *Dataset, requests []formats.Request) []string {
	t.Helper()
	var rows []string
	for _, s := range d.Splits() {
		r, err := d.Read(context.Background(), s, requests)
		if err != nil {
			t.Fatal(err)
		}
		for {
			b, err := r.Next(context.Background())
			if err != nil {
				break
			}
			for i := range b.Rows {
				var cells []string
				for _, c := range b.Columns {
					text := "null"
					if code := c.Codes[i]; code > 0 {
						text = c.Values.Text(int(code - 1))
					}
					cells = append(cells, text)
				}
				rows = append(rows, strings.Join(cells, ","))
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func TestOpenRefuses(t *testing.T) {
	person := []personRow{{"ann", 1}}
	for name, c := range map[string]struct {
		write func(dir string)
		want  error
		words []string
	}{
		"keys": {func(dir string) {
			writeRows(t, dir, "a.parquet", person)
			writeRows(t, dir, "y=1/b.parquet", person)
		}, formats.ErrSchema, []string{"a.parquet", "b.parquet"}},
		"key and column": {func(dir string) {
			writeRows(t, dir, "age=1/b.parquet", person)
		}, formats.ErrSchema, []string{`"age"`}},
		"not a table": {func(dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "readme.md"), []byte("hello"), 0o600))
		}, formats.ErrUnsupported, []string{"readme.md", ".csv"}},
		"not parquet": {func(dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "a.parquet"), []byte("hello"), 0o600))
		}, formats.ErrDamaged, []string{"a.parquet", "PAR1"}},
		"encrypted": {func(dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "a.parquet"), []byte("PAREPARE"), 0o600))
		}, formats.ErrUnsupported, []string{"a.parquet", "encrypted"}},
		"workbook": {func(dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte("PK\x03\x04\x14\x00"), 0o600))
		}, formats.ErrUnsupported, []string{"a.csv", "Excel"}},
		"link to nothing": {func(dir string) {
			must(t, os.Symlink("nowhere", filepath.Join(dir, "a.parquet")))
		}, formats.ErrNoInput, []string{"a.parquet"}},
		"device": {func(dir string) {
			must(t, os.Symlink(os.DevNull, filepath.Join(dir, "a.parquet")))
		}, formats.ErrUnsupported, []string{"a.parquet", "no file"}},
		"empty directory": {func(string) {}, formats.ErrNoInput, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(dir)
			_, err := Open(context.Background(), []string{dir}, formats.ReadOptions{})
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			for _, word := range c.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%v: does not mention %s", err, word)
				}
			}
		})
	}
}

func TestHivePartitions(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{
		"year=2024/day=2024-01-01/city=S%C3%A3o%20Paulo/a.parquet",
		"year=2024/day=2024-01-02/city=1/a.parquet",
		"year=2025/day=__HIVE_DEFAULT_PARTITION__/city=01/a.parquet",
	} {
		writeRows(t, dir, name, []personRow{{"ann", int32(i)}, {"bob", int32(i)}})
	}
	for _, pattern := range []string{dir, filepath.Join(dir, "*/*/*/*.parquet"),
		filepath.Join(dir, "**/a.parquet")} {
		d := openDataset(t, pattern)
		var names []string
		for _, f := range d.Schema().Fields[2:] {
			names = append(names, fmt.Sprintf("%s %s %v %v", f.Name, f.Type, f.Nullable, f.Hive))
		}
		if want := []string{"year int64 false true", "day date true true",
			"city string false true"}; !slices.Equal(names, want) {
			t.Fatalf("%s: columns %q, want %q", pattern, names, want)
		}
		want := "[ann,0,2024,2024-01-01,São Paulo bob,0,2024,2024-01-01,São Paulo " +
			"ann,1,2024,2024-01-02,1 bob,1,2024,2024-01-02,1 ann,2,2025,null,01 bob,2,2025,null,01]"
		if got := fmt.Sprint(datasetTexts(t, d, allColumns(d))); got != want {
			t.Errorf("%s: read %s, want %s", pattern, got, want)
		}
		only, err := d.Read(context.Background(), d.Splits()[0],
			[]formats.Request{{Column: 4}, {Column: 4}})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := only.Next(context.Background()); err != nil || b.Rows != 2 ||
			b.Columns[1].Codes[1] != 1 {
			t.Errorf("hive columns alone: %v", err)
		}
		only.Close()
	}
	single := openDataset(t, filepath.Join(dir, "year=2025"))
	if n := len(single.Schema().Fields); n != 4 {
		t.Errorf("below year=2025 there are %d columns, want 4", n)
	}
}

func TestPlanSplits(t *testing.T) {
	files := []member{
		{path: "a", records: []int64{0, 30000, 40000, 0, 70000, 10}},
		{path: "b", records: []int64{0, 0}},
		{path: "c", records: nil},
		{path: "d", records: []int64{5}},
	}
	want := []formats.Split{
		{Ordinal: 0, File: "a", First: 0, Count: 3, Row: 0, Rows: 70000},
		{Ordinal: 1, File: "a", First: 3, Count: 2, Row: 70000, Rows: 70000},
		{Ordinal: 2, File: "a", First: 5, Count: 1, Row: 140000, Rows: 10},
		{Ordinal: 3, File: "d", First: 0, Count: 1, Row: 140010, Rows: 5},
	}
	if got := planSplits(files); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestManyFiles opens more files than a dataset keeps open, and reads them from several goroutines
// at a time. Opening a CSV file reads the whole file, so all of them are kept.
func TestManyFiles(t *testing.T) {
	for ext, kept := range map[string]int{"parquet": keptSources, "csv": 3 * keptSources} {
		dir := t.TempDir()
		for i := range 3 * keptSources {
			name := fmt.Sprintf("%03d.%s", i, ext)
			if ext == "parquet" {
				writeRows(t, dir, name, []personRow{{"ann", int32(i)}})
			} else if err := os.WriteFile(filepath.Join(dir, name), []byte("name,age\nann,1\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := openDataset(t, dir)
		if n := len(d.sources.entries); n > kept || ext == "csv" && n < kept {
			t.Errorf("%d %s files are open, want %d", n, ext, kept)
		}
		err := fence.Each(4, 4, func(int) error {
			rows := int64(0)
			for _, s := range d.Splits() {
				r, err := d.Read(context.Background(), s, []formats.Request{{Column: 0}})
				if err != nil {
					return err
				}
				b, err := r.Next(context.Background())
				if err == nil {
					rows += int64(b.Rows)
				}
				r.Close()
			}
			if rows != 3*keptSources {
				return fmt.Errorf("%d rows, want %d", rows, 3*keptSources)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", ext, err)
		}
		if err := d.Close(); err != nil || len(d.sources.entries) > 0 {
			t.Errorf("after Close %d %s files are open: %v", len(d.sources.entries), ext, err)
		}
	}
}

// TestFirstErrorOfManyFiles damages two of many files: with any number of goroutines that open
// them, the error is that of the first.
func TestFirstErrorOfManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		writeRows(t, dir, fmt.Sprintf("%03d.parquet", i), []personRow{{"ann", int32(i)}})
	}
	if err := os.WriteFile(filepath.Join(dir, "055.parquet"), []byte("PARE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "060.parquet"), []byte("PAR1 and no more"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, spoil := range []string{"055.parquet", "054.parquet"} {
		for _, threads := range []int{0, 1, 2, 16} {
			_, err := Open(context.Background(), []string{dir},
				formats.ReadOptions{Threads: threads})
			if err == nil || !strings.Contains(err.Error(), spoil) {
				t.Errorf("%d threads: got %v, want an error of %s", threads, err, spoil)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "054.parquet"), []byte("PAR1 and no more"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileChangesWhileInUse(t *testing.T) {
	dir := t.TempDir()
	path := writeRows(t, dir, "a.parquet", []personRow{{"ann", 1}})
	d := openDataset(t, dir)
	d.sources.close()
	writeRows(t, dir, "a.parquet", []personRow{{"ann", 1}, {"bob", 2}})
	if _, err := d.Read(context.Background(), d.Splits()[0], nil); !errors.Is(err,
		formats.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestDuplicateColumns(t *testing.T) {
	if err := checkNames("a.parquet", []formats.Field{{Name: "x"}, {Name: "y"},
		{Name: "x"}}); !errors.Is(err, formats.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}

// TestDigest: the digest of an input depends on its files' contents, order and hive partitions, and
// not on their location or on the threads.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"a/x.csv": "one", "a/y.csv": "two", "moved/a.csv": "one", "moved/b.csv": "two",
		"swapped/a.csv": "two", "swapped/b.csv": "one",
		"hive/year=1/x.csv": "one", "hive/year=1/y.csv": "two", "later/year=2/x.csv": "one",
		"later/year=2/y.csv":  "two",
		"copied/year=1/p.csv": "one", "copied/year=1/q.csv": "two", "more/a.csv": "one",
		"more/b.csv": "two", "more/c.csv": "",
	} {
		path = filepath.Join(dir, path)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)))
	}
	of := func(name string, threads int) string {
		sum, err := Digest(t.Context(), []string{filepath.Join(dir, name)}, threads)
		if err != nil {
			t.Fatal(err)
		}
		return sum.String()
	}
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"a", "moved", true}, {"a", "moved/*.csv", true}, {"a", "swapped", false},
		{"a", "more", false}, {"a", "a/x.csv", false},
		{"a", "hive", false}, {"hive", "later", false}, {"hive", "copied", true},
	} {
		if same := of(tt.a, 1) == of(tt.b, 3); same != tt.same {
			t.Errorf("%s and %s have the same digest: %t, want %t", tt.a, tt.b, same, tt.same)
		}
	}
	if _, err := Digest(t.Context(), []string{filepath.Join(dir, "none")}, 1); !errors.Is(err,
		formats.ErrNoInput) {
		t.Errorf("no file: %v", err)
	}
}
