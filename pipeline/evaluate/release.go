package evaluate

import (
	"context"

	"github.com/kcut/kcut/engine"
)

// release is a release being made: what it costs, and what classifiers are shown of it.
type release struct {
	*trial
	recoding       engine.Recoding
	costs          *costing // of the rows that the recoding was made from
	training, test *sight
	counts         []uint32 // scratch: of a block, as often as one of these is told of it
}

// releaseTallies is how many tallies count a release at the same time.
const releaseTallies = 3

// newRelease begins to make a release. Labels show the recoding's.
func (t *trial) newRelease(recoding engine.Recoding) *release {
	r := &release{trial: t, recoding: recoding}
	var shown, tested []feature
	var penalties [][]float64
	for a := range t.Attributes {
		labels := labelsOf(&t.Attributes[a], recoding, a)
		labels.roots = t.RootsTell
		masked := labels.feature(t.Nominal)
		test := masked
		if t.RawTest {
			masked, test = labels.besideRaw(t.Nominal)
		}
		shown, tested = append(shown, masked), append(tested, test)
		penalties = append(penalties, labels.penalties())
	}
	r.costs = t.costing(penalties)
	r.training, r.test = t.sight(shown), t.sight(tested)
	return r
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
func (r *release) of(b *block, side side) []uint32 {
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
	first := m.labels[0]
	for a, labels := range m.labels {
		for i := range labels {
			if first[i] == engine.DroppedLabel {
				labels[i] = engine.DroppedLabel
			}
		}
		b.columns[a], m.labels[a] = labels, b.columns[a]
	}
}
