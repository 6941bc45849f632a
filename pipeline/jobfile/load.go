package jobfile

import (
	"fmt"
	"path/filepath"
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
	problems.Locate(path, text)
	d := newDecoder(path, text, overrides)
	d.problems = append(d.problems, problems...)
	switch {
	case root != nil && root.Kind == yaml.Map:
		d.decode(root)
	case root != nil || len(problems) == 0:
		d.problems = append(d.problems, noJob(path))
	}
	if err := asError(d.problems); err != nil {
		return nil, err
	}
	return d.Job, nil
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

// decoder reads the YAML of a job file, and what replaces values of it, into a job.
type decoder struct {
	checker
	replaced map[string]replacement // by paths of fields
	source   string                 // of what is being read: a flag or a variable; empty: the file
}

func newDecoder(path string, text []byte, overrides []Override) *decoder {
	d := &decoder{checker: checker{Job: &Job{File: path, origins: newOrigins(path, text)}}}
	d.replace(overrides)
	return d
}

func (d *decoder) decode(root *yaml.Node) {
	d.note("", root)
	d.fields("", "", 0, root)
	d.override()
	d.finish()
}

// note notes where a value that is read came from.
func (d *decoder) note(path string, n *yaml.Node) {
	d.origins.places[path] = place{name: d.source, line: n.Line, column: n.Column}
}

// fields reads the keys of a map that are under a prefix. at is their path.
func (d *decoder) fields(prefix, at string, i int, m *yaml.Node) {
	fields := fieldsUnder(prefix)
	for _, e := range m.Entries {
		k := slices.IndexFunc(fields, func(f *field) bool { return f.key() == e.Key.Text })
		if k < 0 {
			d.unknown(at+e.Key.Text+":", e.Key, fields)
		} else if f := fields[k]; !d.replaces(f) {
			d.note(at+f.key()+":", e.Key)
			d.field(f, at+f.key(), i, e.Value)
		}
	}
}

func (d *decoder) unknown(path string, key *yaml.Node, fields []*field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key()
	}
	hint := didYouMean(key.Text, names)
	if hint == "" {
		hint = "the keys here are " + strings.Join(names, ", ")
	}
	d.note(path, key)
	d.add(path, hint, "unknown key %q", key.Text)
}

// field reads the value of a field.
func (d *decoder) field(f *field, path string, i int, n *yaml.Node) {
	d.note(path, n)
	switch {
	case n.Null():
		d.spoil(path, "give it a value, or leave it out", "%s has no value", f.key())
	case f.kind == kindMap:
		if n = withBare(f, n); n.Kind == yaml.Map {
			d.fields(f.prefix(), path+".", i, n)
		} else {
			d.spoil(path, "", "%s must be a map, not %s", f.key(), f.describe(n))
		}
	case f.kind == kindList:
		d.sets(f, path, n)
	case f.kind == kindNamed:
		d.columns(f, path, n)
	default:
		d.value(f, path, f.at(d.Job, i), n)
	}
}

// withBare returns the map that a bare word stands for, or the node itself.
func withBare(f *field, n *yaml.Node) *yaml.Node {
	bare := bareField(f.prefix())
	if bare == nil || n.Kind != yaml.Scalar || n.Null() {
		return n
	}
	key := &yaml.Node{Text: bare.key(), Line: n.Line, Column: n.Column}
	return &yaml.Node{Kind: yaml.Map, Entries: []yaml.Entry{{Key: key, Value: n}}}
}

func (d *decoder) sets(f *field, path string, n *yaml.Node) {
	const hint = "as in: - {columns: [age, sex], k: 50}"
	if n.Kind != yaml.List || len(n.Items) == 0 {
		d.spoil(path, hint, "%s must be a list of sets, not %s", f.key(), f.describe(n))
		return
	}
	d.Sets = make([]Set, len(n.Items))
	for i, item := range n.Items {
		set := fmt.Sprintf("%s[%d]", path, i)
		d.note(set, item)
		if item.Kind == yaml.Map {
			d.fields(f.prefix(), set+".", i, item)
		} else {
			d.spoil(set, hint, "a set must be a map, not %s", f.describe(item))
		}
	}
}

func (d *decoder) columns(f *field, path string, n *yaml.Node) {
	const hint = "as in: age: discretize"
	if n.Kind != yaml.Map || len(n.Entries) == 0 {
		d.spoil(path, hint, "%s must be a map from names of columns to masks, not %s", f.key(), f.describe(n))
		return
	}
	d.Columns = make([]Column, len(n.Entries))
	for i, e := range n.Entries {
		name, entry := e.Key.Text, withBare(f, e.Value)
		column := columnPath(name)
		d.Columns[i].Name = name
		d.note(column, e.Value)
		d.note(column+":", e.Key)
		switch {
		case entry.Kind == yaml.Map:
			d.fields(f.prefix(), column+".", i, entry)
		case entry.Null():
			d.add(column+":", hint, "column %q has no mask", name)
			d.origins.spoil(column)
		default:
			d.spoil(column, hint, "column %q must have a mask or a map, not %s", name, f.describe(entry))
		}
	}
}

// value reads a value without fields of its own, and checks it.
func (d *decoder) value(f *field, path string, p any, n *yaml.Node) {
	found := len(d.problems)
	switch p := p.(type) {
	case *[]string:
		*p = d.texts(f, path, n)
	case *Bounds:
		*p = d.bounds(path, n)
	case *Taxonomy:
		*p = d.taxonomyOf(path, n)
	case taxonomies:
		d.taxonomiesOf(f, path, n)
	default:
		if n.Kind != yaml.Scalar || n.Null() || !f.parse(n, p) {
			message, hint := f.not(f.describe(n))
			d.add(path, hint, "%s %s", f.title(), message)
		} else if p, ok := p.(*string); ok && f.kind == kindPath {
			*p = inFolder(filepath.Dir(d.File), *p)
		}
	}
	if len(d.problems) == found {
		d.check(f, path, p)
	}
	if len(d.problems) > found {
		d.origins.spoil(path)
		clearValue(p)
	}
}

// texts reads a list of texts. One path is a list, too.
func (d *decoder) texts(f *field, path string, n *yaml.Node) []string {
	items := n.Items
	if f.kind == kindPaths && n.Kind == yaml.Scalar {
		items = []*yaml.Node{n}
	}
	if len(items) == 0 {
		d.add(path, "", "%s must be a %s, not %s", f.key(), kindWords[f.kind], f.describe(n))
	}
	texts := make([]string, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.note(at, item)
		if item.Kind != yaml.Scalar || item.Null() {
			message, _ := f.not(f.describe(item))
			d.add(at, "", "%s %s", f.title(), message)
			continue
		}
		if texts[i] = item.Text; f.kind == kindPaths {
			texts[i] = inFolder(filepath.Dir(d.File), item.Text)
		}
		d.text(f, at, &texts[i])
	}
	return texts
}

// bounds reads a pair of bounds.
func (d *decoder) bounds(path string, n *yaml.Node) (b Bounds) {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		d.add(path, hint, "bounds must be a list of two values, not %s", new(field).describe(n))
		return b
	}
	for i, end := range []*string{&b.Lower, &b.Upper} {
		item := n.Items[i]
		switch {
		case item.Kind == yaml.Scalar && item.Text != "" && !item.Null():
			*end = item.Text
		case !item.Null():
			at := fmt.Sprintf("%s[%d]", path, i)
			d.note(at, item)
			d.add(at, hint, "a bound must be a number, a date or null, not %s", new(field).describe(item))
			return b
		}
	}
	if b == (Bounds{}) {
		d.add(path, "leave bounds out for two open ends", "bounds without a value")
	}
	return b
}
