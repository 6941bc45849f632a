package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

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
	select {
	case code := <-done:
		return code
	case s := <-signals:
		stopped := stopSignal{s.(syscall.Signal)}
		cancel(stopped)
		return stopped.within(grace, done, signals)
	}
}

// within waits for the end of what was stopped: not for longer than the given time, nor for a
// second signal to pass.
func (s stopSignal) within(grace time.Duration, done <-chan int, signals <-chan os.Signal) int {
	select {
	case code := <-done:
		return code
	case second := <-signals:
		return stopSignal{second.(syscall.Signal)}.exitCode()
	case <-time.After(grace):
		return s.exitCode()
	}
}
