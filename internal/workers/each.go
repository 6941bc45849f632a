package workers

import (
	"sync"
	"sync/atomic"
)

// Worker is one goroutine of a pool. Its number is below the number of workers; what is kept by
// number belongs to one goroutine at a time. The zero Worker is alone.
type Worker struct {
	Number int
	pool   *pool
}

// Each calls do for 0 to n−1 on up to so many workers, the caller's goroutine among them. While
// a worker has no iteration left to make, it makes those of the loops inside the others': see
// Worker.Each. After an error iterations of larger numbers may be left out.
func Each(n, workers int, do func(w Worker, i int) error) error {
	if n < 1 {
		return nil
	}
	p := &pool{}
	p.idle.L = &p.mu
	l := newLoop(n, do)
	p.open = append(p.open, l)
	var group sync.WaitGroup
	for number := 1; number < workers; number++ {
		group.Go(func() { p.serve(Worker{number, p}) })
	}
	l.run(Worker{0, p})
	p.serveUntil(Worker{0, p}, l)
	p.close()
	group.Wait()
	return l.err
}

// Each calls do for 0 to n−1 on this worker and those of its pool that have nothing else to do,
// and returns when all calls have ended. The worker makes iterations of no other loop meanwhile.
func (w Worker) Each(n int, do func(w Worker, i int) error) error {
	l := newLoop(n, do)
	if w.pool == nil || n < 2 {
		l.run(w)
		return l.err
	}
	w.pool.add(l)
	l.run(w)
	w.pool.wait(l)
	return l.err
}

// Share is Each for those who know workers by their numbers alone.
func (w Worker) Share(n int, do func(worker, i int) error) error {
	return w.Each(n, func(w Worker, i int) error { return do(w.Number, i) })
}

// pool is the loops that some workers make together.
type pool struct {
	mu     sync.Mutex
	idle   sync.Cond // something was opened, ended or closed
	open   []*loop   // that may have iterations left
	closed bool
}

// add opens a loop to all workers.
func (p *pool) add(l *loop) {
	p.mu.Lock()
	p.open = append(p.open, l)
	p.mu.Unlock()
	p.idle.Broadcast()
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.idle.Broadcast()
}

// serve makes iterations of whatever loop is open until the pool is closed.
func (p *pool) serve(w Worker) {
	for {
		l := p.next(func() bool { return p.closed })
		if l == nil {
			return
		}
		p.help(w, l)
	}
}

// serveUntil makes iterations of whatever loop is open until this one has ended.
func (p *pool) serveUntil(w Worker, end *loop) {
	for {
		l := p.next(end.ended)
		if l == nil {
			return
		}
		p.help(w, l)
	}
}

// wait returns when a loop has ended.
func (p *pool) wait(l *loop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !l.ended() {
		p.idle.Wait()
	}
}

func (p *pool) help(w Worker, l *loop) {
	l.run(w)
	if l.ended() {
		// Under the lock: who found the loop not ended sleeps by now.
		p.mu.Lock()
		p.mu.Unlock() //nolint:staticcheck // see above
		p.idle.Broadcast()
	}
}

// next waits for a loop that has iterations left, and returns nil once it is over.
func (p *pool) next(over func() bool) *loop {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !over() {
		for len(p.open) > 0 {
			if l := p.open[len(p.open)-1]; l.hasMore() {
				return l
			}
			p.open = p.open[:len(p.open)-1]
		}
		p.idle.Wait()
	}
	return nil
}

// loop is n calls that some workers share.
type loop struct {
	do     func(w Worker, i int) error
	n      int64
	taken  atomic.Int64 // calls that somebody makes or has made; it may pass n
	left   atomic.Int64 // calls that have not ended
	failed atomic.Int64 // the first call that failed, or n

	mu  sync.Mutex
	err error // of failed
}

func newLoop(n int, do func(w Worker, i int) error) *loop {
	l := &loop{do: do, n: int64(n)}
	l.left.Store(l.n)
	l.failed.Store(l.n)
	return l
}

func (l *loop) hasMore() bool { return l.taken.Load() < l.n }

func (l *loop) ended() bool { return l.left.Load() == 0 }

// run makes calls until there are none left to take.
func (l *loop) run(w Worker) {
	for i := l.taken.Add(1) - 1; i < l.n; i = l.taken.Add(1) - 1 {
		if i < l.failed.Load() {
			if err := Fence(func() error { return l.do(w, int(i)) }); err != nil {
				l.fail(i, err)
			}
		}
		l.left.Add(-1)
	}
}

// fail keeps the error of the smallest number. Calls that nobody has taken yet are left out: their
// numbers are larger.
func (l *loop) fail(i int64, err error) {
	if taken := l.taken.Swap(l.n); taken < l.n {
		l.left.Add(taken - l.n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i < l.failed.Load() {
		l.err = err
		l.failed.Store(i)
	}
}
