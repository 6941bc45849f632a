package taxonomy

// Finder finds the leaves of values in a tree. It belongs to one goroutine.
type Finder struct {
	tree      *Tree
	generator Generator // of the tree; nil when it was given
	path      []step
	name      []byte
}

// NewFinder returns a finder in a tree that the generator made, or in a given one without.
func NewFinder(tree *Tree, generator Generator) *Finder {
	return &Finder{tree: tree, generator: generator}
}

// Code returns the code of the leaf with the given text, or of the pruned node above it.
func (f *Finder) Code(text string) (code uint32, ok bool) {
	if f.tree.IsPruned(0) {
		return 0, true
	}
	if f.generator != nil {
		f.path, _ = f.generator.path(text, f.path[:0])
		for _, s := range f.path {
			f.name = append(append(f.name[:0], s.stem...), s.suffix...)
			if code, ok := f.tree.Code(string(f.name)); ok {
				return code, true
			}
		}
	}
	return f.tree.Code(text)
}
