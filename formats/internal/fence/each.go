package fence

import "github.com/kcut/kcut/internal/workers"

// Each calls do(i) for all 0 ≤ i < n in ascending order, on some goroutines, and returns the
// error of the least i that has one: it does not depend on the number of goroutines. Behind
// that i some may have been left out.
func Each(n, goroutines int, do func(i int) error) error {
	return workers.Each(n, min(n, goroutines), func(_ workers.Worker, i int) (err error) {
		defer Catch(&err)
		return do(i)
	})
}
