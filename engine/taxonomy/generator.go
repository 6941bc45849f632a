package taxonomy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Generator makes taxonomies of the texts of a column's values: it knows what stands above
// a text, whatever other texts there are. So does a tree that was given (see Given).
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

// given is a tree that was given, whatever values there are.
type given struct {
	textual
	tree *Tree
}

// Given returns a tree as what knows the nodes above its leaves. It grows none.
func Given(tree *Tree) Generator { return &given{tree: tree} }

func (g *given) root() string { return g.tree.Name(0) }

func (g *given) path(text string, to []step) (path []step, ok bool) {
	_, ok = g.tree.Code(text)
	if n, _ := g.tree.Node(text); ok {
		for n = g.tree.Parent(n); n > 0; n = g.tree.Parent(n) {
			path = append(path, step{stem: g.tree.Name(n)})
		}
	}
	slices.Reverse(path)
	return append(to, path...), ok
}

func (g *given) below(node string) (text string, inner bool) {
	n, ok := g.tree.Node(node)
	if !ok {
		return node, false
	}
	return g.tree.leaves[g.tree.lo[n]], !g.tree.IsLeaf(n)
}

// prefixes generates a taxonomy of codes such as zip or ICD: above a value stand its first n
// characters and a star, for every n of the lengths that is shorter than the value, and at
// the top a star alone.
type prefixes struct {
	textual
	lengths []int // ascending
}

// Prefixes returns the generator of prefixes of the given lengths in characters.
func Prefixes(lengths []int) (Generator, error) {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	if len(lengths) > 0 && lengths[0] < 1 {
		return nil, fmt.Errorf("generate prefix taxonomy: length %d is not positive", lengths[0])
	}
	return &prefixes{lengths: lengths}, nil
}

func (p *prefixes) root() string { return "*" }

func (p *prefixes) path(text string, to []step) (path []step, ok bool) {
	next, characters := 0, 0
	for at := range text {
		if next == len(p.lengths) {
			break
		}
		if characters == p.lengths[next] {
			to = append(to, step{text[:at], "*"})
			next++
		}
		characters++
	}
	return to, true
}

// below returns the node, too, as a text: its star stands where a text goes on.
func (p *prefixes) below(node string) (text string, inner bool) {
	stem, starred := strings.CutSuffix(node, "*")
	return node, starred && slices.Contains(p.lengths, utf8.RuneCountInString(stem))
}
