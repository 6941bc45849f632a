package publish_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
)

var errInjected = errors.New("injected fault")

// faultyFS fails one operation, counted from 0, or all from there on, as if the process had been
// killed. It really closes files, as the kernel would, and never syncs: these tests lose no power.
type faultyFS struct {
	fail       int
	forever    bool
	noExchange bool
	count      int
	fired      bool
}

func (f *faultyFS) around(operation string, do func() error, _ ...string) (err error) {
	switch {
	case operation == "exchange" && f.noExchange:
		return errors.ErrUnsupported
	case operation == "close":
		err = do()
	}
	f.count++
	if n := f.count - 1; n == f.fail || f.forever && n > f.fail {
		f.fired = true
		return errors.Join(err, errInjected)
	}
	if operation == "close" || operation == "sync" {
		return err
	}
	return do()
}

// attempt makes one output of the content and publishes it.
func attempt(d *publish.FS, target string, dir bool, content string) error {
	p, err := publish.On(d, target, dir)
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

func fillOutput(p *publish.Publication, dir bool, content string) error {
	if !dir {
		_, err := p.File().Write([]byte(content))
		return err
	}
	return fillParts(p, content, "part-0.parquet", "sex=M/part-0.parquet")
}

// fillParts makes files of a directory.
func fillParts(p *publish.Publication, content string, names ...string) error {
	for _, name := range names {
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

// published returns the contents after a successful attempt.
func published(dir bool, content string) []string {
	if !dir {
		return []string{"out=" + content}
	}
	return []string{"out/_SUCCESS=", "out/part-0.parquet=" + content,
		"out/sex=M/part-0.parquet=" + content}
}

// TestPublishFaults fails every operation in turn: then the target is the old output or absent, or,
// when only the last steps failed, the complete new one; the next run succeeds and leaves nothing
// else.
func TestPublishFaults(t *testing.T) {
	for i := range 16 {
		dir, exists, forever, noExchange := i&1 != 0, i&2 != 0, i&4 != 0, i&8 != 0
		if noExchange && !dir {
			continue // files are never exchanged
		}
		name := fmt.Sprintf("dir=%v exists=%v forever=%v noExchange=%v", dir, exists, forever,
			noExchange)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for n := 0; ; n++ {
				home := filepath.Join(root, fmt.Sprint(n))
				f := &faultyFS{fail: n, forever: forever, noExchange: noExchange}
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
		if err := attempt(&publish.FS{Around: (&faultyFS{fail: -1}).around}, target, dir,
			"old"); err != nil {
			t.Fatal(err)
		}
		before = published(dir, "old")
		leaveStale(t, target, dir)
	}
	err := attempt(&publish.FS{Around: f.around}, target, dir, "new")
	after := visible(t, home)
	switch complete := published(dir, "new"); {
	case err == nil && !slices.Equal(after, complete):
		t.Errorf("fault %d: published without an error, found %q", f.fail, after)
	case err == nil && f.fired && !f.forever:
		t.Errorf("fault %d was swallowed", f.fail)
	case err != nil && !errors.Is(err, errInjected):
		t.Errorf("fault %d: error %v", f.fail, err)
	case !slices.Equal(after, before) && !slices.Equal(after, complete) &&
		!(f.noExchange && f.forever && len(after) == 0):
		t.Errorf("fault %d: found %q, want %q or %q", f.fail, after, before, complete)
	}
	again := &faultyFS{fail: -1, noExchange: f.noExchange}
	if err := attempt(&publish.FS{Around: again.around}, target, dir, "later"); err != nil {
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

// leaveStale leaves the files of a killed run.
func leaveStale(t *testing.T, target string, dir bool) {
	t.Helper()
	work := publish.Sibling(target, "tmp")
	if dir {
		if err := os.MkdirAll(filepath.Join(work, "sex=F"), 0o755); err != nil {
			t.Fatal(err)
		}
		work = filepath.Join(work, "sex=F", "half")
	}
	if err := os.WriteFile(work, []byte("a longer text of a run that was killed"),
		0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPublishBusy(t *testing.T) {
	for _, dir := range []bool{false, true} {
		target := filepath.Join(t.TempDir(), "out")
		p, err := publish.On(nil, target, dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := publish.On(nil, target, dir); !errors.Is(err, formats.ErrBusy) {
			t.Errorf("second run: %v, want ErrBusy", err)
		}
		if err := p.Publish(); err != nil {
			t.Fatal(err)
		}
		p, err = publish.On(nil, target, dir)
		if err != nil {
			t.Fatalf("after the first run: %v", err)
		}
		if err := p.Discard(); err != nil {
			t.Error(err)
		}
	}
}

// TestReplacedIsLocked looks at a replaced directory while it has the temporary name: another run
// must not use it as its own, since it is about to be removed.
func TestReplacedIsLocked(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out")
	looked := 0
	d := &publish.FS{Around: func(operation string, do func() error, _ ...string) error {
		err := do()
		if operation == "exchange" && err == nil {
			looked++
			if _, err := publish.On(nil, target, true); !errors.Is(err, formats.ErrBusy) {
				t.Errorf("another run gets %v, want ErrBusy", err)
			}
		}
		return err
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

// TestPublishLateLock opens the temporary file just before another run publishes it, and locks it
// just after: it must not use the published file as its own, even when a third run has made a
// temporary file since.
func TestPublishLateLock(t *testing.T) {
	for _, third := range []bool{false, true} {
		target := filepath.Join(t.TempDir(), "out")
		p, err := publish.File(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := fillOutput(p, false, "first"); err != nil {
			t.Fatal(err)
		}
		var others *publish.Publication
		opened := false
		late, err := publish.On(&publish.FS{Around: func(operation string, do func() error,
			_ ...string) error {
			err := do()
			if operation != "create" || opened {
				return err
			}
			opened = true
			err = errors.Join(err, p.Publish())
			if third && err == nil {
				others, err = publish.File(target)
			}
			return err
		}}, target, false)
		if third != errors.Is(err, formats.ErrBusy) || !third && err != nil {
			t.Fatalf("a third run: %t, got %v", third, err)
		}
		if b, err := os.ReadFile(target); err != nil || string(b) != "first" {
			t.Errorf("a third run: %t, the published file holds %q, %v", third, b, err)
		}
		for _, p := range []*publish.Publication{late, others} {
			if p == nil {
				continue
			}
			if err := p.Discard(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPublishModes(t *testing.T) {
	home := t.TempDir()
	leaveStale(t, filepath.Join(home, "file"), false)
	leaveStale(t, filepath.Join(home, "dir"), true)
	p, err := publish.File(filepath.Join(home, "file"))
	if err != nil {
		t.Fatal(err)
	}
	checkMode(t, p.Path(), 0o600)
	if err := p.Publish(); err != nil {
		t.Fatal(err)
	}
	checkMode(t, filepath.Join(home, "file"), 0o666&^publish.Umask)
	d, err := publish.On(nil, filepath.Join(home, "dir")+"/", true)
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
	checkMode(t, filepath.Join(home, "dir"), 0o777&^publish.Umask)
	checkMode(t, filepath.Join(home, "dir", "sex=M"), 0o777&^publish.Umask)
	checkMode(t, filepath.Join(home, "dir", "_SUCCESS"), 0o666&^publish.Umask)
}

// Whenever a run is killed, others can read the target and nothing else.
func TestPublishStaysPrivate(t *testing.T) {
	for _, dir := range []bool{false, true} {
		for _, exists := range []bool{false, true} {
			home := t.TempDir()
			target := filepath.Join(home, "out")
			if exists {
				if err := attempt(nil, target, dir, "old"); err != nil {
					t.Fatal(err)
				}
			}
			placed := false
			err := attempt(&publish.FS{Around: func(operation string, do func() error,
				paths ...string) error {
				err := do()
				placed = placed || err == nil && (operation == "rename" || operation == "exchange")
				hidden, _ := filepath.Glob(filepath.Join(home, ".out*"))
				for _, path := range hidden {
					if info, failed := os.Lstat(path); !placed && failed == nil &&
						info.Mode().Perm()&0o077 != 0 {
						t.Errorf("dir=%v exists=%v: after %s of %v others can read %s", dir, exists,
							operation, paths, filepath.Base(path))
					}
				}
				return err
			}}, target, dir, "new")
			checkMode(t, target, map[bool]fs.FileMode{
				false: 0o666,
				true:  0o777,
			}[dir]&^publish.Umask)
			if err := os.Chmod(target, 0o700); err != nil { // as if killed right after the rename
				t.Fatal(err)
			}
			if err := publish.Finish(nil, target); err != nil {
				t.Fatal(err)
			}
			checkMode(t, target, map[bool]fs.FileMode{
				false: 0o666,
				true:  0o777,
			}[dir]&^publish.Umask)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
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
	file, dir, link := filepath.Join(home, "file"), filepath.Join(home, "dir"),
		filepath.Join(home, "linked")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.Mkdir(dir, 0o700),
		os.Symlink(file, publish.Sibling(link, "tmp"))); err != nil {
		t.Fatal(err)
	}
	if _, err := publish.File(dir); err == nil {
		t.Error("a file in a directory's place: no error")
	}
	if _, err := publish.On(nil, file, true); err == nil {
		t.Error("a directory in a file's place: no error")
	}
	if _, err := publish.File(link); err == nil {
		t.Error("a planted symbolic link was followed")
	}
	if b, _ := os.ReadFile(file); string(b) != "x" {
		t.Errorf("the link's target holds %q", b)
	}
	p, err := publish.On(nil, filepath.Join(home, "out"), true)
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

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"a long text", "short"} {
		if err := publish.Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Fatalf("it holds %q, %v; want %q", got, err, text)
		}
	}
	other, err := publish.File(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := publish.Replace(path, nil); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("while another writes it: %v", err)
	}
	if err := other.Discard(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if err := publish.Replace(dir, nil); err == nil {
		t.Error("a folder was replaced")
	}
	null := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	if err := publish.Replace(null, nil); fault.ClassOf(err) != fault.Usage {
		t.Errorf("a link to a device: %v", err)
	}
}

// What a killed run has left stays, and is no fault that passes by itself, if it is a directory and
// the output is to be a file, or the reverse.
func TestLeftoverOfAnotherKind(t *testing.T) {
	for _, dir := range []bool{false, true} {
		folder := t.TempDir()
		left, make := filepath.Join(folder, ".out.kcut-tmp"), os.Mkdir
		if dir {
			make = func(path string, mode os.FileMode) error {
				return os.WriteFile(path, nil, mode)
			}
		}
		if err := make(left, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := publish.On(nil, filepath.Join(folder, "out"), dir)
		if fault.ClassOf(err) != fault.Exists {
			t.Errorf("directory %v: %v is of class %v", dir, err, fault.ClassOf(err))
		}
		if _, err := os.Lstat(left); err != nil {
			t.Errorf("directory %v: %v", dir, err)
		}
	}
}
