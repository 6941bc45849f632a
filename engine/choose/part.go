package choose

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// block is some records of a table.
type block struct {
	columns [][]uint32 // codes of the attributes, and the kinds: zeros where there are none
	counts  []uint64   // the records that each stands for
}

func newBlock(table *engine.Table) *block {
	return &block{columns: make([][]uint32, len(table.Attributes)+1)}
}

func (b *block) reset() {
	for i := range b.columns {
		b.columns[i] = b.columns[i][:0]
	}
	b.counts = b.counts[:0]
}

func (b *block) attributes() [][]uint32 { return b.columns[:len(b.columns)-1] }

func (b *block) kinds() []uint32 { return b.columns[len(b.columns)-1] }

// add adds records with a key.
func (b *block) add(fields []partition.Field, key []uint64, records uint64) {
	for i := range b.columns {
		code := uint32(0)
		if i < len(fields) {
			code = fields[i].Code(key)
		}
		b.columns[i] = append(b.columns[i], code)
	}
	b.counts = append(b.counts, records)
}

// source hands out records. A block is valid until visit returns, which may change it.
type source func(ctx context.Context, visit func(*block) error) error

// scan hands out the records of a table's one grouping.
func scan(ctx context.Context, table *engine.Table, space partition.Space, visit func(*block) error) error {
	b := newBlock(table)
	return table.Groupings[0].Scan(ctx, space, func(records *partition.Table) error {
		b.reset()
		w := records.Layout.Words
		for i, n := range records.Counts {
			b.add(records.Layout.Fields, records.Keys[i*w:(i+1)*w], n)
		}
		return visit(b)
	})
}

// group gives a table the groupings that an engine's plan asks for, of the records of a source.
func group(ctx context.Context, e engine.Engine, table *engine.Table, requirement engine.Requirement, space partition.Space, from source) error {
	plan, merges := e.Plan(requirement), engine.Merge(e, table, requirement)
	table.Merged = true
	tallies := make([]*tally, len(plan.Groupings))
	for i, g := range plan.Groupings {
		var domains []int
		for _, a := range g.Columns {
			domains = append(domains, merges[a].Domain)
		}
		if g.Kind && hasKinds(table) {
			domains = append(domains, table.KindsLen())
		}
		tallies[i] = newTally(domains, space, len(tallies))
	}
	err := from(ctx, func(b *block) error {
		for a, codes := range b.attributes() {
			for i, code := range codes {
				codes[i] = merges[a].Codes[code]
			}
		}
		for i, g := range plan.Groupings {
			if err := tallies[i].addGrouping(table, g, b); err != nil {
				return err
			}
		}
		return nil
	})
	for i := 0; i < len(tallies) && err == nil; i++ {
		var grouping *partition.Table
		grouping, err = tallies[i].table(ctx)
		table.Groupings = append(table.Groupings, grouping)
	}
	return err
}

// addGrouping counts the records of a block as a grouping of a table asks for.
func (t *tally) addGrouping(table *engine.Table, g engine.Grouping, b *block) error {
	var columns [][]uint32
	for _, a := range g.Columns {
		columns = append(columns, b.columns[a])
	}
	if g.Kind && hasKinds(table) {
		columns = append(columns, b.kinds())
	}
	counts := b.counts
	if g.Weighted && table.Kinds.Weighted() {
		counts = t.weigh(table.Kinds, b)
	}
	return t.add(counts, columns)
}

// tally counts tuples.
type tally struct {
	counter *partition.Counter
	domains []int
	space   partition.Space
	weights []uint64 // scratch
}

// newTally returns one of so many that count in a space at the same time.
func newTally(domains []int, space partition.Space, together int) *tally {
	space.Share = space.Budget.Left() / 2 / int64(together)
	return &tally{counter: partition.NewCounter(domains, space), domains: domains, space: space}
}

// weigh returns what the records of a block weigh.
func (t *tally) weigh(kinds *engine.Kinds, b *block) []uint64 {
	t.weights = t.weights[:0]
	for i, kind := range b.kinds() {
		t.weights = append(t.weights, b.counts[i]*kinds.Weight[kind])
	}
	return t.weights
}

func (t *tally) add(counts []uint64, columns [][]uint32) error {
	return t.counter.AddCounted(len(counts), counts, columns, t.domains)
}

// table returns the distinct tuples. The tally is consumed.
func (t *tally) table(ctx context.Context) (*partition.Table, error) {
	return partition.Tabulate(ctx, []*partition.Counter{t.counter}, t.space, 1)
}

// ordered returns the distinct tuples in order. The tally is consumed.
func (t *tally) ordered(ctx context.Context) (*partition.Table, error) {
	table, err := t.table(ctx)
	if err != nil {
		return nil, err
	}
	return table, table.Order(ctx, t.space)
}

// training returns a table of the records of a source, without groupings.
func training(ctx context.Context, table *engine.Table, from source) (*engine.Table, error) {
	part := &engine.Table{Attributes: table.Attributes, Classes: table.Classes, ClassNames: table.ClassNames, Kinds: table.Kinds}
	classes := max(1, table.Classes)
	sums, kinds := make([][]uint64, len(table.Attributes)), make([]uint64, table.KindsLen())
	for a := range sums {
		sums[a] = make([]uint64, table.Attributes[a].Len()*classes)
		if table.Kinds.Weighted() {
			part.Sizes = append(part.Sizes, make([]uint64, table.Attributes[a].Len()))
		}
	}
	err := from(ctx, func(b *block) error {
		for i, kind := range b.kinds() {
			n := b.counts[i]
			part.Rows += n
			kinds[kind] += n
			for a, codes := range b.attributes() {
				sums[a][int(codes[i])*classes+int(classOf(table, kind))] += n
				if part.Sizes != nil {
					part.Sizes[a][codes[i]] += n * table.Kinds.Weight[kind]
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if table.Kinds != nil {
		table.Kinds.Stats(kinds, &part.Whole)
	}
	for a := range sums {
		var pairs partition.Pairs
		for at, n := range sums[a] {
			if n > 0 {
				pairs = append(pairs, partition.Pair{Code: uint32(at / classes), Class: uint32(at % classes), Count: n})
			}
		}
		part.Histograms = append(part.Histograms, pairs.Histogram(table.Attributes[a].Len(), classes))
	}
	return part, nil
}

// classOf returns the class of a kind of records.
func classOf(table *engine.Table, kind uint32) uint32 {
	if table.Kinds != nil {
		return table.Kinds.Class[kind]
	}
	return kind
}
