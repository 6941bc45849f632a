package workers

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// PanicError is a bug that a Fence stopped. Its text says what kind of panic it was but
// not the panic's value, which may hold a cell's.
type PanicError struct {
	Kind  string
	Stack []byte
}

func (e *PanicError) Error() string { return "internal: " + e.Kind }

// Fence calls f and turns a panic into a *PanicError. Every goroutine of a run starts inside
// one, so that a bug still removes what the run had written.
func Fence(f func() error) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *PanicError: // of a loop inside f, raised again by Must
			err = value
		case runtime.Error: // whose texts, an index and a length, are safe to show
			err = &PanicError{Kind: value.Error(), Stack: debug.Stack()}
		default:
			err = &PanicError{Kind: fmt.Sprintf("panic with a %T", value), Stack: debug.Stack()}
		}
	}()
	return f()
}

// Must raises an error again that can only be a panic's, since no iteration returns one.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}
