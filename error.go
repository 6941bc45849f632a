package kcut

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// Error is the error that every function of this package returns. It has the class of the failure,
// a hint at the next action if there is one, and the cause. errors.Is finds its class.
type Error = fault.Error

// Class is a kind of failure. It is an error itself, so that errors.Is can find it.
type Class = fault.Class

// The classes of errors. Another try of the same call may help after ErrTransient only.
const (
	ErrInternal  = fault.Internal  // a bug
	ErrUsage     = fault.Usage     // the job or an option is wrong, or names a barred path
	ErrInput     = fault.Input     // the input does not fit the job, or is damaged
	ErrPrivacy   = fault.Privacy   // a k cannot be met, or the recount found it broken
	ErrExists    = fault.Exists    // the output exists
	ErrTransient = fault.Transient // reading or writing failed, and may work when tried again
	ErrResources = fault.Resources // the disk is full, or the memory too small
	ErrCancelled = fault.Cancelled // the context was cancelled
)

// ClassOf returns the class of an error of this package, also if other errors wrap it.
func ClassOf(err error) Class { return fault.ClassOf(err) }

// IsBarred reports whether the system denies this process a path for good: a permission is missing,
// nothing may be written there, or the path cannot be the name of a file.
func IsBarred(err error) bool { return fault.IsBarred(err) }

// guarded calls f, and returns its error, or its panic, as an *Error.
func guarded[T any](f func() (T, error)) (result T, err error) {
	err = workers.Fence(func() (err error) {
		result, err = f()
		return err
	})
	return result, fault.Advised(err)
}
