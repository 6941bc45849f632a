package taxonomy

// flat generates a taxonomy in which every value stands directly below the root.
type flat struct {
	textual
	name string
}

// Flat returns the generator of a root of the given name with every value below it.
func Flat(root string) Generator { return &flat{name: root} }

func (f *flat) root() string { return f.name }

func (f *flat) path(_ string, to []step) (path []step, ok bool) { return to, true }

// below returns the node: there are only leaves beside the root.
func (f *flat) below(node string) (text string, inner bool) { return node, false }
