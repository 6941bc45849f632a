package job

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
)

// plainJob returns a job without the parts that depend on where it was read from.
func plainJob(job *Job) *Job {
	plain := *job
	plain.File, plain.origins = "", origins{}
	for i := range plain.Columns {
		forgetPlaces(plain.Columns[i].Taxonomy.Tree)
	}
	for _, t := range plain.Taxonomies {
		forgetPlaces(t.Tree)
	}
	return &plain
}

func forgetPlaces(n *taxonomy.Node) {
	if n == nil {
		return
	}
	n.Line, n.Column = 0, 0
	for i := range n.Children {
		forgetPlaces(&n.Children[i])
	}
}

// The resolved job, saved, is the same job.
func TestResolvedJobLoadsAgain(t *testing.T) {
	for _, path := range jobsIn(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			job, err := Load(path, []Override{
				{"quasi_identifiers[].k", "9", "--k"}, {"limits.spill_dir", "a b", "--spill-dir"},
			})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse(path, []byte(job.YAML()), nil)
			if err != nil {
				t.Fatalf("%v in\n%s", err, job.YAML())
			}
			if !reflect.DeepEqual(plainJob(job), plainJob(again)) {
				t.Errorf("got\n%+v\nwant\n%+v\nfrom\n%s", plainJob(again), plainJob(job),
					job.YAML())
			}
		})
	}
}

// The output of kcut config.
func TestYAML(t *testing.T) {
	overrides := []Override{{"quasi_identifiers[].k", "30", "--k"},
		{"limits.memory", "2GB", "KCUT_MEMORY"}}
	for name, overrides := range map[string][]Override{
		"people": overrides, "everything": nil, "protections": nil,
	} {
		job, err := Load(filepath.Join("testdata", "good", name+".yaml"), overrides)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "good", name+".golden"), job.YAML())
	}
}

const identityJob = `
input: in.parquet
output: out.parquet
quasi_identifiers: [{columns: [city, zip], k: 5}]
columns:
  city: {mask: generalize, taxonomy: places}
  zip: {mask: generalize, taxonomy: {prefix: [3, 1]}}
taxonomies: {places: {ANY: {North: [a, b], South: [c]}}}
`

// identityOf returns the identity of a job file's text.
func identityOf(t *testing.T, text string, overrides ...Override) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := Load(path, overrides)
	if err != nil {
		t.Fatal(err)
	}
	taxonomies, err := job.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := job.Identity(&b, taxonomies); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestIdentity: an identity changes with everything that a release depends on, and with nothing
// else.
func TestIdentity(t *testing.T) {
	want := identityOf(t, identityJob)
	for _, tt := range []struct {
		old, replacement string
		same             bool
	}{
		{"in.parquet", "elsewhere/*.csv", true},
		{"out.parquet", "elsewhere.parquet", true},
		{"out.parquet", "out/", false},
		{"k: 5", "k: 6", false},
		{"\ncolumns:", "\n# what happens\ncolumns:", true},
		{"output: out.parquet", "output: {path: out.parquet, compression: zstd}", true},
		{"output: out.parquet", "output: {path: out.parquet, compression: gzip}", false},
		{"quasi", "limits: {memory: 1GiB, threads: 3, spill_dir: there}\nquasi", true},
		{"quasi", "max_steps: 3\nquasi", false},
		{"quasi", "unlisted: keep\nquasi", false},
		// its cut counts separately
		{"quasi", "previous: last.parquet\nallow_new_cut: true\nquasi", true},
		{"[3, 1]", "[3, 2]", false},
		{"places", "regions", true},
		{"[a, b]", "[b, a]", false},
		{"[a, b]", "[a, b, d]", false},
		{"North: [a, b], South: [c]", `North: [a], "b", South: [c]`, false},
		{"taxonomy: places", "taxonomy: {ANY: {North: [a, b], South: [c]}}", true},
	} {
		got := identityOf(t, strings.ReplaceAll(identityJob, tt.old, tt.replacement))
		if (got == want) != tt.same {
			t.Errorf("%s instead of %s: the identity is the same: %t, want %t", tt.replacement,
				tt.old, got == want, tt.same)
		}
	}
	same := Override{"quasi_identifiers[].k", "5", "--k"}
	if got := identityOf(t, identityJob, same); got != want {
		t.Error("a flag that changes nothing changes the identity")
	}
}

// If a program replaces the job file's algorithm, the job has none of the old options.
func TestSettingsOfAnotherAlgorithm(t *testing.T) {
	job, err := Parse("a.yaml",
		[]byte(smallJob+"class: note\nalgorithm: {name: iacc, max_divergence: 0.4}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	job.Algorithm = Algorithm{Name: AlgorithmTDR}
	for _, s := range job.Settings() {
		if strings.HasPrefix(s.Key, "algorithm.max") {
			t.Errorf("%+v", s)
		}
	}
}

// docs/job-file.md contains the reference that the tags of fields and keys.txt make.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "job-file.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- reference: begin -->\n", "<!-- reference: end -->"
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the reference", path)
	}
	golden(t, path, string(head)+begin+reference()+end+string(tail))
}

// reference returns the table of all fields of the job file in the form of docs/job-file.md.
func reference() string {
	var b strings.Builder
	b.WriteString("| key | value | default | flag, variable | meaning |\n|---|---|---|---|---|\n")
	for _, f := range allFields {
		overrides := ""
		if flag := f.tag.Get("flag"); flag != "" {
			overrides = "`--" + flag + "`, `" + f.variable() + "`"
		}
		row := []string{
			"`" + f.path + "`", f.referenceValue(), f.referenceDefault(), overrides, f.doc,
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func (f *field) referenceValue() string {
	switch kind := kinds[f.kind]; {
	case f.below != nil:
		return map[string]string{"map": "map", "list": "list of maps",
			"columns by name": "map by name"}[f.kind]
	case len(f.enum) > 0:
		return "`" + strings.Join(f.enum, "`, `") + "`"
	case f.kind == "int":
		return strings.Replace(strings.Replace(f.wants(), "an integer of", "integer,", 1),
			"an integer from", "integer,", 1)
	case f.kind == "job.Shares":
		return strings.TrimPrefix(f.wants(), "a ") + ", or a map of such by value"
	case f.number():
		return strings.TrimPrefix(f.wants(), "a ")
	case kind.example != "":
		return kind.words + ", as `" + kind.example + "`"
	default:
		return kind.words
	}
}

func (f *field) referenceDefault() string {
	switch def := f.tag.Get("default"); {
	case f.tag.Get("but") != "":
		return "required, but for `" + f.tag.Get("but") + "`"
	case f.tag.Get("or") != "":
		return "required, or `" + f.tag.Get("or") + "`"
	case f.is("required"):
		return "required"
	case def != "":
		return "`" + def + "`"
	}
	return f.absent
}

// The schema describes all fields of the table.
func TestSchema(t *testing.T) {
	golden(t, filepath.Join("testdata", "schema.json"), string(Schema()))
	for _, f := range allFields {
		if !strings.Contains(string(Schema()), inJSON(f.key)+": {\n") {
			t.Errorf("no schema of %s", f.path)
		}
	}
}

// The example of docs/job-file.md is a job.
func TestExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "job-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	job, err := Parse("people.yaml", []byte(example), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(job.Columns) != 9 || len(job.Sets) != 2 {
		t.Errorf("got %+v", job)
	}
}

// The tags of fields are valid: there is one kind of default, patterns compile and match their
// example, defaults are valid values, and the lines of keys.txt are in the order of the keys.
func TestFields(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(keysText), "\n")
	if len(lines) != len(allFields) {
		t.Fatalf("%d lines of words for %d keys", len(lines), len(allFields))
	}
	for i, f := range allFields {
		def, kind := f.tag.Get("default"), kinds[f.kind]
		if !strings.HasPrefix(lines[i], f.path+" | ") || f.doc == "" ||
			def != "" && f.absent != "" {
			t.Errorf("bad line of %s: %s", f.path, lines[i])
		}
		if kind.example != "" && !regexp.MustCompile(kind.pattern).MatchString(kind.example) {
			t.Errorf("%s: example %q does not match", f.path, kind.example)
		}
		if def != "" {
			v := target(reflect.New(f.typ).Elem())
			if message, _ := f.set(v, &yaml.Node{Text: def}); message != "" {
				t.Errorf("%s: its default %s", f.path, message)
			}
		}
		if !f.is("required") && def == "" && f.absent == "" && f.kind != "map" {
			t.Errorf("%s: what when absent?", f.path)
		}
		for _, name := range f.algorithms {
			if !slices.Contains(algorithms, name) {
				t.Errorf("%s is for no algorithm %s", f.path, name)
			}
		}
		for _, mask := range f.masks {
			if !slices.Contains(fieldAt("columns.*.mask").enum, mask) {
				t.Errorf("%s is for no mask %s", f.path, mask)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1048576": 1 << 20, "1GiB": 1 << 30, "1.5 GiB": 3 << 29, "2GB": 2e9, "512MiB": 512 << 20,
		"3T": 3e12, "1kB": 1000, "7KiB": 7 << 10, "5 B": 5,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "GiB", "-1GiB", "1 gig", "1e9", "0x10", "1,5GiB", "99999999TiB", "1GiB\n", "1..2GB",
	} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
	for bytes, want := range map[int64]string{
		1 << 30: "1GiB", 3 << 29: "1536MiB", 2e9: "2GB", 1<<20 + 1: "1048577", 5e12: "5TB",
	} {
		if got := sizeText(bytes); got != want {
			t.Errorf("%d: got %s, want %s", bytes, got, want)
		}
		if back, err := parseSize(want); err != nil || back != bytes {
			t.Errorf("%s: got %d, %v", want, back, err)
		}
	}
}
