package job

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
)

// origins tells where the values of a job came from, by their paths: "limits.memory",
// "quasi_identifiers[0].k", "columns.age.mask". The path of a key itself ends in a colon. Those of
// a job that no file was read for know what is a default.
type origins struct {
	file   string
	lines  []string
	places map[string]place
}

// place is where a value came from.
type place struct {
	name         string // a flag, an environment variable or originDefault; empty: the job file
	line, column int    // in the job file
	rejected     bool   // the value was wrong, and is left out
}

// originDefault is the origin of values that nobody gave.
const originDefault = "default"

func newOrigins(file string, text []byte) origins {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return origins{file: file, lines: lines, places: make(map[string]place)}
}

// clone returns a copy that grows by itself.
func (o origins) clone() origins {
	o.places = maps.Clone(o.places)
	if o.places == nil {
		o.places = make(map[string]place)
	}
	return o
}

// reject records that the value at a path is wrong.
func (o *origins) reject(path string) {
	at := o.places[path]
	at.rejected = true
	o.places[path] = at
}

// origin names where a value came from: "people.yaml:4", "--k", "KCUT_MEMORY", "default". It is
// empty for the values of a job that a program filled in.
func (o *origins) origin(path string) string {
	at, ok := o.places[path]
	if !ok || at.name != "" {
		return at.name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(o.file), at.line)
}

// problem describes what is wrong at a path: its place in the job file, or the path itself when it
// is not from there. The message must hold no value of the data.
func (o *origins) problem(path, hint, format string, args ...any) Problem {
	message := fmt.Sprintf(format, args...)
	if at, ok := o.places[path]; ok {
		return o.located(at, hint, message)
	}
	return Problem{File: cmp.Or(strings.TrimSuffix(path, ":"), "job"), Message: message, Hint: hint}
}

// located describes what is wrong at a place.
func (o *origins) located(at place, hint, message string) Problem {
	if at.name != "" {
		return Problem{File: at.name, Message: message, Hint: hint}
	}
	p := Problem{File: o.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
	if at.line >= 1 && at.line <= len(o.lines) {
		p.Source = o.lines[at.line-1]
	}
	return p
}

// columnPath returns the path of a column's entry.
func columnPath(name string) string { return "columns." + quotedKey(name) }

// quotedKey returns a name as part of a path, in quotes where it could be taken for more than one key.
func quotedKey(name string) string {
	if strings.ContainsAny(name, ".[:") {
		return strconv.Quote(name)
	}
	return quoted(name)
}

// Located gives a mistake in a value of a column's, which only the input has shown, the value's
// place in the job file.
func (j *Job) Located(column, key string, mistake error) error {
	return &Error{[]Problem{j.origins.problem(columnPath(column)+"."+key, "", "%v", mistake)}}
}
