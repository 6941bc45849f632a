package parallel

import (
	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/pipeline/fault"
)

// Each calls f for 0 to n−1 on up to workers goroutines. Of several errors it returns that of
// the smallest number, whichever came first.
func Each(n, workers int, f func(i int) error) error {
	errs := make([]error, n)
	var group errgroup.Group
	group.SetLimit(max(1, workers))
	for i := range n {
		group.Go(func() error {
			errs[i] = fault.Fence(func() error { return f(i) })
			return nil
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
