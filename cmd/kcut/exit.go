package main

import (
	"context"
	"errors"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/workers"
)

const exitDone = 0

// exits says of every class of error its exit code, and what to do when the error itself
// does not say. Schedulers retry 6, and 130 and 143; see docs/operations.md.
var exits = map[kcut.Class]struct {
	code int
	hint string
}{
	kcut.ErrInternal:  {1, "this is a bug in kcut: please report it; KCUT_DEBUG=1 shows where it happened"},
	kcut.ErrUsage:     {2, "kcut config --schema prints every key of a job file"},
	kcut.ErrInput:     {3, "compare the input with the job file, or export it again"},
	kcut.ErrPrivacy:   {4, "lower k, or give more records"},
	kcut.ErrExists:    {5, "--overwrite replaces it"},
	kcut.ErrTransient: {6, "try again"},
	kcut.ErrResources: {7, "give more memory with --memory, or free disk space"},
	kcut.ErrCancelled: {1, "run the same command again"},
}

// failure is an error as users and programs see it.
type failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`

	stack []byte // of a bug
}

// failureOf tells what to say about err and how to leave.
func failureOf(ctx context.Context, err error) *failure {
	class := kcut.ClassOf(err)
	exit := exits[class]
	f := &failure{Class: class.String(), Message: err.Error(), Exit: exit.code}
	var advised *kcut.Error
	switch {
	case errors.As(err, &advised) && advised.Hint != "":
		f.Hint = advised.Hint
	case kcut.IsBarred(err):
		f.Hint = "let kcut read and write there, or name another place"
	default:
		f.Hint = exit.hint
	}
	var stopped stopSignal
	if class == kcut.ErrCancelled && errors.As(context.Cause(ctx), &stopped) {
		f.Exit = stopped.exitCode()
		f.Message = strings.Replace(f.Message, context.Canceled.Error(), stopped.Error(), 1)
	}
	var bug *workers.PanicError
	if errors.As(err, &bug) {
		f.stack = bug.Stack
	}
	return f
}
