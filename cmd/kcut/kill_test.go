package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/seedtest"
)

// A run that is killed or stopped at any moment publishes the whole release or nothing. The next
// run uses the checkpoint, publishes the bytes of an undisturbed run, and removes all files of the
// earlier run.
func TestKilledWhileSpilling(t *testing.T) {
	kills := 20
	if os.Getenv("KCUT_LONG") != "" {
		kills = 250
	}
	for _, output := range []string{"out.parquet", "parts/"} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			seed := seedtest.Seed(t)
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 0))
			r := newSpillingRun(t, 25_000)
			if r.output = output; strings.HasSuffix(output, "/") {
				r.scratch = r.hidden()
			}
			began := time.Now()
			want := r.mustSucceed(t)
			took := time.Since(began)
			swept, resumed := 0, 0
			for kill := range kills / 2 {
				run, moment := start(t, r.command("--checkpoint", "1ns")), rng.Int64N(int64(took))
				switch kill % 3 {
				case 0:
					run.saw(func() bool { return len(tables(r.scratch)) > 0 })
					moment /= 16
				case 1:
					run.saw(func() bool { return len(r.states()) > 0 })
					moment /= 4
				}
				time.Sleep(time.Duration(moment))
				if kill%4 == 3 { // stopped, not killed; in both cases the run may have ended before
					_ = run.cmd.Process.Signal(syscall.SIGTERM)
					if code := run.exit(t); code != 143 && code != 0 &&
						!run.diedOf(syscall.SIGTERM) {
						t.Errorf("stopped with exit code %d: %s", code, &run.stderr)
					}
				}
				_ = run.cmd.Process.Kill()
				<-run.done
				if len(tables(r.scratch)) > 0 {
					swept++
				}
				if len(r.states()) > 0 {
					resumed++
				}
				if got := r.released(t); got != "" && got != want {
					t.Errorf("the killed run released\n%swant\n%s", got, want)
				}
				if got := r.mustSucceed(t, "--checkpoint", "1ns"); got != want {
					t.Errorf("the next run released\n%swant\n%s", got, want)
				}
			}
			t.Logf("of %d kills %d left spilled data, %d a checkpoint", kills/2, swept, resumed)
			if swept == 0 || resumed == 0 {
				t.Error("that is too few")
			}
		})
	}
}

// Two runs that spill to one folder at the same time do not affect each other.
func TestTwoRunsInOneSpillFolder(t *testing.T) {
	a, b := newSpillingRun(t, 60_000), newSpillingRun(t, 40_000)
	wantA, wantB := a.mustSucceed(t), b.mustSucceed(t)
	shared := t.TempDir()
	for _, r := range []*spillingRun{a, b} {
		r.scratch = shared
	}
	first := start(t, a.command())
	first.untilSpilled(t, shared)
	if got := b.mustRelease(t, start(t, b.command())); got != wantB {
		t.Errorf("the second run released %s, want %s", got, wantB)
	}
	if got := a.mustRelease(t, first); got != wantA {
		t.Errorf("the first run released %s, want %s", got, wantA)
	}
	if left := list(t, shared); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Other users cannot read spilled data. The next run removes the spilled data of a killed run,
// whether it spills or not.
func TestSpillFolderIsPrivateAndSwept(t *testing.T) {
	for _, memory := range []string{"16MiB", "1GiB"} {
		for _, named := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %v", memory, named), func(t *testing.T) {
				t.Parallel()
				r := newSpillingRun(t, 40_000)
				if !named {
					r.scratch = r.hidden()
				}
				run := start(t, r.command())
				run.untilSpilled(t, r.scratch)
				for _, name := range list(t, r.scratch) {
					if info, err := os.Stat(filepath.Join(r.scratch, name)); err != nil ||
						info.Mode() != os.ModeDir|0o700 {
						t.Errorf("%s has mode %v: %v", name, info.Mode(), err)
					}
				}
				if err := run.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				<-run.done
				if len(tables(r.scratch)) == 0 {
					t.Error("the killed run left nothing to sweep")
				}
				r.mustSucceed(t, "--memory", memory)
			})
		}
	}
}
