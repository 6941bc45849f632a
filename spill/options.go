package spill

import "github.com/cockroachdb/pebble/v2/vfs"

// Options are a Store's. The zero value is good.
type Options struct {
	// FS is the file system of the folder; nil is the machine's.
	FS vfs.FS
	// Budget is the budget from which Open draws the buffers; Close returns them. They take the
	// grant StoreBuffers, at least 512 KiB and at most 64 MiB. Without a budget nothing is drawn,
	// and the buffers are those of a large budget.
	Budget *Budget
	// Share replaces the size of the buffers in bytes, unless it is 0. A small share makes a store
	// write files for little data, in tests.
	Share int64
}

// The smallest and the largest share of a store.
const (
	minShare = 1 << 19
	maxShare = 64 << 20
)

// share returns the number of bytes that a store with these options may hold.
func (o *Options) share() int64 {
	if o.Share > 0 {
		return o.Share
	}
	return StoreShare(o.Budget.Limit())
}

// StoreShare returns the number of bytes that a store takes of a budget.
func StoreShare(limit int64) int64 { return min(max(StoreBuffers.Part(limit), minShare), maxShare) }
