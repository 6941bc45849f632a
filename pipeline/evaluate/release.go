package evaluate

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/partition"
)

// release is a release being made: what it costs, and what classifiers are shown of it.
type release struct {
	*trial
	recoding       engine.Recoding
	costs          *costing // of the rows that the recoding was made from
	training, test *sight
	counts         []uint64 // scratch: of a block: how often each record is shown
}

// releaseTallies is how many tallies count a release at the same time.
const releaseTallies = 3

// newRelease begins to make a release. Labels show the recoding's.
func (t *trial) newRelease(recoding engine.Recoding) (*release, error) {
	r := &release{trial: t, recoding: recoding}
	var shown, tested []labels.Feature
	var penalties [][]float64
	for a := range t.Attributes {
		of := labels.Of(&t.attributes[a], recoding, a)
		of.Roots = t.RootsTell
		masked := of.Feature(t.Nominal)
		test := masked
		if t.RawTest {
			masked, test = of.BesideRaw(t.Nominal)
		}
		shown, tested = append(shown, masked), append(tested, test)
		penalties = append(penalties, of.Penalties())
	}
	r.costs = t.costing(penalties)
	r.costs.answered = t.workload.Within(t.attributes).Estimate(recoding)
	r.training, r.test = t.sight(shown), t.sight(tested)
	return r, t.budget.Draw("labels of queries", r.costs.answered.Bytes())
}

// make masks the records that the recoding was made from, and those for testing, unless they
// are shown raw.
func (r *release) make(ctx context.Context) error {
	masker := newMasker(r.recoding, r.pools)
	singly := r.recoding.Cells() > 0 // each row may go elsewhere
	err := r.source.each(ctx, singly, func(b *block) error {
		masker.mask(b)
		if err := r.costs.add(b, r.of(b, both)); err != nil {
			return err
		}
		if !r.RulesFromAll {
			return r.training.show(b, r.of(b, both))
		}
		if err := r.training.show(b, r.of(b, training)); err != nil {
			return err
		}
		return r.test.show(b, r.of(b, test))
	})
	if err != nil || r.RulesFromAll {
		return err
	}
	masker = newMasker(r.recoding.Unsearched(), r.pools)
	return r.parts.test.each(ctx, false, func(b *block) error {
		if !r.RawTest {
			masker.mask(b)
		}
		return r.test.show(b, b.counts)
	})
}

// of returns how many rows of every record of a block are released for a side.
func (r *release) of(b *block, side side) []uint64 {
	r.counts = r.counts[:0]
	for i, n := range b.counts {
		if b.columns[0][i] == engine.DroppedLabel {
			n = 0
		} else {
			n = side.of(n, b.tested[i])
		}
		r.counts = append(r.counts, n)
	}
	return r.counts
}

// masker replaces codes by numbers of labels, of all records in their order.
type masker struct {
	engine.Recoding
	pools  pools
	taken  []uint64
	labels [][]uint32 // scratch
}

func newMasker(recoding engine.Recoding, pools pools) *masker {
	return &masker{Recoding: recoding, pools: pools, taken: make([]uint64, recoding.Cells()), labels: make([][]uint32, len(pools))}
}

// mask masks a block. What is not released has engine.DroppedLabel everywhere.
func (m *masker) mask(b *block) {
	n := len(b.counts)
	m.pools.apply(b)
	for a := range m.labels {
		m.labels[a] = append(m.labels[a][:0], b.columns[a]...)
	}
	m.Recode(engine.Rows{N: n, Codes: b.masked(), Classes: b.class(), Taken: m.taken}, m.labels)
	engine.DropEverywhere(m.labels)
	for a, labels := range m.labels {
		b.columns[a], m.labels[a] = labels, b.columns[a]
	}
}

// costs are what the release of a training part costs, as Costs names it.
type costs struct {
	discernibility, penalty, classSize, misclassified, dropped float64
	queries                                                    workload.Error
	propensity                                                 float64
}

// costing counts what a release costs.
type costing struct {
	classes   *tally // of the equivalence classes: their labels, a word's rest, the class
	penalties [][]float64
	labels    [][]uint64 // by attribute: the rows of every label
	columns   [][]uint32 // scratch
	released  uint64     // rows
	dropped   uint64
	answered  *workload.Estimate // by the equivalence classes; nil: nothing is asked
}

// costing returns one of a release whose labels have the given penalties, by attribute.
func (t *trial) costing(penalties [][]float64) *costing {
	c := &costing{penalties: penalties}
	var domains []int
	for _, of := range penalties {
		c.labels, domains = append(c.labels, make([]uint64, len(of))), append(domains, len(of))
	}
	c.classes = t.tally(append(domains, half, half), releaseTallies)
	return c
}

// half is the domain of half a word. A column of zeros and the class, both so wide, leave the
// class in a word without labels, the last one: then tuples in order that differ in it alone are
// neighbours.
const half = 1 << 32

// zeros are the column before the class.
var zeros [blockRecords]uint32

// add counts the records of a masked block, as often as released says.
func (c *costing) add(b *block, released []uint64) error {
	for i, n := range released {
		c.released += n
		c.dropped += b.counts[i] - n
		for a, labels := range b.masked() {
			if n > 0 {
				c.labels[a][labels[i]] += n
			}
		}
	}
	c.columns = append(append(c.columns[:0], b.masked()...), zeros[:len(released)], b.class())
	return c.classes.add(released, c.columns)
}

// release returns the costs of a release that was asked to have groups of k.
func (c *costing) release(ctx context.Context, k int) (costs, error) {
	rows := float64(c.released + c.dropped)
	m := costs{dropped: float64(c.dropped), discernibility: float64(c.dropped) * rows}
	wrong, groups := c.dropped, 0
	err := c.each(ctx, func(labels []uint32, size, largest uint64) {
		m.discernibility += float64(size) * float64(size)
		wrong += size - largest
		groups++
		if c.answered != nil {
			c.answered.Add(labels, size)
		}
	})
	if err != nil {
		return m, err
	}
	m.misclassified = float64(wrong) / rows
	if groups > 0 {
		m.classSize = rows / float64(groups) / float64(k)
	}
	m.penalty = (c.penalty() + float64(c.dropped)) / rows
	return m, nil
}

// each hands out the equivalence classes: their labels, their sizes, and the rows of their most frequent
// classes. The counts are consumed.
func (c *costing) each(ctx context.Context, visit func(labels []uint32, size, largest uint64)) error {
	table, err := c.classes.ordered(ctx)
	if err != nil {
		return err
	}
	of := table.Layout.Words - 1 // words that tell equivalence classes
	var key []uint64
	size, largest, labels := uint64(0), uint64(0), make([]uint32, len(c.labels))
	end := func() {
		for a := range labels {
			labels[a] = table.Layout.Fields[a].Code(key)
		}
		visit(labels, size, largest)
		size, largest = 0, 0
	}
	err = table.Scan(ctx, c.classes.space, func(block *partition.Table) error {
		for i, n := range block.Counts {
			next := block.Keys[i*block.Layout.Words:][:block.Layout.Words]
			if size > 0 && !slices.Equal(key[:of], next[:of]) {
				end()
			}
			key = append(key[:0], next...)
			size, largest = size+n, max(largest, n)
		}
		return nil
	})
	if size > 0 {
		end()
	}
	return errors.Join(err, table.Discard(c.classes.space))
}

// penalty returns the rows' penalties, summed over them and the mean over their attributes.
func (c *costing) penalty() (sum float64) {
	for a, counts := range c.labels {
		for label, n := range counts {
			sum += float64(float64(n) * c.penalties[a][label])
		}
	}
	return sum / float64(len(c.labels))
}
