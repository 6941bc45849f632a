package partition

import (
	"context"
	"maps"
	"math"

	"github.com/kcut/kcut/spill"
)

const (
	// maxChunk is the largest size of a chunk in the store, in bytes. Such a chunk is large enough
	// for reading at the speed of the disk, and small enough for writing many chunks at the same
	// time.
	maxChunk = 128 << 10
	// A share has room for at least shareChunks chunks, unless a chunk would have less than
	// minChunk bytes.
	shareChunks = 256
	minChunk    = 64
)

// Pool holds the resources that the parts of a table share: the memory for their records and for
// data about them, and the lists of records in the store. A Pool is not safe for concurrent use.
type Pool struct {
	Budget *spill.Budget
	Store  Store // nil: all records stay in memory
	Share  int64 // the most bytes that the pool draws
	Chunk  int   // bytes of records in a chunk
	// Reclaim returns memory to the pool, if necessary by moving records to the store. It reports
	// whether there was memory to return. nil: there is never memory to return.
	Reclaim func() (bool, error)

	used  int64
	lists map[*ChunkList]bool
	frame []byte // scratch of Write
}

// NewPool returns a pool that draws at most a share of the budget. If the budget is nil, memory has
// no limit. The pool must be closed.
func NewPool(budget *spill.Budget, s Store, share int64) *Pool {
	if budget == nil {
		budget, share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	chunk := min(max(share/shareChunks, minChunk), maxChunk)
	return &Pool{
		Budget: budget, Store: s, Share: share, Chunk: int(chunk),
		lists: make(map[*ChunkList]bool),
	}
}

// ChunkRecords returns the number of records of a layout in a chunk.
func (m *Pool) ChunkRecords(layout Layout) int { return max(2, m.Chunk/int(layout.TableBytes(1))) }

// Used returns the number of bytes that the pool has drawn.
func (m *Pool) Used() int64 { return m.used }

// Lists returns the number of lists.
func (m *Pool) Lists() int { return len(m.lists) }

// Close returns the memory of the pool to the budget and frees its lists. The lists must not be
// used afterwards.
func (m *Pool) Close() error {
	m.Release(m.used)
	var sequences []spill.Sequence
	for p := range maps.Keys(m.lists) {
		sequences = append(sequences, p.sequence)
	}
	m.lists = nil
	if len(sequences) == 0 {
		return nil
	}
	return m.Store.Free(sequences...)
}

// Draw draws n bytes. If there is no room for them, it reclaims memory. It returns an error that
// wraps spill.ErrBudget if there is no memory left to reclaim.
func (m *Pool) Draw(what string, n int64) error {
	for {
		refusal := m.Take(what, n, m.Share)
		if refusal == nil || m.Reclaim == nil {
			return refusal
		}
		if more, err := m.Reclaim(); err != nil {
			return err
		} else if !more {
			return refusal
		}
	}
}

// Take is Draw without reclaiming memory. It draws n bytes if the pool then uses at most the given
// share.
func (m *Pool) Take(what string, n, share int64) error {
	if m.used+n > share {
		return m.Budget.Exceeded(what, n, share, m.used)
	}
	if err := m.Budget.Draw(what, n); err != nil {
		return err
	}
	m.used += n
	return nil
}

// Adopt adds n bytes to the pool that the caller has drawn from the budget.
func (m *Pool) Adopt(n int64) { m.used += n }

// Release returns n bytes to the budget.
func (m *Pool) Release(n int64) {
	m.used -= n
	m.Budget.Return(n)
}

// Space is the room for records: at most Share bytes of memory from Budget, and Store for all other
// records. Without a budget, memory has no limit. Without a store, too many records cause an error
// that wraps spill.ErrBudget.
type Space struct {
	Budget *spill.Budget
	Store  *spill.Store
	Share  int64
	// Threads is the number of goroutines that may work on the records; 0 means 1.
	Threads int
}

// store returns the space's store, or nil.
func (s Space) store() Store {
	if s.Store == nil {
		return nil
	}
	return s.Store
}

// bounded returns the space. If the space has no budget, it gets a budget without a limit.
func (s Space) bounded() Space {
	if s.Budget == nil {
		s.Budget, s.Share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	return s
}

// Pool returns a pool of the space's memory. The pool must be closed.
func (s Space) Pool() *Pool { return NewPool(s.Budget, s.store(), s.Share) }

// Draw draws bytes from the budget, if there is one, and at most the share in one call.
func (s Space) Draw(what string, bytes int64) error {
	if s = s.bounded(); bytes > s.Share {
		return s.Budget.Exceeded(what, bytes, s.Share, 0)
	}
	return s.Budget.Draw(what, bytes)
}

// Return returns drawn bytes to the budget.
func (s Space) Return(bytes int64) {
	if s.Budget != nil {
		s.Budget.Return(bytes)
	}
}

// Store has the methods of spill.Store that this package uses.
type Store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...spill.Sequence) error
	Consume(
		ctx context.Context, visit func(i int, chunk []byte) error, seqs ...spill.Sequence,
	) error
	Free(seqs ...spill.Sequence) error
}

var _ Store = (*spill.Store)(nil)
