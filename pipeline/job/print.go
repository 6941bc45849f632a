package job

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/formats/yaml"
)

// Setting is one value of a job.
type Setting struct {
	Key    string `json:"key"`    // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	Value  string `json:"value"`  // as YAML on one line, or what its absence means
	Origin string `json:"origin"` // "people.yaml:4", "--k", "KCUT_MEMORY" or "default"; empty: a program's
}

// line is a setting as a line of YAML.
type line struct {
	Setting
	keys   []string // as they are written; "[0]" is an item of a list
	absent bool     // there is no value: it says what that means
}

// lines returns every value of the job, in the order of the reference.
func (j *Job) lines() (lines []line) {
	w := writer{folder: filepath.Dir(j.File)}
	add := func(path, value string, keys ...string) {
		lines = append(lines, line{Setting: Setting{path, value, j.origins.origin(path)}, keys: keys})
	}
	j.slots(func(s slot) {
		_, recorded := j.origins.places[s.path]
		switch {
		case s.below != nil:
		case s.kind == "taxonomies" && j.Taxonomies != nil:
			for _, name := range j.taxonomyNames() {
				t := j.Taxonomies[name]
				add(taxonomyPath(name), flow(w.taxonomy(&t, true)), s.key, Quoted(name))
			}
		case (recorded || !isZero(s.value)) && !(s.value.Kind() == reflect.Pointer && s.value.IsNil()):
			add(s.path, flow(w.node(s.field, s.value)), s.keys...)
		case s.absent != "" && !strings.ContainsAny(s.field.path, "*["):
			lines = append(lines, line{Setting{s.path, s.absent, originDefault}, s.keys, true})
		}
	})
	return lines
}

// taxonomyNames returns the names of the job's taxonomies in the order of the job file.
func (j *Job) taxonomyNames() []string {
	at := func(name string) place { return j.origins.places[taxonomyPath(name)] }
	return slices.SortedFunc(maps.Keys(j.Taxonomies), func(a, b string) int {
		return cmp.Or(at(a).line-at(b).line, at(a).column-at(b).column, strings.Compare(a, b))
	})
}

// Settings lists every value of a resolved job and where it came from, in the order of the
// reference.
func (j *Job) Settings() (settings []Setting) {
	for _, l := range j.lines() {
		settings = append(settings, l.Setting)
	}
	return settings
}

// YAML renders a resolved job as a job file, with the origin of every value as a comment. Saved in
// the folder of the job file it loads to the same job.
func (j *Job) YAML() string {
	var b strings.Builder
	var before []string
	for _, l := range j.lines() {
		comment := ""
		if l.Origin != "" {
			comment = "  # " + printable(l.Origin)
		}
		last := len(l.keys) - 1
		if l.absent {
			if last == 0 { // what is absent below others is not shown
				b.WriteString("# " + l.Key + ": " + l.Value + comment + "\n")
			}
			continue
		}
		dash := false
		for depth, key := range l.keys {
			indent := strings.Repeat("  ", depth)
			if dash {
				indent = indent[2:] + "- "
			}
			switch dash = false; {
			case depth == last:
				b.WriteString(indent + key + ": " + l.Value + comment + "\n")
			case depth < len(before) && slices.Equal(before[:depth+1], l.keys[:depth+1]): // it is there
			case key[0] == '[':
				dash = true
			default:
				b.WriteString(indent + key + ":\n")
			}
		}
		before = l.keys
	}
	return b.String()
}

// printable returns a text without what steers terminals or ends a line.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, text)
}

// writer makes the nodes that a job file has for values.
type writer struct {
	folder string // that paths start from; empty: they are as they are
}

// node returns the node of a value that is no struct.
func (w writer) node(f *field, v reflect.Value) *yaml.Node {
	list := &yaml.Node{Kind: yaml.List}
	switch v := reflect.Indirect(v).Interface().(type) {
	case Bounds:
		list.Items = []*yaml.Node{boundNode(v.Lower), boundNode(v.Upper)}
	case int64:
		return &yaml.Node{Text: sizeText(v)}
	case Taxonomy:
		return w.taxonomy(&v, false)
	case map[string]Taxonomy:
		named := &yaml.Node{Kind: yaml.Map}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t := v[name]
			named.Entries = append(named.Entries, yaml.Entry{Key: textNode(name), Value: w.taxonomy(&t, true)})
		}
		return named
	case []Confidence:
		shares := &yaml.Node{Kind: yaml.Map}
		for _, share := range v {
			most := &yaml.Node{Text: textOf(reflect.ValueOf(share.Most))}
			shares.Entries = append(shares.Entries, yaml.Entry{Key: textNode(share.Value), Value: most})
		}
		return shares
	case []string:
		if (f.kind == "columns" || f.kind == "header") && len(v) == 1 && strings.HasPrefix(v[0], "\x00") {
			return &yaml.Node{Text: v[0][1:]}
		}
		for _, text := range v {
			list.Items = append(list.Items, w.single(f, text))
		}
	default:
		return w.single(f, textOf(reflect.ValueOf(v)))
	}
	return list
}

// single returns the node of a single value.
func (w writer) single(f *field, text string) *yaml.Node {
	switch {
	case f.kind == "step" || f.kind == "limit":
		return boundNode(text)
	case f.isPath() || f.kind == "taxonomies":
		return w.path(text)
	}
	return &yaml.Node{Text: text, Quoted: !f.plain() && f.kind != "job.Quota"}
}

// path returns the node of a path.
func (w writer) path(path string) *yaml.Node {
	if w.folder != "" {
		path = fromFolder(w.folder, path)
	}
	return textNode(path)
}

// textNode returns a node that is a text, whatever it looks like.
func textNode(text string) *yaml.Node { return &yaml.Node{Text: text, Quoted: true} }

// plainBound matches bounds that mean themselves without quotes: numbers and dates.
var plainBound = regexp.MustCompile(`^[-+]?[0-9]([-+.0-9eE]*[0-9])?$`)

// boundNode returns the node of a bound. Nothing is an open end.
func boundNode(text string) *yaml.Node {
	if text == "" {
		return &yaml.Node{Text: "null"}
	}
	return &yaml.Node{Text: text, Quoted: !plainBound.MatchString(text)}
}

// flow returns a node as YAML on one line.
func flow(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.Map:
		for _, e := range n.Entries {
			parts = append(parts, flow(e.Key)+": "+flow(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.List:
		for _, item := range n.Items {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if n.Quoted {
		return Quoted(n.Text)
	}
	return n.Text
}

// Quoted returns a text as YAML, in quotes where it would be more than a text without them.
func Quoted(text string) string {
	if yaml.NeedsQuotes(text) {
		return strconv.Quote(text)
	}
	return text
}

// circumstances are the settings that a release does not depend on, or not on their text: what
// taxonomies, the previous release and keys hold counts, not what they are called.
var circumstances = regexp.MustCompile(`(?s)^(input$|output\.path$|taxonomies|previous$|allow_new_cut$|limits\.(memory|threads|spill_dir)$|columns\..*\.(taxonomy|key_file|key_env)$)`)

// Identity writes everything of the job that a byte of its release depends on, but for the
// input and the previous release, with what is said of it: every setting with its value, and the
// taxonomies, as LoadTaxonomies returns them. Where
// input, output and taxonomy files lie and what the run may use are not among it. Jobs of one
// identity make the same release of the same input.
func (j *Job) Identity(w io.Writer, taxonomies map[string]Taxonomy) error {
	var b []byte
	for _, s := range j.Settings() {
		if !circumstances.MatchString(s.Key) {
			b = fmt.Appendf(b, "%s: %s\n", s.Key, s.Value)
		}
	}
	b = fmt.Appendf(b, "directory: %t\n", strings.HasSuffix(j.Output.Path, "/"))
	for _, name := range slices.Sorted(maps.Keys(taxonomies)) {
		b = fmt.Appendf(b, "taxonomy of %q: ", name)
		if t := taxonomies[name]; t.Tree != nil {
			tree := flow(treeNode(t.Tree)) // no other tree has its text
			b = append(b, tree[1:len(tree)-1]...)
		} else {
			b = fmt.Appendf(b, "%d %q %q", t.Prefix, t.Date, t.Ranges)
			if t.USDate != nil { // which jobs of earlier versions do not have
				b = fmt.Appendf(b, " %q", t.USDate)
			}
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}
