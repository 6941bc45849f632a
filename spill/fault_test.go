package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// errWrong is the error of workload when it reads other bytes than it appended.
var errWrong = errors.New("wrong bytes")

// workload opens a store, calls all its methods and closes it. It returns the first error. Its
// share is small, so that chunks of 200 KiB are too large for its buffer: the sweeps call it
// thousands of times, and the race detector watches every byte.
func workload(fs vfs.FS) (err error) {
	s, err := Open("/scratch/a", Options{FS: fs, Budget: small(), Share: 256 << 10})
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	large, small, parent := s.NewSequence(), s.NewSequence(), s.NewSequence()
	sizes := map[Sequence]int{large: 200 << 10, small: 1000, parent: 60 << 10}
	for n := range uint64(5) {
		for _, seq := range []Sequence{large, small, parent} {
			if err := s.Append(seq, chunkOf(seq, n, sizes[seq])); err != nil {
				return err
			}
		}
	}
	child := s.NewSequence()
	sizes[child] = sizes[parent]
	if err := split(s, parent, child); err != nil {
		return err
	}
	for _, seq := range []Sequence{small, large} {
		if err := compare(s, seq, sizes[seq]); err != nil {
			return err
		}
	}
	return s.Free(large, small, child)
}

// split moves the chunks of one sequence to another.
func split(s *Store, parent, child Sequence) error {
	err := s.Scan(context.Background(), func(chunk []byte) error {
		return s.Append(child, chunk)
	}, parent)
	if err != nil {
		return err
	}
	return s.Free(parent)
}

// compare reads a sequence of five chunks and compares them with those appended.
func compare(s *Store, seq Sequence, size int) error {
	got, err := readAll(s, seq)
	for n, chunk := range got {
		if !bytes.Equal(chunk, chunkOf(seq, uint64(n), size)) {
			return fmt.Errorf("chunk %d of sequence %d: %w", n, seq, errWrong)
		}
	}
	if err == nil && len(got) != 5 {
		return fmt.Errorf("%d chunks in sequence %d: %w", len(got), seq, errWrong)
	}
	return err
}

// faults injects an error into file operations.
type faults struct {
	err    error
	counts func(errorfs.Op) bool // selects the operations that may fail
	first  int64                 // number of the first operation that fails
	last   int64                 // number of the last one
	seen   atomic.Int64
	fired  atomic.Int64
	op     atomic.Value // the operation that failed first
}

func (f *faults) MaybeError(op errorfs.Op) error {
	if !f.counts(op) {
		return nil
	}
	if n := f.seen.Add(1) - 1; n < f.first || n > f.last {
		return nil
	}
	if f.fired.Add(1) == 1 {
		f.op.Store(op)
	}
	return f.err
}

func (f *faults) String() string { return "faults" }

// stale is a folder that a crashed run has left.
const stale = "/scratch/a/" + folderPrefix + "0-1"

// matters leaves out the operations whose errors a store ignores: asking for the free space, and
// asking whether another run's folder is in use.
func matters(op errorfs.Op) bool {
	return op.Kind != errorfs.OpGetDiskUsage &&
		!(op.Kind == errorfs.OpLock && strings.HasPrefix(op.Path, stale))
}

// writes selects the operations that fail on a full disk.
func writes(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpFileWrite, errorfs.OpMkdirAll,
		errorfs.OpFileWriteAt, errorfs.OpRename:
		return true
	}
	return false
}

// sweepFaults makes operation 0 fail, then 1, 2, … until there is no operation of that number; if
// faults last, it also makes all later ones fail. Every fault must come out as an error.
func sweepFaults(t *testing.T, f *faults,
	check func(t *testing.T, fs *vfs.MemFS, op errorfs.Op, err error)) {
	lasts := f.last > 0
	for ; ; f.first++ {
		if !lasts {
			f.last = f.first
		}
		f.seen.Store(0)
		f.fired.Store(0)
		memory := vfs.NewMem()
		must(t, memory.MkdirAll(stale, folderMode))
		err := workload(errorfs.Wrap(memory, f))
		if f.fired.Load() == 0 {
			if err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			break
		}
		op := f.op.Load().(errorfs.Op)
		if err == nil || errors.Is(err, errWrong) || !errors.Is(err, f.err) {
			t.Fatalf("operation %d failed, of kind %d on %s, and the run said %v", f.first, op.Kind,
				op.Path, err)
		}
		check(t, memory, op, err)
	}
	if t.Logf("%d operations", f.first); f.first < 25 {
		t.Fatal("that is too few")
	}
}

// One failed file operation fails the run, which still removes its folder.
func TestEveryFaultSurfaces(t *testing.T) {
	f := &faults{err: syscall.EIO, counts: matters}
	sweepFaults(t, f, func(t *testing.T, fs *vfs.MemFS, op errorfs.Op, err error) {
		removing := op.Kind == errorfs.OpRemoveAll || op.Kind == errorfs.OpRemove
		if left := ownFolders(fs); len(left) > 0 && !removing {
			t.Fatalf("%v is left after operation of kind %d on %s: %v", left, op.Kind, op.Path, err)
		}
	})
}

func TestEveryLastingFaultSurfaces(t *testing.T) {
	f := &faults{err: syscall.EIO, counts: matters, last: forever}
	sweepFaults(t, f, func(*testing.T, *vfs.MemFS, errorfs.Op, error) {})
}

const forever = 1 << 62

// ownFolders returns the names of the spill folders of this process.
func ownFolders(fs *vfs.MemFS) []string {
	names, _ := fs.List("/scratch/a")
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, fmt.Sprint(folderPrefix, os.Getpid()))
	})
}

// A full disk ends the run with ErrDisk at any operation, and the run removes its folder.
func TestFullDisk(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		t.Run(full.Error(), func(t *testing.T) {
			f := &faults{err: full, counts: writes, last: forever}
			sweepFaults(t, f, func(t *testing.T, fs *vfs.MemFS, _ errorfs.Op, err error) {
				if !errors.Is(err, ErrDisk) || !strings.Contains(err.Error(), "/scratch/a") {
					t.Fatal(err)
				}
				if left := ownFolders(fs); len(left) > 0 {
					t.Fatalf("%v is left", left)
				}
			})
		})
	}
}

// Every later call returns a failure of the background, and Close returns it again.
func TestFailureStays(t *testing.T) {
	f := &faults{err: syscall.ENOSPC, first: 100, last: forever, counts: func(op errorfs.Op) bool {
		return writes(op) && strings.Contains(op.Path, "table-")
	}}
	s, err := Open("/scratch", Options{FS: errorfs.Wrap(vfs.NewMem(), f), Budget: small()})
	must(t, err)
	seq := s.NewSequence()
	for err == nil {
		err = s.Append(seq, make([]byte, 100<<10))
	}
	_, read := s.read(context.Background(), seq)
	for name, err := range map[string]error{
		"append": err, "append again": s.Append(seq, nil), "append much": s.Append(seq,
			make([]byte, 3<<20)),
		"read": read, "free": s.Free(seq), "close": s.Close(),
	} {
		if !errors.Is(err, ErrDisk) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(filepath.Join(file, "below"), Options{}); !errors.Is(err, ErrDisk) {
		t.Errorf("below a file: %v", err)
	}
	if os.Getuid() == 0 {
		return // nothing is read-only for root
	}
	locked := t.TempDir()
	must(t, os.Chmod(locked, 0o500))
	if _, err := Open(locked, Options{}); !errors.Is(err, ErrDisk) {
		t.Errorf("in a read-only folder: %v", err)
	}
}

func TestFolderRemovedUnderneath(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Budget: small()})
	must(t, err)
	seq := s.NewSequence()
	fill(t, s, seq, 50, 100<<10)
	for os.RemoveAll(s.folder.path) != nil {
		// The store has just made a file.
	}
	for range 100 {
		if err = s.Append(seq, make([]byte, 100<<10)); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrDisk) {
		t.Errorf("append: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrDisk) {
		t.Errorf("close: %v", err)
	}
}

// tables returns the paths of a store's tables.
func tables(t *testing.T, s *Store) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.folder.path, "table-*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	return paths
}

// Bytes that changed on disk cause an error and are never returned as data. A missing table means
// that somebody removed files of the folder.
func TestDamage(t *testing.T) {
	flip := func(at func(size int) int) func([]byte) []byte {
		return func(b []byte) []byte { b[at(len(b))] ^= 1; return b }
	}
	for name, damage := range map[string]func([]byte) []byte{
		"first byte": flip(func(int) int { return 0 }),
		"middle":     flip(func(size int) int { return size / 2 }),
		"last byte":  flip(func(size int) int { return size - 1 }),
		"half":       func(b []byte) []byte { return b[:len(b)/2] },
		"nothing":    func(b []byte) []byte { return b[:0] },
		"zeros":      func(b []byte) []byte { clear(b); return b },
		"missing":    func(b []byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.TempDir(), Options{Budget: small()})
			must(t, err)
			seq := s.NewSequence()
			want := fill(t, s, seq, 200, 30<<10)
			for _, path := range tables(t, s) {
				bytes, err := os.ReadFile(path)
				must(t, err)
				if bytes = damage(bytes); bytes == nil {
					err = os.Remove(path)
				} else {
					err = os.WriteFile(path, bytes, 0o600)
				}
				must(t, err)
			}
			cause := ErrCorrupt
			if name == "missing" {
				cause = ErrDisk
			}
			got, err := readAll(s, seq)
			if !errors.Is(err, cause) || errors.Is(err, io.EOF) {
				t.Errorf("read: %v", err)
			}
			if why := differs(got, want[:len(got)]); why != "" {
				t.Error(why)
			}
			if err := s.Close(); !errors.Is(err, cause) {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// Any changed bit at a table's end, which has the places of everything else, causes an error or has
// no effect.
func TestDamagedEnd(t *testing.T) {
	s := open(t, nil, t.TempDir())
	seq := s.NewSequence()
	want := fill(t, s, seq, 60, 60<<10)
	path := tables(t, s)[0]
	whole, err := os.ReadFile(path)
	must(t, err)
	for at := len(whole) - 100; at < len(whole); at++ {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1 << bit
			must(t, os.WriteFile(path, damaged, 0o600))
			got, err := readAll(s, seq)
			if why := differs(got, want); err == nil && why != "" ||
				err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("bit %d of byte %d of %d: %v %s", bit, at, len(whole), err, why)
			}
			s.failure = nil
		}
	}
}
