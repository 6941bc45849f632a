package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
)

var errInjected = errors.New("injected fault")

// faultyFS fails one operation, counted from 0, or every one from there on, as if the
// process had been killed. Files are really closed, as the kernel would.
type faultyFS struct {
	FS
	fail       int
	forever    bool
	noExchange bool
	count      int
	fired      bool
}

func (f *faultyFS) fault() error {
	f.count++
	if n := f.count - 1; n == f.fail || f.forever && n > f.fail {
		f.fired = true
		return errInjected
	}
	return nil
}

type faultyFile struct {
	Handle
	fs *faultyFS
}

func (f *faultyFS) open(file Handle, err error) (Handle, error) {
	if err != nil {
		return nil, err
	}
	return faultyFile{file, f}, nil
}

func (f *faultyFS) OpenPrivate(name string) (Handle, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.open(f.FS.OpenPrivate(name))
}

func (f *faultyFS) OpenDir(name string) (Handle, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.open(f.FS.OpenDir(name))
}

func (f *faultyFS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.FS.Lstat(name)
}

func (f *faultyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.FS.ReadDir(name)
}

func (f *faultyFS) do(op func() error) error {
	if err := f.fault(); err != nil {
		return err
	}
	return op()
}

func (f *faultyFS) MkdirPrivate(name string) error {
	return f.do(func() error { return f.FS.MkdirPrivate(name) })
}

func (f *faultyFS) Chmod(name string, m fs.FileMode) error {
	return f.do(func() error { return f.FS.Chmod(name, m) })
}

func (f *faultyFS) Rename(from, to string) error {
	return f.do(func() error { return f.FS.Rename(from, to) })
}

func (f *faultyFS) Remove(name string) error {
	return f.do(func() error { return f.FS.Remove(name) })
}

func (f *faultyFS) Exchange(a, b string) error {
	if f.noExchange {
		return errors.ErrUnsupported
	}
	return f.do(func() error { return f.FS.Exchange(a, b) })
}

func (f faultyFile) Write(b []byte) (int, error) {
	if err := f.fs.fault(); err != nil {
		return 0, err
	}
	return f.Handle.Write(b)
}

func (f faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.fs.fault(); err != nil {
		return nil, err
	}
	return f.Handle.Stat()
}

func (f faultyFile) Truncate(n int64) error {
	return f.fs.do(func() error { return f.Handle.Truncate(n) })
}

// Sync costs nothing here: no test can lose power.
func (f faultyFile) Sync() error { return f.fs.fault() }

func (f faultyFile) Lock() error { return f.fs.do(f.Handle.Lock) }

func (f faultyFile) Close() error {
	return errors.Join(f.Handle.Close(), f.fs.fault())
}

// attempt makes one output of the content and publishes it.
func attempt(d FS, target string, dir bool, content string) error {
	p, err := On(d, target, dir, nil)
	if err != nil {
		return err
	}
	if err := fillOutput(p, dir, content); err != nil {
		return errors.Join(err, p.Discard())
	}
	if err := p.Publish(); err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}

func fillOutput(p *Publication, dir bool, content string) error {
	if !dir {
		_, err := p.File().Write([]byte(content))
		return err
	}
	for _, name := range []string{"part-0.parquet", "sex=M/part-0.parquet"} {
		f, err := p.Create(name)
		if err != nil {
			return err
		}
		_, err = f.Write([]byte(content))
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// contents returns every file below dir with its text, sorted.
func contents(t *testing.T, dir string) []string {
	t.Helper()
	files := []string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files = append(files, name+"="+string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// published returns what contents returns after an attempt.
func published(dir bool, content string) []string {
	if !dir {
		return []string{"out=" + content}
	}
	return []string{"out/_SUCCESS=", "out/part-0.parquet=" + content, "out/sex=M/part-0.parquet=" + content}
}

// TestPublishFaults fails every operation in turn: the target is then the old output or
// none, or, when only the last steps failed, the whole new one; and the next run succeeds
// and leaves nothing beside it.
func TestPublishFaults(t *testing.T) {
	for i := range 16 {
		dir, exists, forever, noExchange := i&1 != 0, i&2 != 0, i&4 != 0, i&8 != 0
		if noExchange && !dir {
			continue // files are never exchanged
		}
		name := fmt.Sprintf("dir=%v exists=%v forever=%v noExchange=%v", dir, exists, forever, noExchange)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for n := 0; ; n++ {
				home := filepath.Join(root, fmt.Sprint(n))
				f := &faultyFS{FS: OS, fail: n, forever: forever, noExchange: noExchange}
				if fired := checkFault(t, f, home, dir, exists); !fired {
					break
				}
			}
		})
	}
}

func checkFault(t *testing.T, f *faultyFS, home string, dir, exists bool) bool {
	t.Helper()
	target := filepath.Join(home, "out")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	before := []string{}
	if exists {
		if err := attempt(&faultyFS{FS: OS, fail: -1}, target, dir, "old"); err != nil {
			t.Fatal(err)
		}
		before = published(dir, "old")
		leaveStale(t, target, dir)
	}
	err := attempt(f, target, dir, "new")
	after := visible(t, home)
	switch complete := published(dir, "new"); {
	case err == nil && !slices.Equal(after, complete):
		t.Errorf("fault %d: published without an error, found %q", f.fail, after)
	case err == nil && f.fired && !f.forever:
		t.Errorf("fault %d was swallowed", f.fail)
	case err != nil && !errors.Is(err, errInjected):
		t.Errorf("fault %d: error %v", f.fail, err)
	case !slices.Equal(after, before) && !slices.Equal(after, complete) && !(f.noExchange && f.forever && len(after) == 0):
		t.Errorf("fault %d: found %q, want %q or %q", f.fail, after, before, complete)
	}
	again := &faultyFS{FS: OS, fail: -1, noExchange: f.noExchange}
	if err := attempt(again, target, dir, "later"); err != nil {
		t.Errorf("fault %d: later run: %v", f.fail, err)
	}
	if got, want := contents(t, home), published(dir, "later"); !slices.Equal(got, want) {
		t.Errorf("fault %d: after a later run %q, want %q", f.fail, got, want)
	}
	return f.fired
}

// visible is contents without temporary siblings.
func visible(t *testing.T, home string) []string {
	return slices.DeleteFunc(contents(t, home), func(f string) bool { return f[0] == '.' })
}

// leaveStale leaves what a killed run leaves.
func leaveStale(t *testing.T, target string, dir bool) {
	t.Helper()
	work := sibling(target, "tmp")
	if dir {
		if err := os.MkdirAll(filepath.Join(work, "sex=F"), 0o755); err != nil {
			t.Fatal(err)
		}
		work = filepath.Join(work, "sex=F", "half")
	}
	if err := os.WriteFile(work, []byte("a longer text of a run that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPublishBusy(t *testing.T) {
	for _, dir := range []bool{false, true} {
		target := filepath.Join(t.TempDir(), "out")
		p, err := On(OS, target, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := On(OS, target, dir, nil); !errors.Is(err, formats.ErrBusy) {
			t.Errorf("second run: %v, want ErrBusy", err)
		}
		if err := p.Publish(); err != nil {
			t.Fatal(err)
		}
		p, err = On(OS, target, dir, nil)
		if err != nil {
			t.Fatalf("after the first run: %v", err)
		}
		if err := p.Discard(); err != nil {
			t.Error(err)
		}
	}
}

// TestReplacedIsLocked looks at a directory that is replaced while it has the temporary name:
// another run must not take it for its own, since it is about to be removed.
func TestReplacedIsLocked(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out")
	looked := 0
	d := &swapFS{FS: OS, swapped: func() error {
		looked++
		if _, err := On(OS, target, true, nil); !errors.Is(err, formats.ErrBusy) {
			t.Errorf("another run gets %v, want ErrBusy", err)
		}
		return nil
	}}
	for _, content := range []string{"old", "new"} {
		if err := attempt(d, target, true, content); err != nil {
			t.Fatal(err)
		}
	}
	if looked != 1 {
		t.Errorf("replaced %d times, want 1", looked)
	}
}

// swapFS calls swapped after names were exchanged.
type swapFS struct {
	FS
	swapped func() error
}

func (s *swapFS) Exchange(a, b string) error {
	if err := s.FS.Exchange(a, b); err != nil {
		return err
	}
	return s.swapped()
}

// TestPublishLateLock opens the temporary file just before another run publishes it, and
// locks it just after: it must not take the published file for its own, nor when a third run
// has made a temporary file since.
func TestPublishLateLock(t *testing.T) {
	for _, third := range []bool{false, true} {
		target := filepath.Join(t.TempDir(), "out")
		p, err := File(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := fillOutput(p, false, "first"); err != nil {
			t.Fatal(err)
		}
		var others *Publication
		late, err := On(&lateFS{FS: OS, before: func() error {
			err := p.Publish()
			if third && err == nil {
				others, err = File(target)
			}
			return err
		}}, target, false, nil)
		if third != errors.Is(err, formats.ErrBusy) || !third && err != nil {
			t.Fatalf("a third run: %t, got %v", third, err)
		}
		if b, err := os.ReadFile(target); err != nil || string(b) != "first" {
			t.Errorf("a third run: %t, the published file holds %q, %v", third, b, err)
		}
		for _, p := range []*Publication{late, others} {
			if p == nil {
				continue
			}
			if err := p.Discard(); err != nil {
				t.Error(err)
			}
		}
	}
}

// lateFS calls before once, between opening a file and returning it.
type lateFS struct {
	FS
	before func() error
}

func (l *lateFS) OpenPrivate(name string) (Handle, error) {
	f, err := l.FS.OpenPrivate(name)
	if l.before != nil {
		before := l.before
		l.before = nil
		return f, errors.Join(err, before())
	}
	return f, err
}

func TestPublishModes(t *testing.T) {
	home := t.TempDir()
	leaveStale(t, filepath.Join(home, "file"), false)
	leaveStale(t, filepath.Join(home, "dir"), true)
	p, err := File(filepath.Join(home, "file"))
	if err != nil {
		t.Fatal(err)
	}
	checkMode(t, p.Path(), 0o600)
	if err := p.Publish(); err != nil {
		t.Fatal(err)
	}
	checkMode(t, filepath.Join(home, "file"), 0o666&^umask)
	d, err := On(OS, filepath.Join(home, "dir")+"/", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := fillOutput(d, true, "x"); err != nil {
		t.Fatal(err)
	}
	checkMode(t, d.Path(), 0o700)
	checkMode(t, filepath.Join(d.Path(), "part-0.parquet"), 0o600)
	if err := d.Publish(); err != nil {
		t.Fatal(err)
	}
	checkMode(t, filepath.Join(home, "dir"), 0o777&^umask)
	checkMode(t, filepath.Join(home, "dir", "sex=M"), 0o777&^umask)
	checkMode(t, filepath.Join(home, "dir", "_SUCCESS"), 0o666&^umask)
}

func checkMode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("mode of %s is %v, want %v", filepath.Base(name), got, want)
	}
}

func TestPublishRefuses(t *testing.T) {
	home := t.TempDir()
	file, dir, link := filepath.Join(home, "file"), filepath.Join(home, "dir"), filepath.Join(home, "linked")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.Mkdir(dir, 0o700),
		os.Symlink(file, sibling(link, "tmp"))); err != nil {
		t.Fatal(err)
	}
	if _, err := File(dir); err == nil {
		t.Error("a file in a directory's place: no error")
	}
	if _, err := On(OS, file, true, nil); err == nil {
		t.Error("a directory in a file's place: no error")
	}
	if _, err := File(link); err == nil {
		t.Error("a planted symbolic link was followed")
	}
	if b, _ := os.ReadFile(file); string(b) != "x" {
		t.Errorf("the link's target holds %q", b)
	}
	p, err := On(OS, filepath.Join(home, "out"), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Create("../escaped"); err == nil {
		t.Error("a name that leads out: no error")
	}
	if err := p.Discard(); err != nil {
		t.Error(err)
	}
}
