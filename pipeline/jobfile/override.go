package jobfile

import (
	"fmt"
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
	d := newDecoder("", nil, overrides)
	d.override()
	return d.Limits, asError(d.problems)
}

// replacement is what stands for the values of a field.
type replacement struct {
	origin string
	value  *yaml.Node
}

// replace takes over those overrides that win.
func (d *decoder) replace(overrides []Override) {
	d.replaced = make(map[string]replacement)
	for _, o := range overrides {
		f := fieldAt(o.Key)
		if f == nil || f.flag == "" {
			d.problems = append(d.problems, Problem{File: o.Origin, Message: "no such key of a job: " + strconv.Quote(o.Key)})
			continue
		}
		before, ok := d.replaced[o.Key]
		if ok && strings.HasPrefix(before.origin, "--") && !strings.HasPrefix(o.Origin, "--") {
			continue
		}
		n := &yaml.Node{Text: o.Value, Quoted: !f.number() && f.kind != kindSize}
		if f.kind == kindPath || f.kind == kindPaths {
			n.Text = fromHere(o.Value)
		}
		if f.kind == kindPaths {
			n = &yaml.Node{Kind: yaml.List, Items: []*yaml.Node{n}}
			if before.origin == o.Origin {
				n.Items = slices.Concat(before.value.Items, n.Items)
			}
		}
		d.replaced[o.Key] = replacement{o.Origin, n}
	}
}

// replaces reports whether overrides stand for the values of a field, or name an algorithm that
// has no use for it.
func (d *decoder) replaces(f *field) bool {
	_, ok := d.replaced[f.path]
	name, other := d.replaced["algorithm.name"]
	return ok || other && !f.serves(name.value.Text) && slices.Contains(algorithms, name.value.Text)
}

// override reads the overrides in the place of what they replace.
func (d *decoder) override() {
	for i := range fieldTable {
		f := &fieldTable[i]
		by, ok := d.replaced[f.path]
		if !ok {
			continue
		}
		d.source = by.origin
		list, key, ok := strings.Cut(f.path, "[].")
		if !ok {
			d.field(f, f.path, 0, by.value)
			continue
		}
		for s := range d.Sets {
			if set := fmt.Sprintf("%s[%d]", list, s); !d.broken(set) {
				d.field(f, set+"."+key, s, by.value)
			}
		}
	}
	d.source = ""
}

// fromHere makes a path that starts from the current directory independent of it, since
// the job file's own start from its folder. It keeps a final slash.
func fromHere(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path // without a current directory nothing opens; the message then names the path as given
	}
	return inFolder(here, path)
}
