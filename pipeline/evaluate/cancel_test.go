package evaluate

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/internal/workers"
)

// countdown is a context that is cancelled after it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
	once sync.Once
	done chan struct{}
}

func after(ctx context.Context, asked int64) *countdown {
	c := &countdown{Context: ctx, done: make(chan struct{})}
	c.left.Store(asked)
	return c
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.Canceled
}

// An evaluation that is stopped, at any place where it checks its context, ends with the context's
// error.
func TestStoppedEvaluation(t *testing.T) {
	job, _ := people(t, rand.New(rand.NewPCG(4, 4)), 300)
	for _, algorithm := range []string{"tdr", "bottom-up", "kactus", "iack", "mondrian",
		"infogain-mondrian", "guided"} {
		t.Run(algorithm, func(t *testing.T) {
			evaluate := func(ctx context.Context) error {
				return workers.Fence(func() error {
					_, err := Evaluate(ctx, load(t, job, "quasi_identifiers[].k", "5", algorithm),
						Options{Folds: 2, Repeats: 1})
					return err
				})
			}
			whole := after(t.Context(), 1<<40)
			must(t, evaluate(whole))
			asked := 1<<40 - whole.left.Load()
			rng := rand.New(rand.NewPCG(1, 2))
			for range seedtest.Few(12, 30) {
				if err := evaluate(after(t.Context(), rng.Int64N(asked))); err != nil &&
					!errors.Is(fault.Advised(err), fault.Cancelled) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}
