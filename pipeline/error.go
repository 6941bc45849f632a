package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// Class says what kind of failure an error is, for exit codes and retries.
type Class uint8

// The classes of errors.
const (
	ClassInternal  Class = iota // a bug
	ClassUsage                  // the job file or the command line
	ClassInput                  // the input does not fit the job, or is damaged
	ClassPrivacy                // the requirement cannot be met, or the recount found it broken
	ClassExists                 // the output exists
	ClassTransient              // I/O that may work when tried again
	ClassResources              // disk full, or the memory budget too small
	ClassCancelled              // the context was cancelled
)

var classNames = [...]string{
	ClassInternal: "internal", ClassUsage: "usage", ClassInput: "input", ClassPrivacy: "privacy",
	ClassExists: "exists", ClassTransient: "transient", ClassResources: "resources", ClassCancelled: "cancelled",
}

// String returns the class's name, as JSON answers have it.
func (c Class) String() string { return classNames[c] }

// Error is an error with its class and, where there is one, the next thing to do.
type Error struct {
	Class Class
	Hint  string
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error that a function of this package returned.
func ClassOf(err error) Class {
	var classed *Error
	var job *jobfile.Error
	switch {
	case errors.As(err, &classed):
		return classed.Class
	case errors.As(err, &job):
		return ClassUsage
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ClassCancelled
	case errors.Is(err, formats.ErrDamaged), errors.Is(err, formats.ErrUnsupported),
		errors.Is(err, formats.ErrSchema), errors.Is(err, formats.ErrNoInput), errors.Is(err, storage.ErrDenied):
		return ClassInput
	case errors.Is(err, engine.ErrInfeasible), errors.Is(err, engine.ErrUnreached), errors.Is(err, engine.ErrBroken), errors.Is(err, formats.ErrLeak):
		return ClassPrivacy
	case errors.Is(err, spill.ErrBudget), errors.Is(err, spill.ErrDisk), isFull(err):
		return ClassResources
	case errors.Is(err, formats.ErrBusy), errors.Is(err, spill.ErrCorrupt), errors.Is(err, spill.ErrFailed), isTransient(err):
		return ClassTransient
	}
	return ClassInternal
}

// isFull reports whether a disk, a quota or a limit on the size of files left no room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// isTransient reports whether err comes from the operating system or an object store: a read
// or write that failed may work the next time, unlike a bug.
func isTransient(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) || errors.Is(err, storage.ErrUnavailable) || errors.Is(err, fs.ErrNotExist)
}
