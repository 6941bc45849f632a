// Package spilltest has test doubles: disks that fail, for tests of stores, and a store in memory,
// for tests of packages that use stores.
package spilltest

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Disk is a disk in memory on which file operations can fail. It is empty at first.
type Disk struct {
	vfs.FS
	memory   *vfs.MemFS
	err      error
	first    int64 // number of the operation that fails, counted from 0
	full     bool  // from the first failure on all operations that take room fail
	seen     atomic.Int64
	failed   atomic.Bool
	removing atomic.Bool
	repaired atomic.Bool
	kinds    sync.Map // the operations seen so far, by name
}

// kinds are the names of the operations of stores on a disk.
var kinds = map[errorfs.OpKind]string{
	errorfs.OpCreate: "create", errorfs.OpLink: "link", errorfs.OpOpen: "open",
	errorfs.OpRemove:    "remove",
	errorfs.OpRemoveAll: "remove all", errorfs.OpRename: "rename",
	errorfs.OpMkdirAll: "make directory",
	errorfs.OpLock:     "lock", errorfs.OpList: "list", errorfs.OpFileRead: "read",
	errorfs.OpFileReadAt: "read at", errorfs.OpFileWrite: "write",
	errorfs.OpFileWriteAt: "write at",
}

// Healthy returns a disk on which nothing fails.
func Healthy() *Disk { return Failing(nil, 0) }

// Failing returns a disk on which operation n fails with err, once.
func Failing(err error, n int64) *Disk { return newDisk(&Disk{err: err, first: n}) }

// Full returns a disk that is full from operation n on: operations that take room fail with err.
func Full(err error, n int64) *Disk { return newDisk(&Disk{err: err, first: n, full: true}) }

func newDisk(d *Disk) *Disk {
	d.memory = vfs.NewMem()
	d.FS = errorfs.Wrap(d.memory, d)
	return d
}

// MaybeError makes the chosen operation fail. It does not count the question for free space, since
// a store ignores its failure.
func (d *Disk) MaybeError(op errorfs.Op) error {
	if op.Kind == errorfs.OpGetDiskUsage || d.repaired.Load() {
		return nil
	}
	d.kinds.Store(kinds[op.Kind], true)
	n := d.seen.Add(1) - 1
	if n < d.first || n > d.first && !d.full || d.full && !takesRoom(op) {
		return nil
	}
	d.failed.Store(true)
	if op.Kind == errorfs.OpRemove || op.Kind == errorfs.OpRemoveAll {
		d.removing.Store(true)
	}
	return d.err
}

func takesRoom(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpFileWrite, errorfs.OpMkdirAll,
		errorfs.OpFileWriteAt, errorfs.OpRename:
		return true
	}
	return false
}

// String is the name of the disk in Pebble's messages.
func (d *Disk) String() string { return "failing disk" }

// Failed reports whether any operation failed.
func (d *Disk) Failed() bool { return d.failed.Load() }

// Removing reports whether the failed operation was one that removes.
func (d *Disk) Removing() bool { return d.removing.Load() }

// Operations returns the number of operations so far.
func (d *Disk) Operations() int64 { return d.seen.Load() }

// Did reports whether there was an operation of a kind: create, write, read at, list, link,
// rename, remove, remove all, lock and others.
func (d *Disk) Did(kind string) bool {
	_, did := d.kinds.Load(kind)
	return did
}

// Left returns the paths of the folders and files on the disk whose names are those of stores.
func (d *Disk) Left() []string { return d.below("/") }

func (d *Disk) below(folder string) (left []string) {
	names, err := d.memory.List(folder)
	if err != nil {
		return nil
	}
	for _, name := range names {
		path := d.memory.PathJoin(folder, name)
		if strings.Contains(name, "kcut") {
			left = append(left, path)
		} else {
			left = append(left, d.below(path)...)
		}
	}
	return left
}

// Repair makes all operations succeed from now on.
func (d *Disk) Repair() { d.repaired.Store(true) }
