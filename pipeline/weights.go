package pipeline

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
)

// measureWeights refuses rows without a sampling weight, and reports the risk of the rows of the
// input by these weights, on the quasi-identifiers of all sets. Without weights it does nothing.
func measureWeights(ctx context.Context, b *binding.Bound, res *runState) error {
	if b.Weight < 0 {
		return nil
	}
	request := &check.Request{Dataset: b.Dataset, Columns: b.Masked, Entity: -1, Household: -1,
		Weight: b.Weight}
	counting := search.Counting(res.Run, resources.StagePlan, b.Dataset.Rows())
	counted, err := check.Count(ctx, request, counting)
	if err = joinClosed(err, res.closeStore()); err != nil {
		return err
	}
	res.report.Weighted = &risk.WeightedReport{Raw: counted.Weighted}
	return nil
}

// measureReleasedWeights reports the risk of the rows of the release by the weights that they had
// in the input, on their labels of all sets.
func measureReleasedWeights(
	ctx context.Context, b *binding.Bound, found *search.Found, res *runState,
) error {
	if b.Weight < 0 {
		return nil
	}
	m, err := found.Masker(b, res.Run)
	if err != nil {
		return err
	}
	r := res.report.Weighted
	if r.Labels, err = m.CountWeights(ctx, b.Weight); err != nil {
		return err
	}
	res.Noted(fmt.Sprintf("by their weights the rows stand for %s people; the risk of a row, for "+
		"who knows the quasi-identifiers of all sets: %s on average and %s at most before "+
		"masking, %s and %s after",
		text.Grouped(int64(r.Raw.Population)), text.Percent(r.Raw.Individual.Average),
		text.Percent(r.Raw.Individual.Highest), text.Percent(r.Labels.Individual.Average),
		text.Percent(r.Labels.Individual.Highest)))
	return nil
}
