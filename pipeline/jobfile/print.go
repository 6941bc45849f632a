package jobfile

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/formats/taxonomy"
)

// Setting is one value of a job.
type Setting struct {
	Key    string // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	Value  string // as YAML on one line, or what its absence means
	Origin string // "people.yaml:4", "--k", "KCUT_MEMORY" or "default"; empty: a program's
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
		case !strings.HasPrefix(l.text, " "):
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

// print returns the lines of the job.
func (j *Job) print() []line {
	p := printer{Job: j, folder: filepath.Dir(j.File)}
	p.fields("", "", "", 0)
	return p.lines
}

// printer prints a job line by line.
type printer struct {
	*Job
	folder string // of the job file
	lines  []line
}

func (p *printer) head(text string) { p.lines = append(p.lines, line{text: text}) }

func (p *printer) value(text, path, value string) {
	p.lines = append(p.lines, line{text: text, Setting: Setting{path, value, p.origins.origin(path)}})
}

// fields prints the fields under a prefix. at is their path; i says which set or column they are of.
func (p *printer) fields(prefix, at, indent string, i int) {
	for _, f := range fieldsUnder(prefix) {
		path, text, v := at+f.key(), indent+f.key(), f.at(p.Job, i)
		_, noted := p.origins.places[path]
		switch {
		case f.kind == kindMap:
			p.nested(f, path, text)
		case f.kind == kindList:
			p.head(text)
			for s := range p.Sets {
				start := len(p.lines)
				p.fields(f.prefix(), fmt.Sprintf("%s[%d].", path, s), indent+"    ", s)
				if start < len(p.lines) { // its first line starts the item
					first := &p.lines[start].text
					*first = indent + "  - " + strings.TrimSpace(*first)
				}
			}
		case f.kind == kindNamed:
			p.head(text)
			for c := range p.Columns {
				p.head(indent + "  " + quoted(p.Columns[c].Name))
				p.fields(f.prefix(), columnPath(p.Columns[c].Name)+".", indent+"    ", c)
			}
		case f.kind == kindTaxonomies && p.Taxonomies != nil:
			p.head(text)
			for _, name := range p.taxonomyNames() {
				t := p.Taxonomies[name]
				p.value(indent+"  "+quoted(name), taxonomyPath(name), p.text(f, &t))
			}
		case noted || !isZero(v):
			p.value(text, path, p.text(f, v))
		case f.defWords != "" && prefix != fieldAt("columns").prefix():
			p.lines = append(p.lines, line{text: text, absent: true, Setting: Setting{path, f.defWords, originDefault}})
		}
	}
}

// taxonomyNames returns the names of the job's taxonomies in the order of the job file.
func (p *printer) taxonomyNames() []string {
	at := func(name string) place { return p.origins.places[taxonomyPath(name)] }
	return slices.SortedFunc(maps.Keys(p.Taxonomies), func(a, b string) int {
		return cmp.Or(at(a).line-at(b).line, at(a).column-at(b).column, strings.Compare(a, b))
	})
}

// nested prints a map with fields of its own. It needs no head when they are all absent.
func (p *printer) nested(f *field, path, text string) {
	start := len(p.lines)
	p.head(text)
	p.fields(f.prefix(), path+".", "  ", 0)
	if !slices.ContainsFunc(p.lines[start+1:], func(l line) bool { return !l.absent }) {
		p.lines = slices.Delete(p.lines, start, start+1)
	}
}

// text returns a value as YAML on one line.
func (p *printer) text(f *field, v any) string {
	switch v := v.(type) {
	case *string:
		return p.quoted(f, *v)
	case *[]string:
		texts := make([]string, len(*v))
		for i, text := range *v {
			texts[i] = p.quoted(f, text)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case *int:
		return strconv.Itoa(*v)
	case **int:
		return strconv.Itoa(**v)
	case **float64:
		return strconv.FormatFloat(**v, 'f', -1, 64)
	case *int64:
		return sizeText(*v)
	case *byte:
		return quoted(string(rune(*v)))
	case *Bounds:
		return "[" + bare(v.Lower) + ", " + bare(v.Upper) + "]"
	case *Taxonomy:
		return p.taxonomy(v)
	}
	return quoted(fromFolder(p.folder, p.TaxonomyFile))
}

// quoted returns a text, or a path as the job file has it.
func (p *printer) quoted(f *field, text string) string {
	if f.kind == kindPath || f.kind == kindPaths {
		text = fromFolder(p.folder, text)
	}
	return quoted(text)
}

func (p *printer) taxonomy(t *Taxonomy) string {
	word, levels := t.generated()
	switch {
	case t.Name != "":
		return quoted(t.Name)
	case t.File != "":
		return quoted(fromFolder(p.folder, t.File))
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
			children[i] = quoted(child.Name)
		} else {
			children[i] = "{" + treeText(child) + "}"
		}
	}
	return quoted(n.Name) + ": [" + strings.Join(children, ", ") + "]"
}

// bare returns a bound as YAML. Nothing is an open end.
func bare(text string) string {
	switch {
	case text == "":
		return "null"
	case text[0] >= '0' && text[0] <= '9' && isPlain(text), isNumber(text):
		return text
	}
	return quoted(text)
}

// quoted returns a text as YAML, in quotes where it would be more than a text without them: a
// number, a boolean, null, or syntax.
func quoted(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", ".inf", ".nan":
		return strconv.Quote(text)
	}
	if !isPlain(text) || strings.IndexByte(".0123456789", text[0]) >= 0 && !strings.Contains(text, "/") {
		return strconv.Quote(text)
	}
	return text
}

// isPlain reports whether a text means itself without quotes, everywhere in YAML: words with one
// space between them, the first without a sign before it.
func isPlain(text string) bool {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_./", r):
		case i > 0 && strings.ContainsRune("+%*-", r):
		case r == ' ' && i > 0 && i < len(text)-1 && text[i-1] != ' ':
		default:
			return false
		}
	}
	return text != ""
}

// isNumber reports whether a text is a number with a sign.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "+-.0123456789eE") == ""
}
