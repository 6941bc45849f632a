package pipeline

import (
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// buildTree makes a column's tree: as it was given, or generated from the texts of the
// values that occur.
func buildTree(t jobfile.Taxonomy, texts []string) (*engine.Tree, error) {
	root, err := rootOf(t, texts)
	if err != nil {
		return nil, err
	}
	return engine.NewTree(root)
}

func rootOf(t jobfile.Taxonomy, texts []string) (engine.Node, error) {
	switch {
	case t.Tree != nil:
		return node(t.Tree), nil
	case t.Generator == nil:
		return engine.Node{}, errors.New("it is neither a tree nor a generator")
	case len(t.Generator.Prefix) > 0:
		return engine.PrefixTree(t.Generator.Prefix, texts)
	case len(t.Generator.Date) > 0:
		return engine.DateTree(t.Generator.Date, texts)
	}
	return engine.RangeTree(t.Generator.Ranges, texts)
}

// node is a file's tree in the engine's form.
func node(t *taxonomy.Node) engine.Node {
	n := engine.Node{Name: t.Name}
	for i := range t.Children {
		n.Children = append(n.Children, node(&t.Children[i]))
	}
	return n
}
