package publish_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/publish/publishtest"
)

// TestPowerLoss loses power after every change that publishing makes. Then the old output or the
// new one is there and complete, whichever names the machine had written; the new one if it was
// reported as published. Where two names cannot be exchanged there may be none, until the next run
// moves the old one back.
func TestPowerLoss(t *testing.T) {
	for i := range 8 {
		dir, exists, noExchange := i&1 != 0, i&2 != 0, i&4 != 0
		if noExchange && !(dir && exists) {
			continue // nothing is exchanged
		}
		t.Run(fmt.Sprintf("dir=%v exists=%v noExchange=%v", dir, exists, noExchange),
			func(t *testing.T) {
				t.Parallel()
				for changes := 1; losePower(t, changes, dir, exists, noExchange); changes++ {
				}
			})
	}
}

// losePower loses power after a number of changes, and reports whether publishing makes more.
func losePower(t *testing.T, changes int, dir, exists, noExchange bool) (lost bool) {
	t.Helper()
	home, before := t.TempDir(), []string{}
	power := publishtest.NewPower(home)
	disk := power.FS
	if noExchange {
		disk = &publish.FS{Around: func(operation string, do func() error, paths ...string) error {
			if operation == "exchange" {
				return errors.ErrUnsupported
			}
			return power.Around(operation, do, paths...)
		}}
	}
	target := filepath.Join(home, "out")
	if exists {
		before = published(dir, "old")
		if err := attempt(disk, target, dir, "old"); err != nil {
			t.Fatal(err)
		}
	}
	power.LoseAfter(changes)
	err := attempt(disk, target, dir, "new")
	if err != nil && !errors.Is(err, publishtest.ErrPower) {
		t.Fatalf("after %d changes: %v", changes, err)
	}
	for name, survives := range publishtest.Survivals {
		back := t.TempDir()
		if err := power.Restore(back, survives); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(back, "out")
		got := visible(t, back)
		if noExchange && len(got) == 0 {
			p, err := publish.On(nil, target, true) // it moves the old one back
			if err = errors.Join(err, p.Discard()); err != nil {
				t.Fatal(err)
			}
			got = visible(t, back)
		}
		if !slices.Equal(got, published(dir, "new")) && (err == nil || !slices.Equal(got, before)) {
			t.Errorf("after %d changes, publishing said %v, %s survived: found %q", changes, err,
				name, got)
		}
	}
	return err != nil
}
