package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut"
)

// stageWatch is the standard error of a run. It reports the start of a stage.
type stageWatch struct {
	text  bytes.Buffer
	stage kcut.Stage
	began func()
	seen  bool
}

func (w *stageWatch) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if !w.seen && bytes.Contains(w.text.Bytes(), fmt.Appendf(nil, `"stage began","stage":"%s"`, w.stage)) {
		w.seen = true
		w.began()
	}
	return n, err
}

// stopIn runs the job and sends a signal at the start of a stage. It returns the exit code and the
// time until the end of the run.
func (r *spillingRun) stopIn(t *testing.T, stage kcut.Stage, signal syscall.Signal,
	flags ...string) (code int, took time.Duration) {
	t.Helper()
	var sent time.Time
	cmd := r.command(append(flags, "--quiet=false", "--checkpoint", "1ns")...)
	watch := &stageWatch{stage: stage, began: func() {
		sent = time.Now()
		_ = cmd.Process.Signal(signal) // the run may have ended before
	}}
	cmd.Stderr = watch
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if !watch.seen {
		t.Fatalf("stage %s did not begin: %s", stage, &watch.text)
	}
	code, took = cmd.ProcessState.ExitCode(), time.Since(sent)
	if said := bytes.Contains(watch.text.Bytes(), []byte("stopped by SIG")); said != (code > 128) {
		t.Errorf("exit code %d: %s", code, &watch.text)
	}
	return code, took
}

// mustBeStopped checks that a stopped run left only its checkpoint and the record of the run
// before.
func (r *spillingRun) mustBeStopped(t *testing.T) {
	t.Helper()
	base := filepath.Base(r.output)
	kept := []string{"." + base + ".kcut", "scratch"}
	folder := filepath.Join(r.dir, kept[0])
	for _, name := range list(t, r.dir) {
		if !slices.Contains(r.before, name) && !slices.Contains(kept, name) {
			t.Errorf("%s is left", name)
		}
	}
	if info, err := os.Stat(folder); err == nil && info.Mode() != os.ModeDir|0o700 {
		t.Errorf("%s has mode %v", folder, info.Mode())
	} else if err == nil {
		for _, name := range list(t, folder) {
			if name != "run.json" && !slices.Contains(r.states(), filepath.Join(folder, name)) {
				t.Errorf("%s is left in %s", name, folder)
			}
		}
	} else if !os.IsNotExist(err) {
		t.Error(err)
	}
	if left := tables(r.scratch); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// A run that is stopped in a stage ends with the code of the signal, long before schedulers kill
// it, and leaves only its checkpoint. The same command then publishes the release of an undisturbed
// run. If a stage ended before the signal arrived, the test tries again. Publishing is a single
// step, after which the release is complete.
func TestStoppedInEachStage(t *testing.T) {
	stages := []kcut.Stage{
		kcut.StagePlan, kcut.StageCompress, kcut.StageSearch, kcut.StageMask, kcut.StageVerify,
		kcut.StagePublish,
	}
	signals := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143}
	outputs, long := []string{"out.parquet"}, os.Getenv("KCUT_LONG") != ""
	if long {
		outputs = append(outputs, "parts/")
	}
	for _, memory := range []string{"16MiB", "1GiB"} {
		for _, output := range outputs {
			t.Run(memory+" "+output, func(t *testing.T) {
				t.Parallel()
				r := newSpillingRun(t, 25_000)
				if r.output = output; strings.HasSuffix(output, "/") {
					r.scratch = r.hidden()
				}
				want := r.mustSucceed(t, "--memory", memory)
				for i, stage := range stages {
					for signal, code := range signals {
						if !long && (signal == syscall.SIGINT) != (i%2 == 0) {
							continue
						}
						r.mustStopIn(t, stage, signal, code, want, memory)
					}
				}
			})
		}
	}
}

// mustStopIn stops a run in a stage, and lets the next run finish.
func (r *spillingRun) mustStopIn(t *testing.T, stage kcut.Stage, signal syscall.Signal, want int,
	release, memory string) {
	t.Helper()
	for range 20 {
		got, took := r.stopIn(t, stage, signal, "--memory", memory)
		t.Logf("stopped by %v in %s: exit code %d after %v", signal, stage, got, took)
		if took > 5*time.Second {
			t.Errorf("stage %s, %v: it took %v to leave", stage, signal, took)
		}
		whole := got == 0
		switch {
		case whole && r.released(t) != release:
			t.Errorf("stage %s, %v: another release", stage, signal)
		case whole:
		case got != want:
			t.Errorf("stage %s, %v: exit code %d, want %d", stage, signal, got, want)
		default:
			r.mustBeStopped(t)
			if r.released(t) != "" {
				t.Errorf("stage %s, %v: it has released", stage, signal)
			}
		}
		if next := r.mustSucceed(t, "--memory", memory); next != release {
			t.Errorf("stage %s, %v: the next run released\n%swant\n%s", stage, signal, next,
				release)
		}
		if !whole || stage == kcut.StagePublish || t.Failed() {
			return
		}
	}
	t.Errorf("stage %s ended before any signal came", stage)
}
