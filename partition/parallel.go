package partition

import "github.com/kcut/kcut/internal/workers"

const (
	// sharesEach is how many shares of a table a worker does: who is slowed down does fewer.
	sharesEach = 16
	// leastTaken are records that are worth a share of a table.
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

// shares cuts so many records of a table into equal shares, one for the caller alone.
func shares(records, threads int) []Rows {
	n := 1
	if threads > 1 {
		n = max(1, min(sharesEach*threads, records/leastTaken))
	}
	return Rows{Hi: records}.Cut(n)
}
