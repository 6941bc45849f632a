package jobfile

import (
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// defaults fills in the values of absent fields.
func (l *loader) defaults() {
	for i := range fieldTable {
		f := &fieldTable[i]
		if f.def == "" || len(f.masks) > 0 || !f.serves(l.algorithm()) {
			continue
		}
		parent := l.root
		if head, _, ok := strings.Cut(f.path, "."); ok {
			parent = l.child(l.root, head)
		}
		l.setDefault(parent, f, f.def)
	}
	if algorithm := l.algorithm(); algorithm == AlgorithmTDR || algorithm == AlgorithmTDS {
		l.setDefault(l.root, fieldAt("score"), algorithm) // each one's own score has its name
	}
	if columns := l.root.Get("columns"); columns != nil {
		for _, e := range columns.Entries {
			l.columnDefaults(e.Key.Text, e.Value)
		}
	}
}

// algorithm returns the name of the algorithm, which is filled in before its options.
func (l *loader) algorithm() string {
	return yamlText(orEmptyNode(l.root.Get("algorithm")).Get("name"))
}

// columnDefaults fills in the fields that a column's mask allows.
func (l *loader) columnDefaults(name string, column *yaml.Node) {
	mask := yamlText(column.Get("mask"))
	for _, f := range fieldsUnder(fieldAt("columns").prefix()) {
		if len(f.masks) == 0 || !f.allows(mask) {
			continue
		}
		if f.kind == kindTaxonomy {
			l.setDefault(column, f, name)
		} else if f.def != "" {
			l.setDefault(column, f, f.def)
		}
	}
}

// setDefault gives an absent field of a map a value, but not one in the place of a mistake.
func (l *loader) setDefault(m *yaml.Node, f *field, value string) {
	if m == nil || m.Get(f.key()) != nil || l.taken[entryOf{m, f.key()}] {
		return
	}
	n := &yaml.Node{Text: value, Quoted: !f.number()}
	l.origins[n] = originDefault
	setKey(m, f.key(), n)
}
