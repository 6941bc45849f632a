package jobfile

import (
	"encoding/json"
	"os"
	"path/filepath"
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
