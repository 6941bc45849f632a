package evaluate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// trial is one measurement while it is made.
type trial struct {
	*evaluation
	judge.Trial
	measurement
	others []measurement // of this round, as far as they are done
}

func (e *evaluation) trial(f *judge.Fold, others []measurement, space partition.Space) *trial {
	t := &trial{evaluation: e, others: others, Trial: judge.Trial{
		Fold: f, Space: space, Learners: e.learners, Compare: true, Place: true,
		Nominal: e.Nominal, Uniform: e.Uniform, Roots: e.RootsTell, RawTest: e.RawTest,
	}}
	t.Examine = t.examine
	return t
}

// findMajority measures the error of the most frequent class of the training rows, the first of
// several.
func (t *trial) findMajority(ctx context.Context) error {
	if len(t.Learners) == 0 {
		return nil
	}
	tested := make([]uint64, len(t.classes))
	err := t.Test(ctx, func(b *judge.Block) error {
		for i, class := range b.Classes {
			tested[class] += b.Counts[i]
		}
		return nil
	})
	most := 0
	for class, rows := range t.classes {
		if rows-tested[class] > t.classes[most]-tested[most] {
			most = class
		}
	}
	t.majority = 1 - float64(tested[most])/float64(t.TestedOn)
	return err
}

// variant masks the records according to a job. If no release can be made, that is a measurement,
// too.
func (t *trial) variant(ctx context.Context, job *job.Job) error {
	requirement := t.requirement(job)
	if t.Searched.Kinds != nil {
		err := search.CheckLimits(requirement, job, t.Searched, nil)
		if fault.ClassOf(err) == fault.Privacy {
			t.failed = err
			return nil
		} else if err != nil {
			return err
		}
	}
	release, err := t.search(ctx, job, requirement)
	if errors.Is(err, errMeasured) {
		return nil
	}
	if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
		t.failed = err
		return nil
	}
	if err != nil {
		return err
	}
	suppressed, dropped := release.Lost()
	t.failed = search.CheckLost(job.MaxSuppressed, job.Algorithm.Name, t.Searched,
		suppressed+dropped)
	if t.failed != nil {
		return nil
	}
	if err := t.setBounds(ctx, release); err != nil {
		return err
	}
	if _, ok := release.Recoding.(*engine.Regions); ok {
		release.Marks = marks(release.Attributes, release.Recoding)
	}
	release.K = max(1, uint64(requirement.United().K))
	t.costs, err = t.Judge(ctx, release)
	return err
}

// errMeasured ends a search of algorithm auto: the algorithm that it has chosen was measured.
var errMeasured = errors.New("the chosen algorithm was measured")

// choose notes the algorithm that auto has chosen for a job. If another variant of the round is
// just that, and searches the same values, its measurement is this one's, too.
func (t *trial) choose(
	job *job.Job, requirement engine.Requirement, name string, by engine.Engine,
) error {
	t.chosen = name
	_, options := t.searchOf(job, nil)
	for i, other := range t.jobs {
		searcher, theirs := t.searchOf(other, nil)
		if reflect.DeepEqual(searcher, by) && reflect.DeepEqual(options, theirs) &&
			requirement.MaxSuppressed == 0 && !requirement.Drop && by.Plan(requirement).Pool &&
			reflect.DeepEqual(requirement, t.requirement(other)) {
			t.measurement = t.others[variants+i]
			t.chosen = name
			return errMeasured
		}
	}
	return nil
}

// search finds the release.
func (t *trial) search(
	ctx context.Context, job *job.Job, requirement engine.Requirement,
) (*judge.Release, error) {
	searcher, options := t.searchOf(job, func(name string, by engine.Engine) error {
		return t.choose(job, requirement, name, by)
	})
	table, pools, err := t.pool(job, searcher.Plan(requirement), requirement)
	if err != nil {
		return nil, err
	}
	err = judge.Group(ctx, searcher, table, requirement, t.Space, t.Source(), pools)
	if err != nil {
		return nil, err
	}
	options.Space = t.Space
	r := &judge.Release{Attributes: slices.Clone(t.Attributes), Pools: pools}
	if r.Recoding, err = judge.Search(ctx, searcher, table, requirement, options); err != nil {
		return nil, fmt.Errorf("mask by %s: %w", job.Algorithm.Name, err)
	}
	if cut, ok := r.Recoding.(*engine.Cut); ok {
		r.Recoding = cut.Tidy(table, t.stays)
	}
	return r, nil
}

// setBounds chooses bounds of intervals among the released values, if some are not released.
func (t *trial) setBounds(ctx context.Context, r *judge.Release) error {
	suppressed, dropped := r.Lost()
	if suppressed+dropped == 0 {
		return nil
	}
	released := make([][]bool, len(r.Attributes)) // by attribute with an order
	for a := range released {
		if r.Attributes[a].Mask != engine.Discretize {
			continue
		}
		n := r.Attributes[a].Len()
		if err := t.Space.Budget.Draw("values that are released", int64(n)); err != nil {
			return err
		}
		released[a] = make([]bool, n)
	}
	masker, marks := judge.NewMasker(r.Recoding, r.Pools), marks(r.Attributes, r.Recoding)
	err := t.Source()(ctx, func(b *judge.Block) error {
		b = masker.Mask(b)
		for i := range b.Counts {
			if engine.IsTaken(b.Labels, i, marks) {
				continue
			}
			for a, is := range released {
				if is != nil {
					is[b.Codes()[a][i]] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.chooseBounds(r.Attributes, r.Recoding, released)
}

// stays reports whether a label stays that no released record has: a run joins intervals and
// suppresses values. Other labels cost nothing, and test records may have them.
func (t *trial) stays(a int, label engine.Label) bool {
	switch t.Attributes[a].Mask {
	case engine.Discretize:
		return label.Null
	case engine.Suppress:
		return label.Text == engine.Suppressed
	}
	return true
}

// examine measures the results of a classifier.
func (t *trial) examine(
	c classify.Classifier, space partition.Space, test func(judge.Examiner) error,
) error {
	outcome, err := classify.NewOutcome(c, len(t.ClassNames), space)
	if err == nil {
		err = test(outcome.Add)
	}
	if err == nil {
		t.scores = append(t.scores, tested{
			wrong: outcome.Error(), auc: outcome.AUC(), f1: outcome.F1(),
			balanced: outcome.BalancedError(), classes: outcome.ClassErrors(),
		})
	}
	return err
}

// pool returns the table for a search, without groupings. If its plan asks for it, values of
// suppressed columns that fewer than k records of the source, or entities, have become one code, as
// in a run, and so do nulls; k is the largest of the column's sets. So do values below one node of
// the finest level that the job allows in a column. The memory of the codes is drawn.
func (t *trial) pool(
	job *job.Job, plan engine.Plan, requirement engine.Requirement,
) (*engine.Table, judge.Pools, error) {
	pools, table := make(judge.Pools, len(t.Attributes)), *t.Searched
	attributes, histograms := slices.Clone(t.Attributes), slices.Clone(table.Histograms)
	weights := slices.Clone(table.Sizes)
	for a, of := range requirement.ByAttribute(len(attributes)) {
		level := 0
		if spec := job.Column(attributes[a].Name); spec != nil {
			level = spec.FinestLevel()
		}
		switch {
		case plan.Pool && attributes[a].Mask == engine.Suppress:
			sizes := table.Histograms[a].Sizes()
			if table.Sizes != nil {
				sizes = table.Sizes[a]
			}
			least := table.Kinds.LeastWeight(of.K.Size())
			attributes[a], pools[a] = poolRare(&attributes[a], sizes, least)
		case level > 0 && attributes[a].Mask == engine.Generalize:
			attributes[a], pools[a] = poolLevel(&attributes[a], level)
		default:
			continue
		}
		histograms[a] = poolHistogram(t.Searched.Histograms[a], pools[a], attributes[a].Len())
		if weights != nil {
			weights[a] = poolSizes(t.Searched.Sizes[a], pools[a], attributes[a].Len())
		}
	}
	table.Attributes, table.Histograms, table.Sizes = attributes, histograms, weights
	return &table, pools, t.Space.Budget.Draw("pooled values", pools.Bytes())
}

// poolLevel returns an attribute whose finest nodes are those of a level, and the code that each
// value has in it.
func poolLevel(a *engine.Attribute, level int) (engine.Attribute, []uint32) {
	pooled := *a
	tree, codes := a.Tree.Within(level)
	pooled.Tree, pooled.Texts = tree, tree.Leaves()
	if a.HasNull {
		codes = append(codes, pooled.NullCode())
	}
	return pooled, codes
}

// poolRare returns an attribute of the values of at least k records, or of so much weight, and the
// code that each value has in it. They are followed by the rest, if there is one, and then the
// null.
func poolRare(a *engine.Attribute, sizes []uint64, k uint64) (engine.Attribute, []uint32) {
	pooled, codes, last := *a, make([]uint32, len(sizes)), len(sizes)-1
	pooled.HasNull = a.HasNull && sizes[last] >= k
	var rest []int
	var texts []string
	for code, n := range sizes {
		switch {
		case n < k || a.IsRest(code):
			rest = append(rest, code)
		case code < len(a.Texts):
			codes[code] = uint32(len(texts))
			texts = append(texts, a.Texts[code])
		}
	}
	pooled.SetTexts(texts)
	pooled.HasRest = len(rest) > 0
	for _, code := range rest {
		codes[code] = uint32(len(pooled.Texts))
	}
	if pooled.HasNull {
		codes[last] = uint32(pooled.Len() - 1)
	}
	return pooled, codes
}

// poolSizes adds up the sizes of the codes that become one, in a domain.
func poolSizes(sizes []uint64, codes []uint32, domain int) []uint64 {
	pooled := make([]uint64, domain)
	for code, to := range codes {
		pooled[to] += sizes[code]
	}
	return pooled
}

// poolHistogram adds up the classes of the codes that become one, in a domain.
func poolHistogram(h *partition.Histogram, codes []uint32, domain int) *partition.Histogram {
	var pairs partition.Pairs
	for code, to := range codes {
		for i := h.Start[code]; i < h.Start[code+1]; i++ {
			pairs = append(pairs, partition.Pair{Code: to, Class: h.Class[i], Count: h.Count[i]})
		}
	}
	return pairs.Merge().Histogram(domain, h.Classes)
}
