package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// noteDrifts notes in how many classes the kept values of the written release differ little from
// those of the release before: who knows who came or went learns their values. Where that one
// cannot be read, nobody knows.
func (run *jobRun) noteDrifts(ctx context.Context, release string, res *runState) error {
	earlier := run.lastRelease()
	if earlier == nil {
		return nil
	}
	drifts, err := verify.Drifts(ctx, earlier.Path(), release, res.Threads, res.Budget)
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, spill.ErrBudget):
		res.Noted(fmt.Sprintf("kept values were not compared with those of %s: its classes do "+
			"not fit into memory", earlier.Path()))
		return nil
	case err != nil: // there is its cut alone
		return nil
	}
	for _, d := range drifts {
		res.Noted(fmt.Sprintf("since %s fewer than %d rows with some value of column %s came or "+
			"went in %s equivalence classes of quasi-identifier set %d: who knows whose rows "+
			"these are learns the value",
			earlier.Path(), d.K, d.Column, text.Grouped(int64(d.Classes)), d.Set))
	}
	return nil
}

// earlier returns the release that readers have already: the previous one, or that whose cut is
// applied.
func (run *jobRun) lastRelease() *domain.Cut {
	if run.previousCut == nil && run.apply != nil {
		return run.earlierCut
	}
	return run.previousCut
}
