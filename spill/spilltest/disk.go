// Package spilltest has disks for tests of what stores do when theirs fails, and a store in memory
// for tests of what their users do.
package spilltest

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Disk is a disk in memory, empty at first, on which file operations fail.
type Disk struct {
	vfs.FS
	memory   *vfs.MemFS
	err      error
	first    int64 // operation that fails, counted from 0
	full     bool  // all operations that take room fail from then on
	seen     atomic.Int64
	failed   atomic.Bool
	removing atomic.Bool
	repaired atomic.Bool
	kinds    sync.Map // of the operations there were, by name
}

// kinds are names of what stores do on a disk.
var kinds = map[errorfs.OpKind]string{
	errorfs.OpCreate: "create", errorfs.OpLink: "link", errorfs.OpOpen: "open", errorfs.OpRemove: "remove",
	errorfs.OpRemoveAll: "remove all", errorfs.OpRename: "rename", errorfs.OpMkdirAll: "make directory",
	errorfs.OpLock: "lock", errorfs.OpList: "list", errorfs.OpFileRead: "read",
	errorfs.OpFileReadAt: "read at", errorfs.OpFileWrite: "write", errorfs.OpFileWriteAt: "write at",
}

// Healthy returns a disk on which nothing fails.
func Healthy() *Disk { return Failing(nil, 0) }

// Failing returns a disk on which operation n fails with err, once.
func Failing(err error, n int64) *Disk { return newDisk(&Disk{err: err, first: n}) }

// Full returns a disk that is full from operation n on: what takes room fails with err.
func Full(err error, n int64) *Disk { return newDisk(&Disk{err: err, first: n, full: true}) }

func newDisk(d *Disk) *Disk {
	d.memory = vfs.NewMem()
	d.FS = errorfs.Wrap(d.memory, d)
	return d
}

// MaybeError fails an operation when it is its turn. It leaves out how full the disk is,
// since a store goes on without an answer.
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
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpFileWrite, errorfs.OpMkdirAll, errorfs.OpFileWriteAt, errorfs.OpRename:
		return true
	}
	return false
}

// String is the name of the disk in Pebble's words.
func (d *Disk) String() string { return "failing disk" }

// Failed reports whether any operation failed.
func (d *Disk) Failed() bool { return d.failed.Load() }

// Removing reports whether an operation that removes failed.
func (d *Disk) Removing() bool { return d.removing.Load() }

// Operations returns how many operations there were.
func (d *Disk) Operations() int64 { return d.seen.Load() }

// Did reports whether there was an operation of a kind: create, write, read at, list, link,
// rename, remove, remove all, lock and others.
func (d *Disk) Did(kind string) bool {
	_, did := d.kinds.Load(kind)
	return did
}

// Left returns the paths of the folders and files on the disk that are, by their names, of
// stores.
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
