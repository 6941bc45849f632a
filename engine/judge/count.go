package judge

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// counter counts tuples.
type counter struct {
	tuples  *partition.Counter
	domains []int
	space   partition.Space
	weights []uint64 // scratch
}

// newCounter returns one of several counters that count in a space at the same time.
func newCounter(domains []int, space partition.Space, together int) *counter {
	space.Share = spill.TrialTuples.Part(space.Budget.Left()) / int64(together)
	return &counter{tuples: partition.NewCounter(domains, space), domains: domains, space: space}
}

func (c *counter) add(counts []uint64, columns [][]uint32) error {
	return c.tuples.AddCounted(len(counts), counts, columns, c.domains)
}

// table returns the distinct tuples. It consumes the counter.
func (c *counter) table(ctx context.Context) (*partition.Table, error) {
	return partition.Tabulate(ctx, []*partition.Counter{c.tuples}, c.space, 1)
}

// Group adds the groupings that an engine's plan requires to a table, with counts of the records of
// a source. The table has the source's attributes, or those that pools make from them.
func Group(
	ctx context.Context, e engine.Engine, table *engine.Table, requirement engine.Requirement,
	space partition.Space, from Source, pools Pools,
) error {
	plan, merges := e.Plan(requirement), engine.Merge(e, table, requirement)
	table.Merged = true
	counters := make([]*counter, len(plan.Groupings))
	for i, g := range plan.Groupings {
		var domains []int
		for _, a := range g.Columns {
			domains = append(domains, merges[a].Domain)
		}
		if g.Kind && HasKinds(table) {
			domains = append(domains, table.KindsLen())
		}
		counters[i] = newCounter(domains, space, len(counters))
	}
	err := from(ctx, func(b *Block) error {
		for a, codes := range b.Codes() {
			pools.apply(a, codes)
			for i, code := range codes {
				codes[i] = merges[a].Codes[code]
			}
		}
		for i, g := range plan.Groupings {
			if err := counters[i].addGrouping(table, g, b); err != nil {
				return err
			}
		}
		return nil
	})
	for i := 0; i < len(counters) && err == nil; i++ {
		var grouping *partition.Table
		grouping, err = counters[i].table(ctx)
		table.Groupings = append(table.Groupings, grouping)
	}
	return err
}

// addGrouping counts the records of a block for a grouping of a table.
func (c *counter) addGrouping(table *engine.Table, g engine.Grouping, b *Block) error {
	var columns [][]uint32
	for _, a := range g.Columns {
		columns = append(columns, b.Columns[a])
	}
	if g.Kind && HasKinds(table) {
		columns = append(columns, b.kinds())
	}
	if !g.Weighted || !table.Kinds.Weighted() {
		return c.add(b.Counts, columns)
	}
	c.weights = c.weights[:0]
	for i, kind := range b.kinds() {
		c.weights = append(c.weights, b.Counts[i]*table.Kinds.Weight[kind])
	}
	return c.add(c.weights, columns)
}

// Search lets an engine search a table in the rest of the options' space and in the space of the
// table.
func Search(
	ctx context.Context, e engine.Engine, table *engine.Table, requirement engine.Requirement,
	options engine.Options,
) (engine.Recoding, error) {
	options.Space.Share = options.Space.Budget.Grant(&spill.Search)
	for _, grouping := range table.Groupings {
		options.Space.Share += grouping.Bytes()
	}
	return e.Search(ctx, table, requirement, options)
}

// HasKinds reports whether the records of a table have a kind, or a class.
func HasKinds(table *engine.Table) bool { return table.Kinds != nil || table.Classes > 0 }

// count returns a table of the records of a source, without groupings. Its memory is drawn.
func (r *Records) count(
	ctx context.Context, from Source, budget *spill.Budget,
) (*engine.Table, error) {
	classes, bytes := max(1, r.Classes), int64(0)
	for a := range r.Attributes {
		bytes += 8 * int64(r.Attributes[a].Len()) * int64(classes)
	}
	if err := budget.Draw("counts of classes", bytes); err != nil {
		return nil, err
	}
	defer budget.Return(bytes)
	part := &engine.Table{
		Attributes: r.Attributes, Classes: r.Classes, ClassNames: r.ClassNames, Kinds: r.Kinds,
	}
	sums, kinds := make([][]uint64, len(r.Attributes)), make([]uint64, r.KindsLen())
	for a := range sums {
		sums[a] = make([]uint64, r.Attributes[a].Len()*classes)
		if r.Kinds.Weighted() {
			part.Sizes = append(part.Sizes, make([]uint64, r.Attributes[a].Len()))
		}
	}
	err := from(ctx, func(b *Block) error {
		for i, kind := range b.kinds() {
			n := b.Counts[i]
			part.Rows += n
			kinds[kind] += n
			for a, codes := range b.Codes() {
				sums[a][int(codes[i])*classes+int(b.Classes[i])] += n
				if part.Sizes != nil {
					part.Sizes[a][codes[i]] += n * r.Kinds.Weight[kind]
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Kinds != nil {
		r.Kinds.Stats(kinds, &part.Whole)
	}
	for a := range sums {
		h := histogram(sums[a], classes)
		bytes := 8*int64(len(h.Start)) + 12*int64(len(h.Count))
		if err := budget.Draw("histograms", bytes); err != nil {
			return nil, err
		}
		part.Histograms = append(part.Histograms, h)
	}
	return part, nil
}

// histogram returns the histogram of the numbers of records by code and class.
func histogram(sums []uint64, classes int) *partition.Histogram {
	var pairs partition.Pairs
	for at, n := range sums {
		if n > 0 {
			code, class := uint32(at/classes), uint32(at%classes)
			pairs = append(pairs, partition.Pair{Code: code, Class: class, Count: n})
		}
	}
	return pairs.Histogram(len(sums)/classes, classes)
}

// ask computes the answers of a source's records to their workload. The memory for that is drawn
// meanwhile.
func ask(
	ctx context.Context, table *engine.Table, from Source, budget *spill.Budget,
) (*workload.Workload, *workload.Truth, error) {
	before := budget.Used()
	defer func() { budget.Return(budget.Used() - before) }()
	var sizes [][]uint64
	for _, h := range table.Histograms {
		if err := budget.Draw("queries", 8*int64(h.Len())); err != nil {
			return nil, nil, err
		}
		sizes = append(sizes, h.Sizes())
	}
	w := workload.New(table.Attributes, sizes)
	if err := budget.Draw("queries", w.Bytes()); err != nil {
		return nil, nil, err
	}
	counter := w.Counter()
	err := from(ctx, func(b *Block) error {
		counter.Add(b.Counts, b.Codes())
		return nil
	})
	return w, &workload.Truth{Answers: counter.Answers, Records: counter.Records}, err
}
