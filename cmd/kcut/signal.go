package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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

// stoppable calls f and returns its exit code. The first SIGINT or SIGTERM cancels f's
// context, so that f can remove what it has written; a second one does not wait for that.
func stoppable(f func(context.Context) int) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- f(ctx) }()
	for ctx.Err() == nil {
		select {
		case code := <-done:
			return code
		case s := <-signals:
			cancel(stopSignal{s.(syscall.Signal)})
		}
	}
	select {
	case code := <-done:
		return code
	case s := <-signals:
		return stopSignal{s.(syscall.Signal)}.exitCode()
	}
}
