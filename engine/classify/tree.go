package classify

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
)

// Tree learns decision trees as J48 does by default: at least two records in two branches,
// numeric tests that pay for having been chosen, pessimistic pruning.
type Tree struct{}

// Name returns "tree".
func (Tree) Name() string { return "tree" }

// Learn grows a tree and prunes it.
func (Tree) Learn(ctx context.Context, d Data) (Classifier, error) {
	inducer := induce.Inducer{Classes: d.Classes, MinObjects: 2, MDL: true}
	for _, c := range d.Columns {
		inducer.Columns = append(inducer.Columns, induce.Column{Domain: c.Domain, Numeric: c.Numeric, Null: true})
	}
	cells, err := partition.NewCells(clone(d.Table), d.Classes, partition.Space{})
	if err != nil {
		return nil, err
	}
	grown, err := inducer.Grow(ctx, cells, nil)
	if err := errors.Join(err, cells.Close()); err != nil {
		return nil, err
	}
	return tree{grown.Prune()}, nil
}

// clone returns a copy for cells to consume.
func clone(t *partition.Table) *partition.Table {
	return &partition.Table{Layout: t.Layout, Keys: slices.Clone(t.Keys), Counts: slices.Clone(t.Counts)}
}

type tree struct{ *induce.Tree }

func (t tree) Classify(tuple []uint32) uint32 {
	classes, counts := t.Predict(tuple)
	return classes[first(counts)]
}
