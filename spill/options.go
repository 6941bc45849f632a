package spill

import "github.com/cockroachdb/pebble/v2/vfs"

// Options are a Store's. The zero value is good.
type Options struct {
	// FS is where the folder is; nil is the machine's file system.
	FS vfs.FS
	// Budget is what the buffers are drawn from at Open and returned to at Close: the grant
	// StoreBuffers, at least half a MiB and at most 64. Nil draws nothing and counts as a large
	// one.
	Budget *Budget
	// Share is how many bytes that is instead, when not 0. With little of it little data is
	// written to files: for tests.
	Share int64
}

// The least and the most that a store takes.
const (
	minShare = 1 << 19
	maxShare = 64 << 20
)

// share returns the bytes that a store of these options may hold.
func (o *Options) share() int64 {
	if o.Share > 0 {
		return o.Share
	}
	return StoreShare(o.Budget.Limit())
}

// StoreShare returns the bytes that a store takes of a budget.
func StoreShare(limit int64) int64 { return min(max(StoreBuffers.Part(limit), minShare), maxShare) }
