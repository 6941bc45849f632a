package taxonomy

import "slices"

// Ancestry returns the names of the nodes of a generated taxonomy from the top down to a
// node, and whether values stand below that one. Which values there are does not matter.
func Ancestry(generator Generator, node string) (path []string, inner bool) {
	path = []string{generator.root()}
	if node == path[0] {
		return path, true
	}
	text, inner := generator.below(node)
	steps, _ := generator.path(text, nil)
	for _, s := range steps {
		if s.named(node) {
			break
		}
		path = append(path, s.name())
	}
	return append(path, node), inner
}

// CutFinder finds the nodes of a cut in a generated taxonomy. It belongs to one goroutine.
type CutFinder struct {
	Generator Generator
	nodes     map[string]uint32 // the cut
	above     map[string]bool   // all that is above the cut
	path      []step
	name      []byte
}

// Takes reports whether a generated taxonomy may have a node of the name.
func Takes(generator Generator, node string) bool {
	if node == generator.root() {
		return true
	}
	text, inner := generator.below(node)
	_, fits := generator.path(text, nil)
	return inner || fits
}

// NewCutFinder returns a finder of the given nodes, which must not be above each other: nested
// tells whether some are.
func NewCutFinder(generator Generator, nodes []string) (f *CutFinder, nested bool) {
	f = &CutFinder{Generator: generator, nodes: make(map[string]uint32), above: make(map[string]bool)}
	for i, node := range nodes {
		f.nodes[node] = uint32(i)
		path, _ := Ancestry(generator, node)
		for _, name := range path[:len(path)-1] {
			f.above[name] = true
		}
	}
	return f, slices.ContainsFunc(nodes, func(node string) bool { return f.above[node] })
}

// Clone returns a finder for another goroutine.
func (f *CutFinder) Clone() *CutFinder {
	return &CutFinder{Generator: f.Generator, nodes: f.nodes, above: f.above}
}

// Find returns the position of the node that a text is below, or is itself. When there is
// none, it returns the name of the topmost node over the text that is above none of the
// cut's; empty if the text is none that the taxonomy takes.
func (f *CutFinder) Find(text string) (node uint32, ok bool, beside string) {
	var fits bool
	f.path, fits = f.Generator.path(text, f.path[:0])
	if node, ok = f.nodes[text]; ok {
		return node, true, ""
	}
	if !fits {
		return 0, false, ""
	}
	if node, ok := f.nodes[f.Generator.root()]; ok {
		return node, true, ""
	}
	for _, s := range f.path {
		f.name = append(append(f.name[:0], s.stem...), s.suffix...)
		if node, ok := f.nodes[string(f.name)]; ok {
			return node, true, ""
		}
		if beside == "" && !f.above[string(f.name)] {
			beside = string(f.name)
		}
	}
	if beside == "" {
		beside = text
	}
	return 0, false, beside
}

// Above returns the part of a generated taxonomy from the top down to some nodes, siblings
// in the order in which they come first. A node that values stand below counts as one.
func Above(generator Generator, nodes []string) Node {
	children := make(map[string][]string)
	known, inner := map[string]bool{generator.root(): true}, make(map[string]bool)
	for _, name := range nodes {
		path, has := Ancestry(generator, name)
		inner[name] = has
		for i, name := range path[1:] {
			if !known[name] {
				known[name] = true
				children[path[i]] = append(children[path[i]], name)
			}
		}
	}
	var above func(name string) Node
	above = func(name string) Node {
		node := Node{Name: name}
		if inner[name] {
			node.Values = 1
		}
		for _, child := range children[name] {
			node.Children = append(node.Children, above(child))
		}
		return node
	}
	return above(generator.root())
}
