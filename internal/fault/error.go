// Package fault classifies failures: it gives every error a class, and a hint about the next step.
//
// Contract: ClassOf gives every error one Class, from any package: errors get their class where
// they arise (New, Error), and this package classifies those of the operating system. An Error
// anywhere in a chain decides. Every error of class Input has a hint, since no general advice would
// help. The class is all that a caller needs to choose an exit code and to decide whether to try
// again. No text of this package contains a cell's value.
//
// Limits: a class may differ between machines, since operating systems report a full disk or a
// missing folder differently.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/kcut/kcut/internal/text"
)

// Class is the kind of an error, for exit codes and retries.
type Class uint8

// The classes of errors.
const (
	Internal Class = iota // a bug
	// the job file or the command line, or a path in them that kcut must not use
	Usage
	Input     // the input does not fit the job, or is damaged
	Privacy   // the requirement cannot be met, or the recount found it broken
	Exists    // the output exists
	Transient // I/O that may work when tried again
	Resources // disk full, or the memory budget too small
	Cancelled // the context was cancelled
)

var classNames = [...]string{
	Internal: "internal", Usage: "usage", Input: "input", Privacy: "privacy",
	Exists: "exists", Transient: "transient", Resources: "resources", Cancelled: "cancelled",
}

// String returns the class's name in JSON answers.
func (c Class) String() string { return classNames[c] }

// Error makes a class an error. errors.Is finds it in every Error of that class.
func (c Class) Error() string { return c.String() }

// sentinel is an error for errors.Is.
type sentinel struct {
	class      Class
	hint, text string
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Class() Class  { return s.class }

// New returns an error of a class, for wrapping and comparing. Its hint is used if no Error has
// another.
func New(class Class, hint, text string) error { return &sentinel{class, hint, text} }

// Error is an error with its class and, if there is one, a hint about the next step.
type Error struct {
	Class Class
	Hint  string
	Err   error
	// Lacks is the number of bytes that a memory budget lacks; Short makes a hint from it if there
	// is none. Nil: the error has another cause.
	Lacks int64
	Short func(missing int64) string
}

// LacksMore adds bytes to the number that the hint of an error of an exhausted budget names, and
// returns the error.
func LacksMore(err error, bytes int64) error {
	var advised *Error
	if errors.As(err, &advised) && advised.Short != nil {
		advised.Lacks += bytes
	}
	return err
}

// Errorf returns an Error of a class, with a hint or without, and the text of fmt.Errorf.
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

// Join joins an error with a later one, such as that of a close, unless the first error has the
// later one already.
func Join(err, later error) error {
	if errors.Is(err, later) {
		return err
	}
	return errors.Join(err, later)
}

// Advised returns an error as an *Error with its class and its hint, and nil for nil.
func Advised(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Class: ClassOf(err), Hint: HintOf(err), Err: err}
}

// HintOf returns the hint for an error: that of the outermost cause that has one, or that of what
// New returned. It returns "" if there is none.
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

// Lined is an error whose text has lines, such as those that show a place in a file. It escapes
// line breaks in names itself.
type Lined interface{ Lined() }

// Text returns the text of an error for messages. It has lines where errors were joined, and where
// an error is Lined; other line breaks are in names, and are escaped as text.Printable does.
func Text(err error) string {
	if _, is := err.(Lined); is {
		return err.Error()
	}
	var causes []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		causes = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = e.Unwrap()
	}
	var out strings.Builder
	rest := err.Error()
	for _, cause := range causes {
		if cause == nil {
			continue
		}
		before, after, found := strings.Cut(rest, cause.Error())
		if !found {
			continue
		}
		if before != "\n" { // errors.Join separates causes so
			before = text.Printable(before, "\t")
		}
		out.WriteString(before + Text(cause))
		rest = after
	}
	return out.String() + text.Printable(rest, "\t")
}

// deciding are the classes that decide if an error has several causes, the first one first: those
// for which another try is useless precede the others.
var deciding = [...]Class{Usage, Cancelled, Input, Privacy, Resources}

// ClassOf returns the class of any error that a package of this module returned.
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
			// or the context's own cause, which counts as one of these
			if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
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
		// unlike a bug, a failed read or write of the system may succeed the next time
		return Transient
	}
	return Internal
}

// walk calls f with every cause of an error that has its own class, or no cause.
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

// IsBarred reports whether the system permanently refuses a path: permission is missing, nothing
// may be written there, or it cannot be a file name.
func IsBarred(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG)
}

// IsFull reports whether a disk, a quota or a limit on file sizes left no room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EFBIG)
}
