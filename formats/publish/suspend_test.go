package publish_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/publish"
)

// keepFirst keeps a file output's file, and of a directory the first part.
func keepFirst(path string) bool { return filepath.Base(path) != "part-1.parquet" }

// suspend makes two parts of a directory, or a file, makes what is to be kept durable, and
// suspends the output.
func suspend(d *publish.FS, target string, dir bool) error {
	p, err := publish.On(d, target, dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(suspendParts(p, dir), p.Suspend(keepFirst))
}

func suspendParts(p *publish.Publication, dir bool) error {
	if !dir {
		_, err := p.File().Write([]byte("half"))
		return errors.Join(err, p.Sync(p.Path()))
	}
	if err := fillParts(p, "half", "part-0.parquet", "part-1.parquet"); err != nil {
		return err
	}
	return p.Sync(filepath.Join(p.Path(), "part-0.parquet"))
}

// TestSuspend suspends outputs and continues them, failing every operation in turn: what is
// kept is there with what was written to it, what is not is gone, and the target is as it was.
func TestSuspend(t *testing.T) {
	for i := range 4 {
		dir, exists := i&1 != 0, i&2 != 0
		t.Run(fmt.Sprintf("dir=%v exists=%v", dir, exists), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for n := -1; ; n++ {
				home := filepath.Join(root, fmt.Sprint(n))
				f := &faultyFS{fail: n}
				checkSuspended(t, f, home, dir, exists)
				if n >= 0 && !f.fired {
					break
				}
			}
		})
	}
}

func checkSuspended(t *testing.T, f *faultyFS, home string, dir, exists bool) {
	t.Helper()
	target, before := filepath.Join(home, "out"), []string{}
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if exists {
		if err := attempt(nil, target, dir, "old"); err != nil {
			t.Fatal(err)
		}
		before = published(dir, "old")
	}
	err := suspend(&publish.FS{Around: f.around}, target, dir)
	if (err != nil) != f.fired || err != nil && !errors.Is(err, errInjected) {
		t.Errorf("fault %d: fired %t, error %v", f.fail, f.fired, err)
	}
	if got := visible(t, home); !slices.Equal(got, before) {
		t.Errorf("fault %d: found %q, want %q", f.fail, got, before)
	}
	p, err := publish.On(nil, target, dir, keepFirst)
	if err != nil {
		t.Fatalf("fault %d: %v", f.fail, err)
	}
	kept, want := contents(t, p.Path()), []string{"part-0.parquet=half"}
	if !dir {
		want = []string{".=half"}
	}
	if !slices.Equal(kept, want) && (err == nil && !f.fired) {
		t.Errorf("fault %d: kept %q, want %q", f.fail, kept, want)
	}
	if slices.ContainsFunc(kept, func(file string) bool { return file[:min(len(file), 6)] == "part-1" }) {
		t.Errorf("fault %d: %q is there", f.fail, kept)
	}
	if err := p.Discard(); err != nil {
		t.Error(err)
	}
	if got := contents(t, home); !slices.Equal(got, before) {
		t.Errorf("fault %d: %q is left, want %q", f.fail, got, before)
	}
}
