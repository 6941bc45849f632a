package mondrian

import (
	"context"
	"math/bits"
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
	e := estimate{table: table, classes: g.classes, attributes: len(table.Attributes)}
	for a := range table.Attributes {
		e.columns = append(e.columns, boost.Column{
			Domain:  table.Attributes[a].Len(),
			Ordered: table.Attributes[a].Mask == engine.Discretize,
		})
	}
	cells, threads := table.Groupings[0], max(1, space.Threads)
	n, options := min(cells.Len(), fittedCells+fittedCells/32),
		g.engine.options(table.Rows, e.classes)
	bytes := boost.Bytes(e.columns, e.classes, n, threads, options)
	if space.Budget != nil { // at most a share of it is for records
		if err := space.Budget.Draw("models of the classes", bytes); err != nil {
			return err
		}
		defer space.Budget.Return(bytes)
	}
	records, err := e.sample(ctx, cells, space)
	if err != nil {
		return err
	}
	models, err := boost.Fit(ctx, records, options, threads)
	if err != nil {
		return err
	}
	scratch := make([]block, threads)
	wider, err := cells.Widen(ctx, e.classes-1, bitsOf,
		func(w workers.Worker, t *partition.Table) ([][]uint32, error) {
			b := &scratch[w.Number]
			b.reset(len(e.columns))
			for i := range t.Counts {
				b.add(&e, t, i)
			}
			for len(b.masses) < e.classes-1 {
				b.masses = append(b.masses, nil)
			}
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

// estimate is the state of computing probabilities.
type estimate struct {
	table      *engine.Table
	columns    []boost.Column
	classes    int
	attributes int
}

// block is some cells in the form that models need.
type block struct {
	boost.Records
	masses  [][]uint32
	scratch boost.Scratch
}

func (b *block) reset(columns int) {
	for len(b.Codes) < columns {
		b.Codes = append(b.Codes, nil)
	}
	for c := range b.Codes {
		b.Codes[c] = b.Codes[c][:0]
	}
	b.Class, b.Counts, b.Hash = b.Class[:0], b.Counts[:0], b.Hash[:0]
}

// add adds a cell of a table.
func (b *block) add(e *estimate, t *partition.Table, i int) {
	w := t.Layout.Words
	key := t.Keys[i*w : (i+1)*w]
	for a := range b.Codes {
		b.Codes[a] = append(b.Codes[a], t.Layout.Fields[a].Code(key))
	}
	class := t.Layout.Fields[e.attributes].Code(key)
	if e.table.Kinds != nil {
		class = e.table.Kinds.Class[class]
	}
	b.Class, b.Counts = append(b.Class, class), append(b.Counts, t.Counts[i])
	b.Hash = append(b.Hash, hash(t.Layout.Fields[:e.attributes], key))
}

// sample returns the cells to which models are fitted: those of the tuples with the smallest
// hashes.
func (e *estimate) sample(ctx context.Context, t *partition.Table,
	space partition.Space) (*boost.Records, error) {
	var b block
	b.Columns, b.Classes = e.columns, e.classes
	b.reset(len(e.columns))
	all := uint64(t.Len())
	return &b.Records, t.Scan(ctx, space, func(records *partition.Table) error {
		w := records.Layout.Words
		for i := range records.Counts {
			place, _ := bits.Mul64(hash(records.Layout.Fields[:e.attributes],
				records.Keys[i*w:(i+1)*w]), all)
			if all <= fittedCells || place < fittedCells {
				b.add(e, records, i)
			}
		}
		return nil
	})
}

// hash returns a number that depends only on the codes of a tuple.
func hash(fields []partition.Field, key []uint64) (h uint64) {
	for _, f := range fields {
		h = engine.Mix(h + uint64(f.Code(key)))
	}
	return h
}
