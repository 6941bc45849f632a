package spill

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// scratchFS is the file system below tables. It leaves out syncing, which only a crash would
// need, counts bytes, and passes every failure to fail, too: what Pebble makes of one does not
// matter. That a file is missing is not a failure by itself; who needs it says so.
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

// forget takes the bytes of a file off, which is gone.
func (s *scratchFS) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= s.sizes[name]
	delete(s.sizes, name)
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

func (s *scratchFS) Remove(name string) error {
	err := s.FS.Remove(name)
	if err == nil {
		s.forget(name)
	}
	return s.note(err)
}

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

// Sync does nothing: the files end with the run.
func (f *scratchFile) Sync() error { return nil }
