package pipeline

import (
	"fmt"
	"strings"
)

// What follows makes the reference table of docs/job-file.md from the definition of the job
// file's fields.

// jobReference returns the table of all fields of the job file, as Markdown.
func jobReference() string {
	var b strings.Builder
	b.WriteString("| key | value | default | flag, variable | meaning |\n|---|---|---|---|---|\n")
	for i := range jobFields {
		f := &jobFields[i]
		overrides := ""
		if f.flag != "" {
			overrides = "`--" + f.flag + "`, `" + f.variable() + "`"
		}
		row := []string{"`" + f.path + "`", f.referenceValue(), f.referenceDefault(), overrides, f.doc}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func (f *jobField) referenceValue() string {
	switch {
	case len(f.enum) > 0:
		return "`" + strings.Join(f.enum, "`, `") + "`"
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf("integer, %d to %d", f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf("integer, at least %d", f.min)
	case f.example != "":
		return referenceKinds[f.kind] + ", as `" + f.example + "`"
	}
	return referenceKinds[f.kind]
}

func (f *jobField) referenceDefault() string {
	switch {
	case f.required:
		return "required"
	case f.def != "":
		return "`" + f.def + "`"
	}
	return f.defWords
}
