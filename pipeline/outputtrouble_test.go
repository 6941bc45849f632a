package pipeline

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// faultyFiles is the machine's file system, on which one operation fails.
type faultyFiles struct {
	publish.FS
	err    error
	fails  int // number of the operation, counted from 0
	seen   int
	failed string          // what the operation was; empty: there were not as many
	kinds  map[string]bool // of operations
}

func newFaultyFiles(err error, n int) *faultyFiles {
	return &faultyFiles{FS: publish.OS, err: err, fails: n, kinds: make(map[string]bool)}
}

// turn returns the error of an operation whose turn it is to fail.
func (f *faultyFiles) turn(kind string) error {
	f.kinds[kind] = true
	f.seen++
	if f.seen-1 != f.fails {
		return nil
	}
	f.failed = kind
	return f.err
}

// do does what it is not the turn of to fail.
func (f *faultyFiles) do(kind string, do func() error) error {
	if err := f.turn(kind); err != nil {
		return err
	}
	return do()
}

func (f *faultyFiles) open(kind string, open func(string) (publish.Handle, error), name string) (publish.Handle, error) {
	if err := f.turn(kind); err != nil {
		return nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faultyFiles) OpenPrivate(name string) (publish.Handle, error) {
	return f.open("create", f.FS.OpenPrivate, name)
}

func (f *faultyFiles) OpenDir(name string) (publish.Handle, error) {
	return f.open("open directory", f.FS.OpenDir, name)
}

func (f *faultyFiles) Lstat(name string) (info fs.FileInfo, err error) {
	err = f.do("stat", func() error { info, err = f.FS.Lstat(name); return err })
	return info, err
}

func (f *faultyFiles) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = f.do("list", func() error { entries, err = f.FS.ReadDir(name); return err })
	return entries, err
}

func (f *faultyFiles) MkdirPrivate(name string) error {
	return f.do("make directory", func() error { return f.FS.MkdirPrivate(name) })
}

func (f *faultyFiles) Chmod(name string, mode fs.FileMode) error {
	return f.do("change mode", func() error { return f.FS.Chmod(name, mode) })
}

func (f *faultyFiles) Rename(from, to string) error {
	return f.do("rename", func() error { return f.FS.Rename(from, to) })
}

func (f *faultyFiles) Exchange(a, b string) error {
	return f.do("exchange", func() error { return f.FS.Exchange(a, b) })
}

func (f *faultyFiles) Remove(name string) error {
	return f.do("remove", func() error { return f.FS.Remove(name) })
}

// faultyFile is a file on faultyFiles. It is really closed, as the kernel would, and never
// synced: no test can lose power.
type faultyFile struct {
	publish.Handle
	fs *faultyFiles
}

func (f *faultyFile) Write(text []byte) (n int, err error) {
	err = f.fs.do("write", func() error { n, err = f.Handle.Write(text); return err })
	return n, err
}

func (f *faultyFile) ReadAt(text []byte, at int64) (n int, err error) {
	err = f.fs.do("read", func() error { n, err = f.Handle.ReadAt(text, at); return err })
	return n, err
}

func (f *faultyFile) WriteAt(text []byte, at int64) (n int, err error) {
	err = f.fs.do("write", func() error { n, err = f.Handle.WriteAt(text, at); return err })
	return n, err
}

func (f *faultyFile) Stat() (info fs.FileInfo, err error) {
	err = f.fs.do("stat", func() error { info, err = f.Handle.Stat(); return err })
	return info, err
}

func (f *faultyFile) Truncate(size int64) error {
	return f.fs.do("truncate", func() error { return f.Handle.Truncate(size) })
}

func (f *faultyFile) Sync() error  { return f.fs.turn("sync") }
func (f *faultyFile) Lock() error  { return f.fs.do("lock", f.Handle.Lock) }
func (f *faultyFile) Close() error { return errors.Join(f.fs.turn("close"), f.Handle.Close()) }

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
