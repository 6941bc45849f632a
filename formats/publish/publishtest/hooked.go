// Package publishtest is file systems for tests: one whose operations a test may fail, and one
// that loses power, for what is made durable.
package publishtest

import (
	"io/fs"

	"github.com/kcut/kcut/formats/publish"
)

// Around does an operation of a file system, or fails instead: what it is, how it is done, and to
// which paths.
type Around func(operation string, do func() error, paths ...string) error

// Hooked returns the machine's file system, of which everything is done by way of a function.
func Hooked(around Around) publish.FS { return &hooked{publish.OS, around} }

type hooked struct {
	os     publish.FS
	around Around
}

// file is an open file or directory of a hooked file system.
type file struct {
	publish.Handle
	around Around
}

// do does an operation that returns something.
func do[T any](around Around, operation string, op func() (T, error), paths ...string) (result T, err error) {
	err = around(operation, func() error { result, err = op(); return err }, paths...)
	return result, err
}

func (h *hooked) open(operation, name string, open func(string) (publish.Handle, error)) (publish.Handle, error) {
	opened, err := do(h.around, operation, func() (publish.Handle, error) { return open(name) }, name)
	if err != nil {
		return nil, err
	}
	return file{opened, h.around}, nil
}

func (h *hooked) OpenPrivate(name string) (publish.Handle, error) {
	return h.open("create", name, h.os.OpenPrivate)
}

func (h *hooked) OpenDir(name string) (publish.Handle, error) {
	return h.open("open directory", name, h.os.OpenDir)
}

func (h *hooked) MkdirPrivate(name string) error {
	return h.around("make directory", func() error { return h.os.MkdirPrivate(name) }, name)
}

func (h *hooked) Lstat(name string) (fs.FileInfo, error) {
	return do(h.around, "stat", func() (fs.FileInfo, error) { return h.os.Lstat(name) }, name)
}

func (h *hooked) ReadDir(name string) ([]fs.DirEntry, error) {
	return do(h.around, "list", func() ([]fs.DirEntry, error) { return h.os.ReadDir(name) }, name)
}

func (h *hooked) Chmod(name string, mode fs.FileMode) error {
	return h.around("change mode", func() error { return h.os.Chmod(name, mode) }, name)
}

func (h *hooked) Rename(from, to string) error {
	return h.around("rename", func() error { return h.os.Rename(from, to) }, from, to)
}

func (h *hooked) Exchange(a, b string) error {
	return h.around("exchange", func() error { return h.os.Exchange(a, b) }, a, b)
}

func (h *hooked) Remove(name string) error {
	return h.around("remove", func() error { return h.os.Remove(name) }, name)
}

func (f file) Write(b []byte) (int, error) {
	return do(f.around, "write", func() (int, error) { return f.Handle.Write(b) }, f.Name())
}

func (f file) ReadAt(b []byte, at int64) (int, error) {
	return do(f.around, "read", func() (int, error) { return f.Handle.ReadAt(b, at) }, f.Name())
}

func (f file) Stat() (fs.FileInfo, error) { return do(f.around, "stat", f.Handle.Stat, f.Name()) }

func (f file) Truncate(size int64) error {
	return f.around("truncate", func() error { return f.Handle.Truncate(size) }, f.Name())
}

func (f file) Sync() error { return f.around("sync", f.Handle.Sync, f.Name()) }

func (f file) Lock() error { return f.around("lock", f.Handle.Lock, f.Name()) }

func (f file) Close() error { return f.around("close", f.Handle.Close, f.Name()) }
