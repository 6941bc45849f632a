package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// spillingJob is a job that spills in every stage that can spill, with the limit in it.
const spillingJob = `
input: in
output: out.parquet
class: label
quasi_identifiers:
  - {columns: [number, name], k: 3}
  - {columns: [name, zip], k: 2}
columns: {number: discretize, name: suppress, zip: {mask: generalize, taxonomy: {prefix: [4, 2]}}, label: keep}
limits: {memory: 16MiB, threads: 2, spill_dir: scratch}
`

// spillingRows makes a folder whose job writes files of all kinds to its scratch folder if it
// spills.
func spillingRows(tb testing.TB, rows int) string {
	tb.Helper()
	table := &testTable{fields: textFields("number", "name", "zip", "label")}
	table.fields[0].Type = wholeType
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range rows {
		number := rng.IntN(rows / 3)
		table.rows = append(table.rows, []string{
			fmt.Sprint(number), fmt.Sprintf("%s %d", strings.Repeat("name", 20), i/3),
			fmt.Sprintf("%05d", 10_000+rng.IntN(3000)),
			[]string{"low", "high"}[min(1, (number+rng.IntN(rows/6))*4/rows)],
		})
	}
	dir := jobFolder(tb, spillingJob)
	table.parquet(tb, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), rows/4)
	return dir
}

// spillOnto runs the job of a folder out of core on a disk, with so little memory that even a
// small job writes, reads and removes tables.
func spillOnto(t *testing.T, dir string, disk *spilltest.Disk) error {
	t.Helper()
	options := RunOptions{System: System{Spill: true, Room: 3000, Store: spill.Options{FS: disk}}}
	if !long {
		options.System.Room, options.System.Store.Share = 300, 64<<10
	}
	return tryJob(t, dir, t.Context(), options)
}

// Any failing file operation, once or from then on, fails the run. The run then publishes
// nothing, and the next run removes all files that stay behind.
func TestEveryDiskFaultSurfaces(t *testing.T) {
	rows := 1200
	if long {
		rows = 24_000
	}
	for _, tt := range []struct {
		err   error
		class fault.Class
		disk  func(error, int64) *spilltest.Disk
	}{
		{syscall.ENOSPC, fault.Resources, spilltest.Full},
		{syscall.EDQUOT, fault.Resources, spilltest.Failing},
		{syscall.EIO, fault.Transient, spilltest.Failing},
	} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			t.Parallel()
			dir := spillingRows(t, rows)
			before := listing(t, dir)
			healthy := spilltest.Healthy()
			must(t, spillOnto(t, dir, healthy))
			t.Logf("%d operations", healthy.Operations())
			// No file is synced: spilled data are useless after the run.
			for _, kind := range []string{"make directory", "lock", "list", "create",
				"write", "open", "read at", "rename", "remove", "remove all"} {
				if !healthy.Did(kind) {
					t.Errorf("there was no %s", kind)
				}
			}
			// A run may need some more or fewer than another.
			for n, failed := int64(0), true; failed || n < healthy.Operations(); n++ {
				if err := os.Remove(filepath.Join(dir, "out.parquet")); err != nil &&
					!errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				disk := tt.disk(tt.err, n)
				err := spillOnto(t, dir, disk)
				if failed = disk.Failed(); !failed {
					if err != nil {
						t.Errorf("without a fault: %v", err)
					}
					continue
				}
				mustFailOn(t, disk, err, tt.err, tt.class)
				unchanged(t, dir, before)
				if t.Failed() {
					t.Fatalf("operation %d", n)
				}
			}
		})
	}
}

// mustFailOn demands that a run on a failed disk returns an error with a hint, and that no file
// stays there.
func mustFailOn(t *testing.T, disk *spilltest.Disk, got, want error, class fault.Class) {
	t.Helper()
	mustFail(t, got, class, want.Error(), "scratch", "limits.spill_dir")
	if strings.Count(fmt.Sprint(got), "spill folder /") != 1 {
		t.Errorf("%q does not name the folder once", got)
	}
	left := disk.Left()
	if len(left) == 0 {
		return
	}
	if !disk.Removing() {
		t.Errorf("%v is left after %v", left, got)
	}
	disk.Repair()
	store, err := spill.Open(filepath.Dir(left[0]), spill.Options{FS: disk})
	must(t, err)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if left := disk.Left(); len(left) > 0 {
		t.Errorf("%v is left by the next run, too", left)
	}
}

// An unusable spill folder ends the run with a hint.
func TestSpillFolderTrouble(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, scratch string)
		during  func(scratch string) error // the first reading
		class   fault.Class
	}{
		{"a file", func(t *testing.T, scratch string) {
			write(t, scratch, "x")
		}, nil, fault.Resources},
		{"read-only", func(t *testing.T, scratch string) {
			if os.Getuid() == 0 {
				t.Skip("nothing is read-only to root")
			}
			must(t, os.Mkdir(scratch, 0o500))
		}, nil, fault.Resources},
		{"vanishes", func(*testing.T, string) {}, removeAll, fault.Resources},
		{"damaged", func(*testing.T, string) {}, damage, fault.Transient},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := spillingRows(t, 24_000)
			scratch := filepath.Join(dir, "scratch")
			tt.prepare(t, scratch)
			check := mustLeaveNothing(t, dir)
			var during sync.Once
			err := tryJob(t, dir, t.Context(),
				RunOptions{Events: resources.Events{Progress: func(
					s resources.Stage, p resources.Progress,
				) {
					if tt.during != nil && s == resources.StageCompress && 5*p.Done >= 2*p.Total {
						during.Do(func() {
							if err := tt.during(scratch); err != nil {
								t.Error(err)
							}
						})
					}
				}}, System: System{Spill: true,
					Room: 3000, Store: spill.Options{Share: 256 << 10}}})
			mustFail(t, err, tt.class, scratch, "limits.spill_dir")
			check()
		})
	}
}

// removeAll removes a folder while files are made in it.
func removeAll(folder string) error {
	for {
		if err := os.RemoveAll(folder); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
}

// damage changes the files in a folder, once it has some.
func damage(folder string) error {
	for range 500 {
		found, err := damageFiles(folder)
		if found > 0 || err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("nothing is there to be damaged")
}

func damageFiles(folder string) (found int, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(entry.Name(), "table-") {
			return err
		}
		found++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		clear(text[:len(text)-len(text)/8])
		return os.WriteFile(path, text, 0o600)
	})
	return found, err
}

// faultyFiles is the machine's file system with one failing operation. If the disk is full then,
// all later writes fail, too.
type faultyFiles struct {
	*publish.FS
	err    error
	fails  int // number of the failing operation, counted from 0
	seen   int
	failed string          // the kind of the operation; empty: there were fewer operations
	kinds  map[string]bool // of operations
}

func newFaultyFiles(err error, n int) *faultyFiles {
	f := &faultyFiles{err: err, fails: n, kinds: make(map[string]bool)}
	f.FS = &publish.FS{Around: f.around}
	return f
}

// around does an operation, or fails it if its number has come. Files are really closed, as the
// kernel does after an error, and never synced: no test can lose power.
func (f *faultyFiles) around(kind string, do func() error, _ ...string) (err error) {
	f.kinds[kind] = true
	f.seen++
	switch {
	case f.seen-1 == f.fails:
		f.failed, err = kind, f.err
	case f.failed != "" && errors.Is(f.err, syscall.ENOSPC) && kind == "write":
		err = f.err
	}
	if kind == "sync" || err != nil && kind != "close" {
		return err
	}
	return errors.Join(err, do())
}

// Any failing file operation of the output fails a spilling run. The run has then published the
// whole release, or left the files from before; so does the next run.
func TestEveryOutputFaultSurfaces(t *testing.T) {
	for _, tt := range []struct {
		err    error
		class  fault.Class
		output string
		kinds  []string
	}{
		{syscall.ENOSPC, fault.Resources, "out.parquet",
			[]string{"create", "write", "sync", "rename", "close", "lock"}},
		{syscall.EIO, fault.Transient, "out/",
			[]string{"make directory", "create", "write", "sync", "list", "exchange",
				"remove", "close"}},
	} {
		t.Run(tt.output, func(t *testing.T) {
			t.Parallel()
			dir := spillingRows(t, 1200)
			run := func(files *faultyFiles) error {
				return tryJob(t, dir, t.Context(), RunOptions{
					Overwrite: true, System: System{Spill: true, Room: 300, Files: files.FS,
						Store: spill.Options{FS: spilltest.Healthy(), Share: 64 << 10}},
				}, "output.path", dir+"/"+tt.output)
			}
			must(t, run(newFaultyFiles(nil, -1)))
			want := listing(t, dir)
			for n, failed := 0, true; failed; n++ {
				files := newFaultyFiles(tt.err, n)
				err := run(files)
				if failed = files.failed != ""; failed != (err != nil) ||
					failed && (!errors.Is(err, tt.err) || fault.ClassOf(err) != tt.class) {
					t.Errorf("operation %d, %s, failed, and the run said %v of class %d",
						n, files.failed, err, fault.ClassOf(err))
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
					if whole, ok := want[path]; ok && file != whole &&
						files.failed != "change mode" {
						// which the next run does
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
