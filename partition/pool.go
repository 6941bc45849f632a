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
	budget  *spill.Budget // nil: memory has no limit
	store   store         // nil: nothing can be moved
	share   int64
	threads int
	sharing sharing
	used    int64
	chunk   int     // bytes
	piles   []*pile // with frames in memory
	sets    []*TIPS
	page    []byte  // scratch of move
	moving  []*pile // scratch of evict
}

// NewPool returns a pool that draws at most the space's share. It must be closed.
func NewPool(space Space) *Pool {
	m := newPool(space.Budget, space.store(), space.Share)
	m.threads = max(1, space.Threads)
	m.sharing = sharing{threads: m.threads, least: leastShare}
	return m
}

func newPool(budget *spill.Budget, s store, share int64) *Pool {
	chunk := min(max(share/shareChunks, minChunk), maxChunk)
	return &Pool{budget: budget, store: s, share: share, threads: 1, chunk: int(chunk)}
}

// Close returns what the pool has drawn, the tables of its sets included, and frees what it
// has in the store. The sets are not to be used any more.
func (m *Pool) Close() error {
	var sequences []spill.Sequence
	for _, t := range m.sets {
		for _, l := range t.leaves {
			if l.pile != nil {
				sequences = append(sequences, l.pile.sequences...)
			}
		}
		t.leaves, t.table = nil, nil
	}
	m.release(m.used)
	m.sets, m.piles = nil, nil
	if len(sequences) == 0 {
		return nil
	}
	return m.store.Free(sequences...)
}

// draw takes n bytes, and moves partitions to the store for them if need be. It returns an
// error wrapping spill.ErrBudget when there is nothing left to move.
func (m *Pool) draw(what string, n int64) error {
	if m.budget == nil {
		return nil
	}
	for {
		refusal := m.take(what, n)
		if refusal == nil {
			return nil
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

func (m *Pool) take(what string, n int64) error {
	if m.used+n > m.share {
		return fmt.Errorf("draw %d bytes for %s from a share of %d with %d in use: %w", n, what, m.share, m.used, spill.ErrBudget)
	}
	if err := m.budget.Draw(what, n); err != nil {
		return err
	}
	m.used += n
	return nil
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
		if !t.spilled && (largest == nil || t.table.Bytes() > largest.table.Bytes()) {
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

// add appends a fragment to a pile.
func (m *Pool) add(p *pile, f fragment) error {
	p.note(f)
	n := frameBytes(f.frame)
	if err := m.draw("leaf partitions", n); err != nil {
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

// each hands out the chunks of a pile, each valid until visit returns. A pile that is
// consumed is freed as it is read.
func (m *Pool) each(ctx context.Context, p *pile, consume bool, visit func(chunk []byte) error) error {
	if consume {
		m.forget(p)
	}
	for i, frame := range p.frames {
		if err := visit(frame); err != nil {
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
	if !consume {
		return readChunks(ctx, m.store, visit, p.sequences...)
	}
	for _, sequence := range p.sequences {
		if err := readChunks(ctx, m.store, visit, sequence); err != nil {
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
