package job

import (
	"path/filepath"
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

// LimitsOf returns the limits that overrides ask for, for a command that has no job file.
func LimitsOf(overrides []Override) (Limits, error) {
	overrides = slices.DeleteFunc(slices.Clone(overrides), func(o Override) bool { return !strings.HasPrefix(o.Key, "limits.") })
	r := newReader("", nil, overrides)
	r.slots(r.value)
	return r.Limits, asError(r.problems)
}

// replacement is what stands for the values of a field.
type replacement struct {
	origin string
	value  *yaml.Node
}

// replace records those overrides that win.
func (r *reader) replace(overrides []Override) {
	r.replaced = make(map[string]replacement)
	for _, o := range overrides {
		f := fieldAt(o.Key)
		if f == nil || f.flag == "" {
			r.problems = append(r.problems, Problem{File: o.Origin, Message: "no such key of a job: " + strconv.Quote(o.Key)})
			continue
		}
		before := r.replaced[o.Key]
		if strings.HasPrefix(before.origin, "--") && !strings.HasPrefix(o.Origin, "--") {
			continue
		}
		n := &yaml.Node{Text: o.Value, Quoted: !f.number() && f.kind != kindSize}
		// A path starts from the current directory, the job file's own from its folder. Without a
		// current directory nothing opens; the message then names the path as given.
		if here, err := filepath.Abs("."); err == nil && f.isPath() {
			n.Text = inFolder(here, o.Value)
		}
		if f.kind == kindPaths {
			n = &yaml.Node{Kind: yaml.List, Items: []*yaml.Node{n}}
			if before.origin == o.Origin {
				n.Items = slices.Concat(before.value.Items, n.Items)
			}
		}
		r.replaced[o.Key] = replacement{o.Origin, n}
	}
}

// replaces reports whether overrides stand for the values of a field, or name an algorithm that
// has no use for it.
func (r *reader) replaces(f *field) bool {
	_, ok := r.replaced[f.path]
	name, other := r.replaced["algorithm.name"]
	return ok || other && !f.serves(name.value.Text) && slices.Contains(algorithms, name.value.Text)
}
