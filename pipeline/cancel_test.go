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

	"github.com/kcut/kcut/pipeline/fault"
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
					before, goroutines, files := listing(t, dir), runtime.NumGoroutine(), openFiles()
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
					if !errors.Is(err, context.Canceled) || fault.ClassOf(err) != fault.Cancelled {
						t.Errorf("got %v of class %d", err, fault.ClassOf(err))
					}
					unchanged(t, dir, before)
					mustEnd(t, goroutines)
					if now := openFiles(); now > files {
						t.Errorf("%d files open, %d before", now, files)
					}
				})
			}
		}
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
