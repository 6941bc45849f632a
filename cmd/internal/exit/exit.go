// Package exit ends the programs of kcut: by a signal, or with an error, its hint and its exit
// code. docs/operations.md promises the codes to schedulers. The programs themselves decide what
// they print, and where.
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
	"github.com/kcut/kcut/internal/text"
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

// Is makes a Signal count as context.Canceled, for functions that return the cause of the context.
func (s Signal) Is(target error) bool { return target == context.Canceled }

// ExitCode returns the exit code that shells give a process that a signal ended. SIGQUIT counts as
// SIGTERM, whose code schedulers know.
func (s Signal) ExitCode() int {
	if s.Signal == syscall.SIGQUIT {
		return Signal{syscall.SIGTERM}.ExitCode()
	}
	return 128 + int(s.Signal)
}

// Grace is the time in which a stopped command may remove the files that it has written. Schedulers
// kill after 10 seconds at the earliest (docker stop). A kill does no harm: the next run removes
// these files.
const Grace = 8 * time.Second

// Signals catches SIGINT, SIGTERM and SIGQUIT until the process ends. A signal that comes after a
// command has done its work does not make the command fail, and no signal prints stacks.
func Signals() chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	return signals
}

// Stoppable calls f and returns its exit code. The first signal cancels the context of f, so that f
// can remove the files that it has written. After a second signal, or at the end of the grace time,
// Stoppable returns without waiting for f.
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

// Classes has the exit code of every class of error, and the hint for errors without a hint of
// their own. Errors of class Input always have one. Schedulers retry 6, 130 and 143; see
// docs/operations.md.
var Classes = map[kcut.Class]struct {
	Code int
	Hint string
}{
	kcut.ErrInternal: {
		1, "this is a bug in kcut: please report it; KCUT_DEBUG=1 shows where it happened",
	},
	kcut.ErrUsage:     {2, "kcut config --schema prints every key of a job file"},
	kcut.ErrInput:     {3, ""},
	kcut.ErrPrivacy:   {4, "lower k, or give more records"},
	kcut.ErrExists:    {5, "--overwrite replaces it"},
	kcut.ErrTransient: {6, "try again"},
	kcut.ErrResources: {7, "give more memory with --memory, or free disk space"},
	kcut.ErrCancelled: {1, "run the same command again"},
}

// Failure is an error in the form that users and programs read.
type Failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`

	Stack []byte `json:"-"` // the stack of a bug
}

// FailureOf returns the message, the hint and the exit code of err: nil for no error.
func FailureOf(ctx context.Context, err error) *Failure {
	if err == nil {
		return nil
	}
	class := kcut.ClassOf(err)
	end := Classes[class]
	f := &Failure{Class: class.String(), Message: fault.Text(err), Hint: end.Hint, Exit: end.Code}
	if hint := fault.HintOf(err); hint != "" {
		f.Hint = hint
	} else if kcut.IsBarred(err) {
		f.Hint = "let kcut read and write there, or name another place"
	}
	f.Hint = text.Printable(f.Hint, "")
	if stopped, ok := errors.AsType[Signal](context.Cause(ctx)); ok && class == kcut.ErrCancelled {
		f.Exit = stopped.ExitCode()
		f.Message = strings.Replace(f.Message, context.Canceled.Error(), stopped.Error(), 1)
	}
	if bug, ok := errors.AsType[*workers.PanicError](err); ok {
		f.Stack = bug.Stack
	}
	return f
}
