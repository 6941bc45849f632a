package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is what publishing needs of a file system, so that tests can make every operation fail.
type FS interface {
	// OpenPrivate opens a file for writing, creating it with mode 0600. It follows no
	// symbolic link.
	OpenPrivate(name string) (Handle, error)
	// OpenDir opens a directory, to lock or to sync it.
	OpenDir(name string) (Handle, error)
	MkdirPrivate(name string) error // mode 0700
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Chmod(name string, mode fs.FileMode) error
	Rename(from, to string) error
	// Exchange swaps two names in one step. It returns errors.ErrUnsupported where the
	// system cannot.
	Exchange(a, b string) error
	Remove(name string) error // a file or an empty directory
}

// Handle is an open file or directory of an FS.
type Handle interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	// Lock takes an exclusive lock without waiting, which lasts until Close. It returns
	// formats.ErrBusy when another process, or another Handle of this one, holds it.
	Lock() error
}

// OS is the machine's file system.
var OS FS = osFS{}

type osFS struct{}

type osFile struct {
	*os.File
	written int64 // since it was opened, one byte after the other
	behind  int64 // of these, what is on its way to the disk
}

// behindBytes is how much is written before it is sent to the disk.
const behindBytes = 8 << 20

// Write also begins to bring what was written before to the disk, where the system can be told
// to: a Sync of all of it would have to wait.
func (f *osFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if f.written += int64(n); f.written-f.behind >= behindBytes {
		startSync(f.File, f.behind, f.written-f.behind)
		f.behind = f.written
	}
	return n, err
}

func (f *osFile) Lock() error { return lock(f.File) }

func (osFS) OpenPrivate(name string) (Handle, error) { return openFile(name, os.O_RDWR|os.O_CREATE) }

func (osFS) OpenDir(name string) (Handle, error) { return openFile(name, os.O_RDONLY) }

func openFile(name string, flags int) (Handle, error) {
	f, err := os.OpenFile(name, flags|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f}, nil
}

func (osFS) MkdirPrivate(name string) error { return os.Mkdir(name, 0o700) }

func (osFS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (osFS) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }

func (osFS) Rename(from, to string) error { return os.Rename(from, to) }

func (osFS) Exchange(a, b string) error { return exchange(a, b) }

func (osFS) Remove(name string) error { return os.Remove(name) }

// SyncDir makes the names in a directory durable.
func SyncDir(d FS, name string) error {
	f, err := d.OpenDir(name)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}

// RemoveAll removes a file, or a directory with everything below it. What is not there is
// removed already.
func RemoveAll(d FS, name string) error {
	info, err := d.Lstat(name)
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		entries, err = d.ReadDir(name)
		for i := 0; i < len(entries) && err == nil; i++ {
			err = RemoveAll(d, filepath.Join(name, entries[i].Name()))
		}
	}
	if err == nil {
		err = d.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
