package jobfile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The schema describes exactly the fields of the table.
func TestSchema(t *testing.T) {
	golden(t, filepath.Join("testdata", "schema.json"), string(Schema()))
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for i := range fieldTable {
		if at := schemaAt(root, fieldTable[i].path); at == nil || at["description"] == "" {
			t.Errorf("no schema of %s", fieldTable[i].path)
		}
	}
}

// schemaAt finds the schema of a field's path.
func schemaAt(s map[string]any, path string) map[string]any {
	for key := range strings.SplitSeq(path, ".") {
		key, list := strings.CutSuffix(key, "[]")
		if key == "*" {
			s, _ = object(s)["additionalProperties"].(map[string]any)
		} else {
			properties, _ := object(s)["properties"].(map[string]any)
			s, _ = properties[key].(map[string]any)
		}
		if list {
			s, _ = s["items"].(map[string]any)
		}
		if s == nil {
			return nil
		}
	}
	return s
}

// object returns the alternative of a schema that is an object.
func object(s map[string]any) map[string]any {
	alternatives, _ := s["anyOf"].([]any)
	for _, a := range alternatives {
		if m, _ := a.(map[string]any); m["type"] == "object" {
			return m
		}
	}
	return s
}

// The table of fields is sound: unique paths, one kind of default, patterns that compile
// and match their example, defaults that are values.
func TestFieldTable(t *testing.T) {
	seen := make(map[string]bool)
	for i := range fieldTable {
		f := &fieldTable[i]
		if seen[f.path] || f.doc == "" || f.def != "" && f.defWords != "" {
			t.Errorf("bad row %s", f.path)
		}
		seen[f.path] = true
		if f.pattern != "" && !regexp.MustCompile(f.pattern).MatchString(f.example) {
			t.Errorf("%s: example %q does not match", f.path, f.example)
		}
		if f.kind == kindText && len(f.enum) > 0 && f.def != "" && !strings.Contains(strings.Join(f.enum, " "), f.def) {
			t.Errorf("%s: default %q is not a value", f.path, f.def)
		}
		if !f.required && f.def == "" && f.defWords == "" && f.kind != kindMap {
			t.Errorf("%s: what when absent?", f.path)
		}
	}
}

// docs/job-file.md holds the reference that the table of fields makes.
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

// The example of docs/job-file.md is a job.
func TestExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "job-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	job, err := parse("people.yaml", []byte(example), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(job.Columns) != 9 || len(job.Sets) != 2 {
		t.Errorf("got %+v", job)
	}
}

func TestDidYouMean(t *testing.T) {
	tests := []struct{ word, want string }{
		{"clas", "class"}, {"inptu", "input"}, {"Output", "output"}, {"x", ""}, {"algoritm", "algorithm"}, {"", ""},
	}
	names := []string{"input", "output", "class", "algorithm"}
	for _, tt := range tests {
		want := ""
		if tt.want != "" {
			want = `did you mean "` + tt.want + `"?`
		}
		if got := didYouMean(tt.word, names); got != want {
			t.Errorf("%s: got %q, want %q", tt.word, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"1048576": 1 << 20, "1GiB": 1 << 30, "1.5 GiB": 3 << 29, "2GB": 2e9, "512MiB": 512 << 20, "3T": 3e12, "1kB": 1000, "7KiB": 7 << 10, "5 B": 5,
	}
	for text, want := range good {
		if got, ok := parseSize(text); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "1 gig", "1e9", "0x10", "1,5GiB", "99999999TiB", "1GiB\n", "1..2GB"} {
		if got, ok := parseSize(text); ok {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
