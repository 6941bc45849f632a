package count

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Input counts an input: in one reading and in memory, unless its values or tuples are too many
// for that to be the fastest way, or do not fit what the budget grants them. The rest is for
// the search, the readers and what Go's collector has not collected.
func Input(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if r.Spill {
		return InStore(ctx, r, res)
	}
	part := res.Budget.Part(res.Budget.Grant(&spill.Counts))
	c, err := r.once(ctx, res, part)
	if err == nil {
		return c, nil
	}
	part.Return(part.Used())
	many := errors.Is(err, domain.ErrManyValues) || errors.Is(err, ErrManyTuples)
	if !many && !errors.Is(err, spill.ErrBudget) {
		return nil, err
	}
	debug.FreeOSMemory()
	if many {
		return r.twice(ctx, res)
	}
	return InStore(ctx, r, res)
}

// InStore counts an input whose counts, or the search in them, do not fit the memory: tuples go to
// the store.
func InStore(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if _, err := res.Open("the distinct values and tuples"); err != nil {
		return nil, err
	}
	return r.twice(ctx, res)
}
