package job

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Override is a value that replaces one of the job file. Flags win over environment variables, in
// any order. An override that names an algorithm removes the job file's options for other
// algorithms.
type Override struct {
	Key    string // as in Flag
	Value  string
	Origin string // its name in messages: "--memory" or "KCUT_MEMORY"
}

// Flag is a field of the job file that the command line and the environment can set.
type Flag struct {
	Key      string // for Override: "limits.memory"
	Name     string // "--memory"
	Variable string // "KCUT_MEMORY"
	Doc      string
	List     bool     // may be set several times
	Words    []string // the allowed values; nil: any
}

// Flags returns the fields that can be overridden, in the order of the reference.
func Flags() (flags []Flag) {
	for _, f := range allFields {
		if name := f.tag.Get("flag"); name != "" {
			flags = append(flags, f.flag(name, f.variable()))
		}
	}
	return flags
}

// CSVFlags returns the keys of csv, which commands without a job file take as flags.
func CSVFlags() (flags []Flag) {
	for _, f := range fieldAt("csv").below {
		flags = append(flags, f.flag(f.key, ""))
	}
	return flags
}

func (f *field) flag(name, variable string) Flag {
	words := f.enum
	if f.kind == "bool" {
		words = []string{"true", "false"}
	}
	return Flag{f.path, "--" + name, variable, f.doc, f.typ.Kind() == reflect.Slice, words}
}

// EnvironmentOverrides returns the overrides in the environment. It ignores empty variables.
func EnvironmentOverrides(lookup func(string) (string, bool)) []Override {
	var overrides []Override
	for _, f := range Flags() {
		if value, ok := lookup(f.Variable); ok && value != "" {
			overrides = append(overrides, Override{f.Key, value, f.Variable})
		}
	}
	return overrides
}

// override applies overrides to the map of a job file: flags last, since they win.
func (r *reader) override(root *yaml.Node, overrides []Override) {
	for _, flags := range []bool{false, true} {
		for _, o := range overrides {
			if strings.HasPrefix(o.Origin, "--") != flags {
				continue
			}
			f := fieldAt(o.Key)
			if f == nil || f.tag.Get("flag") == "" && !strings.HasPrefix(o.Key, "csv.") {
				message := "no such key of a job: " + strconv.Quote(o.Key)
				r.problems = append(r.problems, Problem{File: o.Origin, Message: message})
				continue
			}
			setAt(root, jobFields, o.Key, f.overrideNode(o))
		}
	}
}

// overrideNode returns the node of an override.
func (f *field) overrideNode(o Override) *yaml.Node {
	origin := cmp.Or(o.Origin, o.Key)
	list, word := f.typ.Kind() == reflect.Slice, o.Value == "false" || o.Value == "true"
	n := &yaml.Node{Text: o.Value, Quoted: !f.plain() && f.kind != "int64", From: origin}
	items := []*yaml.Node{n}
	switch {
	case f.kind == "header" && word:
		n.Quoted, list = false, false
	case f.isPath():
		// A path in an override starts from the current directory, one in the job file from its
		// folder. Without a current directory no path can be opened, and the message then has the
		// path unchanged.
		if here, err := filepath.Abs("."); err == nil {
			n.Text = inFolder(here, o.Value)
		}
	case f.kind == "uint8" && o.Value == `\t`: // shells do not turn it into a tab
		n.Text = "\t"
	case list && strings.HasPrefix(o.Value, "["): // as in a job file
		if of, problems := yaml.Parse([]byte(o.Value)); len(problems) == 0 && of.Kind == yaml.List {
			items = nil
			for _, item := range of.Items {
				items = append(items,
					&yaml.Node{Text: item.Text, Quoted: true, From: origin})
			}
		}
	case list:
		items = nil
		for text := range strings.SplitSeq(o.Value, ",") {
			items = append(items, &yaml.Node{Text: text, Quoted: true, From: origin})
		}
	}
	if list {
		return &yaml.Node{Kind: yaml.List, Items: items, From: origin}
	}
	return n
}

// setAt sets the key at a path below a map: in every item of a list, and in the map of a short
// form. It joins lists of the same origin.
func setAt(m *yaml.Node, fields []*field, path string, n *yaml.Node) {
	if m.Kind != yaml.Map {
		return
	}
	key, below, deeper := strings.Cut(path, ".")
	key, list := strings.CutSuffix(key, "[]")
	i := slices.IndexFunc(m.Entries, func(e yaml.Entry) bool { return e.Key.Text == key })
	if i < 0 && list {
		return
	} else if i < 0 {
		i = len(m.Entries)
		m.Add(&yaml.Node{Text: key, From: n.From}, &yaml.Node{Kind: yaml.Map})
	}
	value := &m.Entries[i].Value
	f := fields[slices.IndexFunc(fields, func(f *field) bool { return f.key == key })]
	switch {
	case list:
		for _, item := range (*value).Items {
			setAt(item, f.below, below, n)
		}
	case deeper:
		*value = f.unfolded(*value)
		setAt(*value, f.below, below, n)
	case n.Kind == yaml.List && (*value).From == n.From:
		(*value).Items = append((*value).Items, n.Items...)
	default:
		*value = n
	}
}

// decodeAlone decodes a map of the job file from overrides alone.
func decodeAlone(key string, overrides []Override, of any) *reader {
	r, root := newReader("", nil), &yaml.Node{Kind: yaml.Map}
	others := func(o Override) bool { return !strings.HasPrefix(o.Key, key+".") }
	r.override(root, slices.DeleteFunc(slices.Clone(overrides), others))
	if m := root.Value(key); m != nil {
		r.keys(fieldAt(key).below, key, m, reflect.ValueOf(of).Elem())
	}
	return r
}

// LimitsOf returns the limits that overrides set, for a command without a job file.
func LimitsOf(overrides []Override) (limits Limits, err error) {
	r := decodeAlone("limits", overrides, &limits)
	return limits, asError(r.problems)
}

// CSVOf returns the CSV options that such flags set.
func CSVOf(overrides []Override) (csv CSV, err error) {
	r := decodeAlone("csv", overrides, &csv)
	r.CSV = csv
	r.csvRules()
	return csv, asError(r.problems)
}

// YAML returns the map of csv in the form of a job file, empty if no option is set.
func (c *CSV) YAML() string {
	declared := writer{Job: &Job{}}.tree(fieldAt("csv").below, "csv", reflect.ValueOf(c).Elem())
	if declared.Entries == nil {
		return ""
	}
	return flow(declared)
}
