package jobfile

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
	"github.com/kcut/kcut/formats/taxonomy"
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
	if job.MaxSteps == nil || *job.MaxSteps != 0 || job.CSV.Delimiter != '\t' || job.Score != "infogain" || job.Algorithm != "tds" {
		t.Errorf("steps %v, delimiter %q, score %s, algorithm %s", job.MaxSteps, job.CSV.Delimiter, job.Score, job.Algorithm)
	}
	age, amount := job.Column("age"), job.Column("amount")
	if age.Bounds.Lower != "" || age.Bounds.Upper != "90.5" || age.Render != RenderMidpoint || age.Type.Kind != formats.Float {
		t.Errorf("age %+v", age)
	}
	if want := (formats.Type{Kind: formats.Decimal, Precision: 10, Scale: 2}); amount.Bounds.Lower != "-5" || *amount.Type != want {
		t.Errorf("amount %+v of type %+v", amount, amount.Type)
	}
	if no := job.Column("no"); no.Unknown != UnknownRoot || no.Taxonomy.Tree == nil || no.Taxonomy.Tree.Children[0].Children[0].Name != "1" {
		t.Errorf("no %+v", no)
	}
	if null := job.Column("null"); null.Taxonomy.Name != "null" || job.Taxonomies["null"].Tree == nil || null.Type != nil {
		t.Errorf("null %+v", null)
	}
	if file := job.Taxonomies["file"].File; file != dir+"trees/shared.csv" {
		t.Errorf("file %q", file)
	}
}

func TestDefaults(t *testing.T) {
	job, err := parse("jobs/a.yaml", []byte(smallJob), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Output{Path: "jobs/out.parquet", Compression: "zstd", RowGroupRows: 262144}
	if job.Output != want || job.Algorithm != AlgorithmTDR || job.Score != "tdr" || job.MaxSteps != nil || job.Unlisted != UnlistedError {
		t.Errorf("got %+v", job)
	}
	if age := job.Column("age"); age.Render != RenderLabel || age.Bounds != (Bounds{}) || age.Unknown != "" {
		t.Errorf("age %+v", age)
	}
	tds, err := parse("a.yaml", []byte(smallJob+"algorithm: tds\n"), nil)
	if err != nil || tds.Score != "tds" {
		t.Errorf("tds: score %+v, %v", tds, err)
	}
}

func TestOverrides(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	job, err := parse("jobs/a.yaml", []byte(smallJob), []Override{
		{"quasi_identifiers[].k", "30", "--k"},
		{"limits.memory", "2MiB", "--memory"},
		{"limits.memory", "4MiB", "KCUT_MEMORY"}, // flags win, whatever the order
		{"limits.threads", "3", "KCUT_THREADS"},
		{"output.path", "new/", "--output"},
		{"input", "x.csv", "KCUT_INPUT"},
		{"input", "a.csv", "--input"},
		{"input", "/b.csv", "--input"},
		{"max_steps", "7", "--max-steps"},
		{"class", "note", "--class"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if job.Sets[0].K != 30 || job.Sets[1].K != 30 || job.Limits.Memory != 2<<20 || job.Limits.Threads != 3 || *job.MaxSteps != 7 || job.Class != "note" {
		t.Errorf("got %+v", job)
	}
	if want := []string{here + "/a.csv", "/b.csv"}; !slices.Equal(job.Input, want) || job.Output.Path != here+"/new/" {
		t.Errorf("input %q, want %q; output %q", job.Input, want, job.Output.Path)
	}
	origins := make(map[string]string)
	for _, s := range job.Settings() {
		origins[s.Key] = s.Origin
	}
	want := map[string]string{
		"input": "--input", "output.path": "--output", "output.compression": "default", "quasi_identifiers[1].k": "--k",
		"quasi_identifiers[1].columns": "a.yaml:5", "limits.memory": "--memory", "limits.threads": "KCUT_THREADS",
		"columns.age.mask": "a.yaml:6", "columns.zip.unknown": "default", "score": "default", "limits.spill_dir": "default",
	}
	for key, origin := range want {
		if origins[key] != origin {
			t.Errorf("origin of %s is %q, want %q", key, origins[key], origin)
		}
	}
}

// What is wrong with an override is said once, and names the flag or the variable.
func TestOverrideProblems(t *testing.T) {
	tests := []struct {
		override Override
		want     string
	}{
		{Override{"quasi_identifiers[].k", "0", "--k"}, "--k: k must be an integer of at least 1, not 0"},
		{Override{"limits.memory", "lots", "KCUT_MEMORY"}, `KCUT_MEMORY: memory must be a size such as 1GiB, 512MiB or 2GB, not "lots"`},
		{Override{"algorithm", "mondrian", "--algorithm"}, "--algorithm: algorithm mondrian is not available in this version\n    hint: available are tdr and tds"},
		{Override{"score", "tdx", "--score"}, "--score: score must be one of tdr, tds, infogain, not \"tdx\"\n    hint: did you mean \"tdr\"?"},
		{Override{"output.path", "", "--output"}, "--output: path is empty"},
		{Override{"class", "age", "--class"}, "--class"},
		{Override{"columns", "x", "--columns"}, `--columns: no such key of a job: "columns"`},
		{Override{"limits.threads", "", "KCUT_THREADS"}, "KCUT_THREADS: threads has no value\n    hint: give it a value, or leave it out"},
	}
	for _, tt := range tests {
		_, err := parse("a.yaml", []byte(smallJob), []Override{tt.override})
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%v: got %v", tt.override, err)
			continue
		}
		if tt.override.Key == "class" { // then the file is wrong where it masks the class
			if len(bad.Problems) != 2 || bad.Problems[0].Line != 4 {
				t.Errorf("%v: got %v", tt.override, err)
			}
		} else if err.Error() != tt.want {
			t.Errorf("%v: got\n%v\nwant\n%s", tt.override, err, tt.want)
		}
	}
}

func TestEnvironmentOverrides(t *testing.T) {
	env := map[string]string{"KCUT_MEMORY": "1GiB", "KCUT_MAX_STEPS": "0", "KCUT_K": "", "KCUT_OTHER": "x"}
	got := EnvironmentOverrides(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	want := []Override{{"max_steps", "0", "KCUT_MAX_STEPS"}, {"limits.memory", "1GiB", "KCUT_MEMORY"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var flags []string
	for _, f := range Flags() {
		flags = append(flags, f.Name)
	}
	const all = "--input --output --compression --class --k --algorithm --score --max-steps --memory --threads --spill-dir"
	if strings.Join(flags, " ") != all {
		t.Errorf("flags %v, want %s", flags, all)
	}
}

// plainJob returns a job without what depends on where it was read from.
func plainJob(job *Job) *Job {
	plain := *job
	plain.File, plain.source = "", document{}
	plain.Columns = slices.Clone(job.Columns)
	for i := range plain.Columns {
		c := &plain.Columns[i]
		c.Taxonomy = plainTaxonomy(c.Taxonomy)
	}
	plain.Taxonomies = make(map[string]*TaxonomySource)
	for name, spec := range job.Taxonomies {
		plain.Taxonomies[name] = plainTaxonomy(spec)
	}
	return &plain
}

func plainTaxonomy(spec *TaxonomySource) *TaxonomySource {
	if spec == nil {
		return nil
	}
	plain := *spec
	plain.pos = pos{}
	if plain.Tree != nil {
		tree := plainTree(*plain.Tree)
		plain.Tree = &tree
	}
	return &plain
}

func plainTree(n taxonomy.Node) taxonomy.Node {
	n.Line, n.Column = 0, 0
	children := make([]taxonomy.Node, len(n.Children))
	for i := range n.Children {
		children[i] = plainTree(n.Children[i])
	}
	n.Children = children
	return n
}

// The resolved job, saved, is the same job.
func TestResolvedJobLoadsAgain(t *testing.T) {
	for _, path := range jobsIn(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			job, err := Load(path, []Override{{"quasi_identifiers[].k", "9", "--k"}, {"limits.spill_dir", "a b", "--spill-dir"}})
			if err != nil {
				t.Fatal(err)
			}
			again, err := parse(path, []byte(job.YAML()), nil)
			if err != nil {
				t.Fatalf("%v in\n%s", err, job.YAML())
			}
			if !reflect.DeepEqual(plainJob(job), plainJob(again)) {
				t.Errorf("got\n%+v\nwant\n%+v\nfrom\n%s", plainJob(again), plainJob(job), job.YAML())
			}
		})
	}
}

// What kcut config prints.
func TestYAML(t *testing.T) {
	job, err := Load(filepath.Join("testdata", "good", "people.yaml"),
		[]Override{{"quasi_identifiers[].k", "30", "--k"}, {"limits.memory", "2GB", "KCUT_MEMORY"}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "resolved.golden"), job.YAML())
}

func TestLoadTaxonomies(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "trees/sex.csv", "F;*\nM;*\n")
	writeFile(t, dir, "trees/race.yaml", "ANY: [a, b]\n")
	path := writeFile(t, dir, "job.yaml", `input: a
output: b
quasi_identifiers: [{columns: [sex, gender, race, zip, city], k: 2}]
columns:
  sex: generalize
  gender: {mask: generalize, taxonomy: sex}
  race: generalize
  zip: {mask: generalize, taxonomy: {prefix: [3]}}
  city: {mask: generalize, taxonomy: {ANY: [x, y]}}
taxonomies: {sex: trees/sex.csv, race: trees/race.yaml, unused: trees/none.csv}
`)
	job, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := job.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 || got["sex"].Tree != got["gender"].Tree || got["sex"].Tree.Name != "*" || len(got["race"].Tree.Children) != 2 ||
		got["zip"].Generator.Prefix[0] != 3 || got["city"].Tree.Children[1].Name != "y" {
		t.Errorf("got %+v", got)
	}
}

func TestLoadTaxonomiesProblems(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "bad.csv", "F;*\nF;*\n")
	writeFile(t, dir, "trees.yaml", "gender: {ANY: [F, M]}\n")
	const head = "input: a\noutput: b\nquasi_identifiers: [{columns: [sex, gender, race], k: 2}]\ncolumns: {sex: generalize, gender: generalize, race: suppress}\n"
	tests := []struct{ name, taxonomies, want string }{
		{"files", "{sex: none.csv, gender: bad.csv}", `DIR/job.yaml:5:19: read taxonomy file DIR/none.csv: no such file
    taxonomies: {sex: none.csv, gender: bad.csv}
                      ^
DIR/bad.csv:2:1: a second row for the leaf of line 1`},
		{"a directory", "{sex: ., gender: {ANY: [a]}}", `DIR/job.yaml:5:19: read taxonomy file DIR/.: it is a directory
    taxonomies: {sex: ., gender: {ANY: [a]}}
                      ^`},
		{"a missing file of trees", "none.yaml", `DIR/job.yaml:5:13: read taxonomy file DIR/none.yaml: no such file
    taxonomies: none.yaml
                ^`},
		{"a missing tree", "trees.yaml", `DIR/job.yaml:4:11: column "sex": no taxonomy named "sex" in DIR/trees.yaml
    columns: {sex: generalize, gender: generalize, race: suppress}
              ^`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job, err := Load(writeFile(t, dir, "job.yaml", head+"taxonomies: "+tt.taxonomies+"\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = job.LoadTaxonomies()
			var bad *Error
			if !errors.As(err, &bad) || strings.ReplaceAll(err.Error(), dir, "DIR") != tt.want {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
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
	if err := openError("x", "read job file", fs.ErrClosed); errors.As(err, &bad) {
		t.Errorf("a failing disk is not the job's fault: %v", err)
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
		job, err := parse("jobs/a.yaml", text, []Override{{"limits.threads", "2", "--threads"}})
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) || len(bad.Problems) == 0 {
				t.Fatalf("got %v, want an Error", err)
			}
			return
		}
		again, err := parse("jobs/a.yaml", []byte(job.YAML()), nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, job.YAML())
		}
		if !reflect.DeepEqual(plainJob(job), plainJob(again)) {
			t.Fatalf("got\n%+v\nwant\n%+v\nfrom\n%s", plainJob(again), plainJob(job), job.YAML())
		}
	})
}
