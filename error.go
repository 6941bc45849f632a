package kcut

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// Error is what every function of this package returns when it fails: the class of the
// failure, the next thing to do where there is one, and the cause. errors.Is finds its class.
type Error = fault.Error

// Class says what kind of failure an error is. It is an error itself, for errors.Is to find.
type Class = fault.Class

// The classes of errors. Only after ErrTransient does it help to try the same again.
const (
	ErrInternal  = fault.Internal  // a bug
	ErrUsage     = fault.Usage     // the job or an option is wrong, or a path that they name may not be used
	ErrInput     = fault.Input     // the input does not fit the job, or is damaged
	ErrPrivacy   = fault.Privacy   // a k cannot be met, or the recount found it broken
	ErrExists    = fault.Exists    // the output exists
	ErrTransient = fault.Transient // reading or writing failed, and may work when tried again
	ErrResources = fault.Resources // the disk is full, or the memory too small
	ErrCancelled = fault.Cancelled // the context was cancelled
)

// ClassOf returns the class of an error that a function of this package has returned, whatever
// it was wrapped in since.
func ClassOf(err error) Class { return fault.ClassOf(err) }

// IsBarred reports whether the system bars a path from this process, today and tomorrow: a
// permission is missing, nothing may be written there, or it cannot be the name of a file.
func IsBarred(err error) bool { return fault.IsBarred(err) }

// guarded calls f, and makes what ends it an *Error: a panic, too.
func guarded[T any](f func() (T, error)) (result T, err error) {
	err = workers.Fence(func() (err error) {
		result, err = f()
		return err
	})
	return result, fault.Advised(err)
}
