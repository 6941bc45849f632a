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

	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
)

// Setting is one value of a job.
type Setting struct {
	Key    string `json:"key"`    // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	Value  string `json:"value"`  // as YAML on one line, or what its absence means
	Origin string `json:"origin"` // "people.yaml:4", "--k", "KCUT_MEMORY" or "default"; empty: a program's
}

// Settings lists every value of a resolved job and where it came from, in the order of the
// reference.
func (j *Job) Settings() []Setting {
	var settings []Setting
	for _, l := range j.print() {
		if l.Key != "" {
			settings = append(settings, l.Setting)
		}
	}
	return settings
}

// YAML renders a resolved job as a job file, with the origin of every value as a comment. Saved in
// the folder of the job file it loads to the same job.
func (j *Job) YAML() string {
	var b []byte
	for _, l := range j.print() {
		comment := strings.Map(func(c rune) rune {
			if !unicode.IsPrint(c) {
				return utf8.RuneError
			}
			return c
		}, l.Origin)
		switch {
		case l.Key == "":
			b = fmt.Appendf(b, "%s:\n", l.text)
		case !l.absent && comment != "":
			b = fmt.Appendf(b, "%s: %s  # %s\n", l.text, l.Value, comment)
		case !l.absent:
			b = fmt.Appendf(b, "%s: %s\n", l.text, l.Value)
		case !strings.Contains(l.Key, "."): // what is absent below others is not shown
			b = fmt.Appendf(b, "# %s: %s  # %s\n", l.text, l.Value, comment)
		}
	}
	return string(b)
}

// line is a line of a job in YAML.
type line struct {
	Setting        // without a key: values of its own follow
	text    string // the key, indented
	absent  bool   // there is no value: it says what that means
}

// printer prints a job line by line.
type printer struct {
	*Job
	folder string // of the job file
	lines  []line
}

// print returns the lines of the job.
func (j *Job) print() []line {
	p := printer{Job: j, folder: filepath.Dir(j.File)}
	p.fields(jobFields, "", "", reflect.ValueOf(j).Elem())
	return p.lines
}

func (p *printer) head(text string) { p.lines = append(p.lines, line{text: text}) }

func (p *printer) value(text, path, value string) {
	p.lines = append(p.lines, line{text: text, Setting: Setting{path, value, p.origins.origin(path)}})
}

// fields prints what a struct has of some keys, behind an indent.
func (p *printer) fields(fields []*field, owner, indent string, of reflect.Value) {
	slotsOf(fields, owner, of, nil, func(s slot) {
		_, recorded := p.origins.places[s.path]
		switch {
		case s.owner != owner: // it is printed with its owner
		case s.below != nil:
			p.maps(s)
		case s.kind == "taxonomies" && p.Taxonomies != nil:
			p.head(s.key)
			p.taxonomies()
		case (recorded || !isZero(s.value)) && !(s.value.Kind() == reflect.Pointer && s.value.IsNil()):
			p.value(indent+s.key, s.path, p.text(s.field, s.value))
		case s.absent != "" && !strings.ContainsAny(s.field.path, "*["):
			p.lines = append(p.lines, line{text: s.key, absent: true, Setting: Setting{s.path, s.absent, originDefault}})
		}
	})
}

// maps prints a map, a list of maps, or a map of maps, with its key if there is anything below.
func (p *printer) maps(s slot) {
	begin := len(p.lines)
	p.head(s.key)
	switch s.kind {
	case "map":
		p.fields(s.below, s.path, "  ", s.value)
	case "list":
		for i := range s.value.Len() {
			first := len(p.lines)
			p.fields(s.below, itemPath(s.path, i), "    ", s.value.Index(i))
			if len(p.lines) > first {
				p.lines[first].text = "  - " + p.lines[first].text[4:]
			}
		}
	default:
		for i := range p.Columns {
			p.head("  " + Quoted(p.Columns[i].Name))
			p.fields(s.below, columnPath(p.Columns[i].Name), "    ", s.value.Index(i))
		}
	}
	if !slices.ContainsFunc(p.lines[begin+1:], func(l line) bool { return !l.absent }) {
		p.lines = slices.Delete(p.lines, begin, begin+1)
	}
}

// taxonomies prints the job's taxonomies in the order of the job file.
func (p *printer) taxonomies() {
	at := func(name string) place { return p.origins.places[taxonomyPath(name)] }
	names := slices.SortedFunc(maps.Keys(p.Taxonomies), func(a, b string) int {
		return cmp.Or(at(a).line-at(b).line, at(a).column-at(b).column, strings.Compare(a, b))
	})
	for _, name := range names {
		t := p.Taxonomies[name]
		p.value("  "+Quoted(name), taxonomyPath(name), p.taxonomy(&t))
	}
}

// text returns a value as YAML on one line.
func (p *printer) text(f *field, v reflect.Value) string {
	var texts []string
	switch v := reflect.Indirect(v).Interface().(type) {
	case Bounds:
		return "[" + boundText(v.Lower) + ", " + boundText(v.Upper) + "]"
	case Taxonomy:
		return p.taxonomy(&v)
	case int64:
		return sizeText(v)
	case []Confidence:
		for _, share := range v {
			texts = append(texts, Quoted(share.Value)+": "+strconv.FormatFloat(share.Most, 'f', -1, 64))
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case []string:
		if f.kind == "header" && strings.HasPrefix(v[0], "\x00") {
			return v[0][1:]
		}
		for _, text := range v {
			texts = append(texts, p.single(f, text))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return p.single(f, textOf(reflect.Indirect(v)))
}

// single returns a single value as YAML.
func (p *printer) single(f *field, text string) string {
	switch {
	case f.plain() || f.kind == "job.Quota":
		return text
	case f.kind == "step" || f.kind == "limit":
		return boundText(text)
	case f.isPath() || f.kind == "taxonomies":
		text = fromFolder(p.folder, text)
	}
	return Quoted(text)
}

func (p *printer) taxonomy(t *Taxonomy) string {
	word, levels := t.generated()
	switch {
	case t.Name != "":
		return Quoted(t.Name)
	case t.File != "":
		return Quoted(fromFolder(p.folder, t.File))
	case t.Tree != nil:
		return "{" + treeText(t.Tree) + "}"
	}
	return "{" + word + ": [" + strings.Join(levels, ", ") + "]}"
}

// treeText returns a node as a key and its children.
func treeText(n *taxonomy.Node) string {
	children := make([]string, len(n.Children))
	for i := range n.Children {
		if child := &n.Children[i]; child.Leaf() {
			children[i] = Quoted(child.Name)
		} else {
			children[i] = "{" + treeText(child) + "}"
		}
	}
	return Quoted(n.Name) + ": [" + strings.Join(children, ", ") + "]"
}

// plainBound matches bounds that mean themselves without quotes: numbers and dates.
var plainBound = regexp.MustCompile(`^[-+]?[0-9]([-+.0-9eE]*[0-9])?$`)

// boundText returns a bound as YAML. Nothing is an open end.
func boundText(text string) string {
	switch {
	case text == "":
		return "null"
	case plainBound.MatchString(text):
		return text
	}
	return Quoted(text)
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
			b = append(b, treeText(t.Tree)...) // no other tree has its text
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
