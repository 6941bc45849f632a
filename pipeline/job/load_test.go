package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

const smallJob = `input: in.csv
output: out.parquet
quasi_identifiers:
  - {columns: [age], k: 5}
  - {columns: [zip], k: 6}
columns: {age: discretize, zip: {mask: generalize, taxonomy: zips}, note: keep}
taxonomies: {zips: {prefix: [2]}}
limits: {memory: 1GiB}
`

// writeFile writes a file of a test and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	job, err := Load(filepath.Join("testdata", "good", "everything.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("testdata", "good") + "/"
	if want := []string{dir + "a.csv", dir + "b c.csv", "/data/*.csv"}; !slices.Equal(job.Input, want) {
		t.Errorf("input %q, want %q", job.Input, want)
	}
	if want := (Output{Path: dir + "out/", Compression: "gzip", Level: 9, RowGroupRows: 1000}); job.Output != want {
		t.Errorf("output %+v, want %+v", job.Output, want)
	}
	if len(job.Sets) != 2 || job.Sets[1].K != 5 || !slices.Equal(job.Sets[0].Columns, []string{"age", "no", "a: b"}) {
		t.Errorf("sets %+v", job.Sets)
	}
	if want := (Limits{Memory: 3 << 29, Threads: 8, SpillDir: "/scratch/"}); job.Limits != want {
		t.Errorf("limits %+v, want %+v", job.Limits, want)
	}
	if job.MaxSteps == nil || *job.MaxSteps != 0 || job.CSV.Delimiter != '\t' || job.Score != "infogain" || job.Algorithm.Name != "tds" {
		t.Errorf("steps %v, delimiter %q, score %s, algorithm %s", job.MaxSteps, job.CSV.Delimiter, job.Score, job.Algorithm.Name)
	}
	age, amount := job.Column("age"), job.Column("amount")
	if age.Bounds.Lower != "" || age.Bounds.Upper != "90.5" || age.Render != RenderMidpoint || age.Type != "number" {
		t.Errorf("age %+v", age)
	}
	want := formats.Type{Kind: formats.Decimal, Precision: 10, Scale: 2}
	if got, ok := amount.DeclaredType(); amount.Bounds.Lower != "-5" || !ok || got != want {
		t.Errorf("amount %+v of type %+v", amount, got)
	}
	if no := job.Column("no"); no.Unknown != UnknownRoot || no.Taxonomy.Tree == nil || no.Taxonomy.Tree.Children[0].Children[0].Name != "1" {
		t.Errorf("no %+v", no)
	}
	if null := job.Column("null"); null.Taxonomy.Name != "null" || job.Taxonomies["null"].Tree == nil || null.Type != "" {
		t.Errorf("null %+v", null)
	}
	if file := job.Taxonomies["file"].File; file != dir+"trees/shared.csv" {
		t.Errorf("file %q", file)
	}
}

func TestDefaults(t *testing.T) {
	job, err := Parse("jobs/a.yaml", []byte(smallJob), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Output{Path: "jobs/out.parquet", Compression: "zstd"}
	if job.Output != want || job.Algorithm != (Algorithm{Name: AlgorithmTDR}) || job.Score != "tdr" || job.MaxSteps != nil || job.Unlisted != UnlistedError {
		t.Errorf("got %+v", job)
	}
	if age := job.Column("age"); age.Render != RenderLabel || age.Bounds != (Bounds{}) || age.Unknown != "" {
		t.Errorf("age %+v", age)
	}
	tds, err := Parse("a.yaml", []byte(smallJob+"algorithm: tds\n"), nil)
	if err != nil || tds.Score != "tds" {
		t.Errorf("tds: score %+v, %v", tds, err)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	var bad *Error
	if _, err := Load(filepath.Join(dir, "none.yaml"), nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
	if _, err := Load(dir, nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "it is a directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := Load(writeFile(t, dir, "big.yaml", strings.Repeat("# a comment\n", 2<<20)), nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("large: %v", err)
	}
	if cause := pathCause(fs.ErrClosed); cause != "" {
		t.Errorf("a failing disk is not the job's fault: %s", cause)
	}
}

func FuzzParse(f *testing.F) {
	for _, folder := range []string{"good", "bad"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		job, err := Parse("jobs/a.yaml", text, []Override{{"limits.threads", "2", "--threads"}})
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) || len(bad.Problems) == 0 {
				t.Fatalf("got %v, want an Error", err)
			}
			return
		}
		again, err := Parse("jobs/a.yaml", []byte(job.YAML()), nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, job.YAML())
		}
		if !reflect.DeepEqual(plainJob(job), plainJob(again)) {
			t.Fatalf("got\n%+v\nwant\n%+v\nfrom\n%s", plainJob(again), plainJob(job), job.YAML())
		}
	})
}

// A table that is taken for a job has people in it, of whom nothing is told.
func TestLoadTellsNothingOfTables(t *testing.T) {
	for _, text := range []string{
		"\"name\",\"ssn\"\n\"Anna Meier\",\"1\"\n", "name;note\nAnna;she said: hello\n", "Anna Meier: 1\n",
		"{\"name\": \"Anna\"}\n{\"name\": \"Bob\"}\n", "PAR1\x00Anna\xff", "{Anna", "'Anna' Meier\n",
	} {
		_, err := Load(writeFile(t, t.TempDir(), "people.csv", text), nil)
		var broken *Error
		if !errors.As(err, &broken) || strings.Contains(err.Error(), "Anna") || !strings.Contains(err.Error(), "not a job") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"input : x", "{'output' : x", "\"columns\":\n - x", "# people\nquasi_identifiers: x"} {
		if !resemblesJob([]byte(text)) {
			t.Errorf("%q resembles no job", text)
		}
	}
}
