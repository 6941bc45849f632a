package spill

import (
	"errors"
	"sync"
	"testing"
)

func TestBudgetRefusesWhatDoesNotFit(t *testing.T) {
	b := NewBudget(100)
	must(t, b.Draw("a table", 60))
	if err := b.Draw("another", 41); !errors.Is(err, ErrBudget) {
		t.Fatalf("drew 101 bytes of 100: %v", err)
	}
	if b.Used() != 60 {
		t.Fatalf("a refused draw left %d bytes in use", b.Used())
	}
	must(t, b.Draw("the rest", 40))
	b.Return(100)
	if b.Used() != 0 || b.Peak() != 100 {
		t.Fatalf("used %d, peak %d after returning everything", b.Used(), b.Peak())
	}
}

func TestBudgetIsSafeForManyDrawers(t *testing.T) {
	b := NewBudget(1 << 30)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 1000 {
				if b.Draw("bytes", 7) == nil {
					b.Return(7)
				}
			}
		})
	}
	group.Wait()
	if b.Used() != 0 || b.Peak() < 7 || b.Peak() > 56 {
		t.Fatalf("used %d, peak %d", b.Used(), b.Peak())
	}
}

func TestDefaultLimitIsPartOfTheMachine(t *testing.T) {
	kib, ok := procField("/proc/meminfo", "MemTotal:")
	if limit := DefaultLimit(); ok && (limit < 1<<20 || limit > kib<<10*6/10+1) {
		t.Fatalf("default limit %d of %d KiB", limit, kib)
	}
	if PeakResident() < 1<<20 {
		t.Fatalf("peak resident set of %d bytes", PeakResident())
	}
}

func TestBudgetOfAPart(t *testing.T) {
	whole := NewBudget(100)
	part := whole.Part(60)
	if err := part.Draw("a table", 50); err != nil || whole.Used() != 50 {
		t.Fatalf("%v, %d bytes drawn from the whole", err, whole.Used())
	}
	if err := part.Draw("more than the part", 11); !errors.Is(err, ErrBudget) ||
		whole.Used() != 50 {
		t.Fatalf("%v, %d bytes drawn from the whole", err, whole.Used())
	}
	must(t, whole.Draw("the rest", 50))
	if err := part.Draw("more than the whole", 1); !errors.Is(err, ErrBudget) || part.Used() != 50 {
		t.Fatalf("%v, %d bytes drawn from the part", err, part.Used())
	}
	if part.Left() != 0 || whole.Part(60).Left() != 0 {
		t.Errorf("%d bytes are left of the part, %d of another", part.Left(), whole.Part(60).Left())
	}
	part.Return(50)
	if whole.Used() != 50 || part.Used() != 0 {
		t.Fatalf("whole %d, part %d after returning", whole.Used(), part.Used())
	}
}

func TestAccountDrawsTheSum(t *testing.T) {
	budget := NewBudget(1 << 20)
	l := NewAccount(budget, "a list")
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
	var none *Account
	if err := none.Draw(1 << 40); err != nil {
		t.Error(err)
	}
	none.Close()
}
