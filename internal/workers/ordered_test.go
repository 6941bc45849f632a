package workers

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestOrdered(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 50} {
			var running, most atomic.Int64
			var got, want []int
			err := Ordered(t.Context(), n, workers,
				func(_ context.Context, _ Worker, i int, emit func(int) error) error {
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

// While one producer takes long, the others get ahead by as many results as there are workers.
func TestOrderedGetsAhead(t *testing.T) {
	const workers = 3
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var begun atomic.Int64
	ahead := make(chan struct{})
	err := Ordered(ctx, 50, workers, func(ctx context.Context, _ Worker, i int,
		emit func(int) error) error {
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

func TestOrderedFails(t *testing.T) {
	broken := errors.New("broken")
	emitAll := func(_ context.Context, _ Worker, i int, emit func(int) error) error {
		return emit(i)
	}
	useAll := func(int) error { return nil }
	produced := Ordered(t.Context(), 100, 3,
		func(_ context.Context, _ Worker, i int, emit func(int) error) error {
			if i == 50 {
				return broken
			}
			return emit(i)
		}, useAll)
	consumed := Ordered(t.Context(), 100, 3, emitAll, func(i int) error {
		if i == 50 {
			return broken
		}
		return nil
	})
	if produced != broken || consumed != broken {
		t.Errorf("got %v and %v, want %v", produced, consumed, broken)
	}
	var bug *PanicError
	err := Ordered(t.Context(), 10, 3, func(context.Context, Worker, int, func(int) error) error {
		panic("a value")
	}, useAll)
	if !errors.As(err, &bug) {
		t.Errorf("a panic came back as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Ordered(ctx, 10, 1, emitAll, useAll); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context came back as %v", err)
	}
}

// Two workers make one result: the second has no result of its own.
func TestOrderedHelps(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := false
	err := Ordered(ctx, 1, 2, func(ctx context.Context, w Worker, _ int,
		emit func(bool) error) error {
		for ctx.Err() == nil {
			var by [2]int
			if err := w.Each(len(by), func(w Worker, i int) error {
				by[i] = w.Number
				runtime.Gosched()
				return nil
			}); err != nil {
				return err
			}
			if by[0] != by[1] {
				return emit(true)
			}
		}
		return ctx.Err()
	}, func(helped bool) error { got = helped; return nil })
	if err != nil || !got {
		t.Errorf("got %v (%v)", got, err)
	}
}
