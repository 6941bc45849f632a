package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/fault"
)

// Load reads a job file, applies the overrides, and resolves the job. It opens no other file.
// Problems with the job are reported together, as an *Error; other errors are failures to read.
func Load(path string, overrides []Override) (*Job, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, overrides)
}

// readText reads a job file.
func readText(path string) ([]byte, error) {
	text, err := yaml.ReadFile(path, yaml.MaxBytes)
	if cause := pathCause(err); cause != "" {
		missing := &Error{[]Problem{{File: path, Message: "open job file: " + cause}}}
		return nil, &fault.Error{Class: fault.Usage,
			Hint: "check its name; kcut init drafts a job for an input", Err: missing}
	} else if err != nil {
		return nil, fmt.Errorf("read job file: %w", err)
	}
	return text, nil
}

// Parse is Load for a text. Relative paths in it start from the folder of the path.
func Parse(path string, text []byte, overrides []Override) (*Job, error) {
	r, root := parse(path, text)
	if root == nil {
		return nil, asError(r.problems)
	}
	if root.Value(tablesKey) != nil {
		r.recordKey(tablesKey, root)
		r.add(tablesKey, "kcut config JOB --table NAME prints the job of one of them",
			"this takes a job of one table, and the job has several tables")
		return nil, asError(r.problems)
	}
	r.override(root, overrides)
	return r.read(root)
}

// parse returns the map of a job file, or nil if there is none, and a reader with the problems so
// far.
func parse(path string, text []byte) (*reader, *yaml.Node) {
	noJob := Problem{
		File: path, Line: 1, Column: 1,
		Message: "not a job: it needs a map of keys like input, output and columns",
		Hint:    "kcut config --schema prints every key of a job file",
	}
	r := newReader(path, text)
	if len(text) <= yaml.MaxBytes && !resemblesJob(text) {
		r.problems = []Problem{noJob}
		return r, nil
	}
	root, problems := yaml.Parse(text)
	for _, p := range problems {
		r.problems = append(r.problems,
			r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
	}
	switch {
	case root != nil && root.Kind == yaml.Map:
		return r, root
	case root != nil || len(problems) == 0:
		r.problems = append(r.problems, noJob)
	}
	return r, nil
}

// resemblesJob reports whether a text has one of the keys that every job has. Nothing of any other
// text may be shown: it may be a table with data of people.
func resemblesJob(text []byte) bool {
	var keys []string
	for _, f := range jobFields {
		if f.is("required") {
			keys = append(keys, f.key)
		}
	}
	return regexp.MustCompile(`\b(` + strings.Join(keys, "|") + `)["']?\s*:`).Match(text)
}

// pathCause returns the fault of a path if an error of opening or reading shows one, else nothing.
func pathCause(err error) (cause string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file"
	}
	return ""
}

// path returns a path that can be opened: paths in the job file start from its folder.
func (r *reader) path(n *yaml.Node) string {
	if n.Line == 0 {
		return n.Text
	}
	return inFolder(filepath.Dir(r.File), n.Text)
}

// inFolder returns, for a path that starts from a folder, a path that can be opened from the
// current directory. It keeps a final slash, and returns URLs unchanged.
func inFolder(dir, path string) string {
	if path == "" || dir == "." || filepath.IsAbs(path) || storage.IsURL(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // filepath.Join would drop a final slash
}

// fromFolder returns a path in the form that the job file in a folder may contain.
func fromFolder(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok &&
		inFolder(dir, rest) == path {
		return rest
	}
	return path
}
