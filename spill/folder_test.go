package spill

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// names returns the names in a folder, or nothing when it does not exist.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNothingIsLeft(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		before    []string // files, and folders with names that end in /, made before the store
		left      []string // names in the folder above afterwards
	}{
		{"existing", "", nil, nil},
		{"made", "a", nil, nil},
		{"made deep", "a/b/c", nil, nil},
		{"with others", "", []string{"other", "kcut-spilled"}, []string{"kcut-spilled", "other"}},
		{"with abandoned ones", "", []string{"kcut-spill-7-1/", "kcut-spill-7-2/sub/", "other/"},
			[]string{"other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			for _, name := range tt.before {
				path := filepath.Join(top, name)
				create := func() error { return os.WriteFile(path, nil, 0o600) }
				if strings.HasSuffix(name, "/") {
					create = func() error { return os.MkdirAll(path, folderMode) }
				}
				must(t, create())
			}
			dir := filepath.Join(top, tt.dir)
			s, err := Open(dir, Options{Budget: small()})
			must(t, err)
			fill(t, s, s.NewSequence(), 40, 100<<10)
			info, err := os.Stat(s.folder.path)
			if err != nil || info.Mode().Perm() != folderMode {
				t.Fatalf("folder of mode %v: %v", info.Mode(), err)
			}
			must(t, s.Close())
			if got := names(t, top); !slices.Equal(got, tt.left) {
				t.Errorf("%v is left, not %v", got, tt.left)
			}
		})
	}
}

// A folder that a store has made stays while another store uses it.
func TestTwoStoresInOneFolder(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "made")
	first, err := Open(dir, Options{Budget: small()})
	must(t, err)
	link := filepath.Join(top, "link")
	must(t, os.Symlink(dir, link))
	second := open(t, nil, link)
	a, b := first.NewSequence(), second.NewSequence()
	wantA, wantB := fill(t, first, a, 40, 100<<10), fill(t, second, b, 40, 90<<10)
	check(t, first, a, wantA)
	check(t, second, b, wantB)
	must(t, first.Close())
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("%v is there", got)
	}
	check(t, second, b, wantB)
}

// lostFS removes a folder while a store locks it, as a sweeping process may.
type lostFS struct {
	vfs.FS
	before, after bool // removes it before the lock, or before the renaming
}

func (l *lostFS) Lock(name string) (io.Closer, error) {
	switch {
	case l.before:
		l.before = false
		return nil, &os.PathError{Op: "lock", Path: name, Err: syscall.EAGAIN}
	case l.after:
		l.after = false
		lock, err := l.FS.Lock(name)
		return lock, errors.Join(err, l.FS.RemoveAll(l.FS.PathDir(name)))
	}
	return l.FS.Lock(name)
}

func TestFolderLostWhileOpening(t *testing.T) {
	for _, lost := range []*lostFS{{before: true}, {after: true}, {before: true, after: true}} {
		lost.FS = vfs.NewMem()
		s := open(t, lost, "/scratch")
		seq := s.NewSequence()
		check(t, s, seq, fill(t, s, seq, 40, 100<<10))
	}
}

// goneFS removes the folder above while a store is opened in it, as a closing run may: before the
// store lists it, or before the store makes its own folder in it.
type goneFS struct {
	vfs.FS
	list, mkdir int // number of calls so far
}

func (g *goneFS) List(dir string) ([]string, error) {
	if g.list > 0 {
		g.list--
		if err := g.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return g.FS.List(dir)
}

func (g *goneFS) MkdirAll(dir string, mode os.FileMode) error {
	if g.mkdir > 0 && strings.Contains(dir, newPrefix) {
		g.mkdir--
		return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOENT}
	}
	return g.FS.MkdirAll(dir, mode)
}

func TestFolderAboveIsTakenAway(t *testing.T) {
	for _, gone := range []*goneFS{{list: 1}, {mkdir: 1}, {list: 3, mkdir: 5}} {
		gone.FS = vfs.NewMem()
		s := open(t, gone, "/scratch")
		seq := s.NewSequence()
		check(t, s, seq, fill(t, s, seq, 40, 100<<10))
	}
	gone := &goneFS{FS: vfs.NewMem(), list: 1 << 20}
	if s, err := Open("/scratch", Options{Budget: small(), FS: gone}); !errors.Is(err, ErrDisk) {
		t.Errorf("%v, %v: a folder that is always taken away was opened", s, err)
	}
}

// childEnv names the task of a copy of this program, and its folder.
const childEnv = "KCUT_TEST_CHILD"

func TestMain(m *testing.M) {
	switch what, dir, _ := strings.Cut(os.Getenv(childEnv), " "); what {
	case "hold":
		hold(dir)
	case "churn":
		churn(dir)
	default:
		os.Exit(m.Run())
	}
}

// hold opens a store, prints its folder, and waits until standard input ends.
func hold(dir string) {
	s, err := Open(dir, Options{Budget: small()})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	seq := s.NewSequence()
	for n := range 40 {
		err = s.Append(seq, chunkOf(seq, uint64(n), 100<<10))
	}
	fmt.Println(filepath.Base(s.folder.path), err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until this process is killed
}

// churn opens and closes stores and prints errors.
func churn(dir string) {
	for range 30 {
		s, err := Open(dir, Options{Budget: small()})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			fmt.Println(err)
		}
	}
}

// child returns a copy of this program that does a task in a folder.
func child(what, dir string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+what+" "+dir)
	return c
}

// Processes that start and end at the same time do not remove each other's folders.
func TestManyProcessesInOneFolder(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if out, err := child("churn", dir).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("%v is left", got)
	}
}

// A store of another process stays while the process lives, and is removed after it was killed.
func TestSweepOfAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	holder := child("hold", dir)
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	var name, failure string
	if _, err := fmt.Sscan(line, &name, &failure); err != nil || failure != "<nil>" {
		t.Fatal(line)
	}
	swept := func() bool {
		s, err := Open(dir, Options{Budget: small()})
		must(t, err)
		defer s.Close()
		return !slices.Contains(names(t, dir), name)
	}
	if swept() {
		t.Error("the folder of a living process was swept")
	}
	must(t, holder.Process.Kill())
	_ = holder.Wait() // it was killed
	if !swept() {
		t.Error("the folder of a killed process was left")
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("%v is left", got)
	}
}

// Sweep removes abandoned folders without opening a store, and leaves those of open stores.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := open(t, nil, dir)
	seq := s.NewSequence()
	want := fill(t, s, seq, 40, 100<<10)
	for _, name := range []string{folderPrefix + "1-1/sub", newPrefix + "1-1", "other"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), folderMode))
	}
	// not yet locked
	if err := os.WriteFile(filepath.Join(dir, newPrefix+"1-1", ownerFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, Sweep(dir, nil))
	if got := names(t, dir); !slices.Equal(got, []string{filepath.Base(s.folder.path), "other"}) {
		t.Errorf("%v is left", got)
	}
	check(t, s, seq, want)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, nowhere := range []string{filepath.Join(dir, "nowhere", "at all"), file,
		filepath.Join(file, "below")} {
		if err := Sweep(nowhere, nil); err != nil {
			t.Errorf("%s: %v", nowhere, err)
		}
	}
}

// Sweep returns the error of a removal that fails.
func TestSweepFails(t *testing.T) {
	memory := vfs.NewMem()
	must(t, memory.MkdirAll(stale, folderMode))
	f := &faults{err: syscall.EIO, last: forever, counts: func(op errorfs.Op) bool {
		return op.Kind == errorfs.OpRemoveAll
	}}
	if err := Sweep("/scratch/a", errorfs.Wrap(memory, f)); !errors.Is(err, syscall.EIO) ||
		!strings.Contains(err.Error(), "/scratch/a") {
		t.Error(err)
	}
}
