package jobfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/formats/yaml"
)

// YAML renders the resolved job as a job file, with the origin of every value as a comment.
// Saved in the folder of the job file it loads to the same job.
func (j *Job) YAML() string {
	r := renderer{source: &j.source}
	r.fields("", "", j.source.root)
	return string(r.b)
}

// renderer writes a resolved job as YAML in block style.
type renderer struct {
	source *document
	b      []byte
}

// fields writes the fields under a prefix, in the order of the reference.
func (r *renderer) fields(prefix, indent string, m *yaml.Node) {
	for _, f := range fieldsUnder(prefix) {
		n := m.Get(f.key())
		if n == nil {
			r.absent(f, indent)
			continue
		}
		r.field(f, indent, n)
	}
}

// absent writes what it means that a field is absent, as a comment.
func (r *renderer) absent(f *field, indent string) {
	if f.defWords != "" && indent == "" {
		r.b = fmt.Appendf(r.b, "# %s: %s  # %s\n", f.key(), f.defWords, originDefault)
	}
}

func (r *renderer) field(f *field, indent string, n *yaml.Node) {
	switch {
	case f.kind == kindMap && len(n.Entries) > 0:
		r.line(indent + f.key() + ":")
		r.fields(f.prefix(), indent+"  ", n)
	case f.kind == kindList:
		r.line(indent + f.key() + ":")
		for _, item := range n.Items {
			start := len(r.b)
			r.fields(f.prefix(), indent+"    ", item)
			r.b[start+len(indent)+2] = '-' // its first line starts the item
		}
	case f.kind == kindNamed:
		r.line(indent + f.key() + ":")
		for _, e := range n.Entries {
			r.line(indent + "  " + renderScalar(e.Key) + ":")
			r.fields(f.prefix(), indent+"    ", e.Value)
		}
	case f.kind == kindTaxonomies && n.Kind == yaml.Map:
		r.line(indent + f.key() + ":")
		for _, e := range n.Entries {
			r.value(indent+"  "+renderScalar(e.Key), e.Value)
		}
	case f.kind != kindMap:
		r.value(indent+f.key(), n)
	}
}

func (r *renderer) line(text string) { r.b = append(r.b, text+"\n"...) }

// value writes a key, its value on the same line, and where that came from.
func (r *renderer) value(key string, n *yaml.Node) {
	comment := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, r.source.origin(n))
	r.b = fmt.Appendf(r.b, "%s: %s  # %s\n", key, renderFlow(n), comment)
}

// renderFlow returns a node as YAML in flow style.
func renderFlow(n *yaml.Node) string {
	switch n.Kind {
	case yaml.List:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = renderFlow(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case yaml.Map:
		entries := make([]string, len(n.Entries))
		for i, e := range n.Entries {
			entries[i] = renderScalar(e.Key) + ": " + renderFlow(e.Value)
		}
		return "{" + strings.Join(entries, ", ") + "}"
	}
	return renderScalar(n)
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

// renderScalar returns a scalar as YAML, in quotes where they change its meaning.
func renderScalar(n *yaml.Node) string {
	switch {
	case n.Null():
		return "null"
	case !n.Quoted && (isPlain(n.Text) || isNumber(n.Text)):
		return n.Text
	case n.Quoted && isPlain(n.Text) && !isWord(n.Text):
		return n.Text
	}
	return quoteYAML(n.Text)
}

// isNumber reports whether a plain scalar is a number with a sign.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "+-.0123456789eE") == ""
}

// isWord reports whether a text would be more than a text without quotes: a number, a
// boolean or null.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", ".inf", ".nan":
		return true
	}
	return text[0] == '.' || text[0] >= '0' && text[0] <= '9'
}

// quoteYAML returns a text in double quotes, with the escapes that YAML and JSON share.
func quoteYAML(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xFFFF && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
