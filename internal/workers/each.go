// Package workers runs functions on a bounded number of goroutines. It has all such code of the
// project: distributed loops, nested loops, and results used in order.
//
// Contract: a function returns when all its goroutines have ended. It returns the error of the
// smallest failed iteration, whichever came first, so the result does not depend on the number of
// workers. A panic in an iteration becomes a *PanicError of that iteration, never a crash. A worker
// without work sleeps.
//
// Limits: the assignment of iterations to workers, and their order, are undefined. Data that a
// worker keeps from one iteration to the next must not depend on either.
package workers

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// Worker is one goroutine of a pool. Its number is below the number of workers; data kept by number
// belongs to one goroutine at a time. The zero Worker is alone.
type Worker struct {
	Number int
	pool   *pool
}

// Each calls do for 0 to n−1 on at most workers workers, including the caller's goroutine. A worker
// that has no iteration left helps with the loops inside the iterations of others: see Worker.Each.
// After an error, iterations of larger numbers may be left out.
func Each(n, workers int, do func(w Worker, i int) error) error {
	l := &loop{do: do, n: int64(n)}
	p := &pool{open: []*loop{l}}
	p.changed.L = &p.mu
	var others sync.WaitGroup
	for number := 1; number < workers; number++ {
		others.Go(func() { p.work(Worker{number, p}, l) })
	}
	p.work(Worker{0, p}, l)
	others.Wait()
	return l.err
}

// Each calls do for 0 to n−1 on this worker and idle workers of its pool, and returns when all
// calls have ended. The worker runs no iterations of other loops meanwhile.
func (w Worker) Each(n int, do func(w Worker, i int) error) error {
	if w.pool == nil {
		return Each(n, 1, do)
	}
	p, l := w.pool, &loop{do: do, n: int64(n)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > 1 {
		p.open = append(p.open, l)
		p.changed.Broadcast()
	}
	p.run(w, l)
	for l.workers > 0 {
		p.changed.Wait()
	}
	// Idle workers would also remove it, but while none is idle, all loops would be kept.
	if i := slices.Index(p.open, l); i >= 0 {
		p.open = slices.Delete(p.open, i, i+1)
	}
	return l.err
}

// Share is Each for callers that only need the numbers of workers.
func (w Worker) Share(n int, do func(worker, i int) error) error {
	return w.Each(n, func(w Worker, i int) error { return do(w.Number, i) })
}

// pool is the loops that some workers run together.
type pool struct {
	mu      sync.Mutex
	changed sync.Cond // signalled when a loop was opened, or its last worker has left it
	open    []*loop   // loops that may have iterations left
}

// loop is n calls that some workers share.
type loop struct {
	do   func(w Worker, i int) error
	n    int64
	next atomic.Int64 // number of the next call; it may exceed n

	// Under the pool's lock:
	workers int   // number of workers that run its calls
	failed  int64 // the first call that failed, with its error
	err     error
}

// work runs iterations of any open loop, until the outer one, inside which all others are, has
// ended.
func (p *pool) work(w Worker, outer *loop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		last := len(p.open) - 1
		switch {
		case last >= 0 && p.open[last].next.Load() < p.open[last].n:
			p.run(w, p.open[last])
		case last >= 0:
			p.open = slices.Delete(p.open, last, last+1)
		case outer.workers == 0:
			return
		default:
			p.changed.Wait()
		}
	}
}

// run runs calls of a loop until there are none left. The caller holds the lock, which run releases
// meanwhile.
func (p *pool) run(w Worker, l *loop) {
	l.workers++
	p.mu.Unlock()
	for i := l.next.Add(1) - 1; i < l.n; i = l.next.Add(1) - 1 {
		if err := Fence(func() error { return l.do(w, int(i)) }); err != nil {
			p.mu.Lock()
			if l.err == nil || i < l.failed {
				l.failed, l.err = i, err
			}
			p.mu.Unlock()
			l.next.Store(l.n) // calls with smaller numbers have started
		}
	}
	p.mu.Lock()
	if l.workers--; l.workers == 0 {
		p.changed.Broadcast()
	}
}

// PanicError is a bug that a Fence caught. Its text has the type of the panic's value but not the
// value, which may contain a cell's.
type PanicError struct {
	Kind  string
	Stack []byte
}

func (e *PanicError) Error() string { return "internal: " + e.Kind }

// Fence calls f and turns a panic into a *PanicError. Every goroutine of a run starts inside one,
// so that even after a bug the run's files are removed.
func Fence(f func() error) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *PanicError: // of a loop inside f, raised again by Must
			err = value
		case runtime.Error: // its texts, an index and a length, are safe to show
			err = &PanicError{Kind: value.Error(), Stack: debug.Stack()}
		default:
			err = &PanicError{Kind: fmt.Sprintf("panic with a %T", value), Stack: debug.Stack()}
		}
	}()
	return f()
}

// Must panics with an error that can only come from a panic, since no iteration returns one.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}
