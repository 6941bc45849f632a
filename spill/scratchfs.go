package spill

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// scratchFS is the file system below Pebble. It leaves out what only a crash would need
// (syncing, preallocation), counts bytes, and passes every failure to fail, too, because
// Pebble survives some of them silently: a run that lost a file operation must not end
// well. That a file is missing is not a failure by itself; who needs it says so.
type scratchFS struct {
	vfs.FS
	fail func(error)

	written, read atomic.Int64

	mu          sync.Mutex
	sizes       map[string]int64 // of the files that exist, by path
	total, peak int64
}

func newScratchFS(below vfs.FS, fail func(error)) *scratchFS {
	return &scratchFS{FS: below, fail: fail, sizes: map[string]int64{}}
}

// note passes a failure on.
func (s *scratchFS) note(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, fs.ErrNotExist) {
		s.fail(err)
	}
	return err
}

// grow adds n written bytes to a file.
func (s *scratchFS) grow(name string, n int64) {
	s.written.Add(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[name] += n
	s.total += n
	s.peak = max(s.peak, s.total)
}

// move gives the bytes of one name to another, which loses its own. With "" they are gone.
func (s *scratchFS) move(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.sizes[from]
	delete(s.sizes, from)
	s.total -= s.sizes[to]
	if to == "" {
		s.total -= size
		return
	}
	s.sizes[to] = size
}

// usage returns the bytes of the files that exist, now and at most.
func (s *scratchFS) usage() (now, peak int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, s.peak
}

func (s *scratchFS) file(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, s.note(err)
	}
	return &scratchFile{File: f, fs: s, name: name}, nil
}

func (s *scratchFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, category)
	return s.file(name, f, err)
}

func (s *scratchFS) Open(name string, options ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.Open(name, options...)
	return s.file(name, f, err)
}

func (s *scratchFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	return s.file(name, f, err)
}

// Link counts the file under its new name: Pebble removes the old one.
func (s *scratchFS) Link(from, to string) error {
	err := s.FS.Link(from, to)
	if err == nil {
		s.move(from, to)
	}
	return s.note(err)
}

func (s *scratchFS) Rename(from, to string) error {
	err := s.FS.Rename(from, to)
	if err == nil {
		s.move(from, to)
	}
	return s.note(err)
}

func (s *scratchFS) Remove(name string) error {
	err := s.FS.Remove(name)
	if err == nil {
		s.move(name, "")
	}
	return s.note(err)
}

// Unwrap returns the file system below.
func (s *scratchFS) Unwrap() vfs.FS { return s.FS }

// scratchFile is an open file of a scratchFS.
type scratchFile struct {
	vfs.File
	fs   *scratchFS
	name string
}

func (f *scratchFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.fs.read.Add(int64(n))
	return n, f.fs.note(err)
}

func (f *scratchFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	f.fs.read.Add(int64(n))
	return n, f.fs.note(err)
}

func (f *scratchFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.grow(f.name, int64(n))
	return n, f.fs.note(err)
}

func (f *scratchFile) Close() error { return f.fs.note(f.File.Close()) }

// Preallocate, Sync, SyncTo and SyncData do nothing: the files end with the run.
func (f *scratchFile) Preallocate(offset, length int64) error { return nil }
func (f *scratchFile) Sync() error                            { return nil }
func (f *scratchFile) SyncData() error                        { return nil }
func (f *scratchFile) SyncTo(length int64) (bool, error)      { return false, nil }
