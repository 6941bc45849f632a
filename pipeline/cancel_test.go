package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
)

// stages are those of a run.
var stages = []Stage{StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish}

// A run that is cancelled in any stage, in memory or out of core, says so, leaves nothing, and ends
// its goroutines.
func TestCancelled(t *testing.T) {
	inMemory := func(output string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := peopleFolder(t, outputIs(output), 3000)
			return dir
		}
	}
	for _, tt := range []struct {
		name   string
		folder func(*testing.T) string
		system System
	}{
		{"out.parquet", inMemory("out.parquet"), System{}},
		{"out/", inMemory("out/"), System{}},
		{"out of core", func(t *testing.T) string { return spillingRows(t, 24_000) }, System{Spill: true, Room: 3000}},
	} {
		for _, stage := range stages {
			for _, share := range []int64{-1, 0, 40, 60, 100} { // of the stage in percent; negative: when it starts
				if share > 0 && (stage != StageCompress || !tt.system.Spill) || share == 0 && (stage == StagePlan || stage == StagePublish) {
					continue
				}
				t.Run(fmt.Sprint(tt.name, " ", stage, " ", share), func(t *testing.T) {
					dir := tt.folder(t)
					check := mustLeaveNothing(t, dir)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					events := Events{
						Start: func(s Stage) {
							if s == stage && share < 0 {
								cancel()
							}
						},
						Progress: func(s Stage, p Progress) {
							if s == stage && share >= 0 && p.Done*100 >= p.Total*share {
								cancel()
							}
						},
					}
					err := tryJob(t, dir, ctx, RunOptions{Events: events, System: tt.system})
					if stage == StagePublish && err == nil { // too late to stop it
						return
					}
					if !errors.Is(err, context.Canceled) || fault.ClassOf(err) != fault.Cancelled {
						t.Errorf("got %v of class %d", err, fault.ClassOf(err))
					}
					check()
				})
			}
		}
	}
}

// mustLeaveNothing returns what demands, after a run, that it has left no file, goroutine or open
// file.
func mustLeaveNothing(t *testing.T, dir string) func() {
	t.Helper()
	before, goroutines, files := listing(t, dir), runtime.NumGoroutine(), openFiles()
	return func() {
		t.Helper()
		unchanged(t, dir, before)
		for range 500 {
			if runtime.NumGoroutine() <= goroutines {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if now := runtime.NumGoroutine(); now > goroutines {
			t.Errorf("%d goroutines, %d before", now, goroutines)
		}
		if now := openFiles(); now > files {
			t.Errorf("%d files open, %d before", now, files)
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
