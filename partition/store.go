package partition

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/spill"
)

// Space is where records live: in memory drawn from Budget, at most Share bytes of it, and
// beyond that in Store. Without a budget memory has no limit; without a store what exceeds
// it is an error wrapping spill.ErrBudget.
type Space struct {
	Budget *spill.Budget
	Store  *spill.Store
	Share  int64
	// Threads is how many goroutines may divide a partition that is larger than its share; 0 is one.
	Threads int
}

// store returns the space's store, or nil.
func (s Space) store() Store {
	if s.Store == nil {
		return nil
	}
	return s.Store
}

// Pool returns a pool of the space's memory. It must be closed.
func (s Space) Pool() *Pool { return NewPool(s.Budget, s.store(), s.Share) }

// Draw takes bytes from the budget, if there is one, and not more than the share at once.
func (s Space) Draw(what string, bytes int64) error {
	if s.Budget == nil {
		return nil
	}
	if bytes > s.Share {
		return fmt.Errorf("draw %d bytes for %s from a share of %d: %w", bytes, what, s.Share, spill.ErrBudget)
	}
	return s.Budget.Draw(what, bytes)
}

// Store is what this package needs of a spill.Store.
type Store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...spill.Sequence) error
	Free(seqs ...spill.Sequence) error
}
