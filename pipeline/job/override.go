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

// override takes those overrides that win, for decode to put in the place of what the file has.
func (r *reader) override(overrides []Override) {
	for _, o := range overrides {
		f := fieldAt(o.Key)
		if f == nil || f.tag.Get("flag") == "" {
			r.problems = append(r.problems, Problem{File: o.Origin, Message: "no such key of a job: " + strconv.Quote(o.Key)})
			continue
		}
		before := r.won[o.Key]
		if strings.HasPrefix(r.given[before], "--") && !strings.HasPrefix(o.Origin, "--") {
			continue
		}
		n := &yaml.Node{Text: o.Value, Quoted: !f.plain() && f.kind != "int64"}
		// A path starts from the current directory, the job file's own from its folder. Without a
		// current directory nothing opens; the message then names the path as given.
		if here, err := filepath.Abs("."); err == nil && f.isPath() {
			n.Text = inFolder(here, o.Value)
		}
		if r.given[n] = o.Origin; f.kind == "paths" {
			n = &yaml.Node{Kind: yaml.List, Items: []*yaml.Node{n}}
			if r.given[before] == o.Origin {
				n.Items = slices.Concat(before.Items, n.Items)
			}
		}
		r.won[o.Key], r.given[n] = n, o.Origin
	}
	if name := r.won["algorithm.name"]; name != nil && slices.Contains(algorithms, name.Text) {
		r.algorithm = name.Text
	}
}

// put decodes the override of a slot.
func (r *reader) put(s slot) {
	if n := r.won[s.field.path]; n != nil {
		r.decode(s.field, s.path, n, s.of)
	}
}

// LimitsOf returns the limits that overrides ask for, for a command that has no job file.
func LimitsOf(overrides []Override) (Limits, error) {
	r := newReader("", nil)
	r.override(slices.DeleteFunc(slices.Clone(overrides), func(o Override) bool { return !strings.HasPrefix(o.Key, "limits.") }))
	r.slots(r.put)
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
	r := newReader("", nil)
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
		r.won[o.Key], r.given[n] = n, o.Origin
	}
	r.slots(r.put)
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
