package partition

import (
	"context"
	"maps"
	"math"

	"github.com/kcut/kcut/spill"
)

const (
	// maxChunk is the size of a chunk in the store: large enough to be read at the speed of
	// the disk, small enough that many can be written at the same time.
	maxChunk = 128 << 10
	// shareChunks is how many chunks make a share, at least, unless chunks became tiny.
	shareChunks = 256
	minChunk    = 64
)

// Pool is what the parts of a table have together: memory for records and what is known of them,
// and the lists of those whose records are in the store. A Pool is not safe for concurrent use.
type Pool struct {
	Budget *spill.Budget
	Store  Store // nil: nothing can be moved
	Share  int64
	Chunk  int // bytes of records in a chunk
	// Spare gives back memory, by moving records to the store if need be, and reports whether
	// there was any to give back; nil: there is none.
	Spare func() (bool, error)

	used  int64
	lists map[*ChunkList]bool
	frame []byte // scratch of Write
}

// NewPool returns a pool that draws at most a share of the budget; nil: memory has no limit. It must
// be closed.
func NewPool(budget *spill.Budget, s Store, share int64) *Pool {
	if budget == nil {
		budget, share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	chunk := min(max(share/shareChunks, minChunk), maxChunk)
	return &Pool{Budget: budget, Store: s, Share: share, Chunk: int(chunk), lists: make(map[*ChunkList]bool)}
}

// ChunkRecords returns how many records of a layout make a chunk.
func (m *Pool) ChunkRecords(layout Layout) int { return max(2, m.Chunk/int(layout.TableBytes(1))) }

// Used returns the bytes that are drawn.
func (m *Pool) Used() int64 { return m.used }

// Lists returns how many lists there are.
func (m *Pool) Lists() int { return len(m.lists) }

// Close returns what the pool has drawn, and frees its lists. They are not to be used any more.
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

// Draw takes n bytes, and gives back others for them if need be. It returns an error wrapping
// spill.ErrBudget when there is nothing left to give back.
func (m *Pool) Draw(what string, n int64) error {
	for {
		refusal := m.Take(what, n, m.Share)
		if refusal == nil || m.Spare == nil {
			return refusal
		}
		if more, err := m.Spare(); err != nil {
			return err
		} else if !more {
			return refusal
		}
	}
}

// Take is Draw without giving anything back: it takes n bytes as long as at most a part of the
// share is in use.
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

// Adopt takes over n bytes that somebody else has drawn.
func (m *Pool) Adopt(n int64) { m.used += n }

// Release returns n bytes.
func (m *Pool) Release(n int64) {
	m.used -= n
	m.Budget.Return(n)
}

// Space is where records live: in memory drawn from Budget, at most Share bytes of it, and
// beyond that in Store. Without a budget memory has no limit; without a store what exceeds
// it is an error wrapping spill.ErrBudget.
type Space struct {
	Budget *spill.Budget
	Store  *spill.Store
	Share  int64
	// Threads is how many goroutines may divide a partition that is larger than its share; 0 is one.
	Threads int
}

// store returns the space's store, or nil.
func (s Space) store() Store {
	if s.Store == nil {
		return nil
	}
	return s.Store
}

// bounded returns the space with a budget, if it has none one without a limit.
func (s Space) bounded() Space {
	if s.Budget == nil {
		s.Budget, s.Share = spill.NewBudget(math.MaxInt64), math.MaxInt64
	}
	return s
}

// Pool returns a pool of the space's memory. It must be closed.
func (s Space) Pool() *Pool { return NewPool(s.Budget, s.store(), s.Share) }

// Draw takes bytes from the budget, if there is one, and not more than the share at once.
func (s Space) Draw(what string, bytes int64) error {
	if s = s.bounded(); bytes > s.Share {
		return s.Budget.Exceeded(what, bytes, s.Share, 0)
	}
	return s.Budget.Draw(what, bytes)
}

// Return returns bytes that were drawn.
func (s Space) Return(bytes int64) {
	if s.Budget != nil {
		s.Budget.Return(bytes)
	}
}

// Store is what this package needs of a spill.Store.
type Store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...spill.Sequence) error
	Consume(ctx context.Context, visit func(i int, chunk []byte) error, seqs ...spill.Sequence) error
	Free(seqs ...spill.Sequence) error
}

var _ Store = (*spill.Store)(nil)
