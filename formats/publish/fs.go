package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the machine's file system as publishing uses it. A nil FS is valid.
type FS struct {
	// Around performs an operation, or fails, in tests: it gets the operation's name, a function
	// that performs it, and its paths.
	Around func(operation string, do func() error, paths ...string) error
}

func (d *FS) do(operation string, op func() error, paths ...string) error {
	if d == nil {
		return op()
	}
	return d.Around(operation, op, paths...)
}

// get performs an operation that returns a result.
func get[T any](d *FS, operation string, op func() (T, error), path string) (result T, err error) {
	err = d.do(operation, func() error { result, err = op(); return err }, path)
	return result, err
}

// OpenPrivate opens a file for writing, creating it with mode 0600. It follows no symbolic link.
func (d *FS) OpenPrivate(name string) (*Handle, error) {
	return d.open("create", name, os.O_RDWR|os.O_CREATE)
}

// OpenWritten opens an existing file to sync it: it does not create a missing one.
func (d *FS) OpenWritten(name string) (*Handle, error) {
	return d.open("open", name, os.O_RDWR)
}

// OpenDir opens a directory, to lock or to sync it.
func (d *FS) OpenDir(name string) (*Handle, error) {
	return d.open("open directory", name, os.O_RDONLY)
}

func (d *FS) open(operation, name string, flags int) (*Handle, error) {
	f, err := get(d, operation, func() (*os.File, error) {
		return os.OpenFile(name, flags|noFollow, 0o600)
	}, name)
	if err != nil {
		return nil, err
	}
	return &Handle{fs: d, file: f}, nil
}

// MkdirPrivate makes a directory of mode 0700.
func (d *FS) MkdirPrivate(name string) error {
	return d.do("make directory", func() error { return os.Mkdir(name, 0o700) }, name)
}

// Lstat is os.Lstat.
func (d *FS) Lstat(name string) (fs.FileInfo, error) {
	return get(d, "stat", func() (fs.FileInfo, error) { return os.Lstat(name) }, name)
}

// ReadDir is os.ReadDir.
func (d *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	return get(d, "list", func() ([]fs.DirEntry, error) { return os.ReadDir(name) }, name)
}

// Chmod is os.Chmod.
func (d *FS) Chmod(name string, mode fs.FileMode) error {
	return d.do("change mode", func() error { return os.Chmod(name, mode) }, name)
}

// Rename is os.Rename.
func (d *FS) Rename(from, to string) error {
	return d.do("rename", func() error { return os.Rename(from, to) }, from, to)
}

// Exchange swaps two names in one step. It returns errors.ErrUnsupported where the system cannot.
func (d *FS) Exchange(a, b string) error {
	return d.do("exchange", func() error { return exchange(a, b) }, a, b)
}

// Remove removes a file or an empty directory.
func (d *FS) Remove(name string) error {
	return d.do("remove", func() error { return os.Remove(name) }, name)
}

// Handle is an open file or directory of an FS.
type Handle struct {
	fs      *FS
	file    *os.File
	written int64 // bytes written sequentially since it was opened
	behind  int64 // those of them that are being written to the disk
}

// behindBytes is the number of bytes after which writing to the disk begins.
const behindBytes = 8 << 20

// Write also starts to write earlier bytes to the disk, where the system can do that: otherwise a
// Sync would have to wait for all of them.
func (f *Handle) Write(p []byte) (int, error) {
	n, err := get(f.fs, "write", func() (int, error) { return f.file.Write(p) }, f.Name())
	if f.written += int64(n); f.written-f.behind >= behindBytes {
		startSync(f.file, f.behind, f.written-f.behind)
		f.behind = f.written
	}
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *Handle) WriteAt(p []byte, at int64) (int, error) {
	return get(f.fs, "write", func() (int, error) { return f.file.WriteAt(p, at) }, f.Name())
}

// ReadAt implements io.ReaderAt.
func (f *Handle) ReadAt(p []byte, at int64) (int, error) {
	return get(f.fs, "read", func() (int, error) { return f.file.ReadAt(p, at) }, f.Name())
}

// Name returns the path by which it was opened.
func (f *Handle) Name() string { return f.file.Name() }

// Stat is that of os.File, and so are Truncate, Sync and Close.
func (f *Handle) Stat() (fs.FileInfo, error) { return get(f.fs, "stat", f.file.Stat, f.Name()) }

func (f *Handle) Truncate(size int64) error {
	return f.fs.do("truncate", func() error { return f.file.Truncate(size) }, f.Name())
}

func (f *Handle) Sync() error { return f.fs.do("sync", f.file.Sync, f.Name()) }

func (f *Handle) Close() error { return f.fs.do("close", f.file.Close, f.Name()) }

// Lock takes an exclusive lock without waiting. It lasts until Close. Lock returns formats.ErrBusy
// when another process, or another Handle of this one, holds the lock.
func (f *Handle) Lock() error {
	return f.fs.do("lock", func() error { return lock(f.file) }, f.Name())
}

// SyncDir makes the names in a directory durable.
func SyncDir(d *FS, name string) error {
	f, err := d.OpenDir(name)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}

// RemoveAll removes a file, or a directory with everything below it. It succeeds if the name does
// not exist.
func RemoveAll(d *FS, name string) error {
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
