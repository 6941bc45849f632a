package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Pos is a place in the job file. The zero Pos is a value that is not from the file.
type Pos struct{ Line, Column int }

// Override is a value that replaces the job file's. Flags win over environment variables,
// whatever their order.
type Override struct {
	Key    string // as in JobFlag
	Value  string
	Origin string // "--memory" or "KCUT_MEMORY": what messages call it
}

// JobFlag is a field of the job file that the command line and the environment can set.
type JobFlag struct {
	Key      string // for Override: "limits.memory"
	Flag     string // "--memory"
	Variable string // "KCUT_MEMORY"
	Doc      string
	List     bool // may be given several times
}

// JobFlags returns the fields that can be overridden, in the order of the reference.
func JobFlags() []JobFlag {
	var flags []JobFlag
	for i := range jobFields {
		if f := &jobFields[i]; f.flag != "" {
			flags = append(flags, JobFlag{f.path, "--" + f.flag, f.variable(), f.doc, f.kind == kindPaths})
		}
	}
	return flags
}

// EnvironmentOverrides returns the overrides that the environment holds. Variables that are
// set to nothing count as not set.
func EnvironmentOverrides(lookup func(string) (string, bool)) []Override {
	var overrides []Override
	for _, f := range JobFlags() {
		if value, ok := lookup(f.Variable); ok && value != "" {
			overrides = append(overrides, Override{f.Key, value, f.Variable})
		}
	}
	return overrides
}

// jobSource knows where a job's values came from.
type jobSource struct {
	file    string
	lines   []string
	root    *yaml.Node            // the resolved job
	origins map[*yaml.Node]string // of values that are not from the file
}

// originDefault is the origin of values that nobody gave.
const originDefault = "default"

// origin names where a value came from: "people.yaml:4", "--k", "KCUT_MEMORY", "default".
func (s *jobSource) origin(n *yaml.Node) string {
	if name, ok := s.origins[n]; ok {
		return name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(s.file), n.Line)
}

// problem describes what is wrong at a node.
func (s *jobSource) problem(n *yaml.Node, hint, format string, args ...any) Problem {
	p := s.problemAt(nodePos(n), format, args...)
	p.Hint = hint
	if name, ok := s.origins[n]; ok {
		p.File = name
	}
	return p
}

func (s *jobSource) problemAt(at Pos, format string, args ...any) Problem {
	p := Problem{File: s.file, Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...)}
	if at.Line >= 1 && at.Line <= len(s.lines) {
		p.Source = s.lines[at.Line-1]
	}
	return p
}

func nodePos(n *yaml.Node) Pos { return Pos{n.Line, n.Column} }

// ProblemAt describes what turned out to be wrong at a place of the job file, for a
// JobError. The message must hold no value of the data.
func (j *Job) ProblemAt(at Pos, format string, args ...any) Problem {
	return j.source.problemAt(at, format, args...)
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

// Resolved lists every value of the job and where it came from, in the order of the
// reference.
func (j *Job) Resolved() []Setting {
	r := settingWalker{source: &j.source}
	r.fields("", "", j.source.root)
	return r.settings
}

// settingWalker walks the resolved job.
type settingWalker struct {
	source   *jobSource
	settings []Setting
}

// fields adds the settings of the fields under a prefix. at is their concrete path.
func (r *settingWalker) fields(prefix, at string, m *yaml.Node) {
	for _, f := range fieldsUnder(prefix) {
		n, path := m.Get(f.key()), at+f.key()
		switch {
		case n == nil && prefix != fieldAt("columns").prefix() && f.defWords != "":
			r.settings = append(r.settings, Setting{path, f.defWords, originDefault})
		case n != nil:
			r.field(f, path, n)
		case f.kind == kindMap:
			r.fields(f.prefix(), path+".", &yaml.Node{})
		}
	}
}

func (r *settingWalker) field(f *jobField, path string, n *yaml.Node) {
	switch f.kind {
	case kindMap:
		r.fields(f.prefix(), path+".", n)
	case kindList:
		for i, item := range n.Items {
			r.fields(f.prefix(), fmt.Sprintf("%s[%d].", path, i), item)
		}
	case kindNamed:
		for _, e := range n.Entries {
			r.fields(f.prefix(), path+"."+renderScalar(e.Key)+".", e.Value)
		}
	default:
		r.settings = append(r.settings, Setting{path, renderFlow(n), r.source.origin(n)})
	}
}
