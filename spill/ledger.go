package spill

import "fmt"

// Ledger draws what grows bit by bit, of which only the sum is known at any time. A nil
// Ledger has no limit. It is not safe for concurrent use.
type Ledger struct {
	budget *Budget // nil: memory has no limit
	what   string
	drawn  int64
}

// ledgerPage is how much is drawn at a time.
const ledgerPage = 64 << 10

// NewLedger returns a ledger that draws from a budget, which may be nil. It must be closed.
func NewLedger(budget *Budget, what string) *Ledger { return &Ledger{budget: budget, what: what} }

// Draw makes sure that so many bytes are drawn in all.
func (l *Ledger) Draw(bytes int64) error {
	if l == nil || l.budget == nil || bytes <= l.drawn {
		return nil
	}
	more := bytes - l.drawn + ledgerPage
	if err := l.budget.Draw(l.what, more); err != nil {
		return fmt.Errorf("keep %s: %w", l.what, err)
	}
	l.drawn += more
	return nil
}

// Close returns everything.
func (l *Ledger) Close() {
	if l != nil && l.budget != nil {
		l.budget.Return(l.drawn)
		l.drawn = 0
	}
}
