// Package publish puts an output, a file or a directory, in its place in one step.
//
// Contract: until then the output has a hidden name next to its target and only its owner can read
// it; afterwards it is complete and durable. It becomes readable by others right after it has got
// its name: a run that is killed between the two leaves a target that only its owner can read,
// until Finish. After a failure, a kill or a power loss the target is the old one, or absent, and
// the next run removes the rest. Two runs with one target exclude each other with formats.ErrBusy.
//
// Limits: there is no exclusion on systems without file locks, and replacing a directory takes two
// steps where the system cannot exchange names. The next run repairs that, too.
package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// SuccessFile is the name of the empty file that marks a directory as complete.
const SuccessFile = "_SUCCESS"

// Publication is an output while it is written: a private file or directory next to its target,
// which takes the target's place in one step or not at all. After a failure, a kill or a power loss
// the target is the old one, or absent; the next attempt removes the rest. One Publication is used
// by one goroutine, its files by several.
type Publication struct {
	fs     *FS
	target string
	work   string // the temporary sibling
	dir    bool
	held   *Handle // work, open and locked
	done   bool    // the target has been replaced
}

// File begins a file output on the machine's file system. It returns formats.ErrBusy while another
// run writes the same target.
func File(target string) (*Publication, error) { return On(nil, target, false) }

// On begins a file output, or a directory output, on any file system. It returns formats.ErrBusy
// while another run writes the same target.
func On(d *FS, target string, dir bool) (*Publication, error) {
	target = filepath.Clean(target)
	p := &Publication{fs: d, target: target, work: sibling(target, "tmp"), dir: dir}
	if err := p.begin(); err != nil {
		return nil, fmt.Errorf("create output %s: %w", target, err)
	}
	return p, nil
}

// sibling returns a hidden name next to the target.
func sibling(target, what string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".kcut-"+what)
}

// Path returns the path of the output until it is published.
func (p *Publication) Path() string { return p.work }

// File returns the file of a file output, open for writing.
func (p *Publication) File() *Handle { return p.held }

// Create makes a file of a directory output, with its parent directories. Name is relative, with
// slashes. The caller closes the file before Publish.
func (p *Publication) Create(name string) (*Handle, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("create %s: name leads out of the output", name)
	}
	parts := strings.Split(name, "/")
	at := p.work
	for _, part := range parts[:len(parts)-1] {
		at = filepath.Join(at, part)
		if err := p.fs.MkdirPrivate(at); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
	}
	f, err := p.fs.OpenPrivate(filepath.Join(at, parts[len(parts)-1]))
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return f, nil
}

// Reopen opens a file of the output, by its path, for reading and writing.
func (p *Publication) Reopen(path string) (*Handle, error) { return p.fs.OpenPrivate(path) }

// begin opens and locks the temporary sibling, and empties it.
func (p *Publication) begin() error {
	if err := CheckTarget(p.target); err != nil {
		return err
	}
	switch info, err := p.fs.Lstat(p.target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case p.dir && !info.IsDir():
		return errors.New("a file of this name exists where a directory is to be")
	case !p.dir && info.IsDir():
		return errors.New("a directory of this name exists where a file is to be")
	}
	for p.held == nil {
		if err := p.hold(); err != nil {
			return err
		}
	}
	if err := p.sweep(); err != nil {
		return errors.Join(err, p.release())
	}
	return nil
}

// hold opens the temporary sibling and locks it. Between the two another run may have published or
// removed the opened file; held stays nil then, and nothing was touched.
func (p *Publication) hold() error {
	f, err := p.open()
	if err != nil {
		return p.inTheWay(err)
	}
	if err = f.Lock(); err == nil {
		var opened, named fs.FileInfo
		if opened, err = f.Stat(); err == nil {
			named, err = p.fs.Lstat(p.work)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		case err == nil && os.SameFile(opened, named) && opened.IsDir() != p.dir:
			err = p.inTheWay(fs.ErrExist)
		case err == nil && os.SameFile(opened, named):
			p.held = f
			return nil
		}
	}
	return errors.Join(err, f.Close())
}

// inTheWay explains why the temporary sibling cannot be opened if it is of another kind: a run that
// was killed has left it whose output was a directory, and is to be a file now, or the reverse.
func (p *Publication) inTheWay(err error) error {
	if info, looked := p.fs.Lstat(p.work); looked != nil || info.IsDir() == p.dir {
		return err
	}
	return fault.Errorf(fault.Exists, "remove it if a run that was killed has left it, or name "+
		"another output", "%s is in the way: %w", p.work, err)
}

func (p *Publication) open() (*Handle, error) {
	if !p.dir {
		return p.fs.OpenPrivate(p.work)
	}
	if err := p.fs.MkdirPrivate(p.work); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := p.fs.OpenDir(p.work)
	if errors.Is(err, fs.ErrNotExist) { // another run has just removed it
		return nil, formats.ErrBusy
	}
	return f, err
}

// sweep empties the temporary sibling, and restores a directory that a crash has left aside.
func (p *Publication) sweep() (err error) {
	mode := fs.FileMode(0o600)
	if p.dir {
		mode = 0o700
		if err = p.restore(); err == nil {
			err = p.empty()
		}
	} else {
		err = p.held.Truncate(0)
	}
	if err != nil {
		return err
	}
	return p.fs.Chmod(p.work, mode)
}

// empty removes everything from the temporary directory.
func (p *Publication) empty() error {
	entries, err := p.fs.ReadDir(p.work)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := RemoveAll(p.fs, filepath.Join(p.work, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// restore undoes a half-finished replacement by the name of the old directory.
func (p *Publication) restore() error {
	aside := sibling(p.target, "old")
	_, err := p.fs.Lstat(p.target)
	if !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, RemoveAll(p.fs, aside))
	}
	if err := p.fs.Rename(aside, p.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFile makes the written bytes of a file durable.
func syncFile(path string, open func(path string) (*Handle, error)) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Publish makes the output durable and puts it in the target's place. On an error before that step
// the target is untouched, and the caller must call Discard; an error after it means that the
// complete new output is in place but may not survive a power loss yet, or that the old one could
// not be removed. The next run removes that.
func (p *Publication) Publish() (err error) {
	if p.dir {
		err = syncFile(filepath.Join(p.work, SuccessFile), p.fs.OpenPrivate)
	}
	if err == nil {
		err = p.seal(p.work, p.dir)
	}
	if err == nil {
		err = p.replace()
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", p.target, err)
	}
	return nil
}

// seal makes a file, or a directory with everything below it, durable, and gives everything below
// the output the permissions of new files. The output itself stays private until it is in the
// target's place.
func (p *Publication) seal(path string, dir bool) error {
	sync := func(path string) error { return syncFile(path, p.fs.OpenWritten) }
	if dir {
		sync = func(path string) error { return SyncDir(p.fs, path) }
		entries, err := p.fs.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := p.seal(filepath.Join(path, e.Name()), e.IsDir()); err != nil {
				return err
			}
		}
	}
	if err := sync(path); err != nil || path == p.work {
		return err
	}
	return open(p.fs, path, dir)
}

// open gives a file, or a directory, the permissions of new ones.
func open(d *FS, path string, dir bool) error {
	mode := fs.FileMode(0o666)
	if dir {
		mode = 0o777
	}
	return d.Chmod(path, mode&^umask)
}

// Finish gives a target the permissions of new files, after a Publish that was killed between
// replacing the target and that.
func Finish(d *FS, target string) error {
	info, err := d.Lstat(target)
	if err == nil && info.Mode()&fs.ModeSymlink == 0 {
		err = open(d, target, info.IsDir())
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", target, err)
	}
	return nil
}

// replace puts the output in the target's place, where there is nothing, or a file, or a directory,
// which is removed.
func (p *Publication) replace() error {
	if p.dir {
		_, err := p.fs.Lstat(p.target)
		if err == nil {
			return p.exchange()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := p.fs.Rename(p.work, p.target); err != nil {
		return err
	}
	p.done = true
	return errors.Join(open(p.fs, p.target, p.dir), SyncDir(p.fs, filepath.Dir(p.target)),
		p.release())
}

// exchange swaps the directory with the one in its place. The old one is locked before it gets the
// temporary name: otherwise another run could use it as its own while it is being removed.
func (p *Publication) exchange() error {
	old, err := p.fs.OpenDir(p.target)
	if err != nil {
		return err
	}
	if err := old.Lock(); err != nil {
		return errors.Join(err, old.Close())
	}
	rest := p.work
	if err = p.fs.Exchange(p.work, p.target); errors.Is(err, errors.ErrUnsupported) {
		// In two steps: a crash between them leaves no target and the old one aside. The next run
		// moves it back.
		rest = sibling(p.target, "old")
		if err = p.fs.Rename(p.target, rest); err == nil {
			if err = p.fs.Rename(p.work, p.target); err != nil {
				err = errors.Join(err, p.fs.Rename(rest, p.target))
			}
		}
	}
	if err != nil {
		return errors.Join(err, old.Close())
	}
	p.done = true
	opened := open(p.fs, p.target, true)
	if err = SyncDir(p.fs, filepath.Dir(p.target)); err == nil {
		err = RemoveAll(p.fs, rest)
	}
	return errors.Join(opened, err, old.Close(), p.release())
}

// Done reports whether the target has been replaced, even by a Publish that failed later.
func (p *Publication) Done() bool { return p.done }

// Discard removes the output. After Publish has replaced the target it does nothing.
func (p *Publication) Discard() error {
	if p.held == nil {
		return nil
	}
	var err error
	if !p.done {
		err = RemoveAll(p.fs, p.work)
	}
	if err = errors.Join(err, p.release()); err != nil {
		return fmt.Errorf("discard output %s: %w", p.target, err)
	}
	return nil
}

// release closes the held file or directory, which gives up the lock.
func (p *Publication) release() error {
	if p.held == nil {
		return nil
	}
	f := p.held
	p.held = nil
	return f.Close()
}

// Replace writes a file with a text in one step, whether it exists or not.
func Replace(target string, text []byte) error {
	p, err := File(target)
	if err != nil {
		return err
	}
	if _, err = p.File().Write(text); err == nil {
		err = p.Publish()
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}
