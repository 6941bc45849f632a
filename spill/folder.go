package spill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// folderPrefix starts the names of the private folders: kcut-spill-<process>-<number>.
	folderPrefix = "kcut-spill-"
	// newPrefix starts their names until they are locked, so that a folder of the final name
	// is never without a lock.
	newPrefix = ".kcut-new-"
	// ownerFile is locked as long as the store lives.
	ownerFile = "owner"
	// folderMode keeps the folder private: it holds personal data.
	folderMode = 0o700
)

// live are the folders of this process. A process's file locks do not keep itself out.
var live struct {
	sync.Mutex // also: the stores of one process take turns in making and removing folders
	folders    map[place]bool
	last       int // number of the last folder; a name used again might still be swept
}

// place is a path in a file system.
type place struct {
	fs   vfs.FS
	path string
}

// folder is the private folder of one store.
type folder struct {
	place
	made []string // parents that did not exist, innermost first
	lock io.Closer
}

// tries bounds how often a folder is made or removed again because another process has removed
// or filled it meanwhile.
const tries = 100

// openFolder makes and locks a new folder in dir, making dir when there is none, after
// removing the folders of runs that ended without closing them. It begins again when another
// run, the last one in dir until now, has taken dir away on closing.
func openFolder(fsys vfs.FS, dir string) (*folder, error) {
	live.Lock()
	defer live.Unlock()
	f := &folder{place: place{fs: fsys, path: dir}}
	err := f.open(dir)
	for try := 1; errors.Is(err, fs.ErrNotExist) && try < tries; try++ {
		err = f.open(dir)
	}
	if err != nil {
		return nil, errors.Join(explain("open", f.path, err), f.removeParents())
	}
	if live.folders == nil {
		live.folders = map[place]bool{}
	}
	live.folders[f.place] = true
	return f, nil
}

// open makes the folder in dir and locks it, unless dir is taken away meanwhile.
func (f *folder) open(dir string) error {
	f.path = dir
	if err := f.makeParents(); err != nil {
		return err
	}
	if err := sweep(f.fs, dir); err != nil {
		return err
	}
	return f.claim(dir)
}

// makeParents makes the folder that the private one is to be in.
func (f *folder) makeParents() error {
	f.made = nil
	for at := f.path; ; at = f.fs.PathDir(at) {
		_, err := f.fs.Stat(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil || at == f.fs.PathDir(at) {
			return f.fs.MkdirAll(f.path, folderMode)
		}
		f.made = append(f.made, at)
	}
}

// Sweep removes what crashed runs have left in dir, as Open does, for a run that needs no
// store. A dir that does not exist, or that the process may not read, has nothing of it. Nil
// for fsys is the machine's file system.
func Sweep(dir string, fsys vfs.FS) (err error) {
	path := dir
	if fsys == nil {
		fsys = vfs.Default
		path, err = realPath(dir)
	}
	if err == nil {
		live.Lock()
		defer live.Unlock()
		err = sweep(fsys, path)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return explain("sweep", dir, err)
}

// sweep removes the folders in dir that no living process owns.
func sweep(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		stale := place{fs: fsys, path: fsys.PathJoin(dir, name)}
		// A new folder whose maker has not locked it yet may go, too: its maker tries another.
		ours := strings.HasPrefix(name, folderPrefix) || strings.HasPrefix(name, newPrefix)
		if ours && !live.folders[stale] {
			if err := stale.sweep(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep removes a folder unless it has an owner or is not ours to touch.
func (p place) sweep() error {
	lock, err := p.fs.Lock(p.fs.PathJoin(p.path, ownerFile))
	if err != nil {
		return nil
	}
	return errors.Join(ignoreTaken(p.fs.RemoveAll(p.path)), lock.Close())
}

// claim makes and locks the folder under the next of this process's names that is free.
func (f *folder) claim(dir string) error {
	for f.lock == nil {
		live.last++
		name := fmt.Sprintf("%d-%d", os.Getpid(), live.last)
		f.path = f.fs.PathJoin(dir, folderPrefix+name)
		_, err := f.fs.Stat(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			err = f.make(f.fs.PathJoin(dir, newPrefix+name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// make makes the folder under another name, locks it and gives it its own. It leaves it
// unlocked when somebody else has that name: a process of the same number in another
// container, or one that sweeps.
func (f *folder) make(fresh string) error {
	if err := f.fs.MkdirAll(fresh, folderMode); err != nil {
		return err
	}
	lock, err := f.fs.Lock(f.fs.PathJoin(fresh, ownerFile))
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return errors.Join(err, f.fs.RemoveAll(fresh))
	}
	if err := f.fs.Rename(fresh, f.path); err != nil {
		return errors.Join(ignoreTaken(err), f.fs.RemoveAll(fresh), lock.Close())
	}
	f.lock = lock
	return nil
}

// remove removes the folder and all that is in it, again if a sweeping process has made its
// lock file there meanwhile, then gives up the lock, then removes the parents that were made
// for it, unless somebody else uses them now.
func (f *folder) remove() error {
	live.Lock()
	defer live.Unlock()
	delete(live.folders, f.place)
	err := f.fs.RemoveAll(f.path)
	for try := 1; errors.Is(err, syscall.ENOTEMPTY) && try < tries; try++ {
		err = f.fs.RemoveAll(f.path)
	}
	return errors.Join(err, f.lock.Close(), f.removeParents())
}

func (f *folder) removeParents() error {
	for _, parent := range f.made {
		names, err := f.fs.List(parent)
		if err != nil {
			return ignoreTaken(err)
		}
		if len(names) > 0 {
			return nil
		}
		if err := f.fs.Remove(parent); err != nil {
			return ignoreTaken(err)
		}
	}
	return nil
}

// ignoreTaken drops the errors that come from somebody else having removed or filled a
// folder meanwhile.
func ignoreTaken(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// realPath returns the one name of a folder of the machine's file system, so that two
// stores in it know each other however their callers spell it. Of a folder that does not
// exist yet the part that does is resolved.
func realPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
		real, err = realPath(parent)
		real = filepath.Join(real, filepath.Base(dir))
	}
	return real, err
}
