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
	return origins{file: file, lines: lines, places: make(map[string]place)}
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
	if at := o.places[path]; at.name != "" || at.line > 0 {
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
		p.Source = strings.TrimSuffix(o.lines[at.line-1], "\r")
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
	return Quoted(name)
}

// Located gives a mistake in a value of a column's, which only the input has shown, the value's
// place in the job file.
func (j *Job) Located(column, key string, mistake error) error {
	return j.LocatedKey(columnPath(column)+"."+key, "", mistake)
}

// LocatedKey is Located for a value that is no column's.
func (j *Job) LocatedKey(key, hint string, mistake error) error {
	return &Error{[]Problem{j.origins.problem(key, hint, "%v", mistake)}}
}

// Problem is one thing that is wrong with a job.
type Problem = yaml.Problem

// Error lists what is wrong with a job: its file, its overrides, and the taxonomy files
// that it names. Nothing was read or written but these.
type Error struct{ Problems []Problem }

// Error renders all problems: place and message, the source line with a caret, a hint.
func (e *Error) Error() string { return yaml.Problems(e.Problems).Error() }

// Class is that of a mistake in a job.
func (e *Error) Class() fault.Class { return fault.Usage }

// asError returns the problems as an error, each once and those of one file in its order, files in
// the order of their first problem. It returns nil without problems.
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

// DidYouMean returns a hint naming the candidate that is spelled most like a word, or "".
func DidYouMean(word string, candidates []string) string {
	hint, distance := "", min(len(word), 1+max(1, len(word)/3))
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance {
			hint, distance = fmt.Sprintf("did you mean %q?", c), d
		}
	}
	return hint
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that
// turn one text into the other.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return 64 // nobody's typing slip; keeps a hint cheap
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case s[i-1] == t[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
