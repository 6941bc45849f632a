// Package count counts an input: which values its columns have, and how many records share a
// tuple of these. It is the only such code of a run, of kcut apply and of kcut evaluate.
//
//	one reading:   values and tuples at once, in provisional codes ──Bind──▶ Counts
//	two readings:  Survey ──Bind──▶ Counts, without groupings ──NewBook──▶ Book; Count ──Bind──▶ their groupings
//
// The first way saves decoding the input again; the second holds few codes, and what does not fit
// the memory budget goes to a store: values in sorted runs, tuples in hashed blocks. Input says
// which way is taken. Both make the same table.
//
// The second way is one of functions of a request and some splits, and for tuples of a book. A run calls
// them with all splits; processes that share nothing but files call them with one each, and hand each
// other what they return as bytes:
//
//	split ──Survey, Encode──▶ survey ──MergeSurveys, Bind──▶ Counts ──NewBook, Encode──▶ code book
//	split, book ──Count, Encode──▶ tuples ──Merge, Encode──▶ tuples ──Merge, Bind──▶ Counts
//
// Contract: Counts depend on the input and the request alone, not on threads, budget or spilling:
// codes are numbered in the order of values, and counts are integers. Whatever grows with the
// input is drawn from the budget. What a split gives is the same bytes whoever counts it. Errors name columns and counts, never a value.
//
// Not promised: that a search may name every value. Of a generalized or suppressed column only
// those are held that some release could tell apart, of a discretized one quantile edges.
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
	s, err := survey(ctx, r, res, part, r.Dataset.Splits(), true)
	if err == nil {
		var c *Counts
		if c, err = s.Bind(ctx); err == nil {
			return c, nil
		}
	}
	part.Return(part.Used())
	many := errors.Is(err, domain.ErrManyValues) || errors.Is(err, ErrManyTuples)
	if !many && !errors.Is(err, spill.ErrBudget) {
		return nil, err
	}
	debug.FreeOSMemory()
	if many {
		return twice(ctx, r, res)
	}
	return InStore(ctx, r, res)
}

// InStore counts an input whose counts, or the search in them, do not fit the memory: tuples go to
// the store.
func InStore(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if _, err := res.Open("the distinct values and tuples"); err != nil {
		return nil, err
	}
	return twice(ctx, r, res)
}

// twice reads the input twice: once for the values of every column, which tell what codes a search
// will tell apart, and once to count the tuples of these codes.
func twice(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	s, err := Survey(ctx, r, res, r.Dataset.Splits())
	if err != nil {
		return nil, err
	}
	c, err := s.Bind(ctx)
	if err != nil {
		return nil, err
	}
	t, err := Count(ctx, r, res, NewBook(r, c), r.Dataset.Splits())
	if err != nil {
		return nil, err
	}
	return c, t.Bind(c)
}
