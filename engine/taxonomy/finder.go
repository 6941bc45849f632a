package taxonomy

import "cmp"

// Finder finds the leaf of a tree that is a text or stands above it. A generated tree may be whole,
// pruned, or cut off at a cut (see Above). It belongs to one goroutine.
type Finder struct {
	tree      *Tree
	generator Generator // generator of the tree; nil when the tree was given
	path      []step
	name      []byte
}

// NewFinder returns a finder in a tree that the generator made, or in a given tree if that is nil.
func NewFinder(tree *Tree, generator Generator) *Finder {
	return &Finder{tree: tree, generator: generator}
}

// Find returns the code of the leaf that is the text, or stands above it. If there is none, it
// returns the name of the topmost node above the text that the tree does not have, or the text.
func (f *Finder) Find(text string) (code uint32, ok bool, missing string) {
	fits := true
	if f.generator != nil {
		f.path, _, fits = place(f.generator, text, f.path[:0])
	}
	if fits && f.tree.IsPruned(0) {
		return 0, true, ""
	}
	for _, s := range f.path {
		f.name = append(append(f.name[:0], s.stem...), s.suffix...)
		switch n, known := f.tree.nodes[string(f.name)]; {
		case known && f.tree.IsLeaf(int(n)):
			return uint32(f.tree.lo[n]), true, ""
		case !known && missing == "":
			missing = string(f.name)
		}
	}
	if code, ok = f.tree.Code(text); ok {
		return code, true, ""
	}
	return 0, false, cmp.Or(missing, text)
}

// Takes reports whether a taxonomy may have a node with the name.
func Takes(generator Generator, node string) bool {
	_, values := generator.below(node)
	return values > 0 || node == generator.root() || Fits(generator, node)
}

// Fits reports whether a text is below nodes of a taxonomy, or is the name of a node.
func Fits(generator Generator, text string) bool {
	_, _, fits := place(generator, text, nil)
	return fits
}

// Ancestry returns the names of the nodes of a taxonomy from the top down to a node, whatever
// values there are. If the name is not that of a node, it returns the top and the name.
func Ancestry(generator Generator, node string) []string {
	path := []string{generator.root()}
	if node == path[0] {
		return path
	}
	text, _ := generator.below(node)
	steps, _ := generator.path(text, nil)
	for _, s := range steps {
		if s.named(node) {
			break
		}
		path = append(path, s.name())
	}
	return append(path, node)
}

// Above returns the part of a taxonomy from the top down to some nodes, with siblings in the order
// of their first occurrence. A node with values below it keeps their number in a given tree, and
// counts as one value in a generated one.
func Above(generator Generator, nodes []string) Node {
	children := make(map[string][]string)
	root := generator.root()
	known, values := map[string]bool{root: true}, make(map[string]int)
	for _, name := range nodes {
		if _, values[name] = generator.below(name); name == root {
			values[name] = max(1, values[name])
		}
		path := Ancestry(generator, name)
		for i, name := range path[1:] {
			if !known[name] {
				known[name] = true
				children[path[i]] = append(children[path[i]], name)
			}
		}
	}
	var above func(name string) Node
	above = func(name string) Node {
		node := Node{Name: name, Values: values[name]}
		for _, child := range children[name] {
			node.Children = append(node.Children, above(child))
		}
		return node
	}
	return above(root)
}
