package partition

import "github.com/kcut/kcut/internal/workers"

const (
	// rangesEach is how many ranges of a table a worker does: who is slowed down does fewer.
	rangesEach = 16
	// leastTaken are records that are worth a range of a table.
	leastTaken = 1 << 14
)

// Each calls do for 0 to n−1 on up to so many goroutines, of which the caller's is one. A call
// costs some microseconds to start them, so it is for work that takes many times as long.
func Each(n, threads int, do func(worker, i int)) {
	if threads = min(n, threads); threads < 2 {
		for i := range n {
			do(0, i)
		}
		return
	}
	workers.Must(workers.Each(n, threads, func(w workers.Worker, i int) error {
		do(w.Number, i)
		return nil
	}))
}

// cut cuts so many records of a table into equal ranges, one for the caller alone.
func cut(records, threads int) []Rows {
	n := 1
	if threads > 1 {
		n = max(1, min(rangesEach*threads, records/leastTaken))
	}
	return Rows{Hi: records}.Cut(n)
}

// Parallel says when several goroutines share the records of a partition in memory. How
// they share them changes the order of records, and nothing else.
type Parallel struct {
	Threads int // below 2: nobody shares
	Least   int // records that make a range
}

// NewParallel returns the sharing of so many goroutines.
func NewParallel(threads int) Parallel { return Parallel{Threads: max(1, threads), Least: leastRange} }

// ThreadsFor returns how many goroutines are worth starting for work on so many records.
func (s Parallel) ThreadsFor(records int) int { return min(s.Threads, records/s.Least) }

const (
	// leastRange are records that are worked on while another goroutine is told of its range.
	leastRange = 1 << 12
	// rangesOfThread is how many ranges of a partition there are for each goroutine, at most.
	rangesOfThread = 4
)

// Pays reports whether a partition is large enough to be shared.
func (s Parallel) Pays(l Rows) bool { return s.Threads > 1 && l.Records() >= 2*s.Least }

// Of cuts a partition into equal ranges, some for every goroutine so that who is slowed down does
// fewer, or less when they would be small: none for one that is not shared.
func (s Parallel) Of(l Rows) []Rows {
	if !s.Pays(l) {
		return nil
	}
	return l.Cut(min(rangesOfThread*s.Threads, l.Records()/s.Least))
}
