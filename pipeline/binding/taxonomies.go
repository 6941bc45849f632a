package binding

import (
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Taxonomies are the trees of generalized columns.
type Taxonomies struct {
	Of    map[string]job.Taxonomy // by column
	Bytes int64                   // drawn for the whole run
}

// parsedBytes is the memory for a byte of a taxonomy file while it is parsed: the text, rows of
// about 16 bytes, and the nodes and tables made from them.
const parsedBytes = 16

// nodeBytes is the memory of a node of a tree without its name, in the file's form and in the
// engine's.
const nodeBytes = 272

// LoadTaxonomies reads the trees of generalized columns, and draws their memory for the whole run.
func LoadTaxonomies(job *job.Job, budget *spill.Budget) (*Taxonomies, error) {
	parsing := job.TaxonomyBytes() * parsedBytes
	if err := drawTrees(budget, parsing); err != nil {
		return nil, err
	}
	defer func() { budget.Return(parsing) }()
	of, err := job.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	trees := int64(0)
	for _, t := range of {
		if t.Tree != nil {
			trees += treeBytes(t.Tree)
		}
	}
	if err := drawTrees(budget, max(0, trees-parsing)); err != nil {
		return nil, err
	}
	parsing = max(0, parsing-trees) // the rest stays drawn
	return &Taxonomies{of, trees}, nil
}

func drawTrees(budget *spill.Budget, bytes int64) error {
	if err := budget.Draw("taxonomies", bytes); err != nil {
		return spill.Instead(err, "generate large taxonomies with prefix, date or ranges")
	}
	return nil
}

// treeBytes returns the memory of a tree.
func treeBytes(t *taxonomy.Node) int64 {
	bytes := nodeBytes + int64(len(t.Name))
	for i := range t.Children {
		bytes += treeBytes(&t.Children[i])
	}
	return bytes
}
