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

// noteDrifts notes the number of classes whose kept values differ little between the written
// release and the release before: whoever knows which people came or went learns their values. It
// notes nothing if the release before cannot be read.
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
	case err != nil: // for example, only the cut of that release exists
		return nil
	}
	for _, d := range drifts {
		res.Noted(fmt.Sprintf("since %s fewer than %d rows with some value of column %s came or "+
			"went in %s equivalence classes of quasi-identifier set %d: whoever knows whose "+
			"rows these are learns the value",
			earlier.Path(), d.K, d.Column, text.Grouped(int64(d.Classes)), d.Set))
	}
	return nil
}

// lastRelease returns the cut of the release that readers have already: the previous release, or
// the release whose cut the run applies.
func (run *jobRun) lastRelease() *domain.Cut {
	if run.previousCut == nil && run.apply != nil {
		return run.earlierCut
	}
	return run.previousCut
}
