// Package fence keeps panics in. What kcut reads is checked before it is used, but some of
// it is unpacked by libraries that were not written for hostile files.
package fence

import (
	"fmt"
	"runtime"

	"github.com/kcut/kcut/formats"
)

// Catch turns a panic into an error that wraps formats.ErrDamaged. It is deferred itself,
// not called by what is deferred. Only the runtime's own messages are shown: others might
// hold a value.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = fmt.Errorf("%w: reading it panicked: %w", formats.ErrDamaged, p)
	default:
		*err = fmt.Errorf("%w: reading it panicked (%T)", formats.ErrDamaged, p)
	}
}
