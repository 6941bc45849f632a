// Kcut anonymizes big tables: it reads Parquet, Arrow or CSV, generalizes the
// quasi-identifiers of a job file until every combination of their values is shared by
// enough records, and writes Parquet that proves it.
//
// This package is flags, words, hints and exit codes; what is done is in package
// github.com/kcut/kcut.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/workers"
)

func main() {
	log.SetOutput(io.Discard) // of libraries: what matters is in the errors
	os.Exit(stoppable(func(ctx context.Context) int {
		u := newUI(os.Stdout, os.Stderr, isTerminal(os.Stderr))
		u.dumb = os.Getenv("TERM") == "dumb"
		return execute(ctx, os.Args[1:], u)
	}, grace, stopSignals()))
}

// execute runs one command line and returns its exit code. It does not leave the process,
// so that whatever a command owes is done when it returns.
func execute(ctx context.Context, args []string, u *ui) int {
	err := workers.Fence(func() error {
		root := newRoot(u)
		root.SetArgs(args)
		root.SetOut(u.out)
		root.SetErr(u.err)
		return root.ExecuteContext(ctx)
	})
	failed := failureOf(ctx, err)
	if failed == nil {
		return 0
	}
	u.fail(failed, args)
	return failed.Exit
}

// stopSignal is the cause of a context that a signal cancelled.
type stopSignal struct{ signal syscall.Signal }

func (s stopSignal) Error() string {
	if s.signal == syscall.SIGINT {
		return "stopped by SIGINT"
	}
	return "stopped by SIGTERM"
}

// Is makes a stopSignal count as context.Canceled, for whoever returns the context's cause.
func (s stopSignal) Is(target error) bool { return target == context.Canceled }

func (s stopSignal) exitCode() int { return 128 + int(s.signal) }

// grace is how long a stopped command may take to remove what it has written. Schedulers kill
// after 10 seconds at the earliest (docker stop), and to be killed does no harm: the next run
// sweeps.
const grace = 8 * time.Second

// stopSignals takes the process's SIGINT and SIGTERM, for good: one that comes when a command has
// done its work does not make that a failure.
func stopSignals() chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	return signals
}

// stoppable calls f and returns its exit code. The first of the signals cancels f's context, so
// that f can remove what it has written; a second one, or the end of the given time, does not
// wait for that.
func stoppable(f func(context.Context) int, grace time.Duration, signals <-chan os.Signal) int {
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
			stopped := stopSignal{s.(syscall.Signal)}
			if late != nil {
				return stopped.exitCode()
			}
			cancel(stopped)
			late = time.After(grace)
		case <-late:
			return context.Cause(ctx).(stopSignal).exitCode()
		}
	}
}

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

// failureOf tells what to say about err and how to leave: nil for no error.
func failureOf(ctx context.Context, err error) *failure {
	if err == nil {
		return nil
	}
	class := kcut.ClassOf(err)
	exit := exits[class]
	f := &failure{Class: class.String(), Message: err.Error(), Hint: exit.hint, Exit: exit.code}
	if advised, ok := errors.AsType[*kcut.Error](err); ok && advised.Hint != "" {
		f.Hint = advised.Hint
	} else if kcut.IsBarred(err) {
		f.Hint = "let kcut read and write there, or name another place"
	}
	if stopped, ok := errors.AsType[stopSignal](context.Cause(ctx)); ok && class == kcut.ErrCancelled {
		f.Exit = stopped.exitCode()
		f.Message = strings.Replace(f.Message, context.Canceled.Error(), stopped.Error(), 1)
	}
	if bug, ok := errors.AsType[*workers.PanicError](err); ok {
		f.stack = bug.Stack
	}
	return f
}
