package jobfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// pos is a place in the job file. The zero pos is a value that is not from the file.
type pos struct{ line, column int }

// Override is a value that replaces the job file's. Flags win over environment variables,
// whatever their order.
type Override struct {
	Key    string // as in Flag
	Value  string
	Origin string // "--memory" or "KCUT_MEMORY": what messages call it
}

// Flag is a field of the job file that the command line and the environment can set.
type Flag struct {
	Key      string // for Override: "limits.memory"
	Name     string // "--memory"
	Variable string // "KCUT_MEMORY"
	Doc      string
	List     bool // may be given several times
}

// Flags returns the fields that can be overridden, in the order of the reference.
func Flags() []Flag {
	var flags []Flag
	for i := range fieldTable {
		if f := &fieldTable[i]; f.flag != "" {
			flags = append(flags, Flag{f.path, "--" + f.flag, f.variable(), f.doc, f.kind == kindPaths})
		}
	}
	return flags
}

// EnvironmentOverrides returns the overrides that the environment holds. Variables that are
// set to nothing count as not set.
func EnvironmentOverrides(lookup func(string) (string, bool)) []Override {
	var overrides []Override
	for _, f := range Flags() {
		if value, ok := lookup(f.Variable); ok && value != "" {
			overrides = append(overrides, Override{f.Key, value, f.Variable})
		}
	}
	return overrides
}

// document knows where a job's values came from.
type document struct {
	file    string
	lines   []string
	root    *yaml.Node            // the resolved job
	origins map[*yaml.Node]string // of values that are not from the file
}

// originDefault is the origin of values that nobody gave.
const originDefault = "default"

// origin names where a value came from: "people.yaml:4", "--k", "KCUT_MEMORY", "default".
func (d *document) origin(n *yaml.Node) string {
	if name, ok := d.origins[n]; ok {
		return name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(d.file), n.Line)
}

// problem describes what is wrong at a node.
func (d *document) problem(n *yaml.Node, hint, format string, args ...any) Problem {
	p := d.problemAt(posOf(n), format, args...)
	p.Hint = hint
	if name, ok := d.origins[n]; ok {
		p.File = name
	}
	return p
}

func posOf(n *yaml.Node) pos { return pos{n.Line, n.Column} }

// problemAt describes what is wrong at a place. The message must hold no value of the data.
func (d *document) problemAt(at pos, format string, args ...any) Problem {
	p := Problem{File: d.file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
	if at.line >= 1 && at.line <= len(d.lines) {
		p.Source = d.lines[at.line-1]
	}
	return p
}

// sortOverrides puts those that win last.
func sortOverrides(overrides []Override) []Override {
	rank := func(o Override) int {
		if strings.HasPrefix(o.Origin, "--") {
			return 1
		}
		return 0
	}
	sorted := slices.Clone(overrides)
	slices.SortStableFunc(sorted, func(a, b Override) int { return rank(a) - rank(b) })
	return sorted
}

// Setting is one value of the resolved job.
type Setting struct {
	Key    string // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	Value  string // as YAML on one line, or what its absence means
	Origin string // "people.yaml:4", "--k", "KCUT_MEMORY" or "default"
}

// Settings lists every value of the job and where it came from, in the order of the
// reference.
func (j *Job) Settings() []Setting {
	l := lister{source: &j.source}
	l.fields("", "", j.source.root)
	return l.settings
}

// lister walks the resolved job.
type lister struct {
	source   *document
	settings []Setting
}

// fields adds the settings of the fields under a prefix. at is their concrete path.
func (l *lister) fields(prefix, at string, m *yaml.Node) {
	for _, f := range fieldsUnder(prefix) {
		n, path := m.Get(f.key()), at+f.key()
		switch {
		case n == nil && prefix != fieldAt("columns").prefix() && f.defWords != "":
			l.settings = append(l.settings, Setting{path, f.defWords, originDefault})
		case n != nil:
			l.field(f, path, n)
		case f.kind == kindMap:
			l.fields(f.prefix(), path+".", &yaml.Node{})
		}
	}
}

func (l *lister) field(f *field, path string, n *yaml.Node) {
	switch f.kind {
	case kindMap:
		l.fields(f.prefix(), path+".", n)
	case kindList:
		for i, item := range n.Items {
			l.fields(f.prefix(), fmt.Sprintf("%s[%d].", path, i), item)
		}
	case kindNamed:
		for _, e := range n.Entries {
			l.fields(f.prefix(), path+"."+renderScalar(e.Key)+".", e.Value)
		}
	default:
		l.settings = append(l.settings, Setting{path, renderFlow(n), l.source.origin(n)})
	}
}
