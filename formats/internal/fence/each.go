package fence

import (
	"sync"
	"sync/atomic"
)

// Each calls do(i) for all 0 ≤ i < n in ascending order, on some goroutines, and returns the
// error of the least i that has one: it does not depend on the number of goroutines. Behind
// that i some may have been left out.
func Each(n, goroutines int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range max(1, min(n, goroutines)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[i] = fenced(i, do); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func fenced(i int, do func(i int) error) (err error) {
	defer Catch(&err)
	return do(i)
}
