package jobfile

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// checkMap checks the keys and values of a map, and takes out what is wrong.
func (l *loader) checkMap(prefix string, m *yaml.Node) {
	fields := fieldsUnder(prefix)
	for _, f := range fields {
		if f.required && m.Get(f.key()) == nil && !slices.Contains(f.excused, l.algorithm()) {
			l.missing(f, m)
		}
	}
	good := m.Entries[:0:0]
	for _, e := range m.Entries {
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key() == e.Key.Text })
		switch {
		case i < 0:
			l.unknown(e.Key, fields)
		case l.checkField(fields[i], e.Value):
			good = append(good, e)
		default:
			l.taken[entryOf{m, e.Key.Text}] = true
		}
	}
	m.Entries = good
}

func (l *loader) missing(f *field, m *yaml.Node) {
	hint := f.key() + ": " + f.doc
	if len(f.enum) > 0 {
		hint = f.key() + " is " + f.wants()
	}
	l.add(m, strings.ReplaceAll(hint, "`", ""), "missing key %q", f.key())
}

func (l *loader) unknown(key *yaml.Node, fields []*field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key()
	}
	hint := didYouMean(key.Text, names)
	if hint == "" {
		hint = "the keys here are " + strings.Join(names, ", ")
	}
	l.add(key, hint, "unknown key %q", key.Text)
}

// checkField reports whether a value is one that the field can have. Of fields with fields
// of their own it takes out the wrong ones only.
func (l *loader) checkField(f *field, n *yaml.Node) bool {
	if n.Null() {
		l.add(n, "give it a value, or leave it out", "%s has no value", f.key())
		return false
	}
	switch f.kind {
	case kindMap:
		return l.checkMapField(f, n)
	case kindList:
		return l.checkList(f, n)
	case kindNamed:
		return l.checkNamed(f, n)
	case kindTaxonomy:
		return l.checkTaxonomy(n)
	case kindTaxonomies:
		return l.checkTaxonomies(n)
	case kindPaths, kindTexts:
		return l.checkScalars(f, n)
	case kindBounds:
		return l.checkBounds(n)
	}
	return l.checkScalar(f, n)
}

func (l *loader) checkMapField(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.Map {
		l.add(n, "", "%s must be a map, not %s", f.key(), describeNode(n))
		return false
	}
	l.checkMap(f.prefix(), n)
	return true
}

// checkList checks a list of maps. Items of another shape become empty maps, so that
// positions in the list stay what they are.
func (l *loader) checkList(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.List || len(n.Items) == 0 {
		l.add(n, "as in: - {columns: [age, sex], k: 50}", "%s must be a list of sets, not %s", f.key(), describeNode(n))
		return false
	}
	for i, item := range n.Items {
		if item.Kind == yaml.Map {
			l.checkMap(f.prefix(), item)
			continue
		}
		l.add(item, "as in: - {columns: [age, sex], k: 50}", "a set must be a map, not %s", describeNode(item))
		n.Items[i] = emptyMapLike(item)
	}
	return true
}

// checkNamed checks a map of maps, like checkList.
func (l *loader) checkNamed(f *field, n *yaml.Node) bool {
	if n.Kind != yaml.Map || len(n.Entries) == 0 {
		l.add(n, "as in: age: discretize", "%s must be a map from names of columns to masks, not %s", f.key(), describeNode(n))
		return false
	}
	for i := range n.Entries {
		e := &n.Entries[i]
		switch {
		case e.Key.Text == "" && !passes(e.Value):
			l.add(e.Key, "name it where it comes from", "a column without a name can only be dropped or kept")
		case e.Value.Kind == yaml.Map:
			l.checkMap(f.prefix(), e.Value)
			continue
		case e.Value.Null():
			l.add(e.Key, "as in: age: discretize", "column %q has no mask", e.Key.Text)
		default:
			l.add(e.Value, "as in: age: discretize", "column %q must have a mask or a map, not %s", e.Key.Text, describeNode(e.Value))
		}
		e.Value = emptyMapLike(e.Value)
	}
	return true
}

// passes reports whether the entry of a column leaves it out or as it is.
func passes(entry *yaml.Node) bool {
	mask := yamlText(entry.Get("mask"))
	return mask == MaskDrop || mask == MaskKeep
}

// checkBounds checks a pair of bounds.
func (l *loader) checkBounds(n *yaml.Node) bool {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		l.add(n, hint, "bounds must be a list of two values, not %s", describeNode(n))
		return false
	}
	open := 0
	for _, item := range n.Items {
		if item.Null() {
			open++
		} else if item.Kind != yaml.Scalar || item.Text == "" {
			l.add(item, hint, "a bound must be a number, a date or null, not %s", describeNode(item))
			return false
		}
	}
	if open == 2 {
		l.add(n, "leave bounds out for two open ends", "bounds without a value")
	}
	return open < 2
}
