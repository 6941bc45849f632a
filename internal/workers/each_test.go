package workers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Loops inside loops, with pauses so that workers fall asleep: every iteration runs once, no worker
// runs two innermost ones at a time, and all goroutines end.
func TestEachMakesEveryIterationOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, processors := range []int{1, runtime.NumCPU(), 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for _, workers := range []int{0, 1, 2, 5} {
			for _, outer := range []int{0, 1, 2, 9} {
				checkNested(t, workers, outer)
			}
		}
	}
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// A pool keeps no loop that has ended, however busy its workers are.
func TestEndedLoopsAreNotKept(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		err := Each(10_000, workers, func(w Worker, _ int) error {
			if err := w.Each(2, func(Worker, int) error { return nil }); err != nil {
				return err
			}
			w.pool.mu.Lock()
			defer w.pool.mu.Unlock()
			if kept := len(w.pool.open); kept > workers+1 {
				return fmt.Errorf("%d workers: %d loops are kept", workers, kept)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func checkNested(t *testing.T, workers, outer int) {
	made, busy := make([][40]atomic.Int32, outer), make([]atomic.Bool, max(1, workers))
	err := Each(outer, workers, func(w Worker, i int) error {
		return w.Each(len(made[i]), func(w Worker, j int) error {
			if !busy[w.Number].CompareAndSwap(false, true) {
				t.Errorf("worker %d makes two iterations", w.Number)
			}
			if rand.IntN(50) == 0 {
				time.Sleep(time.Millisecond)
			}
			made[i][j].Add(1)
			busy[w.Number].Store(false)
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
	for i := range made {
		for j := range made[i] {
			if n := made[i][j].Load(); n != 1 {
				t.Errorf("%d workers: iteration %d of %d was made %d times", workers, j, i, n)
			}
		}
	}
}

// TestIdleWorkersHelp needs two iterations at a time: the first waits for the second. The other
// worker is idle from the beginning, or only later.
func TestIdleWorkersHelp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, outer := range []int{1, 2} {
		err := Each(outer, 2, func(w Worker, i int) error {
			if i == 1 {
				time.Sleep(5 * time.Millisecond)
				return nil
			}
			second := make(chan struct{})
			return w.Each(2, func(_ Worker, j int) error {
				if j == 1 {
					close(second)
					return nil
				}
				select {
				case <-second:
					return nil
				case <-ctx.Done():
					return errors.New("nobody made the second iteration")
				}
			})
		})
		if err != nil {
			t.Errorf("%d outer iterations: %v", outer, err)
		}
	}
}

type errorAt int

func (e errorAt) Error() string { return fmt.Sprint("iteration ", int(e), " failed") }

// If several iterations fail in any order, the first one's error is returned.
func TestEachReturnsTheFirstError(t *testing.T) {
	for range 200 {
		fails := []int{rand.IntN(30), rand.IntN(30), rand.IntN(30)}
		do := func(_ Worker, i int) error {
			if rand.IntN(4) == 0 {
				runtime.Gosched()
			}
			if slices.Contains(fails, i) {
				return errorAt(i)
			}
			return nil
		}
		want := errorAt(slices.Min(fails))
		nested := Each(1, 3, func(w Worker, _ int) error { return w.Each(30, do) })
		for name, err := range map[string]error{"alone": Worker{}.Each(30, do),
			"three": Each(30, 3, do), "nested": nested} {
			if err != want {
				t.Fatalf("%s: got %v, want %v", name, err, want)
			}
		}
	}
}

// After an error the remaining iterations are left out, however many there are.
func TestEachEndsEarly(t *testing.T) {
	want := errorAt(5)
	err := Each(1<<40, 3, func(_ Worker, i int) error {
		if i >= 5 {
			return errorAt(i)
		}
		return nil
	})
	if err != want {
		t.Errorf("got %v, want %v", err, want)
	}
}

// A panic ends neither the process nor the other iterations' goroutines, on any worker.
func TestPanicsAreErrors(t *testing.T) {
	spoiled := func(Worker, int) error { panic("a value") }
	for name, err := range map[string]error{
		"alone":        Worker{}.Each(3, spoiled),
		"four":         Each(9, 4, spoiled),
		"nested":       Each(1, 4, func(w Worker, _ int) error { return w.Each(9, spoiled) }),
		"raised again": Fence(func() error { Must(Each(9, 4, spoiled)); return nil }),
	} {
		var bug *PanicError
		if !errors.As(err, &bug) || strings.Contains(err.Error(), "value") ||
			!strings.Contains(string(bug.Stack), "TestPanicsAreErrors") {
			t.Errorf("%s: a panic came back as %v", name, err)
		}
	}
}

func TestFence(t *testing.T) {
	broken := errors.New("broken")
	var none []int
	for _, tt := range []struct {
		name string
		f    func() error
		want string // in the error; empty: no panic
	}{
		{"error", func() error { return broken }, ""},
		{"text", func() error { panic("a cell's value") }, "internal: panic with a string"},
		{"error value", func() error {
			panic(broken)
		}, "internal: panic with a *errors.errorString"},
		{"index", func() error {
			none[3] = 1
			return nil
		}, "internal: runtime error: index out of range [3] with length 0"},
	} {
		err := Fence(tt.f)
		var bug *PanicError
		switch isBug := errors.As(err, &bug); {
		case tt.want == "" && err != broken:
			t.Errorf("%s: got %v", tt.name, err)
		case tt.want != "" && (!isBug || err.Error() != tt.want ||
			!strings.Contains(string(bug.Stack), "TestFence")):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
