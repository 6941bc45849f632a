// Package fence stops panics. kcut checks its input before it uses it, but some of it is unpacked
// by libraries that were not written for hostile files.
package fence

import (
	"fmt"
	"runtime"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// Catch turns a panic into an error that wraps formats.ErrDamaged. It must be deferred itself, not
// called by a deferred function. It shows only the runtime's own messages: others might contain a
// value.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = fmt.Errorf("%w: it leads outside of itself: %w", formats.ErrDamaged, p)
	default:
		*err = fmt.Errorf("%w: reading it panicked (%T)", formats.ErrDamaged, p)
	}
}

// Each calls do(i) for all 0 ≤ i < n in ascending order, on some goroutines, and returns the error
// of the smallest i that has one: it does not depend on the number of goroutines. Calls for larger
// i may be left out after an error.
func Each(n, goroutines int, do func(i int) error) error {
	return workers.Each(n, min(n, goroutines), func(_ workers.Worker, i int) (err error) {
		defer Catch(&err)
		return do(i)
	})
}
