package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// trial is one measurement being made.
type trial struct {
	*evaluation
	*parts
	budget     *spill.Budget
	pools      pools              // of the search
	attributes []engine.Attribute // with the bounds that the release has
}

// unmasked measures the classifiers on raw rows, with their quasi-identifiers or without.
func (t *trial) unmasked(ctx context.Context, all bool) (measurement, error) {
	if len(t.learners) == 0 {
		return measurement{}, nil
	}
	var features []labels.Feature
	for a := range t.Attributes {
		if all {
			features = append(features, labels.Raw(&t.Attributes[a]))
		}
	}
	show := func(p *part) (*sight, error) {
		s := t.sight(features)
		return s, p.each(ctx, false, func(b *block) error { return s.show(b, b.counts) })
	}
	training, err := show(t.training)
	if err != nil {
		return measurement{}, err
	}
	test, err := show(t.test)
	if err != nil {
		return measurement{}, err
	}
	tested, err := t.learn(ctx, training, test)
	return measurement{tested: tested}, err
}

// variant masks the records as a job says. That no release can be made is a measurement, too.
func (t *trial) variant(ctx context.Context, job *job.Job) (m measurement, err error) {
	requirement := t.Requirement(job)
	recoding, err := t.search(ctx, job, requirement)
	if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
		return measurement{failed: err}, nil
	}
	if err != nil {
		return m, err
	}
	if err := t.budget.Draw("regions", recoding.Bytes()); err != nil {
		return m, err
	}
	if err := t.setBounds(ctx, recoding); err != nil {
		return m, err
	}
	r, err := t.newRelease(recoding)
	if err != nil {
		return m, err
	}
	if err := r.make(ctx); err != nil {
		return m, err
	}
	if m.costs, err = r.costs.release(ctx, max(1, int(requirement.United().K))); err != nil {
		return m, err
	}
	m.costs.queries = r.costs.answered.Error(t.truth)
	if len(t.learners) > 0 {
		if m.tested, err = t.learn(ctx, r.training, r.test); err != nil {
			return m, err
		}
	}
	m.costs.propensity, err = t.propensity(ctx, recoding)
	return m, err
}

// search finds the recoding.
func (t *trial) search(ctx context.Context, job *job.Job, requirement engine.Requirement) (engine.Recoding, error) {
	searcher, options := t.SearchOf(job)
	table, err := t.compress(ctx, job, searcher, requirement)
	if err != nil {
		return nil, err
	}
	options.Space = t.space()
	for _, grouping := range table.Groupings {
		options.Space.Share += grouping.Bytes()
	}
	recoding, err := searcher.Search(ctx, table, requirement, options)
	if err != nil {
		return nil, fmt.Errorf("mask by %s: %w", job.Algorithm.Name, err)
	}
	t.attributes = slices.Clone(t.Attributes)
	if cut, ok := recoding.(*engine.Cut); ok {
		recoding = cut.Tidy(table, t.stays)
	}
	return recoding, nil
}

// setBounds has bounds of intervals chosen among the values that are released, where some are not.
func (t *trial) setBounds(ctx context.Context, recoding engine.Recoding) error {
	suppressed, dropped := recoding.Lost()
	if suppressed+dropped == 0 {
		return nil
	}
	released := make([][]bool, len(t.attributes)) // of what has an order
	for a := range released {
		if t.attributes[a].Mask != engine.Discretize {
			continue
		}
		if err := t.budget.Draw("values that are released", int64(t.attributes[a].Len())); err != nil {
			return err
		}
		released[a] = make([]bool, t.attributes[a].Len())
	}
	masker, marks := newMasker(recoding, t.pools), t.Marks(t.attributes, recoding)
	err := t.source.each(ctx, recoding.Cells() > 0, func(b *block) error {
		masker.mask(b)
		for i := range b.counts {
			if engine.IsTaken(b.masked(), i, marks) {
				continue
			}
			for a, is := range released {
				if is != nil {
					is[masker.labels[a][i]] = true // which has the code now
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.SetBounds(t.attributes, recoding, released)
}

// stays reports whether a label stays that no released record has: a run joins intervals and
// suppresses values. Other labels cost nothing, and records for testing may have them.
func (t *trial) stays(a int, label engine.Label) bool {
	switch t.Attributes[a].Mask {
	case engine.Discretize:
		return label.Null
	case engine.Suppress:
		return label.Text == engine.Suppressed
	}
	return true
}

// compress counts what rules are made from, as an engine needs it.
func (t *trial) compress(ctx context.Context, job *job.Job, searcher engine.Engine, requirement engine.Requirement) (*engine.Table, error) {
	classes := len(t.ClassNames) // 0 where there is none, as searches know it
	plan := searcher.Plan(requirement)
	attributes, histograms, err := t.pool(job, plan, requirement)
	if err != nil {
		return nil, err
	}
	coarsenings := engine.Merge(searcher, &engine.Table{Attributes: attributes, Histograms: histograms, Classes: classes}, requirement)
	tallies := make([]*tally, len(plan.Groupings))
	for i, g := range plan.Groupings {
		var domains []int
		for _, a := range g.Columns {
			domains = append(domains, coarsenings[a].Domain)
		}
		if g.Kind && classes > 0 {
			domains = append(domains, classes)
		}
		tallies[i] = t.tally(domains, len(tallies))
	}
	err = t.source.each(ctx, false, func(b *block) error {
		t.pools.apply(b)
		for a, codes := range b.masked() {
			for i, code := range codes {
				codes[i] = coarsenings[a].Codes[code]
			}
		}
		for i, g := range plan.Groupings {
			var columns [][]uint32
			for _, a := range g.Columns {
				columns = append(columns, b.columns[a])
			}
			if g.Kind && classes > 0 {
				columns = append(columns, b.class())
			}
			if err := tallies[i].add(b.counts, columns); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	table := &engine.Table{
		Attributes: attributes, Classes: classes, ClassNames: t.ClassNames, Rows: t.source.rows, Merged: true, Histograms: histograms,
	}
	for _, y := range tallies {
		grouping, err := y.table(ctx)
		if err != nil {
			return nil, err
		}
		table.Groupings = append(table.Groupings, grouping)
	}
	return table, nil
}

// learn trains all classifiers, and returns how they do on the test rows.
func (t *trial) learn(ctx context.Context, training, test *sight) (all []tested, err error) {
	learned, err := training.data(ctx)
	if err != nil {
		return nil, err
	}
	checked, err := test.data(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, learned.Table.Discard(t.space()), checked.Table.Discard(t.space()))
	}()
	for _, l := range t.learners {
		outcome, err := t.try(ctx, l, learned, checked)
		if err != nil {
			return nil, fmt.Errorf("train the %s classifier: %w", l.Name(), err)
		}
		all = append(all, tested{
			wrong: float64(outcome.Wrong()) / float64(test.rows), auc: outcome.AUC(), f1: outcome.F1(),
			balanced: outcome.BalancedError(), classes: outcome.ClassErrors(),
		})
	}
	return all, nil
}

// try trains one classifier, and tests it.
func (t *trial) try(ctx context.Context, l classify.Learner, training, test classify.Data) (*classify.Outcome, error) {
	space := t.space()
	space.Budget = space.Budget.Part(space.Share)
	defer func() { space.Budget.Return(space.Budget.Used()) }()
	training.Space, test.Space = space, space
	classifier, err := l.Learn(ctx, training)
	if err != nil {
		return nil, err
	}
	return classify.Test(ctx, classifier, test)
}

// pools map the codes of every attribute to those that a search knows; nil: they are the same.
type pools [][]uint32

// apply maps the codes of a block.
func (p pools) apply(b *block) {
	for a, codes := range p {
		for i, code := range b.columns[a] {
			if codes != nil {
				b.columns[a][i] = codes[code]
			}
		}
	}
}

func (p pools) bytes() (n int64) {
	for _, codes := range p {
		n += 4 * int64(len(codes))
	}
	return n
}

// pool returns the attributes and histograms that a search gets. If its plan asks for it, values
// of suppressed columns that fewer than k records of the source have are one, as in a run, so
// are nulls; k is the largest of the column's sets. So are values below one node of the finest level that the job
// lets a column have. What the codes take is drawn.
func (t *trial) pool(job *job.Job, plan engine.Plan, requirement engine.Requirement) (attributes []engine.Attribute, histograms []*partition.Histogram, err error) {
	t.pools = make(pools, len(t.Attributes))
	attributes, histograms = slices.Clone(t.Attributes), slices.Clone(t.histograms)
	for a, of := range requirement.ByAttribute(len(attributes)) {
		level := 0
		if spec := job.Column(attributes[a].Name); spec != nil {
			level = spec.FinestLevel()
		}
		switch {
		case plan.Pool && attributes[a].Mask == engine.Suppress:
			attributes[a], t.pools[a] = poolRare(&attributes[a], t.histograms[a].Sizes(), of.K.Size())
		case level > 0 && attributes[a].Mask == engine.Generalize:
			attributes[a], t.pools[a] = poolLevel(&attributes[a], level)
		default:
			continue
		}
		histograms[a] = poolHistogram(t.histograms[a], t.pools[a], attributes[a].Len())
	}
	return attributes, histograms, t.budget.Draw("pooled values", t.pools.bytes())
}

// poolLevel returns an attribute with the nodes of a level for its finest, and the code that each value has in it.
func poolLevel(a *engine.Attribute, level int) (engine.Attribute, []uint32) {
	pooled := *a
	tree, codes := a.Tree.Within(level)
	pooled.Tree, pooled.Texts = tree, tree.Leaves()
	if a.HasNull {
		codes = append(codes, pooled.NullCode())
	}
	return pooled, codes
}

// poolRare returns an attribute of the values of at least k records, and the code that each
// value has in it. The rest, if there is one, comes after them, and then the null.
func poolRare(a *engine.Attribute, sizes []uint64, k uint64) (engine.Attribute, []uint32) {
	pooled, codes, last := *a, make([]uint32, len(sizes)), len(sizes)-1
	pooled.Texts, pooled.HasNull = nil, a.HasNull && sizes[last] >= k
	var rest []int
	for code, n := range sizes {
		switch {
		case n < k || a.IsRest(code):
			rest = append(rest, code)
		case code < len(a.Texts):
			codes[code] = uint32(len(pooled.Texts))
			pooled.Texts = append(pooled.Texts, a.Texts[code])
		}
	}
	pooled.HasRest = len(rest) > 0
	for _, code := range rest {
		codes[code] = uint32(len(pooled.Texts))
	}
	if pooled.HasNull {
		codes[last] = uint32(pooled.Len() - 1)
	}
	return pooled, codes
}

// poolHistogram adds up the classes of the codes that become one, of so many.
func poolHistogram(h *partition.Histogram, codes []uint32, domain int) *partition.Histogram {
	var pairs partition.Pairs
	for code, to := range codes {
		for i := h.Start[code]; i < h.Start[code+1]; i++ {
			pairs = append(pairs, partition.Pair{Code: to, Class: h.Class[i], Count: h.Count[i]})
		}
	}
	return pairs.Merge().Histogram(domain, h.Classes)
}

// tally counts tuples of a trial: in memory or, if there is one, in the store, too.
type tally struct {
	counter *partition.Counter
	domains []int
	space   partition.Space
}

// tally returns one of so many that count at the same time. When there is a store, they share
// what the trial's budget grants.
func (t *trial) tally(domains []int, together int) *tally {
	y := &tally{domains: domains, space: t.space()}
	if t.Store != nil {
		y.space.Share = spill.TrialTuples.Part(t.budget.Limit()) / int64(together)
	}
	y.counter = partition.NewCounter(domains, y.space)
	return y
}

// space is what the trial has left.
func (t *trial) space() partition.Space {
	return partition.Space{Budget: t.budget, Store: t.Store, Share: t.budget.Left(), Threads: 1}
}

// add counts tuples, given as one slice of codes a column, as often as counts says.
func (y *tally) add(counts []uint64, codes [][]uint32) error {
	return y.counter.AddCounted(len(counts), counts, codes, y.domains)
}

// table returns the distinct tuples. The tally is consumed.
func (y *tally) table(ctx context.Context) (*partition.Table, error) {
	return partition.Tabulate(ctx, []*partition.Counter{y.counter}, y.space, 1)
}

// ordered returns the distinct tuples in order. The tally is consumed.
func (y *tally) ordered(ctx context.Context) (*partition.Table, error) {
	table, err := y.table(ctx)
	if err != nil {
		return nil, err
	}
	return table, table.Order(ctx, y.space)
}
