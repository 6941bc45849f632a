package partition

import (
	"sync/atomic"

	"github.com/kcut/kcut/partition/linger"
)

// crew is some goroutines that do tasks together; the caller is one of them. A task is often
// done sooner than a sleeping thread has woken up, so a helper that is out of tasks lingers for
// a moment before it ends. A crew serves one caller at a time.
type crew struct {
	helpers []helper // all members but the caller
	task    func(member, i int)
	tasks   int64
	next    atomic.Int64
	busy    atomic.Int64 // helpers that were called and are not done
	asleep  atomic.Bool  // the caller waits to be woken
	wake    chan struct{}
}

// helper is what a helper is doing.
type helper struct{ atomic.Int32 }

const (
	absent = iota
	lingering
	called
)

func newCrew(members int) *crew {
	return &crew{helpers: make([]helper, max(1, members)-1), wake: make(chan struct{}, 1)}
}

// members returns the number of goroutines. No crew is the caller alone.
func (c *crew) members() int {
	if c == nil {
		return 1
	}
	return 1 + len(c.helpers)
}

// each calls task for 0 to n−1, each i on the member that is free first, and returns when all
// calls have. Tasks must not use the crew.
func (c *crew) each(n int, task func(member, i int)) {
	if n < 2 || c.members() < 2 {
		for i := range n {
			task(0, i)
		}
		return
	}
	c.task, c.tasks = task, int64(n)
	c.next.Store(0)
	helpers := min(n-1, len(c.helpers))
	c.busy.Store(int64(helpers))
	for i := range helpers {
		if h := &c.helpers[i]; !h.CompareAndSwap(lingering, called) {
			h.Store(called)
			go c.help(i)
		}
	}
	c.work(0)
	c.wait()
	c.task = nil
}

const (
	// sharesEach is how many shares of a table a member does: who is slowed down does fewer.
	sharesEach = 16
	// leastTaken are records that are worth a share of a table.
	leastTaken = 1 << 14
)

// shares cuts so many records of a table into equal shares, one for the caller alone.
func (c *crew) shares(records int) []leaf {
	n := 1
	if c.members() > 1 {
		n = max(1, min(sharesEach*c.members(), records/leastTaken))
	}
	return leaf{hi: records}.shares(n)
}

// work does tasks until there are none.
func (c *crew) work(member int) {
	for i := c.next.Add(1) - 1; i < c.tasks; i = c.next.Add(1) - 1 {
		c.task(member, int(i))
	}
}

// help is the life of a helper that was called.
func (c *crew) help(i int) {
	h := &c.helpers[i]
	for {
		c.work(1 + i)
		h.Store(lingering)
		if c.busy.Add(-1) == 0 && c.asleep.CompareAndSwap(true, false) {
			c.wake <- struct{}{}
		}
		isCalled := linger.Until(func() bool { return h.Load() == called })
		if !isCalled && h.CompareAndSwap(lingering, absent) {
			return
		}
	}
}

// wait returns when no helper is busy. It may be woken late, for an earlier job.
func (c *crew) wait() {
	if linger.Until(func() bool { return c.busy.Load() == 0 }) {
		return
	}
	for c.busy.Load() > 0 {
		c.asleep.Store(true)
		if c.busy.Load() == 0 && c.asleep.CompareAndSwap(true, false) {
			return
		}
		<-c.wake
	}
}
