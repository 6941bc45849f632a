package publish_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/publish/publishtest"
)

// release publishes an output of the content.
func release(d publish.FS, target string, dir bool, content string) error {
	p, err := publish.On(d, target, dir, nil)
	if err != nil {
		return err
	}
	if err := publish.FillOutput(p, dir, content); err != nil {
		return errors.Join(err, p.Discard())
	}
	if err := p.Publish(); err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}

// released returns what files returns of such an output, nothing without content.
func released(dir bool, content string) []string {
	switch {
	case content == "":
		return nil
	case dir:
		return []string{"_SUCCESS=", "part-0.parquet=" + content, "sex=M/part-0.parquet=" + content}
	}
	return []string{".=" + content}
}

// files returns every file below a path with its text, sorted.
func files(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root || err == nil && e.IsDir() {
			return nil
		}
		text, failed := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files = append(files, name+"="+string(text))
		return errors.Join(err, failed)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPowerLoss loses power after every change that publishing makes. Then there is the old
// output or the new one, whole, whichever names the machine had written; and the new one once
// it was said to be published. Where two names cannot be exchanged there may be none, until
// the next run takes the old one back.
func TestPowerLoss(t *testing.T) {
	for i := range 8 {
		dir, exists, noExchange := i&1 != 0, i&2 != 0, i&4 != 0
		if noExchange && !(dir && exists) {
			continue // nothing is exchanged
		}
		t.Run(fmt.Sprintf("dir=%v exists=%v noExchange=%v", dir, exists, noExchange), func(t *testing.T) {
			t.Parallel()
			for changes := 1; losePower(t, changes, dir, exists, noExchange); changes++ {
			}
		})
	}
}

// losePower loses power after so many changes, and reports whether publishing makes more.
func losePower(t *testing.T, changes int, dir, exists, noExchange bool) (lost bool) {
	t.Helper()
	home, before := t.TempDir(), ""
	power := publishtest.NewPower(home)
	disk := publish.FS(power)
	if noExchange {
		disk = noExchangeFS{power}
	}
	target := filepath.Join(home, "out")
	if exists {
		before = "old"
		if err := release(disk, target, dir, before); err != nil {
			t.Fatal(err)
		}
	}
	power.LoseAfter(changes)
	err := release(disk, target, dir, "new")
	if err != nil && !errors.Is(err, publishtest.ErrPower) {
		t.Fatalf("after %d changes: %v", changes, err)
	}
	for name, survives := range publishtest.Survivals {
		back := t.TempDir()
		if err := power.Restore(back, survives); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(back, "out")
		got := files(t, target)
		if noExchange && got == nil {
			p, err := publish.On(publish.OS, target, true, nil) // it takes the old one back
			if err = errors.Join(err, p.Discard()); err != nil {
				t.Fatal(err)
			}
			got = files(t, target)
		}
		if !slices.Equal(got, released(dir, "new")) && (err == nil || !slices.Equal(got, released(dir, before))) {
			t.Errorf("after %d changes, publishing said %v, %s survived: found %q", changes, err, name, got)
		}
	}
	return err != nil
}

// noExchangeFS cannot exchange names.
type noExchangeFS struct{ *publishtest.Power }

func (noExchangeFS) Exchange(string, string) error { return errors.ErrUnsupported }

// TestSyncSurvives loses power after what is to be kept of a suspended output was synced.
func TestSyncSurvives(t *testing.T) {
	for _, dir := range []bool{false, true} {
		home := t.TempDir()
		power := publishtest.NewPower(home)
		p, err := publish.On(power, filepath.Join(home, "out"), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := publish.SyncDir(power, home); err != nil {
			t.Fatal(err)
		}
		kept, want := p.Path(), ".=kept"
		if dir {
			kept, want = filepath.Join(kept, "part-0.parquet"), "part-0.parquet=kept"
		}
		if err := errors.Join(publish.FillOutput(p, dir, "kept"), p.Sync(kept), p.Suspend(func(path string) bool { return path == kept })); err != nil {
			t.Fatal(err)
		}
		back := t.TempDir()
		if err := power.Restore(back, publishtest.Survivals["no names"]); err != nil {
			t.Fatal(err)
		}
		if got := files(t, filepath.Join(back, filepath.Base(p.Path()))); !slices.Equal(got, []string{want}) {
			t.Errorf("dir=%v: found %q, want %q", dir, got, want)
		}
	}
}
