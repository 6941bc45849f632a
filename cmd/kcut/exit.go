package main

import (
	"context"
	"errors"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

const exitDone = 0

// exits says of every class of error its exit code, and what to do when the error itself
// does not say. Schedulers retry 6, and 130 and 143; see docs/operations.md.
var exits = map[fault.Class]struct {
	code int
	hint string
}{
	fault.Internal:  {1, "this is a bug in kcut: please report it; KCUT_DEBUG=1 shows where it happened"},
	fault.Usage:     {2, "kcut config --schema prints every key of a job file"},
	fault.Input:     {3, "compare the input with the job file, or export it again"},
	fault.Privacy:   {4, "lower k, or give more records"},
	fault.Exists:    {5, "--overwrite replaces it"},
	fault.Transient: {6, "try again"},
	fault.Resources: {7, "give more memory with --memory, or free disk space"},
	fault.Cancelled: {1, "run the same command again"},
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
	class := fault.ClassOf(err)
	exit := exits[class]
	f := &failure{Class: class.String(), Message: err.Error(), Hint: hintOf(err), Exit: exit.code}
	switch {
	case f.Hint != "":
	case fault.IsBarred(err):
		f.Hint = "let kcut read and write there, or name another place"
	default:
		f.Hint = exit.hint
	}
	var stopped stopSignal
	if class == fault.Cancelled && errors.As(context.Cause(ctx), &stopped) {
		f.Exit = stopped.exitCode()
		f.Message = strings.Replace(f.Message, context.Canceled.Error(), stopped.Error(), 1)
	}
	var bug *workers.PanicError
	if errors.As(err, &bug) {
		f.stack = bug.Stack
	}
	return f
}

// hintOf returns the hint of the outermost error that has one.
func hintOf(err error) string {
	for err != nil {
		var classed *fault.Error
		if !errors.As(err, &classed) {
			return ""
		}
		if classed.Hint != "" {
			return classed.Hint
		}
		err = classed.Err
	}
	return ""
}
