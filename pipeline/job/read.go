package job

import (
	"path/filepath"

	"github.com/kcut/kcut/formats/yaml"
)

// recordItem records where an item of a list comes from: the list's source.
func (c *checker) recordItem(list string, i int, n *yaml.Node) string {
	path := itemPath(list, i)
	c.origins.places[path] = place{name: c.origins.places[list].name, line: n.Line, column: n.Column}
	return path
}

// read reads the node of a slot into its place in the job.
func (c *checker) read(s slot, n *yaml.Node) {
	switch p := s.value.(type) {
	case *[]string:
		*p = c.texts(s, n)
	case *Bounds:
		*p = c.bounds(s, n)
	case *Taxonomy:
		*p = c.readTaxonomy(s.path, n)
	case taxonomies:
		c.readTaxonomies(s, n)
	default:
		if n.Kind != yaml.Scalar || n.Null() || !s.parse(n, p) {
			message, hint := s.not(s.describe(n))
			c.add(s.path, hint, "%s %s", s.title(), message)
		} else if text, ok := p.(*string); ok && s.kind == kindPath {
			*text = c.path(*text)
		}
	}
}

// path returns a path of the job file as it can be opened.
func (c *checker) path(path string) string { return inFolder(filepath.Dir(c.File), path) }

// texts reads a list of texts. One path is a list, too.
func (c *checker) texts(s slot, n *yaml.Node) []string {
	items := n.Items
	if s.kind == kindPaths && n.Kind == yaml.Scalar {
		items = []*yaml.Node{n}
	}
	if len(items) == 0 {
		c.add(s.path, "", "%s must be a %s, not %s", s.key(), kinds[s.kind].words, s.describe(n))
	}
	texts := make([]string, len(items))
	for i, item := range items {
		at := c.recordItem(s.path, i, item)
		if item.Kind != yaml.Scalar || item.Null() {
			message, _ := s.not(s.describe(item))
			c.add(at, "", "%s %s", s.title(), message)
			continue
		}
		if texts[i] = item.Text; s.kind == kindPaths {
			texts[i] = c.path(item.Text)
		}
		c.text(s.field, at, &texts[i])
	}
	return texts
}

// bounds reads a pair of bounds.
func (c *checker) bounds(s slot, n *yaml.Node) (b Bounds) {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		c.add(s.path, hint, "bounds must be a list of two values, not %s", s.describe(n))
		return b
	}
	for i, end := range []*string{&b.Lower, &b.Upper} {
		item := n.Items[i]
		switch {
		case item.Null():
		case item.Kind == yaml.Scalar && item.Text != "":
			*end = item.Text
		default:
			c.add(c.recordItem(s.path, i, item), hint, "a bound must be a number, a date or null, not %s", s.describe(item))
			return b
		}
	}
	if b == (Bounds{}) {
		c.add(s.path, "leave bounds out for two open ends", "bounds without a value")
	}
	return b
}
