package storage

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

const (
	// blockBytes is the largest number of bytes of one request of a plan. With twenty milliseconds
	// for each request that is 50 MB/s for every range that is read.
	blockBytes = 1 << 20
	// gapBytes is the largest number of unneeded bytes that are fetched to save a request: the
	// bytes that arrive in the time in which a request starts.
	gapBytes = 32 << 10
	// mostAhead is the number of blocks that a plan of few ranges holds. A plan of more ranges
	// holds one for each, and the next.
	mostAhead = 8
)

// plan fetches ranges of an object in blocks, and the next ones while one is read.
type plan struct {
	object *object
	ctx    context.Context
	cancel context.CancelFunc
	depth  int // largest number of blocks ahead of the one that is read
	// number of blocks that have been read; it limits unneeded blocks of readers that stop soon
	drained int
	fetches sync.WaitGroup

	mu     sync.Mutex
	blocks []*block // by position; they do not overlap
}

// block is a part of an object that one request fetches.
type block struct {
	Range
	index  int
	last   int           // index of the block in which the ranges of this one end
	unread int64         // number of unread bytes of ranges in it
	done   chan struct{} // nil: it was not requested; closed when it has been fetched
	data   []byte
	err    error
}

// Plan implements File.
func (o *object) Plan(ctx context.Context, ranges []Range) Plan {
	p := &plan{object: o, blocks: blocksOf(ranges, o.info.size)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.depth = max(1, mostAhead/max(1, len(ranges)))
	for _, r := range ranges {
		if b := p.find(r.From); b != nil {
			p.start(b)
		}
	}
	return p
}

// blocksOf divides ranges of an object into blocks: nearby ranges share one, a long one has
// several.
func blocksOf(ranges []Range, size int64) []*block {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	var blocks []*block
	for _, r := range ranges {
		r.To = min(r.To, size)
		for from := r.From; from < r.To; {
			last := len(blocks) - 1
			switch {
			case last >= 0 && from < blocks[last].To: // another range contains it, too
				from = blocks[last].To
			case last >= 0 && from-blocks[last].To <= gapBytes &&
				r.To-blocks[last].From <= blockBytes:
				blocks[last].To, from = r.To, r.To
			default:
				to := min(r.To, from+blockBytes)
				blocks = append(blocks, &block{
					Range: Range{From: from, To: to},
					index: len(blocks),
				})
				from = to
			}
		}
		for i := len(blocks) - 1; i >= 0 && blocks[i].To > r.From; i-- {
			b := blocks[i]
			b.unread += min(b.To, r.To) - max(b.From, r.From)
			b.last = len(blocks) - 1
		}
	}
	return blocks
}

// find returns the block at a position, or nil.
func (p *plan) find(at int64) *block {
	i, _ := slices.BinarySearchFunc(p.blocks, at+1, func(b *block, end int64) int {
		return cmp.Compare(b.To, end)
	})
	if i == len(p.blocks) || at < p.blocks[i].From {
		return nil
	}
	return p.blocks[i]
}

// ReadAt implements io.ReaderAt.
func (p *plan) ReadAt(to []byte, off int64) (n int, err error) {
	for n < len(to) {
		b := p.find(off + int64(n))
		if b == nil {
			m, err := p.object.readAt(p.ctx, to[n:], off+int64(n))
			return n + m, err
		}
		m, err := p.read(b, to[n:], off+int64(n))
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// read reads from one block.
func (p *plan) read(b *block, to []byte, off int64) (int, error) {
	to = to[:min(int64(len(to)), b.To-off)]
	done := p.want(b)
	if done == nil {
		return p.object.readAt(p.ctx, to, off)
	}
	select {
	case <-done:
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.err != nil || b.data == nil { // another reader has dropped it: it is requested again
		return 0, b.err
	}
	n := copy(to, b.data[off-b.From:])
	if b.unread -= int64(n); b.unread <= 0 {
		p.drained++
		p.drop(b)
	}
	return n, nil
}

// want fetches a block, and those after it in its ranges that are due. It returns a channel that is
// closed when the block is there.
func (p *plan) want(b *block) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start(b)
	for next := b.index + 1; b.done != nil &&
		next <= min(b.last, b.index+min(p.depth, p.drained+1)); next++ {
		if p.blocks[next].unread > 0 {
			p.start(p.blocks[next])
		}
	}
	return b.done
}

// start fetches a block unless it was requested, or there is no memory for it.
func (p *plan) start(b *block) {
	if b.done != nil || p.object.ahead(b.To-b.From) != nil {
		return
	}
	done := make(chan struct{})
	b.done, b.data = done, make([]byte, b.To-b.From)
	p.fetches.Go(func() {
		b.err = p.object.fetch(p.ctx, b.data, b.From)
		close(done)
	})
}

// drop releases the bytes of a block. A later read fetches it again.
func (p *plan) drop(b *block) {
	if b.done != nil {
		b.done, b.data = nil, nil
		_ = p.object.ahead(b.From - b.To) // a release is never refused
	}
}

// Close implements Plan.
func (p *plan) Close() {
	p.cancel()
	p.fetches.Wait()
	for _, b := range p.blocks {
		p.drop(b)
	}
}
