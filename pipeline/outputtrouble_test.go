package pipeline

import (
	"errors"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/publish/publishtest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// faultyFiles is the machine's file system, on which one operation fails. When the disk is full then, so does
// whatever is written later.
type faultyFiles struct {
	publish.FS
	err    error
	fails  int // number of the operation, counted from 0
	seen   int
	failed string          // what the operation was; empty: there were not as many
	kinds  map[string]bool // of operations
}

func newFaultyFiles(err error, n int) *faultyFiles {
	f := &faultyFiles{err: err, fails: n, kinds: make(map[string]bool)}
	f.FS = publishtest.Hooked(f.around)
	return f
}

// around fails an operation whose turn it is. Files are really closed, as the kernel would, and
// never synced: no test can lose power.
func (f *faultyFiles) around(kind string, do func() error, _ ...string) (err error) {
	f.kinds[kind] = true
	f.seen++
	switch {
	case f.seen-1 == f.fails:
		f.failed, err = kind, f.err
	case f.failed != "" && f.err == syscall.ENOSPC && kind == "write":
		err = f.err
	}
	if kind == "sync" || err != nil && kind != "close" {
		return err
	}
	return errors.Join(err, do())
}

// A file operation of the output that fails, whichever it is, fails a spilling run. It has
// published the whole release or left what was before, and so does the next run.
func TestEveryOutputFaultSurfaces(t *testing.T) {
	for _, tt := range []struct {
		err    error
		class  fault.Class
		output string
		kinds  []string
	}{
		{syscall.ENOSPC, fault.Resources, "out.parquet", []string{"create", "write", "sync", "rename", "close", "lock"}},
		{syscall.EIO, fault.Transient, "out/", []string{"make directory", "create", "write", "sync", "list", "exchange", "remove", "close"}},
	} {
		t.Run(tt.output, func(t *testing.T) {
			t.Parallel()
			dir := spillingRows(t, 1200)
			run := func(files publish.FS) error {
				return tryJob(t, dir, t.Context(), RunOptions{
					Overwrite: true, System: System{Spill: true, Room: 300, Files: files, Store: spill.Options{FS: spilltest.Healthy(), Share: 64 << 10}},
				}, "output.path", dir+"/"+tt.output)
			}
			if err := run(newFaultyFiles(nil, -1)); err != nil {
				t.Fatal(err)
			}
			want := listing(t, dir)
			for n, failed := 0, true; failed; n++ {
				files := newFaultyFiles(tt.err, n)
				err := run(files)
				if failed = files.failed != ""; failed != (err != nil) || failed && (!errors.Is(err, tt.err) || fault.ClassOf(err) != tt.class) {
					t.Errorf("operation %d, %s, failed, and the run said %v of class %d", n, files.failed, err, fault.ClassOf(err))
				}
				if !failed {
					t.Logf("%d operations: %v", n, slices.Sorted(maps.Keys(files.kinds)))
					for _, kind := range tt.kinds {
						if !files.kinds[kind] {
							t.Errorf("there was no %s", kind)
						}
					}
				}
				for path, file := range listing(t, dir) {
					if whole, ok := want[path]; ok && file != whole {
						t.Errorf("operation %d, %s, changed %s", n, files.failed, path)
					}
				}
				if err := run(newFaultyFiles(nil, -1)); err != nil {
					t.Errorf("the run after operation %d failed: %v", n, err)
				}
				unchanged(t, dir, want)
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}
