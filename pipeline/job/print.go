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
	Key string `json:"key"` // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	// Value is YAML on one line, or the meaning of absence.
	Value string `json:"value"`
	// Origin is "people.yaml:4", "--k", "KCUT_MEMORY" or "default"; empty: a program set the value.
	Origin string `json:"origin"`
}

// taxonomyNames returns the names of the job's taxonomies in the order of the job file.
func (j *Job) taxonomyNames() []string {
	at := func(name string) place { return j.origins.places[taxonomyPath(name)] }
	return slices.SortedFunc(maps.Keys(j.Taxonomies), func(a, b string) int {
		return cmp.Or(at(a).line-at(b).line, at(a).column-at(b).column, strings.Compare(a, b))
	})
}

// Settings returns every value of a resolved job and its origin, in the order of the reference.
func (j *Job) Settings() []Setting { return j.print().settings }

// YAML renders a resolved job as a job file, with the origin of every value as a comment. If it is
// saved in the folder of the job file, it loads to the same job.
func (j *Job) YAML() string { return j.print().text.String() }

// printer prints a job as a file and as its settings.
type printer struct {
	*Job
	text     strings.Builder
	settings []Setting
	dash     bool // the next line begins a list item
}

func (j *Job) print() *printer {
	p := &printer{Job: j}
	root := writer{Job: j, print: true}.tree(jobFields, "", reflect.ValueOf(j).Elem())
	p.keys(jobFields, root, "", 0)
	return p
}

// keys prints a map in the order of the reference.
func (p *printer) keys(fields []*field, m *yaml.Node, owner string, depth int) {
	for _, f := range fields {
		path, n := under(owner, f.key), m.Value(f.key)
		switch {
		case n == nil && f.kind == "map":
			p.keys(f.below, &yaml.Node{}, path, depth+1)
		case n == nil && f.below == nil && f.absent != "" && !strings.ContainsAny(f.path, "*["):
			p.settings = append(p.settings, Setting{path, f.absent, originDefault})
			if depth == 0 { // only keys at the top are shown if they are absent
				p.text.WriteString("# " + path + ": " + f.absent + "  # " + originDefault + "\n")
			}
		case n == nil:
		case f.below == nil && !(f.kind == "taxonomies" && n.Kind == yaml.Map):
			p.leaf(path, f.key, n, depth)
		default:
			p.line(f.key+":", depth)
			p.below(f, n, path, depth)
		}
	}
}

// below prints the value of a key: a map, a list of maps, or a map by names.
func (p *printer) below(f *field, n *yaml.Node, path string, depth int) {
	if f.kind == "map" {
		p.keys(f.below, n, path, depth+1)
	}
	for i, item := range n.Items {
		p.dash = true
		p.keys(f.below, item, itemPath(path, i), depth+2)
	}
	for _, e := range n.Entries {
		switch name := Quoted(e.Key.Text); f.kind {
		case "taxonomies":
			p.leaf(taxonomyPath(e.Key.Text), name, e.Value, depth+1)
		case "columns by name":
			p.line(name+":", depth+1)
			p.keys(f.below, e.Value, columnPath(e.Key.Text), depth+2)
		}
	}
}

// leaf prints a value and its origin.
func (p *printer) leaf(path, key string, n *yaml.Node, depth int) {
	s := Setting{path, flow(n), p.origins.origin(path)}
	p.settings = append(p.settings, s)
	line := key + ": " + s.Value
	if s.Origin != "" {
		line += "  # " + printable(s.Origin)
	}
	p.line(line, depth)
}

func (p *printer) line(text string, depth int) {
	indent := strings.Repeat("  ", depth)
	if p.dash {
		indent = indent[2:] + "- "
	}
	p.dash = false
	p.text.WriteString(indent + text + "\n")
}

// printable replaces characters that control terminals or end a line.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, text)
}

// writer makes the nodes of a job file from the values of a job.
type writer struct {
	*Job
	print bool // paths start from the job file's folder, and emptied lists are shown
}

// tree returns the map of a struct. A key with two forms is there twice if both are set.
func (w writer) tree(fields []*field, owner string, v reflect.Value) *yaml.Node {
	m := &yaml.Node{Kind: yaml.Map}
	add := func(f *field) {
		if n := w.node(f, under(owner, f.key), v.Field(f.index)); n != nil {
			m.Add(&yaml.Node{Text: f.key}, n)
		}
	}
	for _, f := range fields {
		other := f.other != nil && !v.Field(f.other.index).IsZero()
		if other {
			add(f.other)
		}
		if !other || !v.Field(f.index).IsZero() {
			add(f)
		}
	}
	return m
}

// node returns the node of a value, or nil if it was not set.
func (w writer) node(f *field, path string, v reflect.Value) *yaml.Node {
	_, recorded := w.origins.places[path]
	none := v.Kind() == reflect.Pointer && v.IsNil()
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		none = !w.print || !recorded
	}
	n := &yaml.Node{Kind: yaml.Map}
	switch {
	case f.kind == "map":
		if n = w.tree(f.below, path, v); n.Entries == nil && !recorded {
			return nil
		}
	case none, !recorded && v.IsZero():
		return nil
	case f.kind == "list":
		n.Kind = yaml.List
		for i := range v.Len() {
			n.Items = append(n.Items, w.tree(f.below, itemPath(path, i), v.Index(i)))
		}
	case f.kind == "columns by name":
		for i := range w.Columns {
			name := w.Columns[i].Name
			n.Add(yaml.Text(name), w.tree(f.below, columnPath(name), v.Index(i)))
		}
	default:
		return w.leaf(f, v)
	}
	return n
}

// leaf returns the node of a value that is no struct.
func (w writer) leaf(f *field, v reflect.Value) *yaml.Node {
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
		for _, name := range w.taxonomyNames() {
			t := v[name]
			named.Add(yaml.Text(name), w.taxonomy(&t, true))
		}
		return named
	case Shares:
		if v.Of == nil {
			return w.single(f, textOf(reflect.ValueOf(v.Every)))
		}
		shares := &yaml.Node{Kind: yaml.Map}
		for _, value := range slices.Sorted(maps.Keys(v.Of)) {
			most := &yaml.Node{Text: textOf(reflect.ValueOf(v.Of[value]))}
			shares.Add(yaml.Text(value), most)
		}
		return shares
	case []string:
		if (f.kind == "columns" || f.kind == "header") && len(v) == 1 &&
			strings.HasPrefix(v[0], "\x00") {
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
	if w.print {
		path = fromFolder(filepath.Dir(w.File), path)
	}
	return yaml.Text(path)
}

// plainBound matches bounds that need no quotes: numbers and dates.
var plainBound = regexp.MustCompile(`^[-+]?[0-9]([-+.0-9eE]*[0-9])?$`)

// boundNode returns the node of a bound. An empty text is an open end.
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

// Quoted returns a text as YAML, in quotes if YAML would read something else without them.
func Quoted(text string) string {
	if yaml.NeedsQuotes(text) {
		return strconv.Quote(text)
	}
	return text
}

// notIdentity matches the settings that do not change a release, or whose text does not: the
// contents of taxonomies, the previous release and keys matter, not their names.
var notIdentity = regexp.MustCompile(`(?s)^(input$|population\.input$|output\.path$|taxonomies|previous$|allow_new_cut$|limits\.(memory|threads|spill_dir)$|columns\..*\.(taxonomy|key_file|key_env)$|sensitive\[\d+\]\.taxonomy$)`)

// Identity writes everything in the job that determines the bytes of its release, except for the
// input and the previous release: every setting with its value, and the taxonomies, as returned by
// LoadTaxonomies. The places of input, output and taxonomy files and the limits of the run are not
// part of it. Jobs with the same identity make the same release from the same input.
func (j *Job) Identity(w io.Writer, taxonomies map[string]Taxonomy) error {
	var b []byte
	for _, s := range j.Settings() {
		if !notIdentity.MatchString(s.Key) {
			b = fmt.Appendf(b, "%s: %s\n", s.Key, s.Value)
		}
	}
	b = fmt.Appendf(b, "directory: %t\n", strings.HasSuffix(j.Output.Path, "/"))
	for _, name := range slices.Sorted(maps.Keys(taxonomies)) {
		b = fmt.Appendf(b, "taxonomy of %q: ", name)
		if t := taxonomies[name]; t.Tree != nil {
			tree := flow(treeNode(t.Tree)) // its text identifies the tree
			b = append(b, tree[1:len(tree)-1]...)
		} else {
			b = fmt.Appendf(b, "%d %q %q", t.Prefix, t.Date, t.Ranges)
			if t.USDate != nil { // jobs of earlier versions do not have it
				b = fmt.Appendf(b, " %q", t.USDate)
			}
			if t.Spelling != nil { // nor this
				b = fmt.Appendf(b, " spelling %q", t.Spelling)
			}
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}
