package spill

import (
	"errors"
	"testing"
)

func TestLedgerDrawsTheSum(t *testing.T) {
	budget := NewBudget(1 << 20)
	l := NewLedger(budget, "a list")
	for _, bytes := range []int64{10, 5, 300 << 10, 200 << 10, 900 << 10} {
		if err := l.Draw(bytes); err != nil || budget.Used() < bytes || budget.Used() > 1<<20 {
			t.Errorf("%d bytes: %v, %d are drawn", bytes, err, budget.Used())
		}
	}
	if err := l.Draw(2 << 20); !errors.Is(err, ErrBudget) {
		t.Errorf("got %v, want ErrBudget", err)
	}
	if l.Close(); budget.Used() != 0 {
		t.Errorf("%d bytes are not returned", budget.Used())
	}
	var none *Ledger
	if err := none.Draw(1 << 40); err != nil {
		t.Error(err)
	}
	none.Close()
}
