package pipeline

import (
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/internal/fault"
)

// parsedBytes is what a byte of a taxonomy file takes while the file is parsed: the text, rows
// of some 16 bytes, and the nodes and tables made of them.
const parsedBytes = 16

// nodeBytes is what a node of a tree takes beside its name, in the file's form and in the
// engine's.
const nodeBytes = 272

// loadTaxonomies reads the trees of generalized columns, and draws what they take for the
// whole run.
func (r *run) loadTaxonomies() (err error) {
	parsing := r.job.TaxonomyBytes() * parsedBytes
	if err := r.drawTrees(parsing); err != nil {
		return err
	}
	defer func() { r.budget.Return(parsing) }()
	if r.taxonomies, err = r.job.LoadTaxonomies(); err != nil {
		return err
	}
	trees := int64(0)
	for _, t := range r.taxonomies {
		if t.Tree != nil {
			trees += treeBytes(t.Tree)
		}
	}
	if err := r.drawTrees(max(0, trees-parsing)); err != nil {
		return err
	}
	parsing = max(0, parsing-trees) // the rest stays drawn
	r.trees = trees
	return nil
}

func (r *run) drawTrees(bytes int64) error {
	if err := r.budget.Draw("taxonomies", bytes); err != nil {
		return &fault.Error{
			Class: fault.Resources,
			Hint:  "give more with --memory, or generate large taxonomies with prefix, date or ranges",
			Err:   err,
		}
	}
	return nil
}

// treeBytes returns what a tree takes.
func treeBytes(t *taxonomy.Node) int64 {
	bytes := nodeBytes + int64(len(t.Name))
	for i := range t.Children {
		bytes += treeBytes(&t.Children[i])
	}
	return bytes
}
