package job

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/fault"
)

// Load reads a job file, lays the overrides over it, and resolves the job. It opens no other file.
// What is wrong comes back as an *Error, all of it at once; other errors are failures to read.
func Load(path string, overrides []Override) (*Job, error) {
	text, err := yaml.ReadFile(path, yaml.MaxBytes)
	if cause := pathCause(err); cause != "" {
		missing := &Error{[]Problem{{File: path, Message: "open job file: " + cause}}}
		return nil, &fault.Error{Class: fault.Usage, Hint: "check its name; kcut init drafts a job for an input", Err: missing}
	} else if err != nil {
		return nil, fmt.Errorf("read job file: %w", err)
	}
	return Parse(path, text, overrides)
}

// Parse is Load of a text. Its relative paths start from the folder of the path.
func Parse(path string, text []byte, overrides []Override) (*Job, error) {
	noJob := Problem{
		File: path, Line: 1, Column: 1, Message: "not a job: it needs a map of keys like input, output and columns",
		Hint: "kcut config --schema prints every key of a job file",
	}
	if len(text) <= yaml.MaxBytes && !resemblesJob(text) {
		return nil, &Error{[]Problem{noJob}}
	}
	root, problems := yaml.Parse(text)
	r := newReader(path, text, overrides)
	for _, p := range problems {
		r.problems = append(r.problems, r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
	}
	switch {
	case root != nil && root.Kind == yaml.Map:
		r.record("", root)
		r.keys("", "", root)
		return r.resolve()
	case root != nil || len(problems) == 0:
		r.problems = append(r.problems, noJob)
	}
	return nil, asError(r.problems)
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

// reader makes a job of what is given for its fields: nodes of a job file and what replaces them, or
// what a program has put into it. It checks that, takes wrong values out, and fills in defaults.
type reader struct {
	*Job
	nodes    map[string]*yaml.Node  // by paths of values; nil: a program's job
	replaced map[string]replacement // by paths of fields
	problems []Problem
}

func newReader(path string, text []byte, overrides []Override) *reader {
	r := &reader{Job: &Job{File: path, origins: newOrigins(path, text)}, nodes: make(map[string]*yaml.Node)}
	r.replace(overrides)
	return r
}

// record records where a value of the job file is.
func (r *reader) record(path string, n *yaml.Node) {
	r.origins.places[path] = place{line: n.Line, column: n.Column}
}

// give takes a node for what is at a path.
func (r *reader) give(path string, n *yaml.Node) {
	r.record(path, n)
	r.nodes[path] = n
}

// keys goes through the keys of a map, which are under a prefix.
func (r *reader) keys(prefix, owner string, m *yaml.Node) {
	var names []string
	for _, f := range fieldsUnder(prefix) {
		names = append(names, f.key())
	}
	for _, e := range m.Entries {
		key := e.Key.Text
		path := strings.TrimPrefix(owner+"."+key, ".")
		switch i := slices.Index(names, key); {
		case i < 0:
			r.record(path+":", e.Key)
			hint := cmp.Or(DidYouMean(key, names), "the keys here are "+strings.Join(names, ", "))
			r.add(path+":", hint, "unknown key %q", key)
		case !r.replaces(fieldAt(prefix + key)):
			r.record(path+":", e.Key)
			r.give(path, e.Value)
		}
	}
}

// entry goes through a map, or the word that stands for one; of anything else it says that there must
// be one.
func (r *reader) entry(f *field, path string, n *yaml.Node, hint, must string) {
	switch bare := bareField(f.prefix()); {
	case n.Kind == yaml.Map:
		r.keys(f.prefix(), path, n)
	case n.Kind != yaml.Scalar || n.Null() || bare == nil:
		r.reject(path, hint, "%s, not %s", must, f.describe(n))
	case !r.replaces(bare):
		r.give(path+"."+bare.key(), n)
	}
}

// below goes through the maps of a field that has fields of its own.
func (r *reader) below(s slot, n *yaml.Node) {
	const (
		setHint, columnHint = "as in: - {columns: [age, sex], k: 50}", "as in: age: discretize"
		sensitiveHint       = "as in: - {column: diagnosis, l: 3}"
	)
	switch s.kind {
	case kindMap:
		r.entry(s.field, s.path, n, "", s.key()+" must be a map")
	case kindList:
		hint, what := setHint, "set"
		if s.key() == "sensitive" {
			hint, what = sensitiveHint, "sensitive column"
		}
		if len(n.Items) == 0 {
			r.reject(s.path, hint, "%s must be a list of %ss, not %s", s.key(), what, s.describe(n))
		}
		list := reflect.ValueOf(s.value).Elem()
		list.Set(reflect.MakeSlice(list.Type(), len(n.Items), len(n.Items)))
		for i, item := range n.Items {
			r.record(itemPath(s.path, i), item)
			r.entry(s.field, itemPath(s.path, i), item, hint, "a "+what+" must be a map")
		}
	case kindNamed:
		if len(n.Entries) == 0 {
			r.reject(s.path, columnHint, "%s must be a map from names of columns to masks, not %s", s.key(), s.describe(n))
		}
		for _, e := range n.Entries {
			name, column := e.Key.Text, columnPath(e.Key.Text)
			r.Columns = append(r.Columns, Column{Name: name})
			r.record(column, e.Value)
			r.record(column+":", e.Key)
			if e.Value.Null() {
				r.add(column+":", columnHint, "column %q has no mask", name)
				r.origins.reject(column)
				continue
			}
			r.entry(s.field, column, unfolded(e.Value), columnHint, fmt.Sprintf("column %q must have a mask or a map", name))
		}
	}
}

// unfolded returns the entry of a column in the form {mask: keep, ...} when it is written as
// {keep: {...}}, else as it is.
func unfolded(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.Map || len(n.Entries) != 1 || n.Entries[0].Key.Text != MaskKeep || n.Entries[0].Value.Kind != yaml.Map {
		return n
	}
	folded := n.Entries[0]
	isMask := func(e yaml.Entry) bool { return e.Key.Text == "mask" }
	if slices.ContainsFunc(folded.Value.Entries, isMask) {
		return n
	}
	mask := yaml.Entry{Key: &yaml.Node{Text: "mask", Line: folded.Key.Line, Column: folded.Key.Column}, Value: folded.Key}
	return &yaml.Node{Kind: yaml.Map, Entries: append([]yaml.Entry{mask}, folded.Value.Entries...), Line: n.Line, Column: n.Column}
}

// pathCause returns why a path is wrong when an error of opening or reading means that, else nothing.
func pathCause(err error) (cause string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file"
	}
	return ""
}

// inFolder returns a path that starts from a folder as it can be opened from the current directory. It
// keeps a final slash. A URL is left as it is.
func inFolder(dir, path string) string {
	if path == "" || dir == "." || filepath.IsAbs(path) || storage.IsURL(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // no Join: it would drop a final slash
}

// fromFolder returns a path as the job file in a folder may have it.
func fromFolder(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok && inFolder(dir, rest) == path {
		return rest
	}
	return path
}

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
		f := &fieldTable[i]
		words := f.enum
		if f.kind == kindBoolean {
			words = []string{"true", "false"}
		}
		if f.flag != "" {
			flags = append(flags, Flag{f.path, "--" + f.flag, f.variable(), f.doc, f.kind == kindPaths, words})
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

// CSVFlags returns the keys of csv, which commands without a job file take as flags.
func CSVFlags() (flags []Flag) {
	for _, f := range fieldsUnder("csv.") {
		flags = append(flags, Flag{Key: f.path, Name: "--" + f.key(), Doc: f.plainDoc(), List: f.kind == kindTexts || f.kind == kindHeader, Words: f.enum})
	}
	return flags
}

// CSVOf returns how CSV is read by the values of such flags.
func CSVOf(overrides []Override) (CSV, error) {
	r := newReader("", nil, nil)
	for _, o := range overrides {
		f, n := fieldAt(o.Key), &yaml.Node{Text: o.Value}
		if f.kind == kindCharacter && o.Value == `\t` { // no shell makes a tab of it
			n.Text = "\t"
		}
		if list := f.kind == kindTexts || f.kind == kindHeader && o.Value != "false" && o.Value != "true"; list {
			n = &yaml.Node{Kind: yaml.List}
			for text := range strings.SplitSeq(o.Value, ",") {
				n.Items = append(n.Items, &yaml.Node{Text: text, Quoted: true})
			}
		}
		r.replaced[o.Key] = replacement{o.Origin, n}
	}
	r.slots(r.value)
	r.csvRules()
	return r.CSV, asError(r.problems)
}

// YAML returns the map of csv as a job file has it, empty when nothing is declared.
func (c *CSV) YAML() string {
	j, p, parts := &Job{CSV: *c}, printer{}, []string(nil)
	for _, f := range fieldsUnder("csv.") {
		if v := f.at(j, 0); !isZero(v) {
			parts = append(parts, f.key()+": "+p.text(f, v))
		}
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
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
		n := &yaml.Node{Text: o.Value, Quoted: !f.plain() && f.kind != kindSize}
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
