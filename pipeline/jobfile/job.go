package jobfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/yaml"
)

// Job is a whole run: what to read, what must hold, how to mask, where to write. Load
// makes one. Paths are as they can be opened: relative ones of the job file have its folder
// in front. What was absent has its default, or the zero value where that is said.
type Job struct {
	File    string   // path of the job file
	Input   []string // files, directories, globs
	Output  Output
	Class   string // empty: none
	Sets    []Set  // at least one
	Columns []Column

	Unlisted     string                     // UnlistedError, UnlistedDrop or UnlistedKeep
	TaxonomyFile string                     // YAML file of named trees; empty: none
	Taxonomies   map[string]*TaxonomySource // named taxonomies; nil with a TaxonomyFile

	Algorithm string // AlgorithmTDR or AlgorithmTDS
	Score     string // "tdr", "tds" or "infogain"
	MaxSteps  *int   // nil: no limit
	Limits    Limits
	CSV       CSV

	source document // where every value came from
}

// Output says what to write.
type Output struct {
	Path         string // a directory of part files when it ends in "/"
	Compression  string // "zstd", "snappy", "gzip" or "none"
	Level        int    // of compression; 0: its own default
	RowGroupRows int
}

// Set is one quasi-identifier set.
type Set struct {
	Columns []string // at least one, each once
	K       int      // at least 1
}

// Column says what happens to one input column.
type Column struct {
	Name     string
	Mask     string          // MaskGeneralize, MaskDiscretize, MaskSuppress, MaskKeep or MaskDrop
	Bounds   Bounds          // discretize
	Taxonomy *TaxonomySource // generalize; else nil
	Unknown  string          // generalize: UnknownError or UnknownRoot
	Render   string          // discretize: RenderLabel, RenderBounds or RenderMidpoint
	Type     *formats.Type   // declared type of a CSV column; nil: inferred
}

// Bounds are the declared ends of a discretized column, as text; empty is open. Whether
// they fit the column, and each other, is known only with the column's type.
type Bounds struct{ Lower, Upper string }

// Limits bound what a run uses. Zero values mean that nothing was declared.
type Limits struct {
	Memory   int64 // bytes
	Threads  int
	SpillDir string
}

// CSV says how to read CSV input.
type CSV struct {
	Delimiter byte // 0: found in the header
}

// Column returns the named column's spec, or nil.
func (j *Job) Column(name string) *Column {
	for i := range j.Columns {
		if j.Columns[i].Name == name {
			return &j.Columns[i]
		}
	}
	return nil
}

// masked reports whether the column's values are masked, not kept or dropped.
func (c *Column) masked() bool {
	return c.Mask == MaskGeneralize || c.Mask == MaskDiscretize || c.Mask == MaskSuppress
}

// maxBytes bounds a job file.
const maxBytes = 16 << 20

// Load reads a job file, lays the overrides over it, and checks all of it: syntax, keys,
// types, and what the parts say of each other. It opens no other file. What is wrong comes
// back as an *Error, all of it at once; other errors are failures to read.
func Load(path string, overrides []Override) (*Job, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, text, overrides)
}

// parse is Load of a text.
func parse(path string, text []byte, overrides []Override) (*Job, error) {
	l := newLoader(path, text)
	root, problems := yaml.Parse(text)
	problems.Locate(path, text)
	l.problems = problems
	var job *Job
	if root != nil || len(problems) == 0 {
		job = l.load(root, overrides)
	}
	if err := asError(l.problems); err != nil {
		return nil, err
	}
	return job, nil
}

// readFile reads the text of a job file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, "open job file", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, openError(path, "read job file", err)
	}
	if len(text) > maxBytes {
		return nil, &Error{[]Problem{{File: path, Message: fmt.Sprintf("larger than %d MiB: not a job file", maxBytes>>20)}}}
	}
	return text, nil
}

// openError tells a path that is wrong, which is an Error, from a disk that fails.
func openError(path, verb string, err error) error {
	if cause, ok := wrongPath(err); ok {
		return &Error{[]Problem{{File: path, Message: verb + ": " + cause}}}
	}
	return fmt.Errorf("%s: %w", verb, err)
}

// wrongPath reports whether an error of opening or reading means that the path is wrong, and why.
func wrongPath(err error) (cause string, ok bool) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file", true
	case errors.Is(err, fs.ErrPermission):
		return "permission denied", true
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory", true
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file", true
	}
	return "", false
}

// openable returns a path of the job file as it can be opened from the current directory.
func openable(jobFile, path string) string {
	dir := filepath.Dir(jobFile)
	if filepath.IsAbs(path) || dir == "." {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // no Join: it would drop a final slash
}
