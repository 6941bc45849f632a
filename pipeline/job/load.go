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

// Load reads a job file, lays the overrides over it, and resolves the job. It opens no other file.
// What is wrong comes back as an *Error, all of it at once; other errors are failures to read.
func Load(path string, overrides []Override) (*Job, error) {
	text, err := yaml.ReadFile(path, yaml.MaxBytes)
	if cause := pathCause(err); cause != "" {
		missing := &Error{[]Problem{{File: path, Message: "open job file: " + cause}}}
		return nil, &fault.Error{Class: fault.Usage, Hint: "check its name; kcut init drafts a job for an input", Err: missing}
	} else if err != nil {
		return nil, fmt.Errorf("read job file: %w", err)
	}
	return Parse(path, text, overrides)
}

// Parse is Load of a text. Its relative paths start from the folder of the path.
func Parse(path string, text []byte, overrides []Override) (*Job, error) {
	noJob := Problem{
		File: path, Line: 1, Column: 1, Message: "not a job: it needs a map of keys like input, output and columns",
		Hint: "kcut config --schema prints every key of a job file",
	}
	if len(text) <= yaml.MaxBytes && !resemblesJob(text) {
		return nil, &Error{[]Problem{noJob}}
	}
	root, problems := yaml.Parse(text)
	r := newReader(path, text)
	for _, p := range problems {
		r.problems = append(r.problems, r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
	}
	switch {
	case root != nil && root.Kind == yaml.Map:
		r.override(root, overrides)
		return r.read(root)
	case root != nil || len(problems) == 0:
		r.problems = append(r.problems, noJob)
	}
	return nil, asError(r.problems)
}

// resemblesJob reports whether a text has one of the keys that every job has. Of another nothing
// may be shown: a table that was taken for a job has people in it.
func resemblesJob(text []byte) bool {
	var keys []string
	for _, f := range jobFields {
		if f.is("required") {
			keys = append(keys, f.key)
		}
	}
	return regexp.MustCompile(`\b(` + strings.Join(keys, "|") + `)["']?\s*:`).Match(text)
}

// pathCause returns why a path is wrong when an error of opening or reading means that, else nothing.
func pathCause(err error) (cause string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file"
	}
	return ""
}

// path returns a path as it can be opened: those of the job file start from its folder.
func (r *reader) path(n *yaml.Node) string {
	if n.Line == 0 {
		return n.Text
	}
	return inFolder(filepath.Dir(r.File), n.Text)
}

// inFolder returns a path that starts from a folder as it can be opened from the current directory. It
// keeps a final slash. A URL is left as it is.
func inFolder(dir, path string) string {
	if path == "" || dir == "." || filepath.IsAbs(path) || storage.IsURL(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // no Join: it would drop a final slash
}

// fromFolder returns a path as the job file in a folder may have it.
func fromFolder(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok && inFolder(dir, rest) == path {
		return rest
	}
	return path
}
