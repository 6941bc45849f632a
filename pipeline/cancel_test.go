package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
)

// stages are those of a run.
var stages = []Stage{StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish}

// A run that is cancelled in any stage says so, leaves nothing, and ends its goroutines.
func TestCancelled(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		for _, stage := range stages {
			for _, first := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s %v", output, stage, first), func(t *testing.T) {
					dir := jobFolder(t, outputIs(output))
					people(rand.New(rand.NewPCG(3, 4)), 3000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 3000, 50)
					before := beforeCancel(t, dir)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					events := Events{Progress: func(s Stage, _ Progress) {
						if s == stage && !first {
							cancel()
						}
					}}
					events.Start = func(s Stage) {
						if s == stage && (first || s == StagePlan || s == StagePublish) {
							cancel()
						}
					}
					err := tryJob(t, dir, ctx, RunOptions{Events: events})
					if stage == StagePublish && err == nil { // too late to stop it
						return
					}
					before.check(t, err)
				})
			}
		}
	}
}

// cancelled is what must be as it was when a run was cancelled.
type cancelled struct {
	dir               string
	listing           map[string]string
	goroutines, files int
}

func beforeCancel(t *testing.T, dir string) cancelled {
	t.Helper()
	return cancelled{dir, listing(t, dir), runtime.NumGoroutine(), openFiles()}
}

// check demands that a run was cancelled and has left nothing.
func (c cancelled) check(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) || fault.ClassOf(err) != fault.Cancelled {
		t.Errorf("got %v of class %d", err, fault.ClassOf(err))
	}
	unchanged(t, c.dir, c.listing)
	mustEnd(t, c.goroutines)
	if now := openFiles(); now > c.files {
		t.Errorf("%d files open, %d before", now, c.files)
	}
}

// openFiles returns the number of files that the process has open, where that can be known.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// mustEnd waits until there are as many goroutines as before.
func mustEnd(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
