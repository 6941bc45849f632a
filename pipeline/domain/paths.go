package domain

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// coverNodes finds the labels on the path to a value. One that the taxonomy lacks is unmapped,
// or directly below the root.
func (g *Cut) coverNodes(c *cover, spec *job.Column, column *cutfile.Column, taxonomy job.Taxonomy, numbers []uint32) error {
	paths, err := newTaxonomyPaths(spec, taxonomy)
	if err != nil {
		return err
	}
	number := make(map[string]uint32)
	for i, label := range column.Cut {
		switch {
		case label.Null:
			c.nulls = append(c.nulls, numbers[i])
		case !paths.has(label.Label):
			return g.mismatch("column %s: its taxonomy lacks a node of the cut", spec.Name)
		default:
			number[label.Label] = numbers[i]
		}
	}
	if all, ok := number[paths.root]; ok {
		c.nulls = append(c.nulls, all)
	}
	c.of = func(values *formats.Values, i int) (labels []uint32, ok bool) {
		names, ok := paths.to(TextOf(values, i))
		for _, name := range names {
			if label, ok := number[name]; ok {
				labels = append(labels, label)
			}
		}
		slices.Sort(labels)
		return labels, ok
	}
	return nil
}

// taxonomyPaths are the ways from the root of a column's taxonomy to its values.
type taxonomyPaths struct {
	root string
	to   func(value string) (names []string, ok bool) // from either end; not ok: the column does not take the value
	has  func(name string) bool                       // whether a node of that name may be
}

func newTaxonomyPaths(spec *job.Column, t job.Taxonomy) (*taxonomyPaths, error) {
	if t.Tree == nil {
		generator, err := job.GeneratorOf(t)
		if err != nil {
			return nil, Untreed(spec, err)
		}
		top, _ := engine.Ancestry(generator, "")
		has := func(name string) bool { return engine.Takes(generator, name) }
		return &taxonomyPaths{root: top[0], has: has, to: func(value string) ([]string, bool) {
			names, _ := engine.Ancestry(generator, value)
			return names, has(value)
		}}, nil
	}
	tree, err := engine.NewTree(job.TreeOf(t.Tree))
	if err != nil {
		return nil, Untreed(spec, err)
	}
	unknown, root := spec.Unknown == job.UnknownRoot, tree.Name(0)
	return &taxonomyPaths{
		root: root,
		has: func(name string) bool {
			_, ok := tree.Node(name)
			return ok || unknown
		},
		to: func(value string) (names []string, ok bool) {
			if _, ok := tree.Code(value); !ok {
				return []string{root, value}, unknown
			}
			for n, _ := tree.Node(value); n >= 0; n = tree.Parent(n) {
				names = append(names, tree.Name(n))
			}
			return names, true
		},
	}, nil
}
