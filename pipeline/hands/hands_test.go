package hands

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kcut/kcut/partition/linger"
	"github.com/kcut/kcut/pipeline/fault"
)

// TestEveryCallIsMadeOnce lets hands with different amounts of work share calls, and pause, so
// that those that are free fall asleep. No hand makes two calls at a time, and a share returns
// when its calls have ended.
func TestEveryCallIsMadeOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, processors := range []int{1, runtime.NumCPU(), 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for _, n := range []int{1, 2, 5} {
			var group sync.WaitGroup
			busy := make([]atomic.Bool, n)
			for i, hand := range New(n) {
				if hand.number != i {
					t.Fatalf("hand %d of %d has number %d", i, n, hand.number)
				}
				group.Go(func() {
					defer hand.Lend()
					for range 40 * (i % 3) {
						made := make([]atomic.Int32, rand.IntN(12))
						err := hand.Share(len(made), func(by, j int) error {
							if !busy[by].CompareAndSwap(false, true) {
								t.Errorf("hand %d makes two calls", by)
							}
							if rand.IntN(50) == 0 {
								time.Sleep(2 * linger.Moment)
							}
							made[j].Add(1)
							busy[by].Store(false)
							return nil
						})
						for j := range made {
							if n := made[j].Load(); n != 1 || err != nil {
								t.Errorf("call %d was made %d times (%v)", j, n, err)
							}
						}
						if rand.IntN(20) == 0 {
							time.Sleep(2 * linger.Moment)
						}
					}
				})
			}
			group.Wait()
		}
	}
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(linger.Moment) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// withHelp calls share on a hand while another one is free.
func withHelp(t *testing.T, share func(Hand) error) error {
	t.Helper()
	both := New(2)
	lent := make(chan struct{})
	go func() {
		defer close(lent)
		both[1].Lend()
	}()
	for both[0].of.free.Load() == 0 {
		runtime.Gosched()
	}
	err := share(both[0])
	both[0].Leave()
	<-lent
	return err
}

// TestFreeHandsHelp demands two calls at a time: the first waits for the second.
func TestFreeHandsHelp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, pause := range []time.Duration{0, 3 * linger.Moment} { // help lingers, and sleeps
		second := make(chan struct{})
		err := withHelp(t, func(h Hand) error {
			time.Sleep(pause)
			return h.Share(2, func(_, i int) error {
				if i == 1 {
					close(second)
					return nil
				}
				select {
				case <-second:
					return nil
				case <-ctx.Done():
					return errors.New("nobody made the second call")
				}
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestShareReturnsTheFirstError makes calls fail that end in any order.
func TestShareReturnsTheFirstError(t *testing.T) {
	failure := func(i int) error { return errorAt(i) }
	for range 200 {
		fails := []int{rand.IntN(30), rand.IntN(30), rand.IntN(30)}
		call := func(_, i int) error {
			if rand.IntN(4) == 0 {
				runtime.Gosched()
			}
			if slices.Contains(fails, i) {
				return failure(i)
			}
			return nil
		}
		want := failure(slices.Min(fails))
		if err := (Hand{}).Share(30, call); err != want {
			t.Fatalf("alone: got %v, want %v", err, want)
		}
		if err := withHelp(t, func(h Hand) error { return h.Share(30, call) }); err != want {
			t.Fatalf("with help: got %v, want %v", err, want)
		}
	}
	var bug *fault.PanicError
	err := withHelp(t, func(h Hand) error { return h.Share(9, func(int, int) error { panic("a value") }) })
	if !errors.As(err, &bug) {
		t.Errorf("a panic came back as %v", err)
	}
}

type errorAt int

func (e errorAt) Error() string { return "call failed" }
