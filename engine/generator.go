package engine

import (
	"cmp"
	"fmt"
	"slices"
)

// branch is one node of a generated taxonomy while it grows. Generators insert one path
// of names per value and sort the children when all are in.
type branch struct {
	name     string
	children []*branch
	index    map[string]*branch
}

// child returns the child of the given name, new or not.
func (b *branch) child(name string) *branch {
	if c, ok := b.index[name]; ok {
		return c
	}
	if b.index == nil {
		b.index = map[string]*branch{}
	}
	c := &branch{name: name}
	b.index[name] = c
	b.children = append(b.children, c)
	return c
}

// insert adds the path of names below b.
func (b *branch) insert(path ...string) {
	for _, name := range path {
		b = b.child(name)
	}
}

// node returns the nested form, children bytewise by name.
func (b *branch) node() Node {
	slices.SortFunc(b.children, func(x, y *branch) int { return cmp.Compare(x.name, y.name) })
	n := Node{Name: b.name}
	for _, c := range b.children {
		n.Children = append(n.Children, c.node())
	}
	return n
}

// distinguish returns an error when generated inner nodes and values share names.
func distinguish(root Node, values []string) error {
	inner := map[string]bool{}
	root.collectInner(inner)
	clashes := 0
	for _, v := range values {
		if inner[v] {
			clashes++
		}
	}
	if clashes > 0 {
		return fmt.Errorf("generate taxonomy: %d values have the name of a generated node", clashes)
	}
	return nil
}

func (n Node) collectInner(names map[string]bool) {
	if len(n.Children) > 0 {
		names[n.Name] = true
	}
	for _, c := range n.Children {
		c.collectInner(names)
	}
}

// distinct returns the texts sorted, each once.
func distinct(texts []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(texts)))
}
