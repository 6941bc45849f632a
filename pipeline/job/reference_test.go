package job

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// reference returns the table of all fields of the job file, as docs/job-file.md has it.
func reference() string {
	var b strings.Builder
	b.WriteString("| key | value | default | flag, variable | meaning |\n|---|---|---|---|---|\n")
	for i := range fieldTable {
		f := &fieldTable[i]
		overrides := ""
		if f.flag != "" {
			overrides = "`--" + f.flag + "`, `" + f.variable() + "`"
		}
		row := []string{"`" + f.path + "`", f.referenceValue(), f.referenceDefault(), overrides, f.doc}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func (f *field) referenceValue() string {
	switch {
	case len(f.enum) > 0:
		return "`" + strings.Join(f.enum, "`, `") + "`"
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf("integer, %d to %d", f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf("integer, at least %d", f.min)
	case f.example != "":
		return kinds[f.kind].words + ", as `" + f.example + "`"
	}
	return kinds[f.kind].words
}

func (f *field) referenceDefault() string {
	switch {
	case f.excused != nil:
		return "required, but for `" + strings.Join(f.excused, "`, `") + "`"
	case f.required:
		return "required"
	case f.def != "":
		return "`" + f.def + "`"
	}
	return f.defWords
}
