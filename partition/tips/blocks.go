package tips

import (
	"errors"

	"github.com/kcut/kcut/partition"
)

const (
	// blocksEach is how many blocks a router divides, at least, so that those who are slowed
	// down divide fewer.
	blocksEach = 6
	// lastBlocks is how many blocks each of several routers would divide of what is left, at least:
	// the last ones are small, and all are done at about the same time.
	lastBlocks = 2
	// leastBlock are records that are worth a block of their own, and stretchRecords those that
	// would take the time that a stretch takes besides its records.
	leastBlock     = 1 << 12
	stretchRecords = 16
)

// leastBlock returns how many records are worth a block.
func (x *dividing) leastBlock() int { return min(leastBlock, x.TIPS.block) }

// take gives the router the next block, unless there is none.
func (x *dividing) take(r *router) (ok bool) {
	x.access.Lock()
	defer x.access.Unlock()
	if x.failed != nil {
		return false
	}
	if x.pool.sharing.Threads > 1 {
		x.block = min(x.block, max(x.left/(lastBlocks*x.pool.sharing.Threads), x.leastBlock()))
	}
	x.taker = r
	if _, ok := x.next(); !ok {
		return false
	}
	x.left -= r.taken
	return true
}

// errEnough ends reading when the blocks to come are not wanted.
var errEnough = errors.New("no more blocks are wanted")

// blocks reads the records of the pieces, and yields whenever the taker has a block.
func (x *dividing) blocks(yield func(struct{}) bool) {
	piles := make([]*partition.ChunkList, len(x.works))
	for i, w := range x.works {
		piles[i] = &w.piece.ChunkList
	}
	err := x.pool.ConsumeAll(x.ctx, piles, func(i int, chunk []byte, isFrame bool) (records int, err error) {
		if records, err = x.taker.read(x.works[i], chunk, isFrame); err != nil || x.taker.taken < x.block {
			return records, err
		}
		if err := x.ctx.Err(); err != nil {
			return 0, err
		}
		if !yield(struct{}{}) {
			return 0, errEnough
		}
		return records, nil
	})
	if err == nil && x.taker.taken > 0 {
		yield(struct{}{})
	}
	if !errors.Is(err, errEnough) {
		x.fail(err)
	}
}
