package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The schema describes all fields of the table.
func TestSchema(t *testing.T) {
	golden(t, filepath.Join("testdata", "schema.json"), string(Schema()))
	for i := range fieldTable {
		if f := &fieldTable[i]; !strings.Contains(string(Schema()), inJSON(f.key())+": {\n") {
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
