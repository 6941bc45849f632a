// Package hands lets goroutines that have done their work help those that have not.
//
// Contract: every hand is one goroutine's. It shares calls while it has work of its own, and then
// lends itself, or leaves. A panic in a call that is shared comes back as its error (package fault).
//
// Not promised: who makes which call, and that anybody helps. Nobody waits for help to come.
package hands

import (
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/partition/linger"
	"github.com/kcut/kcut/pipeline/fault"
)

// hands are goroutines with work of their own. One that has done its own lends itself to the
// others: these share calls of theirs, which then are made by whoever is free.
type hands struct {
	shared  []atomic.Pointer[sharing] // by hand, the calls that it shares
	working atomic.Int64              // hands that have work of their own
	free    atomic.Int64              // hands that lend themselves and have no call to make
	asleep  atomic.Int64              // of these, those that wait to be woken
	wake    chan struct{}
}

// sharing are calls that one hand shares.
type sharing struct {
	call  func(hand, i int) error
	calls int64
	next  atomic.Int64
	left  atomic.Int64  // calls that have not ended
	ended chan struct{} // closed when all have

	failed atomic.Int64 // the first call that failed, or the number of calls
	mu     sync.Mutex
	err    error // of that
}

// Hand is one of some goroutines that lend themselves to each other. The zero Hand is alone.
type Hand struct {
	number int
	of     *hands
}

// New returns n hands with work of their own. Each of them ends it by Leave or Lend.
func New(n int) []Hand {
	of := &hands{shared: make([]atomic.Pointer[sharing], n), wake: make(chan struct{}, n)}
	of.working.Store(int64(n))
	all := make([]Hand, n)
	for i := range all {
		all[i] = Hand{i, of}
	}
	return all
}

// Share calls call for 0 to n−1, and returns when all calls have ended. The caller makes them,
// in order, and so do hands that are free; hand is the number of that which makes a call. Of
// several errors it returns that of the smallest number; behind it calls may be left out. Calls
// must not share calls.
func (h Hand) Share(n int, call func(hand, i int) error) error {
	for i := range n {
		if h.of != nil && i+1 < n && h.of.free.Load() > 0 {
			return h.share(i, n, call)
		}
		if err := call(h.number, i); err != nil {
			return err
		}
	}
	return nil
}

func (h Hand) share(from, to int, call func(hand, i int) error) error {
	s := &sharing{call: call, calls: int64(to), ended: make(chan struct{})}
	s.next.Store(int64(from))
	s.left.Store(int64(to - from))
	s.failed.Store(int64(to))
	h.of.shared[h.number].Store(s)
	h.of.rouse(to - from - 1)
	s.work(h.number)
	h.of.shared[h.number].Store(nil)
	if !linger.Until(func() bool { return s.left.Load() == 0 }) {
		<-s.ended
	}
	return s.err
}

// work makes calls until there are none.
func (s *sharing) work(hand int) {
	for i := s.next.Add(1) - 1; i < s.calls; i = s.next.Add(1) - 1 {
		if i < s.failed.Load() {
			s.note(i, fault.Fence(func() error { return s.call(hand, int(i)) }))
		}
		if s.left.Add(-1) == 0 {
			close(s.ended)
		}
	}
}

// note keeps the error of the smallest number.
func (s *sharing) note(i int64, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < s.failed.Load() {
		s.err = err
		s.failed.Store(i)
	}
}

// Leave says that the hand has no more work of its own.
func (h Hand) Leave() {
	if h.of.working.Add(-1) == 0 {
		h.of.rouse(len(h.of.shared))
	}
}

// Lend leaves, and makes calls of others until no hand has work of its own.
func (h Hand) Lend() {
	h.Leave()
	h.of.free.Add(1)
	defer h.of.free.Add(-1)
	for !h.of.over() {
		if s := h.of.find(); s != nil {
			h.of.free.Add(-1)
			s.work(h.number)
			h.of.free.Add(1)
			continue
		}
		due := func() bool { return h.of.over() || h.of.find() != nil }
		if !linger.Until(due) {
			h.of.sleep(due)
		}
	}
}

func (h *hands) over() bool { return h.working.Load() == 0 }

// find returns calls to make, or nil.
func (h *hands) find() *sharing {
	for i := range h.shared {
		if s := h.shared[i].Load(); s != nil && s.next.Load() < s.calls {
			return s
		}
	}
	return nil
}

// sleep waits until something may be due. Every hand that falls asleep either wakes up by
// itself at once, or takes what its waker has sent.
func (h *hands) sleep(due func() bool) {
	h.asleep.Add(1)
	if due() && h.oneLess() {
		return
	}
	<-h.wake
}

// rouse wakes up to n sleeping hands.
func (h *hands) rouse(n int) {
	for ; n > 0 && h.oneLess(); n-- {
		h.wake <- struct{}{}
	}
}

// oneLess takes one off those asleep, if there is one.
func (h *hands) oneLess() bool {
	for n := h.asleep.Load(); n > 0; n = h.asleep.Load() {
		if h.asleep.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}
