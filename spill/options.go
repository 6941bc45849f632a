package spill

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are a Store's. The zero value is good.
type Options struct {
	// FS is where the folder is; nil is the machine's file system.
	FS vfs.FS
	// Budget is what the buffers are drawn from at Open and returned to at Close: the grant
	// StoreBuffers, at least 2 and at most 64 MiB. Nil draws nothing and counts as a large one.
	Budget *Budget
	// Share is how many bytes that is instead, when not 0. With little of it little data is
	// written to files: for tests.
	Share int64
}

// The least and the most that a store takes.
const (
	minShare = 2 << 20
	maxShare = 64 << 20
)

// share returns the bytes that a store of these options may hold.
func (o *Options) share() int64 {
	switch {
	case o.Share > 0:
		return o.Share
	case o.Budget == nil:
		return maxShare
	}
	return min(max(o.Budget.Grant(&StoreBuffers), minShare), maxShare)
}

// A share is three quarters runs, one being filled and one being written. The rest is for
// the block cache, chunks for readers, the block being written and what Pebble knows about
// its tables.
const (
	runsOfStore  = 2
	runEighths   = 3
	blockCache   = 1 << 20 // data is read once: more only costs
	openTables   = 128     // file descriptors; each also holds a table's index
	blockSize    = 32 << 10
	neverCompact = 1 << 20 // level-0 files: more than there will be
)

// formatVersion is the newest with excising but without columnar blocks, which take twice
// the time to write when a block is one value.
const formatVersion = pebble.FormatFlushableIngestExcises

// runSize returns the bytes that one run takes of a share.
func runSize(share int64) int { return int(share * runEighths / 8) }

// pebbleOptions makes Pebble a directory of tables: nothing goes through its log or its
// memtables, which on a full disk retry forever, and nothing is compacted, which would
// write scratch data five times over.
func pebbleOptions(s *Store) *pebble.Options {
	o := &pebble.Options{
		FS:                          s.files,
		FormatMajorVersion:          formatVersion,
		CacheSize:                   blockCache,
		MaxOpenFiles:                openTables,
		DisableWAL:                  true,
		MemTableSize:                64 << 10,
		DisableAutomaticCompactions: true,
		DisableTableStats:           true,
		L0CompactionThreshold:       neverCompact,
		L0CompactionFileThreshold:   neverCompact,
		L0StopWritesThreshold:       neverCompact,
		Logger:                      logger{s},
		EventListener: &pebble.EventListener{
			BackgroundError: s.fail,
			DataCorruption:  func(info pebble.DataCorruptionInfo) { s.fail(info.Details) },
		},
	}
	o.Experimental.ReadSamplingMultiplier = -1
	o.Experimental.CompactionScheduler = noCompactions{}
	for i := range o.Levels {
		o.Levels[i].BlockSize = blockSize
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	o.EnsureDefaults()
	return o
}

// noCompactions schedules none. Pebble's own scheduler runs a goroutine, which stays when
// Pebble fails to open.
type noCompactions struct{}

func (noCompactions) Register(int, pebble.DBForCompaction)              {}
func (noCompactions) Unregister()                                       {}
func (noCompactions) TrySchedule() (bool, pebble.CompactionGrantHandle) { return false, nil }
func (noCompactions) UpdateGetAllowedWithoutPermission()                {}

// logger takes Pebble's words. What it calls fatal fails the store; the process goes on.
type logger struct{ store *Store }

func (logger) Infof(string, ...any)  {}
func (logger) Errorf(string, ...any) {}

func (l logger) Fatalf(format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			l.store.fail(err)
			return
		}
	}
	l.store.fail(fmt.Errorf(format, args...))
}
