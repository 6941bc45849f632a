package pipeline

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
)

// measureRows reports the risk of rows by their sampling weights, and that of the members of
// households, on the quasi-identifiers of all sets: of the rows of the input or, if a cut was
// found, of those that are released, on their labels. It refuses rows without a weight. If the job
// has neither weights nor households it does nothing.
func measureRows(
	ctx context.Context, b *binding.Bound, found *search.Found, res *runState,
) error {
	if b.Weight < 0 && b.Household < 0 {
		return nil
	}
	request := &check.Request{Dataset: b.Dataset, Columns: b.Masked, Entity: b.Entity,
		Household: b.Household, Weight: b.Weight}
	stage := resources.StagePlan
	if found != nil {
		m, err := found.Masker(b, res.Run)
		if err != nil {
			return err
		}
		stage, request.Classes = resources.StageVerify, m.EachClass
	}
	counted, err := check.Count(ctx, request, count.ResourcesOf(res.Run, stage, b.Dataset.Rows()))
	if err = fault.Join(err, res.closeStore()); err != nil {
		return err
	}
	r := res.report
	if found == nil {
		if b.Weight >= 0 {
			r.Weighted = &BeforeAndAfter[risk.Weighted]{Raw: counted.Weighted}
		}
		if b.Household >= 0 {
			r.Households = &BeforeAndAfter[check.Households]{Raw: counted.Households}
		}
		return nil
	}
	const risks = "%s; the risk of a %s, for who knows the quasi-identifiers of all sets: %s on " +
		"average and %s at most before masking, %s and %s after"
	note := func(of, who string, before, after risk.Risk) {
		res.Noted(fmt.Sprintf(risks, of, who, text.Percent(before.Average),
			text.Percent(before.Highest), text.Percent(after.Average), text.Percent(after.Highest)))
	}
	if w := r.Weighted; w != nil {
		w.Labels = counted.Weighted
		note(fmt.Sprintf("by their weights the rows stand for %s people",
			text.Grouped(int64(w.Raw.Population))), "row", w.Raw.Individual, w.Labels.Individual)
	}
	if h := r.Households; h != nil {
		h.Labels = counted.Households
		note(fmt.Sprintf("who finds one member of a household finds all, in %s",
			text.Count(h.Raw.Number, "household")), "member", h.Raw.Risk, h.Labels.Risk)
	}
	return nil
}
