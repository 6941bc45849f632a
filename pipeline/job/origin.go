package job

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/fault"
)

// origins has the origins of a job's values by their paths: "limits.memory",
// "quasi_identifiers[0].k", "columns.age.mask". The path of a key itself ends in a colon. For a job
// that no file was read for, it knows only which values are defaults.
type origins struct {
	file   string
	lines  []string
	places map[string]place
}

// place is the origin of a value.
type place struct {
	name         string // a flag, an environment variable or originDefault; empty: the job file
	line, column int    // in the job file
	rejected     bool   // the value was wrong, and was left out
}

// originDefault is the origin of values that nobody set.
const originDefault = "default"

func newOrigins(file string, text []byte) origins {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	return origins{file: file, lines: lines, places: make(map[string]place)}
}

// reject records that the value at a path is wrong.
func (o *origins) reject(path string) {
	at := o.places[path]
	at.rejected = true
	o.places[path] = at
}

// origin returns the name of a value's origin: "people.yaml:4", "--k", "KCUT_MEMORY", "default". It
// is empty for a value of a job that a program filled in.
func (o *origins) origin(path string) string {
	at, ok := o.places[path]
	if !ok || at.name != "" {
		return at.name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(o.file), at.line)
}

// problem describes a problem at a path by its place in the job file or, if it is not from there,
// by the path. The message must contain no value of the data.
func (o *origins) problem(path, hint, format string, args ...any) Problem {
	message := fmt.Sprintf(format, args...)
	if at := o.places[path]; at.name != "" || at.line > 0 {
		return o.located(at, hint, message)
	}
	return Problem{File: cmp.Or(strings.TrimSuffix(path, ":"), "job"), Message: message, Hint: hint}
}

// located describes a problem at a place.
func (o *origins) located(at place, hint, message string) Problem {
	if at.name != "" {
		return Problem{File: at.name, Message: message, Hint: hint}
	}
	p := Problem{File: o.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
	if at.line >= 1 && at.line <= len(o.lines) {
		p.Source = strings.TrimSuffix(o.lines[at.line-1], "\r")
	}
	return p
}

// columnPath returns the path of a column's entry.
func columnPath(name string) string { return "columns." + quotedKey(name) }

// quotedKey returns a name as part of a path, in quotes if it could be taken for several keys.
func quotedKey(name string) string {
	if strings.ContainsAny(name, ".[:") {
		return strconv.Quote(name)
	}
	return Quoted(name)
}

// Located returns an error about a value of a column that only the input has shown. The error has
// the value's place in the job file.
func (j *Job) Located(column, key string, mistake error) error {
	return j.LocatedKey(columnPath(column)+"."+key, "", mistake)
}

// LocatedKey is Located for values outside of columns.
func (j *Job) LocatedKey(key, hint string, mistake error) error {
	return &Error{[]Problem{j.origins.problem(key, hint, "%v", mistake)}}
}

// Problem is one thing that is wrong with a job.
type Problem = yaml.Problem

// Error lists the problems with a job: with its file, its overrides, and its taxonomy files.
// Nothing else was read, and nothing was written.
type Error struct{ Problems []Problem }

// Error renders all problems: place and message, the source line with a caret, a hint.
func (e *Error) Error() string { return yaml.Problems(e.Problems).Error() }

// Lined marks the text as one of several lines.
func (*Error) Lined() {}

// Brief returns the first problem on one line: its place and message.
func (e *Error) Brief() string {
	p := e.Problems[0]
	p.Source, p.Hint = "", ""
	return p.String()
}

// Class returns the class of mistakes in a job.
func (e *Error) Class() fault.Class { return fault.Usage }

// asError returns the problems as an error, or nil without problems. It lists each problem once,
// the problems of one file in its order, and files in the order of their first problem.
func asError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var unique []Problem
	files := make(map[string]int)
	for _, p := range problems {
		if _, ok := files[p.File]; !ok {
			files[p.File] = len(files)
		}
		if !slices.Contains(unique, p) {
			unique = append(unique, p)
		}
	}
	slices.SortStableFunc(unique, func(a, b Problem) int {
		return cmp.Or(files[a.File]-files[b.File], a.Line-b.Line, a.Column-b.Column)
	})
	return &Error{unique}
}
