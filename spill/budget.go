package spill

import (
	"fmt"
	"sync/atomic"

	"github.com/kcut/kcut/internal/fault"
)

// ErrBudget is returned when a draw would exceed the budget.
var ErrBudget = fault.New(fault.Resources, "", "memory budget exhausted")

// Budget bounds the memory that grows with the input. A holder of such memory draws the bytes
// before it allocates them and returns them when it has finished. It is safe for concurrent use.
type Budget struct {
	whole *Budget // the budget that contains this one; nil: this is the whole budget
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
	read  atomic.Int64 // bytes drawn by HoldRead
	reads atomic.Int64 // peak of read
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Part returns a budget with a limit of its own. Its draws are draws from b, too.
func (b *Budget) Part(limit int64) *Budget { return &Budget{whole: b, limit: limit} }

// Draw takes n bytes. If they do not fit, it takes nothing and returns an error that wraps
// ErrBudget and names the purpose of the bytes and a budget that may suffice.
func (b *Budget) Draw(what string, n int64) error {
	used := b.used.Add(n)
	if used > b.limit {
		b.used.Add(-n)
		return b.refuse(fmt.Errorf("draw %d bytes for %s from a budget of %d with %d in use: %w", n,
			what, b.limit, used-n, ErrBudget), n)
	}
	if b.whole != nil {
		if err := b.whole.Draw(what, n); err != nil {
			b.used.Add(-n)
			return err
		}
	}
	raise(&b.peak, used)
	return nil
}

// raise sets a peak to a value if the value is higher.
func raise(peak *atomic.Int64, value int64) {
	for was := peak.Load(); value > was && !peak.CompareAndSwap(was, value); was = peak.Load() {
	}
}

// Return gives n bytes back.
func (b *Budget) Return(n int64) {
	b.used.Add(-n)
	if b.whole != nil {
		b.whole.Return(n)
	}
}

// Limit returns the budget's size in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Left returns the bytes that can still be drawn, from b and from the budgets that contain it.
func (b *Budget) Left() int64 {
	left := b.limit - b.Used()
	if b.whole != nil {
		return min(left, b.whole.Left())
	}
	return left
}

// Used returns the bytes drawn and not returned.
func (b *Budget) Used() int64 { return b.used.Load() }

// Peak returns the largest number of bytes that were in use at one time.
func (b *Budget) Peak() int64 { return b.peak.Load() }

// Account draws memory for a holder that grows in small steps and knows only its total. A nil
// Account has no limit. It is not safe for concurrent use.
type Account struct {
	budget *Budget // nil: memory has no limit
	what   string
	drawn  int64
}

// accountPage is the number of bytes that an account draws at a time.
const accountPage = 64 << 10

// NewAccount returns an account that draws from a budget; without one it draws nothing. It must be
// closed.
func NewAccount(budget *Budget, what string) *Account {
	return &Account{budget: budget, what: what}
}

// Draw makes sure that at least this total of bytes is drawn.
func (a *Account) Draw(bytes int64) error {
	if a == nil || a.budget == nil || bytes <= a.drawn {
		return nil
	}
	more := bytes - a.drawn + accountPage
	if err := a.budget.Draw(a.what, more); err != nil {
		return fmt.Errorf("keep %s: %w", a.what, err)
	}
	a.drawn += more
	return nil
}

// Close returns all bytes to the budget.
func (a *Account) Close() {
	if a != nil && a.budget != nil {
		a.budget.Return(a.drawn)
		a.drawn = 0
	}
}
