// Package fault says what kinds of failure there are: which class an error belongs to, and what
// to do next.
//
// Contract: ClassOf gives every error one Class, whichever package made it: errors carry their
// class where they arise (New, Error), and those of the operating system are told apart here. An
// Error anywhere in its chain decides. Every error of class Input carries a hint, too, since
// nothing that is true of all of them helps anybody. The class is all that a caller needs to choose an exit code
// and to know whether another try may help. No text of this package holds a cell's value.
//
// Not promised: that a class is the same on every machine. What the operating system says of
// a full disk or a missing folder differs.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
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

// Error makes a class an error, which errors.Is finds in every Error of that class.
func (c Class) Error() string { return c.String() }

// sentinel is an error to be found by errors.Is.
type sentinel struct {
	class      Class
	hint, text string
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Class() Class  { return s.class }

// New returns an error of a class, for others to wrap and to look for. Its hint is for wherever
// no Error has another.
func New(class Class, hint, text string) error { return &sentinel{class, hint, text} }

// Error is an error with its class and, where there is one, the next thing to do.
type Error struct {
	Class Class
	Hint  string
	Err   error
	// Lacks is how many bytes of a memory budget are missing, and Short makes the hint of that where there is none. Nil: something
	// else is the matter.
	Lacks int64
	Short func(missing int64) string
}

// LacksMore says that so many bytes more will be missing, in the hint of an error that a memory budget ran out, and returns it.
func LacksMore(err error, bytes int64) error {
	var advised *Error
	if errors.As(err, &advised) && advised.Short != nil {
		advised.Lacks += bytes
	}
	return err
}

// Errorf returns an Error of a class, with what to do next or nothing, and the text that fmt.Errorf makes.
func Errorf(class Class, hint, format string, args ...any) error {
	return &Error{Class: class, Hint: hint, Err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's class.
func (e *Error) Is(target error) bool {
	class, is := target.(Class)
	return is && class == e.Class
}

// Advised gives an error its class and its hint, as an *Error. None stays none.
func Advised(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Class: ClassOf(err), Hint: HintOf(err), Err: err}
}

// HintOf returns what to do next after an error: the hint of the outermost of its causes that
// has one, or that of what New returned. It returns "" when there is none.
func HintOf(err error) string {
	var advised *Error
	for next := err; errors.As(next, &advised); next = advised.Err {
		switch {
		case advised.Hint != "":
			return advised.Hint
		case advised.Short != nil:
			return advised.Short(advised.Lacks)
		}
	}
	class, hint := ClassOf(err), ""
	walk(err, func(cause error) {
		if s, is := cause.(*sentinel); is && s.class == class && hint == "" {
			hint = s.hint
		}
	})
	return hint
}

// deciding are the classes that decide where an error has several causes, the first one first:
// what makes another try useless before what does not.
var deciding = [...]Class{Usage, Cancelled, Input, Privacy, Resources}

// ClassOf returns the class of an error that any package of this module returned.
func ClassOf(err error) Class {
	var advised *Error
	if errors.As(err, &advised) {
		return advised.Class
	}
	var causes [len(classNames)]bool
	walk(err, func(cause error) {
		switch e := cause.(type) {
		case interface{ Class() Class }:
			causes[e.Class()] = true
		default:
			if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) { // or a context's own cause, which counts as that
				causes[Cancelled] = true
			}
		}
	})
	for _, class := range deciding {
		if causes[class] {
			return class
		}
	}
	var errno syscall.Errno
	switch {
	case IsFull(err):
		return Resources
	case IsBarred(err):
		return Usage
	case causes[Transient], errors.Is(err, fs.ErrNotExist), errors.As(err, &errno):
		return Transient // a read or write of the system's that failed may work the next time, unlike a bug
	}
	return Internal
}

// walk calls f with every cause of an error that has a class of its own, or no cause.
func walk(err error, f func(cause error)) {
	switch e := err.(type) {
	case interface{ Class() Class }:
		f(err)
	case interface{ Unwrap() error }:
		walk(e.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			walk(cause, f)
		}
	default:
		f(err)
	}
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
