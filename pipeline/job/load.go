package job

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Load reads a job file, lays the overrides over it, and resolves the job. It opens no other file.
// What is wrong comes back as an *Error, all of it at once; other errors are failures to read.
func Load(path string, overrides []Override) (*Job, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, overrides)
}

// Parse is Load of a text. Its relative paths start from the folder of the path.
func Parse(path string, text []byte, overrides []Override) (*Job, error) {
	if len(text) <= yaml.MaxBytes && !resemblesJob(text) {
		return nil, &Error{[]Problem{noJob(path)}}
	}
	root, problems := yaml.Parse(text)
	r := newReader(path, text, overrides)
	for _, p := range problems {
		r.problems = append(r.problems, r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
	}
	switch {
	case root != nil && root.Kind == yaml.Map:
		r.record("", root)
		r.keys("", "", root)
		r.override()
		return r.resolve()
	case root != nil || len(problems) == 0:
		r.problems = append(r.problems, noJob(path))
	}
	return nil, asError(r.problems)
}

// resemblesJob reports whether a text has one of the keys that every job has. Of another nothing
// may be shown: a table that was taken for a job has people in it.
func resemblesJob(text []byte) bool {
	var keys []string
	for _, f := range fieldsUnder("") {
		if f.required {
			keys = append(keys, f.key())
		}
	}
	return regexp.MustCompile(`\b(` + strings.Join(keys, "|") + `)["']?\s*:`).Match(text)
}

// noJob is the problem of a file that is something else.
func noJob(path string) Problem {
	return Problem{
		File: path, Line: 1, Column: 1, Message: "not a job: it needs a map of keys like input, output and columns",
		Hint: "kcut config --schema prints every key of a job file",
	}
}

// reader goes through the YAML of a job file, and what replaces values of it: which sets and columns
// there are, and the node of every value.
type reader struct {
	checker
	replaced map[string]replacement // by paths of fields
	source   string                 // of what is being read: a flag or a variable; empty: the file
}

func newReader(path string, text []byte, overrides []Override) *reader {
	r := &reader{checker: checker{Job: &Job{File: path, origins: newOrigins(path, text)}, nodes: make(map[string]*yaml.Node)}}
	r.replace(overrides)
	return r
}

// record records where a value comes from.
func (r *reader) record(path string, n *yaml.Node) {
	r.origins.places[path] = place{name: r.source, line: n.Line, column: n.Column}
}

// keys goes through the keys of a map, which are under a prefix.
func (r *reader) keys(prefix, owner string, m *yaml.Node) {
	fields := fieldsUnder(prefix)
	for _, e := range m.Entries {
		path := strings.TrimPrefix(owner+"."+e.Key.Text, ".")
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key() == e.Key.Text })
		if i < 0 || !r.replaces(fields[i]) {
			r.record(path+":", e.Key)
		}
		if i < 0 {
			r.unknown(path+":", e.Key.Text, fields)
		} else if !r.replaces(fields[i]) {
			r.collect(fields[i], path, e.Value)
		}
	}
}

func (r *reader) unknown(path, key string, fields []*field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key()
	}
	r.add(path, cmp.Or(didYouMean(key, names), "the keys here are "+strings.Join(names, ", ")), "unknown key %q", key)
}

// collect keeps the node of a field.
func (r *reader) collect(f *field, path string, n *yaml.Node) {
	r.record(path, n)
	switch {
	case n.Null():
		r.reject(path, "give it a value, or leave it out", "%s has no value", f.key())
	case f.kind == kindMap:
		if !r.entry(f, path, n) {
			r.reject(path, "", "%s must be a map, not %s", f.key(), f.describe(n))
		}
	case f.kind == kindList:
		r.sets(f, path, n)
	case f.kind == kindNamed:
		r.columns(f, path, n)
	default:
		r.nodes[path] = n
	}
}

// entry goes through a map, or the word that stands for one. It reports whether it is either.
func (r *reader) entry(f *field, path string, n *yaml.Node) bool {
	switch bare := bareField(f.prefix()); {
	case n.Kind == yaml.Map:
		r.keys(f.prefix(), path, n)
	case n.Kind != yaml.Scalar || n.Null() || bare == nil:
		return false
	case !r.replaces(bare):
		r.collect(bare, path+"."+bare.key(), n)
	}
	return true
}

func (r *reader) sets(f *field, path string, n *yaml.Node) {
	const hint = "as in: - {columns: [age, sex], k: 50}"
	if n.Kind != yaml.List || len(n.Items) == 0 {
		r.reject(path, hint, "%s must be a list of sets, not %s", f.key(), f.describe(n))
	}
	r.Sets = make([]Set, len(n.Items))
	for i, item := range n.Items {
		set := itemPath(path, i)
		r.record(set, item)
		if !r.entry(f, set, item) {
			r.reject(set, hint, "a set must be a map, not %s", f.describe(item))
		}
	}
}

func (r *reader) columns(f *field, path string, n *yaml.Node) {
	const hint = "as in: age: discretize"
	if n.Kind != yaml.Map || len(n.Entries) == 0 {
		r.reject(path, hint, "%s must be a map from names of columns to masks, not %s", f.key(), f.describe(n))
	}
	r.Columns = make([]Column, len(n.Entries))
	for i, e := range n.Entries {
		name, column := e.Key.Text, columnPath(e.Key.Text)
		r.Columns[i].Name = name
		r.record(column, e.Value)
		r.record(column+":", e.Key)
		switch {
		case e.Value.Null():
			r.add(column+":", hint, "column %q has no mask", name)
			r.origins.reject(column)
		case !r.entry(f, column, e.Value):
			r.reject(column, hint, "column %q must have a mask or a map, not %s", name, f.describe(e.Value))
		}
	}
}
