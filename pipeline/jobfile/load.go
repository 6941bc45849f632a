package jobfile

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// loader turns the YAML of a job file into a Job. The document itself goes through the
// stages: bare words become maps, overrides replace values, what is wrong is reported and
// taken out, defaults are filled in. What is left is the resolved job.
type loader struct {
	document
	problems []Problem
	specs    map[*yaml.Node]*TaxonomySource // of the taxonomies checked
	broken   map[string]bool                // top-level keys whose values were taken out
}

func newLoader(path string, text []byte) *loader {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return &loader{
		document: document{file: path, lines: lines, origins: make(map[*yaml.Node]string)},
		specs:    make(map[*yaml.Node]*TaxonomySource),
		broken:   make(map[string]bool),
	}
}

func (l *loader) add(n *yaml.Node, hint, format string, args ...any) {
	l.problems = append(l.problems, l.problem(n, hint, format, args...))
}

func (l *loader) load(root *yaml.Node, overrides []Override) *Job {
	if root == nil || root.Kind != yaml.Map {
		l.problems = append(l.problems, Problem{
			File: l.file, Line: 1, Column: 1, Message: "not a job: it needs a map of keys like input, output and columns",
			Hint: "kcut config --schema prints every key of a job file",
		})
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

// override lays one override over the document.
func (l *loader) override(o Override) {
	f := fieldAt(o.Key)
	if f == nil || f.flag == "" {
		l.problems = append(l.problems, Problem{File: o.Origin, Message: "no such key of a job: " + strconv.Quote(o.Key)})
		return
	}
	text := o.Value
	if f.kind == kindPath || f.kind == kindPaths {
		text = fromHere(text)
	}
	n := &yaml.Node{Text: text, Quoted: f.kind != kindInteger && f.kind != kindSize}
	l.origins[n] = o.Origin
	if list, item, ok := strings.Cut(f.path, "[]."); ok {
		l.overrideItems(l.root.Get(list), item, n)
		return
	}
	m := l.root
	keys := strings.Split(f.path, ".")
	for _, key := range keys[:len(keys)-1] {
		if m = l.child(m, key); m == nil {
			return
		}
	}
	if f.kind == kindPaths {
		n = l.appended(m.Get(f.key()), n, o.Origin)
	}
	setKey(m, f.key(), n)
}

// overrideItems sets a key of every map in a list.
func (l *loader) overrideItems(list *yaml.Node, key string, n *yaml.Node) {
	if list == nil {
		return
	}
	for _, item := range list.Items {
		if item.Kind == yaml.Map {
			setKey(item, key, n)
		}
	}
}

// child returns the map at a key, made when absent, or nil when something else is there.
func (d *document) child(m *yaml.Node, key string) *yaml.Node {
	n := m.Get(key)
	if n == nil {
		n = &yaml.Node{Kind: yaml.Map}
		d.origins[n] = originDefault
		setKey(m, key, n)
	}
	if n.Kind != yaml.Map {
		return nil
	}
	return n
}

// appended returns a list of an override's value, after those it was already given.
func (l *loader) appended(list, n *yaml.Node, origin string) *yaml.Node {
	if list == nil || l.origins[list] != origin {
		list = &yaml.Node{Kind: yaml.List}
		l.origins[list] = origin
	}
	list.Items = append(list.Items, n)
	return list
}

// setKey gives a key of a map a value, in place or at the end.
func setKey(m *yaml.Node, key string, n *yaml.Node) {
	for i := range m.Entries {
		if m.Entries[i].Key.Text == key {
			m.Entries[i].Value = n
			return
		}
	}
	m.Entries = append(m.Entries, yaml.Entry{Key: &yaml.Node{Text: key, Quoted: true}, Value: n})
}

// fromHere makes a path that starts from the current directory independent of it, since
// the job file's own start from its folder. It keeps a final slash.
func fromHere(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return path // without a current directory nothing opens; the message then names the path as given
	}
	return strings.TrimSuffix(here, "/") + "/" + path
}

// defaults fills in the values of absent fields.
func (l *loader) defaults() {
	for i := range fieldTable {
		f := &fieldTable[i]
		if f.def == "" || len(f.masks) > 0 {
			continue
		}
		parent := l.root
		if head, _, ok := strings.Cut(f.path, "."); ok {
			parent = l.child(l.root, head)
		}
		l.setDefault(parent, f, f.def)
	}
	if algorithm := yamlText(l.root.Get("algorithm")); algorithm == AlgorithmTDR || algorithm == AlgorithmTDS {
		l.setDefault(l.root, fieldAt("score"), algorithm) // every algorithm's own score has its name
	}
	if columns := l.root.Get("columns"); columns != nil {
		for _, e := range columns.Entries {
			l.columnDefaults(e.Key.Text, e.Value)
		}
	}
}

// columnDefaults fills in the fields that a column's mask allows.
func (l *loader) columnDefaults(name string, column *yaml.Node) {
	mask := yamlText(column.Get("mask"))
	for _, f := range fieldsUnder(fieldAt("columns").prefix()) {
		if len(f.masks) == 0 || !f.allows(mask) {
			continue
		}
		if f.kind == kindTaxonomy {
			l.setDefault(column, f, name)
		} else if f.def != "" {
			l.setDefault(column, f, f.def)
		}
	}
}

// setDefault gives an absent field of a map a value.
func (l *loader) setDefault(m *yaml.Node, f *field, value string) {
	if m == nil || m.Get(f.key()) != nil {
		return
	}
	n := &yaml.Node{Text: value, Quoted: f.kind != kindInteger}
	l.origins[n] = originDefault
	setKey(m, f.key(), n)
}
