package taxonomy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats/yaml"
)

// parseTrees parses a YAML file of named trees.
func parseTrees(text []byte) (map[string]*Node, yaml.Problems) {
	doc, problems := yaml.Parse(text)
	if len(problems) > 0 {
		return nil, problems
	}
	if doc == nil || doc.Kind != yaml.Map {
		return nil, yaml.Problems{{Line: 1, Column: 1, Message: "not a map from names to trees"}}
	}
	trees := make(map[string]*Node, len(doc.Entries))
	for _, e := range doc.Entries {
		at := e.Value
		if at.Null() {
			at = e.Key
		}
		tree, ps := New(e.Value)
		for _, p := range ps {
			if p.Line == 0 {
				p.Line, p.Column = at.Line, at.Column
			}
			problems.Add(p)
		}
		trees[e.Key.Text] = tree
	}
	return trees, problems
}

// parseTree parses a YAML file that holds one tree.
func parseTree(text []byte) (*Node, yaml.Problems) {
	doc, problems := yaml.Parse(text)
	switch {
	case len(problems) > 0:
		return nil, problems
	case doc == nil:
		return nil, yaml.Problems{{Line: 1, Column: 1, Message: "no tree: the file is empty"}}
	}
	return New(doc)
}

// New makes a tree of a YAML map with one key, the root. The problems have no file
// and no source line yet.
func New(doc *yaml.Node) (*Node, yaml.Problems) {
	var b builder
	if doc.Kind != yaml.Map || len(doc.Entries) == 0 {
		b.add(doc, "not a tree: it needs a map with one key, the root", "")
		return nil, b.problems
	}
	if roots := len(doc.Entries); roots > 1 {
		b.add(doc.Entries[1].Key, fmt.Sprintf("a second root: a tree has one, this has %d", roots), "put the roots under a common one")
		return nil, b.problems
	}
	root := b.node(doc.Entries[0].Key, doc.Entries[0].Value)
	if len(b.problems) == 0 || !root.Leaf() {
		b.problems = append(b.problems, Check(&root)...)
	}
	if len(b.problems) > 0 {
		slices.SortStableFunc(b.problems, func(a, b yaml.Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
		return nil, b.problems
	}
	return &root, nil
}

// builder makes the nodes of one tree.
type builder struct{ problems yaml.Problems }

func (b *builder) add(n *yaml.Node, message, hint string) {
	b.problems.Add(yaml.Problem{Line: n.Line, Column: n.Column, Message: message, Hint: hint})
}

// node makes a node of a key and what is below it.
func (b *builder) node(key, below *yaml.Node) Node {
	n := b.name(key)
	if below.Kind == yaml.Scalar && !below.Null() {
		b.add(below, "a node's value must be a map or a list of its children, or empty", "")
	}
	n.Children = b.entries(nil, below)
	for _, item := range below.Items { // leaves of texts, trees of maps
		switch item.Kind {
		case yaml.Map:
			n.Children = b.entries(n.Children, item)
		case yaml.List:
			b.add(item, "a list inside a list has no name", "")
		default:
			n.Children = append(n.Children, b.name(item))
		}
	}
	return n
}

func (b *builder) entries(children []Node, m *yaml.Node) []Node {
	for _, e := range m.Entries {
		children = append(children, b.node(e.Key, e.Value))
	}
	return children
}

// name makes a leaf of a key or a list item.
func (b *builder) name(n *yaml.Node) Node {
	if n.Null() && n.Text != "" {
		b.add(n, "a null is no name", "quote it when it is a text of the data; nulls need no leaf")
	}
	return Node{Name: n.Text, Line: n.Line, Column: n.Column}
}
