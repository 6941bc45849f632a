package fault

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
	Internal  Class = iota // a bug
	Usage                  // the job file or the command line, or a path that they name and kcut may not use
	Input                  // the input does not fit the job, or is damaged
	Privacy                // the requirement cannot be met, or the recount found it broken
	Exists                 // the output exists
	Transient              // I/O that may work when tried again
	Resources              // disk full, or the memory budget too small
	Cancelled              // the context was cancelled
)

var classNames = [...]string{
	Internal: "internal", Usage: "usage", Input: "input", Privacy: "privacy",
	Exists: "exists", Transient: "transient", Resources: "resources", Cancelled: "cancelled",
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

// ClassOf returns the class of an error that any package of this module returned.
func ClassOf(err error) Class {
	var classed *Error
	var job *jobfile.Error
	switch {
	case errors.As(err, &classed):
		return classed.Class
	case errors.As(err, &job):
		return Usage
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled
	case errors.Is(err, formats.ErrDamaged), errors.Is(err, formats.ErrUnsupported),
		errors.Is(err, formats.ErrSchema), errors.Is(err, formats.ErrNoInput), errors.Is(err, storage.ErrDenied):
		return Input
	case errors.Is(err, engine.ErrInfeasible), errors.Is(err, engine.ErrUnreached), errors.Is(err, engine.ErrBroken), errors.Is(err, formats.ErrLeak):
		return Privacy
	case errors.Is(err, spill.ErrBudget), errors.Is(err, spill.ErrDisk), IsFull(err):
		return Resources
	case IsBarred(err):
		return Usage
	case errors.Is(err, formats.ErrBusy), errors.Is(err, spill.ErrCorrupt), errors.Is(err, spill.ErrFailed), isTransient(err):
		return Transient
	}
	return Internal
}

// IsBarred reports whether the system bars a path from kcut, today and tomorrow: the permission
// is missing, nothing may be written there, or it cannot be the name of a file.
func IsBarred(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG)
}

// IsFull reports whether a disk, a quota or a limit on the size of files left no room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// isTransient reports whether err comes from the operating system or an object store: a read
// or write that failed may work the next time, unlike a bug.
func isTransient(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) || errors.Is(err, storage.ErrUnavailable) || errors.Is(err, fs.ErrNotExist)
}
