package jobfile

import (
	"regexp"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

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
	if !resemblesJob(text) {
		return nil, &Error{[]Problem{noJob(path)}}
	}
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

// loader turns the YAML of a job file into a Job. The document itself goes through the
// stages: bare words become maps, overrides replace values, what is wrong is reported and
// taken out, defaults are filled in. What is left is the resolved job.
type loader struct {
	document
	problems []Problem
	specs    map[*yaml.Node]*TaxonomySource // of the taxonomies checked
	taken    map[entryOf]bool               // what was taken out
}

// entryOf is an entry of a map.
type entryOf struct {
	m   *yaml.Node
	key string
}

// broken reports whether the value of a top-level key was taken out.
func (l *loader) broken(key string) bool { return l.taken[entryOf{l.root, key}] }

func newLoader(path string, text []byte) *loader {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return &loader{
		document: document{file: path, lines: lines, origins: make(map[*yaml.Node]string)},
		specs:    make(map[*yaml.Node]*TaxonomySource),
		taken:    make(map[entryOf]bool),
	}
}

func (l *loader) add(n *yaml.Node, hint, format string, args ...any) {
	l.problems = append(l.problems, l.problem(n, hint, format, args...))
}

func (l *loader) load(root *yaml.Node, overrides []Override) *Job {
	if root == nil || root.Kind != yaml.Map {
		l.problems = append(l.problems, noJob(l.file))
		return nil
	}
	l.root = root
	l.expand("", root)
	for _, o := range sortOverrides(overrides) {
		l.override(o)
	}
	l.checkMap("", root)
	l.defaults()
	job := l.bind()
	l.rules(job)
	return job
}

// expand puts maps where bare words stand for them.
func (l *loader) expand(prefix string, m *yaml.Node) {
	for i := range m.Entries {
		e := &m.Entries[i]
		for _, f := range fieldsUnder(prefix) {
			if f.key() == e.Key.Text {
				e.Value = l.expandField(f, e.Value)
			}
		}
	}
}

func (l *loader) expandField(f *field, n *yaml.Node) *yaml.Node {
	switch {
	case f.kind == kindMap:
		return l.expandBare(f, n)
	case f.kind == kindNamed && n.Kind == yaml.Map:
		for i := range n.Entries {
			n.Entries[i].Value = l.expandBare(f, n.Entries[i].Value)
		}
	case f.kind == kindPaths && n.Kind == yaml.Scalar && !n.Null():
		return &yaml.Node{Kind: yaml.List, Items: []*yaml.Node{n}, Line: n.Line, Column: n.Column}
	}
	return n
}

// expandBare returns the map that a bare word stands for, or the node itself.
func (l *loader) expandBare(f *field, n *yaml.Node) *yaml.Node {
	bare := bareField(f.prefix())
	if bare == nil || n.Kind != yaml.Scalar || n.Null() {
		return n
	}
	key := &yaml.Node{Text: bare.key(), Line: n.Line, Column: n.Column}
	return &yaml.Node{
		Kind: yaml.Map, Entries: []yaml.Entry{{Key: key, Value: n}}, Line: n.Line, Column: n.Column,
	}
}
