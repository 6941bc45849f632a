package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Pool is the memory that the leaf partitions of all sets of a search have together: their
// records and what is known of them. What does not fit moves to the store, the largest
// partitions first (TDS, section 5.5). A Pool is not safe for concurrent use.
type Pool struct {
	budget                    *spill.Budget // nil: memory has no limit
	store                     store         // nil: nothing can be moved
	share                     int64
	sharing                   sharing
	used                      int64
	chunk                     int   // bytes
	block                     int64 // bytes of a block of records that are divided
	routers                   []*router
	pieceRecords, partRecords int     // as the constants say, but in tests
	piecesPay                 int     // likewise
	added                     int64   // bytes of frames since the last look at the heap
	gaps                      int64   // bytes that frames do without because of gaps between them
	room                      Table   // where a partition in a table is put in order
	piles                     []*pile // with frames in memory
	sets                      []*TIPS
	page                      []byte  // scratch of move
	moving                    []*pile // scratch of evict
}

// NewPool returns a pool that draws at most the space's share. It must be closed.
func NewPool(space Space) *Pool {
	m := newPool(space.Budget, space.store(), space.Share)
	m.sharing.threads = max(1, space.Threads)
	return m
}

func newPool(budget *spill.Budget, s store, share int64) *Pool {
	chunk := min(max(share/shareChunks, minChunk), maxChunk)
	return &Pool{
		budget: budget, store: s, share: share, chunk: int(chunk), sharing: sharing{threads: 1, least: leastShare},
		pieceRecords: pieceRecords, partRecords: partRecords, piecesPay: piecesPay,
	}
}

// Close returns what the pool has drawn, the tables of its sets included, and frees what it
// has in the store. The sets are not to be used any more.
func (m *Pool) Close() error {
	var sequences []spill.Sequence
	for _, t := range m.sets {
		for _, l := range t.leaves {
			for _, p := range l.pieces {
				sequences = append(sequences, p.sequences...)
			}
		}
		t.leaves, t.table = nil, nil
	}
	m.release(m.used)
	m.sets, m.piles, m.routers, m.room = nil, nil, nil, Table{}
	if len(sequences) == 0 {
		return nil
	}
	return m.store.Free(sequences...)
}

// draw takes n bytes, and moves partitions to the store for them if need be. It returns an
// error wrapping spill.ErrBudget when there is nothing left to move.
func (m *Pool) draw(what string, n int64) error {
	return m.drawWithin(what, n, m.share)
}

// drawWithin is draw, until a part of the share is in use.
func (m *Pool) drawWithin(what string, n, share int64) error {
	if m.budget == nil {
		return nil
	}
	for {
		refusal := m.take(what, n, share)
		if refusal == nil {
			return nil
		}
		if m.spareRoom() {
			continue
		}
		moved, err := m.evict(n)
		if err != nil {
			return err
		}
		if !moved {
			return refusal
		}
	}
}

func (m *Pool) take(what string, n, share int64) error {
	if m.used+n > share {
		return fmt.Errorf("draw %d bytes for %s from a share of %d with %d in use: %w", n, what, share, m.used, spill.ErrBudget)
	}
	if err := m.budget.Draw(what, n); err != nil {
		return err
	}
	m.used += n
	return nil
}

// hasRoom reports whether n more bytes could be drawn for frames. Without a budget nothing is
// known of that.
func (m *Pool) hasRoom(n int64) bool {
	if m.budget == nil || m.take("a table in pieces", n, m.share-m.share/shareOfGarbage) != nil {
		return false
	}
	m.release(n)
	return true
}

// adopt takes over n bytes that somebody else has drawn.
func (m *Pool) adopt(n int64) {
	if m.budget != nil {
		m.used += n
	}
}

// release returns n bytes.
func (m *Pool) release(n int64) {
	if m.budget != nil {
		m.used -= n
		m.budget.Return(n)
	}
}

// evict moves the largest piles to the store until n bytes are free or, since a look at all
// piles is not for a few bytes, an eighth of the share. It writes them in the order in which
// they will be read. When there is no pile, it moves the largest table.
func (m *Pool) evict(n int64) (moved bool, err error) {
	if m.store == nil {
		return false, nil
	}
	if len(m.piles) == 0 {
		return m.evictTable()
	}
	slices.SortFunc(m.piles, func(a, b *pile) int { return cmp.Compare(a.bytes, b.bytes) })
	for i, p := range m.piles {
		p.place = i + 1
	}
	first := len(m.piles)
	for left := max(n, m.share/8); left > 0 && first > 0; first-- {
		left -= m.piles[first-1].bytes
	}
	m.moving = append(m.moving[:0], m.piles[first:]...)
	slices.SortFunc(m.moving, func(a, b *pile) int { return cmp.Compare(a.turn, b.turn) })
	for _, p := range m.moving {
		if err := m.move(p); err != nil {
			return false, err
		}
	}
	clear(m.moving)
	return true, nil
}

func (m *Pool) evictTable() (moved bool, err error) {
	var largest *TIPS
	for _, t := range m.sets {
		if !t.inPieces && (largest == nil || t.table.Bytes() > largest.table.Bytes()) {
			largest = t
		}
	}
	if largest == nil {
		return false, nil
	}
	return true, largest.spill()
}

// move writes a pile's frames to the store, as many in a chunk as its size allows.
func (m *Pool) move(p *pile) error {
	m.page = m.page[:0]
	for _, frame := range p.frames {
		if len(m.page) > 0 && len(m.page)+len(frame) > m.chunk {
			if err := p.write(m.store, m.page); err != nil {
				return err
			}
			m.page = m.page[:0]
		}
		m.page = append(m.page, frame...)
	}
	m.forget(p)
	m.release(p.bytes)
	p.frames, p.bytes = nil, 0
	return p.write(m.store, m.page)
}

// forget takes a pile off the list of those that may be evicted.
func (m *Pool) forget(p *pile) {
	if p.place == 0 {
		return
	}
	last := m.piles[len(m.piles)-1]
	m.piles[p.place-1], last.place = last, p.place
	m.piles = m.piles[:len(m.piles)-1]
	p.place = 0
}

// shareOfGarbage is the part of the share that piles leave to their garbage: frames come and
// go, and a collector that has no room runs all the time.
const shareOfGarbage = 6

// gapsEvery is how many bytes of frames are added between two looks at the heap.
const gapsEvery = 4 << 20

// frameShare returns the part of the share that is for all but garbage. Where frames of
// other sizes have come and gone, gaps stay between those that are left: what of them does
// not fit in the room for garbage is not for frames, either.
func (m *Pool) frameShare(n int64) int64 {
	garbage := m.share / shareOfGarbage
	if m.added += n; m.budget != nil && m.added >= gapsEvery {
		m.added, m.gaps = 0, max(0, spill.HeapGaps()-garbage/2)
	}
	return m.share - garbage - m.gaps
}

// add appends a fragment to a pile.
func (m *Pool) add(p *pile, f fragment) error {
	p.note(f)
	n := frameBytes(f.frame)
	if err := m.drawWithin("leaf partitions", n, m.frameShare(n)); err != nil {
		if m.store == nil || !errors.Is(err, spill.ErrBudget) {
			return err
		}
		return p.write(m.store, f.frame)
	}
	p.frames = append(p.frames, f.frame)
	p.bytes += n
	if p.place == 0 {
		m.piles = append(m.piles, p)
		p.place = len(m.piles)
	}
	return nil
}

// shareOfBlocks is the part of the share that one block of records takes, and maxBlock the most
// bytes: when they are divided, the last-level cache holds them.
const (
	shareOfBlocks = 32
	maxBlock      = 8 << 20
)

// blockRecords returns how many records of a layout make a block: as large a one as there
// is memory for without moving partitions, a chunk at least.
func (m *Pool) blockRecords(layout Layout) int {
	block := min(m.share/shareOfBlocks, maxBlock)
	if m.block == 0 && m.budget != nil && m.take("blocks of leaf partitions", m.blocksBytes(block), m.share) == nil {
		m.block = block
	}
	return max(2, int(max(m.block, int64(m.chunk))/layout.tableBytes(1)))
}

// blocksBytes returns what the blocks of the routers take: as they were read, in order, and what
// is made of them until that is collected.
func (m *Pool) blocksBytes(block int64) int64 { return block * int64(3*m.sharing.threads+1) }

// spareBlocks gives the memory of blocks back, for good. It reports whether there was any.
func (m *Pool) spareBlocks() bool {
	if m.block <= 0 {
		return false
	}
	m.release(m.blocksBytes(m.block))
	m.block, m.routers = -1, nil
	return true
}

// roomFor returns a table that so many records can be put in order in, or nil when there is no
// memory for that without moving partitions.
func (m *Pool) roomFor(layout Layout, records int) *Table {
	words := max(records*layout.Words, cap(m.room.Keys))
	records = max(records, cap(m.room.Counts))
	more := int64(words)*8 + int64(records)*4 - m.roomBytes()
	if more > 0 {
		if m.budget != nil && m.take("room to divide a partition", more, m.share-m.share/shareOfGarbage) != nil {
			return nil
		}
		m.room = Table{Keys: make([]uint64, words), Counts: make([]uint32, records)}
	}
	return &Table{Layout: layout, Keys: m.room.Keys, Counts: m.room.Counts}
}

func (m *Pool) roomBytes() int64 { return int64(cap(m.room.Keys))*8 + int64(cap(m.room.Counts))*4 }

// spareRoom gives the memory of the room back. It reports whether there was any.
func (m *Pool) spareRoom() bool {
	n := m.roomBytes()
	m.room = Table{}
	m.release(n)
	return n > 0
}

// visitChunk is told of a chunk, and whether it is a frame that was in memory: others are valid
// until it returns. It says how many records the chunk has.
type visitChunk func(pile int, chunk []byte, isFrame bool) (records int, err error)

// consume hands out the chunks of piles, one pile after the other. Piles are freed as they are
// read.
func (m *Pool) consume(ctx context.Context, piles []*pile, visit visitChunk) error {
	for from := 0; from < len(piles); {
		to := from
		for stored := int64(0); to < len(piles) && (to == from || stored+piles[to].stored <= maxSequence); to++ {
			stored += piles[to].stored
		}
		if err := m.consumeTogether(ctx, piles[from:to], func(i int, chunk []byte, isFrame bool) (int, error) { return visit(from+i, chunk, isFrame) }); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// consumeTogether is consume for one pile, or for some that are small.
func (m *Pool) consumeTogether(ctx context.Context, piles []*pile, visit visitChunk) error {
	if len(piles) == 1 {
		return m.each(ctx, piles[0], true, func(chunk []byte, isFrame bool) error {
			_, err := visit(0, chunk, isFrame)
			return err
		})
	}
	var sequences []spill.Sequence
	for _, p := range piles {
		m.forget(p)
		sequences = append(sequences, p.sequences...)
	}
	left := make([]int, len(piles))
	for i, p := range piles {
		left[i] = p.records
		for k, frame := range p.frames {
			records, err := visit(i, frame, true)
			if err != nil {
				return err
			}
			left[i] -= records
			p.frames[k] = nil
		}
		m.release(p.bytes)
		p.frames, p.bytes = nil, 0
	}
	if len(sequences) == 0 {
		return nil
	}
	at := 0
	err := readChunks(ctx, m.store, func(chunk []byte) error {
		for at < len(left) && left[at] == 0 {
			at++
		}
		if at == len(left) {
			return fmt.Errorf("read partitions: %w", spill.ErrCorrupt)
		}
		records, err := visit(at, chunk, false)
		left[at] -= records
		return err
	}, sequences...)
	if err != nil {
		return err
	}
	return m.store.Free(sequences...)
}

// each hands out the chunks of a pile, each valid until visit returns unless it is a frame that
// was in memory. A pile that is consumed is freed as it is read.
func (m *Pool) each(ctx context.Context, p *pile, consume bool, visit func(chunk []byte, isFrame bool) error) error {
	if consume {
		m.forget(p)
	}
	for i, frame := range p.frames {
		if err := visit(frame, true); err != nil {
			return err
		}
		if consume {
			n := frameBytes(frame)
			m.release(n)
			p.bytes -= n
			p.frames[i] = nil
		}
	}
	if len(p.sequences) == 0 {
		return nil
	}
	stored := func(chunk []byte) error { return visit(chunk, false) }
	if !consume {
		return readChunks(ctx, m.store, stored, p.sequences...)
	}
	for _, sequence := range p.sequences {
		if err := readChunks(ctx, m.store, stored, sequence); err != nil {
			return err
		}
		p.sequences = p.sequences[1:]
		if err := m.store.Free(sequence); err != nil {
			return err
		}
	}
	return nil
}

// free drops a pile's records, in memory and in the store.
func (m *Pool) free(p *pile) error {
	m.forget(p)
	m.release(p.bytes)
	p.frames, p.bytes = nil, 0
	if len(p.sequences) == 0 {
		return nil
	}
	sequences := p.sequences
	p.sequences = nil
	return m.store.Free(sequences...)
}
