package job

import (
	"path/filepath"
	"reflect"
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
	for _, f := range allFields {
		words := f.enum
		if f.kind == "bool" {
			words = []string{"true", "false"}
		}
		if name := f.tag.Get("flag"); name != "" {
			flags = append(flags, Flag{f.path, "--" + name, f.variable(), f.doc, f.kind == "paths", words})
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

// replace puts those overrides that win into the map of a job file.
func (r *reader) replace(root *yaml.Node, overrides []Override) {
	won := make(map[string]*yaml.Node)
	r.given = make(map[*yaml.Node]string)
	for _, o := range overrides {
		f := fieldAt(o.Key)
		if f == nil || f.tag.Get("flag") == "" {
			r.problems = append(r.problems, Problem{File: o.Origin, Message: "no such key of a job: " + strconv.Quote(o.Key)})
			continue
		}
		before := won[o.Key]
		if strings.HasPrefix(r.given[before], "--") && !strings.HasPrefix(o.Origin, "--") {
			continue
		}
		n := &yaml.Node{Text: o.Value, Quoted: !f.plain() && f.kind != "int64"}
		// A path starts from the current directory, the job file's own from its folder. Without a
		// current directory nothing opens; the message then names the path as given.
		if here, err := filepath.Abs("."); err == nil && f.isPath() {
			n.Text = inFolder(here, o.Value)
		}
		if f.kind == "paths" {
			r.given[n] = o.Origin
			n = &yaml.Node{Kind: yaml.List, Items: []*yaml.Node{n}}
			if r.given[before] == o.Origin {
				n.Items = slices.Concat(before.Items, n.Items)
			}
		}
		won[o.Key], r.given[n] = n, o.Origin
	}
	if name := won["algorithm.name"]; name != nil && slices.Contains(algorithms, name.Text) {
		r.algorithm = name.Text
	}
	for _, f := range allFields {
		if n := won[f.path]; n != nil {
			r.put(root, jobFields, f.path, n)
		}
	}
}

// put puts a node into a map, at a path of keys: in the place of what is there. The path of a list
// stands for all its items.
func (r *reader) put(m *yaml.Node, fields []*field, path string, n *yaml.Node) {
	key, rest, deeper := strings.Cut(path, ".")
	key, list := strings.CutSuffix(key, "[]")
	at := slices.IndexFunc(m.Entries, func(e yaml.Entry) bool { return e.Key.Text == key })
	if at < 0 {
		at = len(m.Entries)
		m.Entries = append(m.Entries, yaml.Entry{Key: &yaml.Node{Text: key}, Value: &yaml.Node{Kind: yaml.Map}})
	}
	e := &m.Entries[at]
	if !deeper {
		e.Key, e.Value = &yaml.Node{Text: key}, n
		r.given[e.Key] = r.given[n]
		return
	}
	f := fields[slices.IndexFunc(fields, func(f *field) bool { return f.key == key })]
	if bare := f.bare(); bare != nil && e.Value.Kind == yaml.Scalar && !e.Value.Null() {
		word := yaml.Entry{Key: &yaml.Node{Text: bare.key}, Value: e.Value}
		e.Value = &yaml.Node{Kind: yaml.Map, Entries: []yaml.Entry{word}, Line: e.Value.Line, Column: e.Value.Column}
	}
	maps := []*yaml.Node{e.Value}
	if list {
		maps = e.Value.Items
	}
	for _, item := range maps {
		if item.Kind == yaml.Map {
			r.put(item, f.below, rest, n)
		}
	}
}

// LimitsOf returns the limits that overrides ask for, for a command that has no job file.
func LimitsOf(overrides []Override) (Limits, error) {
	overrides = slices.DeleteFunc(slices.Clone(overrides), func(o Override) bool { return !strings.HasPrefix(o.Key, "limits.") })
	r := reader{Job: &Job{origins: newOrigins("", nil)}}
	root := &yaml.Node{Kind: yaml.Map}
	r.replace(root, overrides)
	r.keys(jobFields, "", root, reflect.ValueOf(r.Job).Elem())
	r.slots(r.check)
	return r.Limits, asError(r.problems)
}

// CSVFlags returns the keys of csv, which commands without a job file take as flags.
func CSVFlags() (flags []Flag) {
	for _, f := range fieldAt("csv").below {
		list := f.typ.Kind() == reflect.Slice
		flags = append(flags, Flag{Key: f.path, Name: "--" + f.key, Doc: f.plainDoc(), List: list, Words: f.enum})
	}
	return flags
}

// CSVOf returns how CSV is read by the values of such flags.
func CSVOf(overrides []Override) (CSV, error) {
	r := reader{Job: &Job{origins: newOrigins("", nil)}, given: make(map[*yaml.Node]string)}
	for _, o := range overrides {
		f, n := fieldAt(o.Key), &yaml.Node{Text: o.Value}
		if f.kind == "uint8" && o.Value == `\t` { // no shell makes a tab of it
			n.Text = "\t"
		}
		if f.typ.Kind() == reflect.Slice && !(f.kind == "header" && (o.Value == "false" || o.Value == "true")) {
			n = &yaml.Node{Kind: yaml.List}
			for text := range strings.SplitSeq(o.Value, ",") {
				item := &yaml.Node{Text: text, Quoted: true}
				n.Items, r.given[item] = append(n.Items, item), o.Origin
			}
		}
		r.given[n] = o.Origin
		r.decode(f, o.Key, n, reflect.ValueOf(&r.CSV).Elem())
	}
	r.slots(r.check)
	r.csvRules()
	return r.CSV, asError(r.problems)
}

// YAML returns the map of csv as a job file has it, empty when nothing is declared.
func (c *CSV) YAML() string {
	p, parts := printer{}, []string(nil)
	for _, f := range fieldAt("csv").below {
		if v := reflect.ValueOf(c).Elem().Field(f.index); !isZero(v) {
			parts = append(parts, f.key+": "+p.text(f, v))
		}
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
