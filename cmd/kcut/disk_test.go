package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut"
)

const (
	exitTransient = 6
	exitResources = 7
)

// A run ends with a hint if its spill folder is unusable, or is lost or damaged while the run
// spills. The next run is not affected.
func TestSpillFolderTrouble(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, r *spillingRun) (undo func())
		during  func(scratch string) error // called repeatedly from the first table on
		exit    int
		advice  string
	}{
		{"a file", fileInPlace, nil, exitResources, "let kcut write to"},
		{"read-only", readOnly, nil, exitResources, "let kcut write to"},
		{"removed", nothing, os.RemoveAll, exitResources, "nobody remove it"},
		{"emptied", nothing, emptyFolder, exitResources, "nobody remove it"},
		{"damaged", nothing, damageTables, exitTransient, "check the disk"},
		{"full disk", smallDisk, nil, exitResources, "free space in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newSpillingRun(t, 40_000)
			undo := tt.prepare(t, r)
			run := start(t, r.command())
			if tt.during != nil {
				run.untilSpilled(t, r.scratch)
				run.meanwhile(t, func() error { return tt.during(r.scratch) })
			}
			r.mustFail(t, run, tt.exit, r.scratch, tt.advice)
			undo()
			r.mustSucceed(t)
		})
	}
}

// meanwhile calls f until the run has ended.
func (r *running) meanwhile(t *testing.T, f func() error) {
	t.Helper()
	for {
		select {
		case <-r.done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		// Files come and go while f reads the folder.
		if err := f(); err != nil && !errors.Is(err, syscall.ENOTEMPTY) &&
			!errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

func nothing(*testing.T, *spillingRun) (undo func()) { return func() {} }

func fileInPlace(t *testing.T, r *spillingRun) (undo func()) {
	if err := os.WriteFile(r.scratch, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(r.scratch); err != nil {
			t.Fatal(err)
		}
	}
}

// readOnly makes a folder that the run may read and not write.
func readOnly(t *testing.T, r *spillingRun) (undo func()) {
	if os.Getuid() == 0 {
		r.anotherUser(t)
	}
	if err := os.Mkdir(r.scratch, 0o555); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Chmod(r.scratch, 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// nobody is the user of the binary if the superuser runs the tests, since a superuser may write
// everywhere.
const nobody = 65534

// anotherUser runs the commands of the run as another user. That user gets the folder of the job,
// and a copy of the binary in an accessible folder.
func (r *spillingRun) anotherUser(t *testing.T) {
	t.Helper()
	copied := filepath.Join(filepath.Dir(r.dir), "kcut")
	// Another process copies the binary. A file that this process has open for writing while
	// another test starts a command cannot be executed.
	if text, err := exec.Command("cp", r.binary, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	r.binary = copied
	for _, name := range append([]string{filepath.Dir(r.dir), r.dir}, r.paths()...) {
		if err := os.Chown(name, nobody, nobody); err != nil {
			t.Skip(err)
		}
	}
	r.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	if text, err := r.command("--help").CombinedOutput(); err != nil {
		t.Skipf("another user cannot run the binary: %v: %s", err, text)
	}
}

// paths returns the paths of the initial files of the job's folder.
func (r *spillingRun) paths() (paths []string) {
	for _, name := range r.before {
		paths = append(paths, filepath.Join(r.dir, name))
	}
	return paths
}

func smallDisk(t *testing.T, r *spillingRun) (undo func()) { return mountSmall(t, r.scratch) }

// mountSmall mounts a disk that is too small for the releases and the spilled data of the tests, if
// the system permits that.
func mountSmall(t *testing.T, path string) (unmount func()) { return mount(t, path, 256) }

// mount mounts a disk of a size in KiB.
func mount(t *testing.T, path string, size int) (unmount func()) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	err := syscall.Mount("kcut-test", path, "tmpfs", 0, fmt.Sprintf("size=%dk", size))
	if err != nil {
		t.Skipf("mount a small disk: %v", err)
	}
	mounted := true
	unmount = func() {
		if !mounted {
			return
		}
		mounted = false
		if err := syscall.Unmount(path, 0); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(unmount)
	return unmount
}

func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	return err
}

// damageTables flips a bit in the first block of every table in a folder, once: a block
// begins with a zero.
func damageTables(folder string) (err error) {
	for _, path := range tables(folder) {
		file, opened := os.OpenFile(path, os.O_WRONLY, 0)
		err = errors.Join(err, opened)
		if opened == nil {
			_, written := file.WriteAt([]byte{1}, 0)
			err = errors.Join(err, written, file.Close())
		}
	}
	return err
}

// A limit on the size of files, of the spilled ones or of the release, is like a full disk.
func TestFileSizeLimit(t *testing.T) {
	for _, tt := range []struct{ name, memory, advice string }{
		{"spilling", "16MiB", "limits.spill_dir"},
		{"writing the release", "1GiB", "or write to a larger disk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newSpillingRun(t, 40_000)
			cmd := r.command("--memory", tt.memory)
			limited := exec.Command("sh", append([]string{"-c", `ulimit -f 40 && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
			folder := r.dir
			if tt.memory == "16MiB" {
				folder = r.scratch
			}
			r.mustFail(t, start(t, limited), exitResources, folder, tt.advice)
			r.mustSucceed(t, "--memory", tt.memory)
		})
	}
}

// A disk too full for the release ends the run like a disk too full for spilled data. An old output
// stays.
func TestFullOutputDisk(t *testing.T) {
	for _, output := range []string{"out.parquet", "parts/"} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			r := newSpillingRun(t, 40_000)
			r.before = append(r.before, "release")
			folder := filepath.Join(r.dir, "release")
			mountSmall(t, folder)
			old := filepath.Join(folder, "out.parquet")
			if strings.HasSuffix(output, "/") {
				old = filepath.Join(folder, "parts", "part-00007.parquet")
				if err := os.Mkdir(filepath.Dir(old), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := list(t, folder)
			run := start(t, r.command("--overwrite", "--output", folder+"/"+output))
			r.mustFail(t, run, exitResources, folder, "free space in")
			// The folder has the cut, for the next run.
			kept := "." + strings.TrimSuffix(output, "/") + ".kcut"
			left := slices.DeleteFunc(list(t, folder), func(name string) bool {
				return name == kept
			})
			if !slices.Equal(left, before) {
				t.Errorf("%v is there, %v was before", left, before)
			}
			if text, err := os.ReadFile(old); err != nil || string(text) != "old" {
				t.Errorf("the old output has %d bytes: %v", len(text), err)
			}
		})
	}
}

// If a disk is full at any moment the run ends with 7, and leaves the old output and no spilled
// data. On a disk that is large enough, of any size, a run makes the same release.
func TestDisksOfAnySize(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	r := newSpillingRun(t, 40_000)
	disk := filepath.Join(r.dir, "disk")
	r.scratch = filepath.Join(disk, "scratch")
	output, full, released := filepath.Join(disk, "out.parquet"), 0, []byte(nil)
	for i := range 60 {
		unmount := mount(t, disk, 64+160*i)
		if err := os.WriteFile(output, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		run := start(t, r.command("--overwrite", "--output", output))
		code := run.exit(t)
		text, err := os.ReadFile(output)
		switch {
		case err != nil:
			t.Errorf("disk %d: %v", i, err)
		case code == exitResources && strings.Contains(run.stderr.String(), "free space in") &&
			string(text) == "old":
			full++
		case code == 0 && (released == nil || bytes.Equal(text, released)):
			released = text
		default:
			t.Errorf("disk %d: exit %d, output of %d bytes: %s", i, code, len(text), &run.stderr)
		}
		left := slices.DeleteFunc(list(t, disk), func(name string) bool {
			return name == "out.parquet" || name == ".out.parquet.kcut" // the cut and the report
		})
		if len(left) > 0 {
			t.Errorf("disk %d: %v is left", i, left)
		}
		unmount()
	}
	if full == 0 || released == nil {
		t.Errorf("%d disks were full, and a release of %d bytes was made", full, len(released))
	}
}

// A plan notes that a disk has too little room for the files of a run. The plan does not fail:
// somebody may free space before the run.
func TestPlanSmallDisk(t *testing.T) {
	r := newSpillingRun(t, 40_000)
	defer mountSmall(t, r.scratch)()
	for _, tt := range []struct {
		flags  []string
		what   string
		spills kcut.Verdict
		output kcut.Verdict
	}{
		{[]string{"--output", r.dir + "/out.parquet"}, "for what is spilled", kcut.Maybe, kcut.Yes},
		{[]string{"--output", r.scratch + "/out.parquet", "--memory", "16GiB"}, "for the release",
			kcut.Yes, kcut.Maybe},
	} {
		var out, notes bytes.Buffer
		args := append([]string{"plan", filepath.Join(r.dir, "job.yaml"), "--json", "--memory",
			"16MiB", "--spill-dir", r.scratch}, tt.flags...)
		if exit := execute(t.Context(), args, newUI(&out, &notes, false)); exit != 0 {
			t.Fatalf("exit code %d: %s", exit, notes.String())
		}
		var plan kcut.Forecast
		if err := json.Unmarshal(out.Bytes(), &plan); err != nil {
			t.Fatal(err)
		}
		room := plan.Disk.SpillRoom
		if room == nil || room.Folder != r.scratch || room.Free > 256<<10 ||
			room.Enough != tt.spills {
			t.Errorf("room to spill: %+v of %+v", room, plan.Disk)
		}
		if room := plan.Disk.OutputRoom; room == nil || room.Enough != tt.output {
			t.Errorf("room for the output: %+v of %+v", room, plan.Disk)
		}
		if all := strings.Join(plan.Notices, "\n"); strings.Count(all, "too small") != 1 ||
			!strings.Contains(all, tt.what) {
			t.Errorf("it notes %q, want one that speaks of room %s", all, tt.what)
		}
	}
}
