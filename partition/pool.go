package partition

import (
	"cmp"
	"context"
	"errors"
	"slices"

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

// Pool is the memory that the parts of a table have together: their records and what is known
// of them. Chunk lists that do not fit move to the store, the largest ones first (TDS, section
// 5.5). A Pool is not safe for concurrent use.
type Pool struct {
	Budget *spill.Budget // nil: memory has no limit
	Store  Store         // nil: nothing can be moved
	Share  int64
	Chunk  int // bytes of a chunk in the store
	// Spare gives back memory that can be done without, before anything is moved; nil: there is
	// none. MoveTable moves records that are in a table to the store, when there are no lists in
	// memory. Both report whether there was any.
	Spare     func() bool
	MoveTable func() (bool, error)

	used   int64
	added  int64        // bytes of frames since the last look at the heap
	gaps   int64        // bytes that frames do without because of gaps between them
	lists  []*ChunkList // with frames in memory
	page   []byte       // scratch of move
	moving []*ChunkList // scratch of Evict
}

// NewPool returns a pool that draws at most a share of the budget. It must be closed.
func NewPool(budget *spill.Budget, s Store, share int64) *Pool {
	chunk := min(max(share/shareChunks, minChunk), maxChunk)
	return &Pool{Budget: budget, Store: s, Share: share, Chunk: int(chunk)}
}

// ChunkRecords returns how many records of a layout make a chunk.
func (m *Pool) ChunkRecords(layout Layout) int { return max(2, m.Chunk/int(layout.TableBytes(1))) }

// Used returns the bytes that are drawn.
func (m *Pool) Used() int64 { return m.used }

// Close returns what the pool has drawn, and frees what the lists have in the store. They are
// not to be used any more.
func (m *Pool) Close(lists []*ChunkList) error {
	var sequences []spill.Sequence
	for _, p := range lists {
		sequences = append(sequences, p.sequences...)
	}
	m.Release(m.used)
	m.lists = nil
	if len(sequences) == 0 {
		return nil
	}
	return m.Store.Free(sequences...)
}

// Draw takes n bytes, and moves partitions to the store for them if need be. It returns an
// error wrapping spill.ErrBudget when there is nothing left to move.
func (m *Pool) Draw(what string, n int64) error {
	return m.drawWithin(what, n, m.Share)
}

// drawWithin is Draw, until a part of the share is in use.
func (m *Pool) drawWithin(what string, n, share int64) error {
	if m.Budget == nil {
		return nil
	}
	for {
		refusal := m.Take(what, n, share)
		if refusal == nil {
			return nil
		}
		if m.Spare != nil && m.Spare() {
			continue
		}
		moved, err := m.Evict(n)
		if err != nil {
			return err
		}
		if !moved {
			return refusal
		}
	}
}

// Take is Draw without moving anything: it takes n bytes as long as at most a part of the share is in use.
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
func (m *Pool) Adopt(n int64) {
	if m.Budget != nil {
		m.used += n
	}
}

// Release returns n bytes.
func (m *Pool) Release(n int64) {
	if m.Budget != nil {
		m.used -= n
		m.Budget.Return(n)
	}
}

// Evict moves the largest lists to the store until n bytes are free or, since a look at all
// lists is not for a few bytes, an eighth of the share. It writes them in the order in which
// they will be read. When there is no list, it moves the largest table.
func (m *Pool) Evict(n int64) (moved bool, err error) {
	if m.Store == nil {
		return false, nil
	}
	if len(m.lists) == 0 {
		if m.MoveTable == nil {
			return false, nil
		}
		return m.MoveTable()
	}
	slices.SortFunc(m.lists, func(a, b *ChunkList) int { return cmp.Compare(a.bytes, b.bytes) })
	for i, p := range m.lists {
		p.place = i + 1
	}
	first := len(m.lists)
	for left := max(n, m.Share/8); left > 0 && first > 0; first-- {
		left -= m.lists[first-1].bytes
	}
	m.moving = append(m.moving[:0], m.lists[first:]...)
	slices.SortFunc(m.moving, func(a, b *ChunkList) int { return cmp.Compare(a.Order, b.Order) })
	for _, p := range m.moving {
		if err := m.move(p); err != nil {
			return false, err
		}
	}
	clear(m.moving)
	return true, nil
}

// move writes a list's frames to the store, as many in a chunk as its size allows.
func (m *Pool) move(p *ChunkList) error {
	m.page = m.page[:0]
	for _, frame := range p.frames {
		if len(m.page) > 0 && len(m.page)+len(frame) > m.Chunk {
			if err := p.write(m.Store, m.page); err != nil {
				return err
			}
			m.page = m.page[:0]
		}
		m.page = append(m.page, frame...)
	}
	m.forget(p)
	m.dropFrames(p)
	return p.write(m.Store, m.page)
}

// forget takes a list off the list of those that may be evicted.
func (m *Pool) forget(p *ChunkList) {
	if p.place == 0 {
		return
	}
	last := m.lists[len(m.lists)-1]
	m.lists[p.place-1], last.place = last, p.place
	m.lists = m.lists[:len(m.lists)-1]
	p.place = 0
}

// ShareOfGarbage is the part of the share that lists leave to their garbage: frames come and
// go, and a collector that has no room runs all the time.
const ShareOfGarbage = 6

// gapsEvery is how many bytes of frames are added between two looks at the heap.
const gapsEvery = 4 << 20

// frameShare returns the part of the share that is for all but garbage. Where frames of
// other sizes have come and gone, gaps stay between those that are left: what of them does
// not fit in the room for garbage is not for frames, either.
func (m *Pool) frameShare(n int64) int64 {
	garbage := m.Share / ShareOfGarbage
	if m.added += n; m.Budget != nil && m.added >= gapsEvery {
		m.added, m.gaps = 0, max(0, spill.HeapGaps()-garbage/2)
	}
	return m.Share - garbage - m.gaps
}

// Add appends a block to a list.
func (m *Pool) Add(p *ChunkList, b Block) error {
	n := frameBytes(b.Frame)
	if err := m.drawWithin("Rows partitions", n, m.frameShare(n)); err != nil {
		if m.Store == nil || !errors.Is(err, spill.ErrBudget) {
			return err
		}
		return m.AddStored(p, b)
	}
	p.Summary.add(b.Summary)
	p.frames = append(p.frames, b.Frame)
	p.bytes += n
	m.remember(p)
	return nil
}

// AddStored appends a block to what a list has in the store.
func (m *Pool) AddStored(p *ChunkList, b Block) error {
	p.Summary.add(b.Summary)
	return p.write(m.Store, b.Frame)
}

// remember puts a list on the list of those that may be evicted.
func (m *Pool) remember(p *ChunkList) {
	if len(p.frames) > 0 && p.place == 0 {
		m.lists = append(m.lists, p)
		p.place = len(m.lists)
	}
}

// Free drops a list's records, in memory and in the store.
func (m *Pool) Free(p *ChunkList) error {
	m.forget(p)
	m.dropFrames(p)
	return p.free(m.Store)
}

// dropFrames drops what a list has in memory.
func (m *Pool) dropFrames(p *ChunkList) {
	m.Release(p.bytes)
	p.frames, p.bytes = nil, 0
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

// Pool returns a pool of the space's memory. It must be closed.
func (s Space) Pool() *Pool { return NewPool(s.Budget, s.store(), s.Share) }

// Draw takes bytes from the budget, if there is one, and not more than the share at once.
func (s Space) Draw(what string, bytes int64) error {
	if s.Budget == nil {
		return nil
	}
	if bytes > s.Share {
		return s.Budget.Exceeded(what, bytes, s.Share, 0)
	}
	return s.Budget.Draw(what, bytes)
}

// Store is what this package needs of a spill.Store.
type Store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...spill.Sequence) error
	Free(seqs ...spill.Sequence) error
}

var _ Store = (*spill.Store)(nil)
