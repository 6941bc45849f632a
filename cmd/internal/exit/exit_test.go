package exit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats"
)

func TestFailureOf(t *testing.T) {
	stopped, stop := context.WithCancelCause(context.Background())
	stop(Signal{syscall.SIGTERM})
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		err   error
		class string
		exit  int
		hint  string // part of the hint
	}{
		{"unknown", context.Background(), errors.New("x"), "internal", 1, "report"},
		{"usage", context.Background(),
			&kcut.Error{Class: kcut.ErrUsage, Err: errors.New("x"), Hint: "kcut run --help"},
			"usage", 2, "kcut run --help"},
		{"input", context.Background(), fmt.Errorf("read: %w", formats.ErrDamaged), "input", 3,
			"write the file anew"},
		{"privacy", context.Background(), &kcut.Error{Class: kcut.ErrPrivacy, Err: errors.New("x")},
			"privacy", 4, "lower k"},
		{"exists", context.Background(), &kcut.Error{Class: kcut.ErrExists, Err: errors.New("x")},
			"exists", 5, "--overwrite"},
		{"transient", context.Background(), fmt.Errorf("read: %w", syscall.EIO), "transient", 6,
			"again"},
		{"disk full", context.Background(), fmt.Errorf("write: %w", syscall.ENOSPC), "resources", 7,
			"disk"},
		{"cancelled", stopped, fmt.Errorf("read row group 3: %w", context.Canceled), "cancelled",
			143, "again"},
		{"cancelled, by cause", stopped, context.Cause(stopped), "cancelled", 143, "again"},
		{"failed before it saw the signal", stopped, fmt.Errorf("read: %w", formats.ErrDamaged),
			"input", 3, "write the file anew"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := FailureOf(tt.ctx, tt.err)
			if f.Class != tt.class || f.Exit != tt.exit || !strings.Contains(f.Hint, tt.hint) {
				t.Errorf("got class %s, exit %d, hint %q; want %s, %d, …%s…", f.Class, f.Exit,
					f.Hint, tt.class, tt.exit, tt.hint)
			}
			if tt.name == "cancelled" && f.Message != "read row group 3: stopped by SIGTERM" {
				t.Errorf("got message %q", f.Message)
			}
		})
	}
}
