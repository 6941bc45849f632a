package spill

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrBudget is returned when a draw would exceed the budget.
var ErrBudget = errors.New("memory budget exhausted")

// Budget bounds the bytes that grow with the input. Whoever holds such bytes draws them
// before allocating and returns them when done. It is safe for concurrent use.
type Budget struct {
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Draw takes n bytes, or returns an error wrapping ErrBudget that names what they were
// for and takes none.
func (b *Budget) Draw(what string, n int64) error {
	used := b.used.Add(n)
	if used > b.limit {
		b.used.Add(-n)
		return fmt.Errorf("draw %d bytes for %s from a budget of %d with %d in use: %w", n, what, b.limit, used-n, ErrBudget)
	}
	for peak := b.peak.Load(); used > peak && !b.peak.CompareAndSwap(peak, used); peak = b.peak.Load() {
	}
	return nil
}

// Return gives n bytes back.
func (b *Budget) Return(n int64) { b.used.Add(-n) }

// Limit returns the budget's size in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Used returns the bytes drawn and not returned.
func (b *Budget) Used() int64 { return b.used.Load() }

// Peak returns the most bytes that were in use at one time.
func (b *Budget) Peak() int64 { return b.peak.Load() }
