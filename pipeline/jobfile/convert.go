package jobfile

import (
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
)

// GeneratorOf returns the engine's form of a taxonomy that is not a tree.
func GeneratorOf(t Taxonomy) (engine.Generator, error) {
	switch {
	case t.Generator == nil:
		return nil, errors.New("it is neither a tree nor a generator")
	case len(t.Generator.Prefix) > 0:
		return engine.Prefixes(t.Generator.Prefix)
	case len(t.Generator.Date) > 0:
		return engine.Dates(t.Generator.Date)
	}
	return engine.Ranges(t.Generator.Ranges)
}

// TreeOf is a file's tree in the engine's form.
func TreeOf(t *taxonomy.Node) engine.Node {
	n := engine.Node{Name: t.Name}
	for i := range t.Children {
		n.Children = append(n.Children, TreeOf(&t.Children[i]))
	}
	return n
}
