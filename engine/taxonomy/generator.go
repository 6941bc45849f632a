package taxonomy

import "strings"

// Generator makes taxonomies of the texts of a column's values: it knows what stands above
// a text, whatever other texts there are.
type Generator interface {
	// root returns the name of the top.
	root() string
	// path appends the nodes between the root and a text, the topmost first. A text that is
	// not of the generator's kind has none.
	path(text string, to []step) (path []step, ok bool)
	// below returns a text below the node of a name, and whether the node is one that texts
	// stand below; else it is the text itself.
	below(node string) (text string, inner bool)
	// scattered reports whether texts that come bytewise may leave a node and come back to it.
	scattered() bool
	// arrange sorts siblings, when bytewise by name is not their order.
	arrange(siblings []*branch)
	// misfits returns the error of so many texts of all that have no path.
	misfits(texts, all int) error
}

// step is a node on a path. Its name is made of two parts, of which the first is often a
// part of the text.
type step struct{ stem, suffix string }

func (s step) name() string { return s.stem + s.suffix }

// named reports whether the step's name is the text.
func (s step) named(text string) bool {
	return len(text) == len(s.stem)+len(s.suffix) && strings.HasPrefix(text, s.stem) && strings.HasSuffix(text, s.suffix)
}

// textual is the part of generators whose nodes stand in the bytewise order of names, which
// is also that of the texts below them: nothing is scattered, nothing to be arranged.
type textual struct{}

func (textual) scattered() bool { return false }

func (textual) arrange([]*branch) {}

// misfits is never asked of generators that take every text.
func (textual) misfits(_, _ int) error { return nil }

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
