package parallel

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/hands"
)

func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 50} {
			var running, most atomic.Int64
			var got []int
			err := InOrder(t.Context(), n, workers, func(_ context.Context, _ hands.Hand, i int, emit func(int) error) error {
				if now := running.Add(1); now > most.Load() {
					most.Store(now)
				}
				defer running.Add(-1)
				for j := range i % 4 { // some emit nothing, some more than fits
					if err := emit(i + j); err != nil {
						return err
					}
				}
				return nil
			}, func(result int) error {
				got = append(got, result)
				return nil
			})
			var want []int
			for i := range n {
				for j := range i % 4 {
					want = append(want, i+j)
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d of %d workers: got %v (%v)", n, workers, got, err)
			}
			if most.Load() > int64(workers) {
				t.Errorf("%d results in the making with %d workers", most.Load(), workers)
			}
		}
	}
}

// While one worker takes long, the others get ahead by as many results as there are workers.
func TestInOrderGetsAhead(t *testing.T) {
	const workers = 3
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var begun atomic.Int64
	ahead := make(chan struct{})
	err := InOrder(ctx, 50, workers, func(ctx context.Context, _ hands.Hand, i int, emit func(int) error) error {
		if begun.Add(1) == workers+1 {
			close(ahead)
		}
		if i == 0 {
			select {
			case <-ahead:
			case <-ctx.Done():
				return ctx.Err()
			}
			time.Sleep(20 * time.Millisecond) // others would begin meanwhile
			if n := begun.Load(); n > workers+1 {
				t.Errorf("%d were begun before the first ended", n)
			}
		}
		return emit(i)
	}, func(int) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

func TestInOrderFails(t *testing.T) {
	broken := errors.New("broken")
	produce := func(_ context.Context, _ hands.Hand, i int, emit func(int) error) error { return emit(i) }
	consume := func(int) error { return nil }
	for name, run := range map[string]func() error{
		"produce": func() error {
			return InOrder(t.Context(), 100, 3, func(_ context.Context, _ hands.Hand, i int, emit func(int) error) error {
				if i == 50 {
					return broken
				}
				return emit(i)
			}, consume)
		},
		"consume": func() error {
			return InOrder(t.Context(), 100, 3, produce, func(i int) error {
				if i == 50 {
					return broken
				}
				return nil
			})
		},
	} {
		if err := run(); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", name, err, broken)
		}
	}
	var bug *fault.PanicError
	err := InOrder(t.Context(), 10, 3, func(context.Context, hands.Hand, int, func(int) error) error { panic("a value") }, consume)
	if !errors.As(err, &bug) || fault.ClassOf(err) != fault.Internal {
		t.Errorf("a panic came back as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := InOrder(ctx, 10, 1, produce, consume); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context came back as %v", err)
	}
}

// TestInOrderLendsHands makes one result with two workers: the second helps to make it.
func TestInOrderLendsHands(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := 0
	err := InOrder(ctx, 1, 2, func(ctx context.Context, hand hands.Hand, i int, emit func(int) error) error {
		others := 0
		for ; others == 0 && ctx.Err() == nil; runtime.Gosched() {
			var by [2]int
			err := hand.Share(len(by), func(maker, i int) error {
				by[i] = maker
				return nil
			})
			if err != nil {
				return err
			}
			if by[0] != by[1] {
				others++
			}
		}
		return emit(others)
	}, func(n int) error { got = n; return nil })
	if err != nil || got == 0 {
		t.Errorf("got %d (%v)", got, err)
	}
}
