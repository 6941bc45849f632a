package mondrian

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/boost"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
)

// fittedCells is the approximate largest number of cells to which models are fitted: a larger table
// is sampled by tuples.
const fittedCells = 1 << 16

// fewRecords is the number of records below which models have smaller trees. Chance influences such
// a model so much that several are fitted.
const fewRecords = 3000

// usualClasses is the number of classes up to which models have all their rounds: each round has a
// tree for every class. With more classes there are fewer rounds, to keep the number of trees, but
// at least leastRounds.
const (
	usualClasses = 10
	leastRounds  = 2
)

// options returns the options for fitting models to a number of records and classes.
func (e Engine) options(records uint64, classes int) boost.Options {
	o := boost.Options{Rounds: 20, Leaves: 15, Least: 20, Deals: 1, Rate: 0.3}
	switch few := records < fewRecords; {
	case few && e.Brief:
		o = boost.Options{Rounds: 25, Leaves: 7, Least: 8, Deals: 1, Rate: 0.3}
	case few:
		o = boost.Options{Rounds: 120, Leaves: 7, Least: 8, Deals: 5, Rate: 0.1}
	case e.Brief:
		o = boost.Options{Rounds: 5, Leaves: 15, Least: 20, Deals: 1, Rate: 0.7}
	}
	if classes > usualClasses {
		o.Rounds = max(leastRounds, o.Rounds*usualClasses/classes)
	}
	return o
}

// Trees returns the number of trees that a guided search fits to a number of records and classes.
func (e Engine) Trees(records uint64, classes int) int {
	return e.options(records, classes).Trees(classes)
}

// estimate adds the probabilities of the classes to the records of a table, which it consumes.
func (g *guide) estimate(ctx context.Context, table *engine.Table, space partition.Space) error {
	if g.probabilities() == 0 {
		return nil
	}
	records := boost.Records{Classes: g.classes, Kinds: table.Kinds}
	for a := range table.Attributes {
		records.Columns = append(records.Columns, boost.Column{
			Domain:  table.Attributes[a].Len(),
			Ordered: table.Attributes[a].Mask == engine.Discretize,
		})
	}
	cells, threads := table.Groupings[0], max(1, space.Threads)
	scratch := make([]block, threads)
	for i := range scratch {
		scratch[i].Records, scratch[i].masses = records, make([][]uint32, g.probabilities())
	}
	n, options := boost.SampleLen(cells.Len(), fittedCells),
		g.engine.options(table.Rows, g.classes)
	bytes := boost.Bytes(records.Columns, g.classes, n, threads, options)
	if space.Budget != nil { // at most a share of it is for records
		if err := space.Budget.Draw("models of the classes", bytes); err != nil {
			return err
		}
		defer space.Budget.Return(bytes)
	}
	if err := records.Sample(ctx, cells, fittedCells, space); err != nil {
		return err
	}
	models, err := boost.Fit(ctx, &records, options, threads)
	if err != nil {
		return err
	}
	wider, err := cells.Widen(ctx, g.probabilities(), bitsOf,
		func(w workers.Worker, t *partition.Table) ([][]uint32, error) {
			b := &scratch[w.Number]
			b.Load(t)
			for class := range b.masses {
				b.masses[class] = slices.Grow(b.masses[class][:0], t.Len())[:t.Len()]
			}
			models.Probabilities(&b.scratch, b.Codes, b.Counts, b.Hash, b.masses)
			return b.masses, nil
		}, space)
	if err == nil {
		table.Groupings[0] = wider
	}
	return err
}

const bitsOf = 16

// block is some cells in the form that models need.
type block struct {
	boost.Records
	masses  [][]uint32 // by class except the last: of every cell
	scratch boost.Scratch
}
