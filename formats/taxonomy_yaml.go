package formats

import "fmt"

// parseTaxonomies parses a YAML file of named trees.
func parseTaxonomies(text []byte) (map[string]*TaxonomyNode, Problems) {
	doc, problems := ParseYAML(text)
	if len(problems) > 0 {
		return nil, problems
	}
	if doc == nil || doc.Kind != YAMLMap {
		return nil, Problems{{Line: 1, Column: 1, Message: "not a map from names to trees"}}
	}
	trees := make(map[string]*TaxonomyNode, len(doc.Entries))
	for _, e := range doc.Entries {
		at := e.Value
		if at.Null() {
			at = e.Key
		}
		tree, ps := NewTaxonomy(e.Value)
		for _, p := range ps {
			if p.Line == 0 {
				p.Line, p.Column = at.Line, at.Column
			}
			problems.Add(p)
		}
		trees[e.Key.Text] = tree
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return trees, nil
}

// parseTaxonomy parses a YAML file that holds one tree.
func parseTaxonomy(text []byte) (*TaxonomyNode, Problems) {
	doc, problems := ParseYAML(text)
	if len(problems) > 0 {
		return nil, problems
	}
	if doc == nil {
		return nil, Problems{{Line: 1, Column: 1, Message: "no tree: the file is empty"}}
	}
	return NewTaxonomy(doc)
}

// NewTaxonomy makes a tree of a YAML map with one key, the root. The problems have no file
// and no source line yet: see Problems.Locate.
func NewTaxonomy(doc *YAMLNode) (*TaxonomyNode, Problems) {
	if doc.Kind != YAMLMap || len(doc.Entries) == 0 {
		return nil, Problems{{Line: doc.Line, Column: doc.Column, Message: "not a tree: it needs a map with one key, the root"}}
	}
	if len(doc.Entries) > 1 {
		second := doc.Entries[1].Key
		return nil, Problems{{
			Line: second.Line, Column: second.Column,
			Message: fmt.Sprintf("a second root: a tree has one, this has %d", len(doc.Entries)),
			Hint:    "put the roots under a common one",
		}}
	}
	b := taxonomyBuilder{lines: make(map[string]int)}
	root := b.node(doc.Entries[0].Key, doc.Entries[0].Value)
	if len(b.problems) == 0 && root.Leaf() {
		b.add(doc.Entries[0].Key, "a root without children generalizes nothing", "")
	}
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	return &root, nil
}

// taxonomyBuilder makes the nodes of one tree.
type taxonomyBuilder struct {
	lines    map[string]int // where a name was first used
	problems Problems
}

func (b *taxonomyBuilder) add(n *YAMLNode, message, hint string) {
	b.problems.Add(Problem{Line: n.Line, Column: n.Column, Message: message, Hint: hint})
}

// node makes a node of a key and what is below it.
func (b *taxonomyBuilder) node(key, below *YAMLNode) TaxonomyNode {
	n := b.name(key)
	switch {
	case below.Kind == YAMLMap:
		n.Children = b.entries(nil, below)
	case below.Kind == YAMLList:
		n.Children = b.items(below)
	case !below.Null():
		b.add(below, "a node's value must be a map or a list of its children, or empty", "")
	}
	return n
}

func (b *taxonomyBuilder) entries(children []TaxonomyNode, m *YAMLNode) []TaxonomyNode {
	for _, e := range m.Entries {
		children = append(children, b.node(e.Key, e.Value))
	}
	return children
}

// items makes children of a list: leaves of its texts, trees of its maps.
func (b *taxonomyBuilder) items(list *YAMLNode) []TaxonomyNode {
	var children []TaxonomyNode
	for _, item := range list.Items {
		switch item.Kind {
		case YAMLMap:
			children = b.entries(children, item)
		case YAMLList:
			b.add(item, "a list inside a list has no name", "")
		default:
			children = append(children, b.name(item))
		}
	}
	return children
}

// name makes a leaf of a key or a list item, and checks that its name is new.
func (b *taxonomyBuilder) name(n *YAMLNode) TaxonomyNode {
	line, used := b.lines[n.Text]
	switch {
	case n.Text == "":
		b.add(n, "empty name", "")
	case n.Null():
		b.add(n, "a null is no name", "quote it when it is a text of the data; nulls need no leaf")
	case used:
		b.add(n, fmt.Sprintf("name used twice in one tree, first on line %d", line), "names must be unique: rename one")
	default:
		b.lines[n.Text] = n.Line
	}
	return TaxonomyNode{Name: n.Text, Line: n.Line, Column: n.Column}
}
