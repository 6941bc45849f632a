// Package exit is how kcut's programs end: by a signal, or with an error, its hint and its exit code. docs/operations.md promises
// the codes to schedulers. What is printed, and where, is the programs' own.
package exit

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// Signal is the cause of a context that a signal cancelled.
type Signal struct{ Signal syscall.Signal }

func (s Signal) Error() string {
	switch s.Signal {
	case syscall.SIGINT:
		return "stopped by SIGINT"
	case syscall.SIGQUIT:
		return "stopped by SIGQUIT"
	}
	return "stopped by SIGTERM"
}

// Is makes a Signal count as context.Canceled, for whoever returns the context's cause.
func (s Signal) Is(target error) bool { return target == context.Canceled }

// ExitCode is the one that shells give a process which a signal ended. SIGQUIT counts as SIGTERM:
// schedulers know that code.
func (s Signal) ExitCode() int {
	if s.Signal == syscall.SIGQUIT {
		return Signal{syscall.SIGTERM}.ExitCode()
	}
	return 128 + int(s.Signal)
}

// Grace is how long a stopped command may take to remove what it has written. Schedulers kill
// after 10 seconds at the earliest (docker stop), and to be killed does no harm: the next run
// sweeps.
const Grace = 8 * time.Second

// Signals takes the process's SIGINT, SIGTERM and SIGQUIT, for good: one that comes when a command
// has done its work does not make that a failure, and none prints stacks.
func Signals() chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	return signals
}

// Stoppable calls f and returns its exit code. The first of the signals cancels f's context, so
// that f can remove what it has written; a second one, or the end of the given time, does not
// wait for that.
func Stoppable(f func(context.Context) int, grace time.Duration, signals <-chan os.Signal) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- f(ctx) }()
	var late <-chan time.Time
	for {
		select {
		case code := <-done:
			return code
		case s := <-signals:
			stopped := Signal{s.(syscall.Signal)}
			if late != nil {
				return stopped.ExitCode()
			}
			cancel(stopped)
			late = time.After(grace)
		case <-late:
			return context.Cause(ctx).(Signal).ExitCode()
		}
	}
}

// Classes says of every class of error its exit code, and what to do when the error itself
// does not say. Those of the input always do. Schedulers retry 6, and 130 and 143; see docs/operations.md.
var Classes = map[kcut.Class]struct {
	Code int
	Hint string
}{
	kcut.ErrInternal:  {1, "this is a bug in kcut: please report it; KCUT_DEBUG=1 shows where it happened"},
	kcut.ErrUsage:     {2, "kcut config --schema prints every key of a job file"},
	kcut.ErrInput:     {3, ""},
	kcut.ErrPrivacy:   {4, "lower k, or give more records"},
	kcut.ErrExists:    {5, "--overwrite replaces it"},
	kcut.ErrTransient: {6, "try again"},
	kcut.ErrResources: {7, "give more memory with --memory, or free disk space"},
	kcut.ErrCancelled: {1, "run the same command again"},
}

// Failure is an error as users and programs see it.
type Failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`

	Stack []byte `json:"-"` // of a bug
}

// FailureOf tells what to say about err and how to leave: nil for no error.
func FailureOf(ctx context.Context, err error) *Failure {
	if err == nil {
		return nil
	}
	class := kcut.ClassOf(err)
	end := Classes[class]
	f := &Failure{Class: class.String(), Message: err.Error(), Hint: end.Hint, Exit: end.Code}
	if hint := fault.HintOf(err); hint != "" {
		f.Hint = hint
	} else if kcut.IsBarred(err) {
		f.Hint = "let kcut read and write there, or name another place"
	}
	if stopped, ok := errors.AsType[Signal](context.Cause(ctx)); ok && class == kcut.ErrCancelled {
		f.Exit = stopped.ExitCode()
		f.Message = strings.Replace(f.Message, context.Canceled.Error(), stopped.Error(), 1)
	}
	if bug, ok := errors.AsType[*workers.PanicError](err); ok {
		f.Stack = bug.Stack
	}
	return f
}
