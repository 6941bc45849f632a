package job

import (
	"errors"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
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

// Properties that golden files of printed jobs do not show: paths start from the job's folder, and
// types are parsed.
func TestLoad(t *testing.T) {
	job, err := Load(filepath.Join("testdata", "good", "everything.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("testdata", "good") + "/"
	inputs := []string{dir + "a.csv", dir + "b c.csv", "/data/*.csv"}
	if !slices.Equal(job.Input, inputs) {
		t.Errorf("input %q, want %q", job.Input, inputs)
	}
	if file := job.Taxonomies["file"].File; job.Output.Path != dir+"out/" ||
		job.Limits.SpillDir != "/scratch/" || file != dir+"trees/shared.csv" {
		t.Errorf("output %s, spill_dir %s, taxonomy %s", job.Output.Path, job.Limits.SpillDir, file)
	}
	want := formats.Type{Kind: formats.Decimal, Precision: 10, Scale: 2}
	if got, ok := job.Column("amount").DeclaredType(); !ok || got != want {
		t.Errorf("amount of type %+v", got)
	}
}

func TestDefaults(t *testing.T) {
	job, err := Parse("jobs/a.yaml", []byte(smallJob), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Output{Path: "jobs/out.parquet", Compression: "zstd"}
	if !reflect.DeepEqual(job.Output, want) ||
		!reflect.DeepEqual(job.Algorithm, Algorithm{Name: AlgorithmTDR}) ||
		job.Score != "tdr" || job.MaxSteps != nil {
		t.Errorf("got %+v", job)
	}
	if job, err = Parse("a.yaml", []byte(smallJob+"algorithm: tds\n"), nil); err != nil ||
		job.Score != "tds" {
		t.Errorf("tds: %+v, %v", job, err)
	}
}

// Labels are tight by default where auto serves queries, which is also what it serves without a
// class; else they are those of the path.
func TestDefaultLabels(t *testing.T) {
	const auto, class = "algorithm: auto\n", "class: note\n"
	for text, want := range map[string]string{
		auto:                                   RegionLabelsTight,
		auto + class + "objective: queries\n":  RegionLabelsTight,
		auto + class:                           RegionLabelsPath,
		auto + class + "objective: balanced\n": RegionLabelsPath,
		"algorithm: mondrian\n":                RegionLabelsPath,
		"algorithm: {name: auto, region_labels: path}\nobjective: queries\n": RegionLabelsPath,
		class + "algorithm: {name: auto, region_labels: tight}\n":            RegionLabelsTight,
	} {
		job, err := Parse("a.yaml", []byte(smallJob+text), nil)
		if err != nil || job.Algorithm.RegionLabels != want {
			t.Errorf("%s: %+v, %v", text, job, err)
		}
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	var bad *Error
	if _, err := Load(filepath.Join(dir, "none.yaml"), nil); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
	if _, err := Load(dir, nil); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "it is a directory") {
		t.Errorf("directory: %v", err)
	}
	large := writeFile(t, dir, "big.yaml", strings.Repeat("# a comment\n", 2<<20))
	if _, err := Load(large, nil); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "larger than 16 MiB") {
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

// A table that is taken for a job has data of people. The message shows nothing of it.
func TestLoadTellsNothingOfTables(t *testing.T) {
	for _, text := range []string{
		"\"name\",\"ssn\"\n\"Anna Meier\",\"1\"\n", "name;note\nAnna;she said: hello\n",
		"Anna Meier: 1\n",
		"{\"name\": \"Anna\"}\n{\"name\": \"Bob\"}\n", "PAR1\x00Anna\xff", "{Anna",
		"'Anna' Meier\n",
	} {
		_, err := Load(writeFile(t, t.TempDir(), "people.csv", text), nil)
		var broken *Error
		if !errors.As(err, &broken) || strings.Contains(err.Error(), "Anna") ||
			!strings.Contains(err.Error(), "not a job") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{
		"input : x", "{'output' : x", "\"columns\":\n - x", "# people\nquasi_identifiers: x",
	} {
		if !resemblesJob([]byte(text)) {
			t.Errorf("%q resembles no job", text)
		}
	}
}

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares a text with a file of testdata, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// jobsIn returns the job files of a folder of testdata.
func jobsIn(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no jobs in %s: %v", folder, err)
	}
	return paths
}

// Every mistake is reported at its place, all of them at once.
func TestBadJobs(t *testing.T) {
	for _, path := range jobsIn(t, "bad") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			_, err := Load(path, nil)
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an Error", err)
			}
			for _, p := range bad.Problems {
				if p.File != path || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("problem without a place: %+v", p)
				}
			}
			text := strings.ReplaceAll(err.Error(), path, filepath.Base(path))
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", text+"\n")
		})
	}
}

// programJob returns a job that a program fills in.
func programJob() *Job {
	return &Job{
		Input:  []string{"people.parquet"},
		Output: Output{Path: "release/"},
		Class:  "income",
		Sets: []Set{{Columns: []string{"age", "zip"}, K: 50},
			{Columns: []string{"sex", "zip"}, K: 20}},
		Columns: []Column{
			{Name: "age", Mask: MaskDiscretize, Bounds: Bounds{Lower: "17"}},
			{Name: "zip", Mask: MaskGeneralize, Taxonomy: Taxonomy{Prefix: []int{5, 3, 1}}},
			{Name: "sex", Mask: MaskGeneralize},
			{Name: "income", Mask: MaskKeep},
		},
		Taxonomies: map[string]Taxonomy{
			"sex": {Tree: &taxonomy.Node{Name: "ANY",
				Children: []taxonomy.Node{{Name: "F"}, {Name: "M"}}}}},
		MaxSteps: new(0),
		Limits:   Limits{Memory: 1 << 30},
	}
}

// A job that a program filled in is the job that its YAML loads to, and is not changed.
func TestResolve(t *testing.T) {
	given := programJob()
	job, err := given.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(given, programJob()) {
		t.Errorf("the given job has become %+v", given)
	}
	loaded, err := Parse("job.yaml", []byte(job.YAML()), nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, job.YAML())
	}
	if !reflect.DeepEqual(plainJob(job), plainJob(loaded)) {
		t.Errorf("got\n%+v\nwant\n%+v", plainJob(loaded), plainJob(job))
	}
	if job.Score != "tdr" || job.Column("sex").Taxonomy.Name != "sex" ||
		job.Limits.Memory != 1<<30 {
		t.Errorf("got %+v", job)
	}
	if again, err := job.Resolve(); err != nil || !reflect.DeepEqual(again, job) {
		t.Errorf("resolved twice: %+v, %v", again, err)
	}
	settings := job.Settings()
	for key, origin := range map[string]string{"class": "", "limits.memory": "",
		"unlisted": "default", "columns.sex.taxonomy": "default", "limits.spill_dir": "default"} {
		if !slices.ContainsFunc(settings,
			func(s Setting) bool { return s.Key == key && s.Origin == origin }) {
			t.Errorf("no setting %s of origin %q in %v", key, origin, settings)
		}
	}
}

// Problems with a job that a program filled in are reported by the paths of its keys.
func TestResolveProblems(t *testing.T) {
	tests := []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Sets[1].K = -1 },
			"quasi_identifiers[1].k: k must be an integer of at least 1, not -1"},
		{func(j *Job) { j.Sets[0].K = 0 }, `quasi_identifiers[0]: missing key "k"`},
		{func(j *Job) { j.Sets = nil }, `job: missing key "quasi_identifiers"`},
		{func(j *Job) { j.Output = Output{} }, `job: missing key "output"`},
		{func(j *Job) { j.Sets[0].Columns[1] = "zap" }, `quasi_identifiers[0].columns[1]: column "zap" is in a set and has no entry in columns`},
		{func(j *Job) { j.Columns[0].Mask = "discretise" },
			"columns.age.mask: mask must be one of " + strings.Join(masks, ", ") +
				", not \"discretise\"\n    hint: did you mean \"discretize\"?"},
		{func(j *Job) { j.Columns[0].Name = "zip" }, `columns.zip: column "zip" is there twice`},
		{func(j *Job) { j.Columns[3].Mask = MaskDrop }, `columns.income.mask: the class column "income" must have mask keep`},
		{func(j *Job) { j.Columns[1].Taxonomy.Prefix = []int{3, 5} },
			"columns.zip.taxonomy[1]: prefix: lengths must descend"},
		{func(j *Job) { j.Columns[1].Taxonomy.Name = "sex" },
			"columns.zip.taxonomy: a taxonomy here is one of a name, a tree or a generator"},
		{func(j *Job) { j.Columns[1].Taxonomy = Taxonomy{File: "zips.csv"} },
			"columns.zip.taxonomy: a taxonomy here is one of"},
		{func(j *Job) { j.Taxonomies["sex"].Tree.Children[1].Name = "F" },
			"taxonomies.sex: name used twice in one tree"},
		{func(j *Job) { j.Taxonomies = nil }, `columns.sex: column "sex" is generalized and has no taxonomy`},
		{func(j *Job) { j.TaxonomyFile = "trees.yaml" },
			"taxonomies: taxonomies is given in two forms\n" +
				"    hint: it is a path or map, not both"},
		{func(j *Job) { j.Algorithm.Seed = 3 },
			"algorithm.seed: seed is for algorithm kactus or mondrian, the algorithm is tdr"},
		{func(j *Job) { j.Algorithm = Algorithm{Name: AlgorithmIACc, MaxDivergence: new(1.5)} },
			"algorithm.max_divergence: max_divergence must be a number from 0 to 1, not 1.5"},
		{func(j *Job) { j.Limits.Memory = 1 },
			"limits.memory: memory of 1 bytes is less than 1MiB"},
		{func(j *Job) { j.Entity = "person" }, `entity: the entity column "person" has no entry in columns`},
		{func(j *Job) { j.Sensitive = []Sensitive{{Column: "income"}} },
			"sensitive[0]: a sensitive column without a measure"},
		{func(j *Job) { j.Sensitive = []Sensitive{{Column: "income", T: new(math.NaN())}} },
			"sensitive[0].t: t must be a number of at least 0 and below 1, not NaN"},
		{func(j *Job) { j.Sensitive = []Sensitive{{Column: "income", L: 1}} },
			"sensitive[0].l: l must be an integer from 2 to 2147483648, not 1"},
		{func(j *Job) {
			j.Sensitive = []Sensitive{
				{Column: "income", MaxConfidence: &Shares{Of: map[string]float64{"high": 1}}}}
		}, "sensitive[0].max_confidence[0]: max_confidence must be a number above 0 and below 1, " +
			"not 1"},
		{func(j *Job) { j.Sensitive = []Sensitive{{Column: "income", MaxConfidence: &Shares{}}} },
			"sensitive[0].max_confidence: max_confidence must be a number above 0 and below 1, " +
				"not 0"},
		{func(j *Job) { j.CSV.Delimiter = 'x' }, `csv.delimiter: delimiter must be one character such as ",", ";" or "\t", not "x"`},
	}
	for _, tt := range tests {
		job := programJob()
		tt.change(job)
		if err := job.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// CSV flags mean the same as a job file, and are printed in its form.
func TestCSVOfFlags(t *testing.T) {
	given := []Override{
		{"csv.delimiter", `\t`, "--delimiter"}, {"csv.header", "id,false", "--header"}, {"csv.nulls", ",NA", "--nulls"},
		{"csv.nulls", "x", "--nulls"},
	}
	got, err := CSVOf(given)
	if err != nil || got.YAML() != `{delimiter: "\t", header: [id, "false"], nulls: ["", NA, x]}` {
		t.Errorf("%s, %v", got.YAML(), err)
	}
	flow := []Override{{"csv.nulls", `[NA, "", "a,b"]`, "--nulls"}}
	if got, err := CSVOf(flow); err != nil || got.YAML() != `{nulls: [NA, "", "a,b"]}` {
		t.Errorf("%s, %v", got.YAML(), err)
	}
	if got, err := CSVOf([]Override{{"csv.header", "false", "--header"}}); err != nil ||
		got.YAML() != "{header: false}" || !got.Read(nil).Headless {
		t.Errorf("%s, %v", got.YAML(), err)
	}
	twice := []Override{{"csv.decimal", ",", "--decimal"}, {"csv.thousands", ",", "--thousands"}}
	if _, err := CSVOf(twice); err == nil ||
		!strings.Contains(err.Error(), "thousands is what decimal is") {
		t.Errorf("one sign for two things: %v", err)
	}
	if _, err := CSVOf([]Override{{"csv.delimiter", "xx", "--delimiter"}}); err == nil {
		t.Error("a delimiter of two characters was taken")
	}
	if csv := (&CSV{}); csv.YAML() != "" {
		t.Errorf("nothing is %q", csv.YAML())
	}
}

// A value of the wrong form is left out: other rules report nothing about it.
func TestWrongValuesAreTakenOut(t *testing.T) {
	r := newReader("job.yaml", nil)
	root, problems := yaml.Parse(
		[]byte("output: {path: x, level: 99999999999999999999}\n" +
			"quasi_identifiers: [{columns: [a], k: 2}]\ncolumns: {a: suppress}\n" +
			"limits: {memory: 99999999TiB}\nbalance: x\ninput: [a, [b]]\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r.keys(jobFields, "", root, reflect.ValueOf(r.Job).Elem())
	if r.Output.Level != 0 || r.Limits.Memory != 0 || r.Balance != 0 || r.Input != nil ||
		len(r.problems) != 4 {
		t.Errorf("got %+v with problems %v", r.Job, r.problems)
	}
}

// TestForms: the form in parentheses of a declared date or time names each of its parts once, and
// that of a number has N for its digits.
func TestForms(t *testing.T) {
	for form, want := range map[string]string{
		"date(MM/DD/YYYY)": "01/02/2006", "date(D.M.YY)": "2.1.06", "time(hh:mm AM)": "3:04 PM",
		"timestamp(M/D/YY hh:mm:ss AM)": "1/2/06 3:04:05 PM",
		"timestamp(YYYY-MM-DDThh:mm)":   "2006-01-02T15:04", "time(hh:mm)": "15:04",
		"number(N%)": "N%", "number($N)": "$N", "number(N Monate)": "N Monate", "number": "",
		"date(M/D/YY from 1930)": "1/2/06", "date(DD-MMM-YY)": "02-Jan-06",
		"timestamp(DMMMYYYY:hh:mm)": "2Jan2006:15:04",
		"number(N kg) or null":      "N kg", "date(M/D/YY from 1930) or null": "1/2/06",
		"time(hh:mm AM or hh:mm)":            "3:04 PM or 15:04",
		"date(D.M.YY or YYYY-M-D from 1930)": "2.1.06 or 2006-1-2",
		"number or null":                     "", "number(feet)": "feet",
		"timestamp(Unix ms)":                "Unix ms",
		"timestamp(YYYY/MM/DD hh:mm:ss+00)": "2006/01/02 15:04:05+00",
	} {
		c := Column{Type: form}
		_, ok := c.DeclaredType()
		if got := c.Layout(); got != want || c.wrongForm() != "" || !ok {
			t.Errorf("%s: %q, %q, %t", form, got, c.wrongForm(), ok)
		}
	}
	for form, want := range map[string]string{
		"date(MM/DD)": "lacks YYYY", "time(AM)": "lacks hh", "timestamp(D.M.YYYY)": "lacks hh",
		"date(D.MM.M.YYYY)": "has M", "date(D MMMM YYYY)": "has M",
		"date(DD.DD.YYYY)": "lacks M", "date(D.M.YYY)": "has Y",
		"date(D.M.YYYY from 1930)": "has a first year without YY",
		"date(D.M.YYYY or D.YYYY)": "lacks M", "time(hh:mm or h)": "lacks hh",
		"time(hh:mm from 1930)":    "has a first year without YY",
		"timestamp(D.M.YYYY h:mm)": "lacks hh", "timestamp(D.M.YYYY hh:m)": "lacks mm",
	} {
		if c := (Column{Type: form}); !strings.Contains(c.wrongForm(), want) {
			t.Errorf("%s: %q, want %q", form, c.wrongForm(), want)
		}
	}
}
