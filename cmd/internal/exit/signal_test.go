package exit

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// raise sends signals to this process.
func raise(t *testing.T, signals ...syscall.Signal) {
	t.Helper()
	for _, s := range signals {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Error(err)
		}
	}
}

// Stoppable waits for a stopped command, as scripts test, but not after a second signal, and not
// longer than the grace time.
func TestStoppable(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for _, tt := range []struct {
		name  string
		grace time.Duration
		f     func(context.Context) int
		want  int
	}{
		{"hangs", time.Millisecond, func(context.Context) int {
			raise(t, syscall.SIGINT)
			<-never
			return 0
		}, 130},
		{"is to quit", time.Hour, func(ctx context.Context) int {
			raise(t, syscall.SIGQUIT)
			<-ctx.Done()
			return FailureOf(ctx, fmt.Errorf("search: %w", context.Cause(ctx))).Exit
		}, 143},
		{"second signal", time.Hour, func(ctx context.Context) int {
			raise(t, syscall.SIGINT)
			<-ctx.Done()
			raise(t, syscall.SIGTERM)
			<-never
			return 0
		}, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			signals := Signals()
			defer signal.Stop(signals)
			if got := Stoppable(tt.f, tt.grace, signals); got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}
