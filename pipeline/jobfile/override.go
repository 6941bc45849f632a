package jobfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Override is a value that replaces the job file's. Flags win over environment variables,
// whatever their order. One that names an algorithm takes with it those options of the job
// file's that are for others.
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
	List     bool     // may be given several times
	Words    []string // the values that there are; nil: any
}

// Flags returns the fields that can be overridden, in the order of the reference.
func Flags() []Flag {
	var flags []Flag
	for i := range fieldTable {
		if f := &fieldTable[i]; f.flag != "" {
			flags = append(flags, Flag{f.path, "--" + f.flag, f.variable(), f.doc, f.kind == kindPaths, f.enum})
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

// LimitsOf returns the limits that overrides ask for, for a command that has no job file.
func LimitsOf(overrides []Override) (Limits, error) {
	l := newLoader("", nil)
	l.root = &yaml.Node{Kind: yaml.Map}
	for _, o := range sortOverrides(overrides) {
		if strings.HasPrefix(o.Key, "limits.") {
			l.override(o)
		}
	}
	limits := orEmptyNode(l.root.Get("limits"))
	l.checkMap("limits.", limits)
	if err := asError(l.problems); err != nil {
		return Limits{}, err
	}
	return l.bindLimits(limits), nil
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
	n := &yaml.Node{Text: text, Quoted: !f.number() && f.kind != kindSize}
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
	if f.path == "algorithm.name" {
		m.Entries = slices.DeleteFunc(m.Entries, func(e yaml.Entry) bool { return !useful(e.Key.Text, o.Value) })
	}
}

// useful reports whether a key of algorithm's is one that another algorithm has a use for, or
// one that is wrong anyway.
func useful(key, algorithm string) bool {
	f := fieldAt(fieldAt("algorithm").prefix() + key)
	return f == nil || f.serves(algorithm) || !slices.Contains(algorithms, algorithm)
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

// appended returns a list of an override's value, after those it was already given.
func (l *loader) appended(list, n *yaml.Node, origin string) *yaml.Node {
	if list == nil || l.origins[list] != origin {
		list = &yaml.Node{Kind: yaml.List}
		l.origins[list] = origin
	}
	list.Items = append(list.Items, n)
	return list
}
