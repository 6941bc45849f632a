package classify

import (
	"context"

	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/spill"
)

// Tree learns decision trees as J48 does by default: at least two records in two branches,
// numeric tests that pay for having been chosen, pessimistic pruning.
type Tree struct{}

// Name returns "tree".
func (Tree) Name() string { return "tree" }

// Learn grows a tree and prunes it. What it holds is drawn from the budget of the data's
// space, and stays drawn as long as the tree is used.
func (Tree) Learn(ctx context.Context, d Data) (Classifier, error) {
	inducer := induce.Inducer{Classes: d.Classes, MinObjects: 2, MDL: true, Prune: true}
	inducer.Ledger = spill.NewLedger(d.Space.Budget, "a decision tree")
	for _, c := range d.Columns {
		inducer.Columns = append(inducer.Columns, induce.Column{Domain: c.Domain, Numeric: c.Numeric, Null: true})
	}
	grown, err := inducer.GrowFrom(ctx, d.Table, d.Space)
	return tree{grown}, err
}

type tree struct{ *induce.Tree }

func (t tree) Classify(tuple []uint32) uint32 {
	classes, counts := t.Predict(tuple)
	return classes[first(counts)]
}
