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
	// newPrefix starts the name of a folder that is not locked yet, so that a folder with its final
	// name always has a lock.
	newPrefix = ".kcut-new-"
	// ownerFile is locked while the store is open.
	ownerFile = "owner"
	// folderMode keeps the folder private: it holds personal data.
	folderMode = 0o700
)

// live lists the folders of this process, because a file lock does not keep out the process that
// holds it.
var live struct {
	sync.Mutex // also held while a store of this process makes or removes its folder
	folders    map[place]bool
	last       int // number of the last folder; a number used again might still be swept
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

// tries bounds how often a folder is made or removed again after another process has removed or
// filled it.
const tries = 100

// openFolder removes the folders of runs that ended without closing them, and makes and locks a new
// folder in dir. It makes dir, too, when dir does not exist. It starts again when another run,
// until then the last one in dir, has removed dir on closing.
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

// open makes the folder in dir and locks it. It fails when another run removes dir meanwhile.
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

// makeParents makes the folder that will contain the private one.
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

// Sweep removes the folders that crashed runs have left in dir, as Open does, for a run that needs
// no store. A dir that does not exist or that the process may not read counts as empty. Nil for
// fsys is the machine's file system.
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
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOTDIR) {
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
		// A new folder that its maker has not locked yet may go, too: the maker then tries another
		// one.
		ours := strings.HasPrefix(name, folderPrefix) || strings.HasPrefix(name, newPrefix)
		if ours && !live.folders[stale] {
			if err := stale.sweep(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep removes a folder unless it has an owner or this process may not remove it.
func (p place) sweep() error {
	lock, err := p.fs.Lock(p.fs.PathJoin(p.path, ownerFile))
	if err != nil {
		return nil
	}
	return errors.Join(ignoreTaken(p.fs.RemoveAll(p.path)), lock.Close())
}

// claim makes and locks the folder under the next free name of this process.
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

// make makes the folder under a temporary name, locks it and renames it. It leaves the folder
// unlocked when another process has the final name: one with the same number in another container,
// or one that sweeps.
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

// remove removes the folder with its contents, and again if a sweeping process has made its lock
// file there meanwhile. Then it gives up the lock and removes the parents that openFolder made,
// unless another run uses them now.
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

// ignoreTaken drops the errors that arise when another process has removed or filled a folder.
func ignoreTaken(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) ||
		errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// realPath returns the one name of a folder of the machine's file system, so that two stores in it
// know each other however their callers spell it. If the folder does not exist yet, realPath
// resolves the part of the path that exists.
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
