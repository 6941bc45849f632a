package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
)

// spillingTable returns a table of many different values: a job with the least memory spills the
// values, the tuples, and the partitions of the search.
func spillingTable(rows int64) bigRun {
	long := func(v uint64) string { return account(v) + strings.Repeat("-", 100) }
	return bigRun{
		table: bigTable{rows: rows, rowGroup: rows / 4, columns: []bigColumn{
			{name: "seen", typ: formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}},
			{name: "account", typ: bigText, text: long},
			numbers("age", 74),
			{name: "note", typ: bigText, text: account},
		}},
		masks: "discretize suppress discretize keep",
		k:     5,
	}
}

// spillingRun is a folder whose job spills to the folder scratch.
type spillingRun struct {
	dir     string
	scratch string
	output  string // in the folder; a directory of part files if it ends in "/"
	binary  string
	user    *syscall.Credential // user of the run; nil: the user of the test
	before  []string            // the initial files of the folder
}

// newSpillingRun makes a folder with table and job.
func newSpillingRun(t *testing.T, rows int64) *spillingRun {
	t.Helper()
	binary, err := exec.LookPath("kcut")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := spillingTable(rows)
	if err := b.prepare(dir); err != nil {
		t.Fatal(err)
	}
	return &spillingRun{dir: dir, scratch: filepath.Join(dir, "scratch"), output: "out.parquet",
		binary: binary, before: list(t, dir)}
}

// command returns a run of the job with the least memory. Later flags override earlier flags.
func (r *spillingRun) command(flags ...string) *exec.Cmd {
	args := []string{"run", filepath.Join(r.dir, "job.yaml"), "--memory", "16MiB", "--quiet",
		"--output", r.dir + "/" + r.output}
	if r.scratch != r.hidden() {
		args = append(args, "--spill-dir", r.scratch)
	}
	cmd := exec.Command(r.binary, append(args, flags...)...)
	cmd.Args[0] = "kcut"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: r.user}
	return cmd
}

// hidden returns the spill folder of runs without --spill-dir.
func (r *spillingRun) hidden() string { return filepath.Join(r.dir, ".kcut-spill") }

// running is a started run.
type running struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	done   chan struct{} // closed at the end of the run
	err    error         // valid after done
}

func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, done: make(chan struct{})}
	cmd.Stderr = &r.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.err = cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-r.done
	})
	return r
}

// exit waits for the end of the run and returns its exit code, -1 after a signal.
func (r *running) exit(t *testing.T) int {
	t.Helper()
	<-r.done
	var exit *exec.ExitError
	if r.err != nil && !errors.As(r.err, &exit) {
		t.Fatal(r.err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// diedOf reports whether a signal ended the run before the run caught signals.
func (r *running) diedOf(signal syscall.Signal) bool {
	status := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signaled() && status.Signal() == signal
}

// untilSpilled waits until a spill folder has tables, and fails if the run ends before.
func (r *running) untilSpilled(t *testing.T, scratch string) {
	t.Helper()
	r.until(t, "it spilled", func() bool { return len(tables(scratch)) > 0 })
}

// until waits until a condition holds, and fails if the run ends before.
func (r *running) until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	if !r.saw(happened) {
		t.Fatalf("it ended before %s: %s", what, &r.stderr)
	}
}

// saw waits until a condition holds or the run ends. The result also depends on how often this
// process had a processor.
func (r *running) saw(happened func() bool) bool {
	for !happened() {
		select {
		case <-r.done:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

// tables returns the paths of the tables below a folder, while files come and go.
func tables(folder string) (paths []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), "table-") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// mustFail checks the exit code, and that an error and a hint name a folder. The folder of the job
// must have no new files except in the scratch folder.
func (r *spillingRun) mustFail(t *testing.T, run *running, want int, folder, advice string) {
	t.Helper()
	if got := run.exit(t); got != want {
		t.Errorf("exit code %d, want %d: %s", got, want, &run.stderr)
	}
	said, hint, _ := strings.Cut(run.stderr.String(), "\n")
	if !strings.HasPrefix(said, "kcut: error: ") || !strings.Contains(said, folder) {
		t.Errorf("the error does not name %s: %s", folder, said)
	}
	if !strings.HasPrefix(hint, "kcut: hint: ") || !strings.Contains(hint, folder) ||
		!strings.Contains(hint, advice) {
		t.Errorf("the hint does not name %s and %q: %s", folder, advice, hint)
	}
	if strings.Count(hint, "\n") != 1 {
		t.Errorf("that is not two lines: %s", &run.stderr)
	}
	r.mustBeClean(t)
}

// mustBeClean checks that the folder of the job has its initial files, and that the scratch folder
// is empty.
func (r *spillingRun) mustBeClean(t *testing.T) {
	t.Helper()
	left := slices.DeleteFunc(list(t, r.dir), func(name string) bool {
		return name == "scratch" || r.isRecord(t, name)
	})
	if !slices.Equal(left, r.before) {
		t.Errorf("%v is there, %v was before", left, r.before)
	}
	if info, err := os.Stat(r.scratch); err == nil && info.IsDir() {
		if left := list(t, r.scratch); len(left) > 0 {
			t.Errorf("%v is left in the spill folder", left)
		}
	}
}

// states returns the paths of the checkpoints for the next run: next to the output or, if the
// output is in a store, in the spill folder.
func (r *spillingRun) states() (paths []string) {
	for _, folder := range []string{filepath.Join(r.dir, "."+filepath.Base(r.output)+".kcut"),
		filepath.Join(r.scratch, ".*.kcut")} {
		found, _ := filepath.Glob(filepath.Join(folder, "cut")) // the pattern is well-formed
		paths = append(paths, found...)
	}
	return paths
}

// isRecord reports whether an entry of the job's folder is the work folder of its output and
// contains only the record of the run.
func (r *spillingRun) isRecord(t *testing.T, name string) bool {
	return name == "."+filepath.Base(r.output)+".kcut" &&
		slices.Equal(list(t, filepath.Join(r.dir, name)), []string{"run.json"})
}

// mustSucceed runs the job, checks that only the release is left, removes it and returns its
// digests.
func (r *spillingRun) mustSucceed(t *testing.T, flags ...string) string {
	t.Helper()
	sum := r.mustRelease(t, start(t, r.command(flags...)))
	r.mustBeClean(t)
	return sum
}

// mustRelease waits for a run that publishes a release, removes the release and returns its
// digests.
func (r *spillingRun) mustRelease(t *testing.T, run *running) string {
	t.Helper()
	if code := run.exit(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, &run.stderr)
	}
	sum := r.released(t)
	if err := os.RemoveAll(filepath.Join(r.dir, r.output)); err != nil {
		t.Fatal(err)
	}
	return sum
}

// released returns the digests of all files of the release, or nothing without a release.
func (r *spillingRun) released(t *testing.T) (sums string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(r.dir, r.output),
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				sums += entry.Name() + " " + digest(t, path) + "\n"
			}
			return err
		})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return sums
}
