package jobfile

import (
	"fmt"

	"github.com/kcut/kcut/formats/yaml"
)

// Setting is one value of the resolved job.
type Setting struct {
	Key    string // "limits.memory", "quasi_identifiers[0].k", "columns.age.mask"
	Value  string // as YAML on one line, or what its absence means
	Origin string // "people.yaml:4", "--k", "KCUT_MEMORY" or "default"
}

// Settings lists every value of the job and where it came from, in the order of the
// reference.
func (j *Job) Settings() []Setting {
	l := lister{source: &j.source}
	l.fields("", "", j.source.root)
	return l.settings
}

// lister walks the resolved job.
type lister struct {
	source   *document
	settings []Setting
}

// fields adds the settings of the fields under a prefix. at is their concrete path.
func (l *lister) fields(prefix, at string, m *yaml.Node) {
	for _, f := range fieldsUnder(prefix) {
		n, path := m.Get(f.key()), at+f.key()
		switch {
		case n == nil && prefix != fieldAt("columns").prefix() && f.defWords != "":
			l.settings = append(l.settings, Setting{path, f.defWords, originDefault})
		case n != nil:
			l.field(f, path, n)
		case f.kind == kindMap:
			l.fields(f.prefix(), path+".", &yaml.Node{})
		}
	}
}

func (l *lister) field(f *field, path string, n *yaml.Node) {
	switch f.kind {
	case kindMap:
		l.fields(f.prefix(), path+".", n)
	case kindList:
		for i, item := range n.Items {
			l.fields(f.prefix(), fmt.Sprintf("%s[%d].", path, i), item)
		}
	case kindNamed:
		for _, e := range n.Entries {
			l.fields(f.prefix(), path+"."+renderScalar(e.Key)+".", e.Value)
		}
	default:
		l.settings = append(l.settings, Setting{path, renderFlow(n), l.source.origin(n)})
	}
}
