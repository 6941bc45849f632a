package classify

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
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
	copied, err := d.copy(ctx)
	if err != nil {
		return nil, err
	}
	cells, err := cells.New(copied, d.Classes, d.Space)
	if err != nil {
		return nil, err
	}
	grown, err := inducer.Grow(ctx, cells, nil)
	return tree{grown}, errors.Join(err, cells.Close())
}

// copy returns a copy of the counts, for cells to consume.
func (d Data) copy(ctx context.Context) (*partition.Table, error) {
	var maps [][]uint32
	var domains []int
	for _, c := range d.Columns {
		domains = append(domains, c.Domain)
	}
	domains = append(domains, d.Classes)
	for _, domain := range domains {
		maps = append(maps, engine.Identity(domain).Codes)
	}
	return d.Table.Aggregate(ctx, maps, domains, d.Space)
}

type tree struct{ *induce.Tree }

func (t tree) Classify(tuple []uint32) uint32 {
	classes, counts := t.Predict(tuple)
	return classes[first(counts)]
}
