package tips

import (
	"errors"

	"github.com/kcut/kcut/partition"
)

const (
	// batchesEach is how many batches a router divides, at least, so that those who are slowed
	// down divide fewer.
	batchesEach = 6
	// lastBatches is how many batches each of several routers would divide of what is left, at least:
	// the last ones are small, and all are done at about the same time.
	lastBatches = 2
	// leastBatch are records that are worth a batch of their own, and splitOverhead those that
	// would take the time that a splitRange takes besides its records.
	leastBatch    = 1 << 12
	splitOverhead = 16
)

// leastBatch returns how many records are worth a batch.
func (x *dividing) leastBatch() int { return min(leastBatch, x.chunkRecords) }

// nextBatch gives the router the next batch, unless there is none.
func (x *dividing) nextBatch(r *router) (ok bool) {
	x.access.Lock()
	defer x.access.Unlock()
	if x.failed != nil {
		return false
	}
	if x.pool.parallel.Threads > 1 {
		x.batch = min(x.batch, max(x.left/(lastBatches*x.pool.parallel.Threads), x.leastBatch()))
	}
	x.taker = r
	if _, ok := x.next(); !ok {
		return false
	}
	x.left -= r.taken
	return true
}

// errEnough ends reading when the batches to come are not wanted.
var errEnough = errors.New("no more batches are wanted")

// batches reads the records of the subpartitions, and yields whenever the taker has a batch.
func (x *dividing) batches(yield func(struct{}) bool) {
	lists := make([]*partition.ChunkList, len(x.splits))
	for i, w := range x.splits {
		lists[i] = &w.whole.ChunkList
	}
	err := x.pool.ConsumeAll(x.ctx, lists, func(i int, chunk []byte, isFrame bool) (records int, err error) {
		if records, err = x.taker.read(x.splits[i], chunk, isFrame); err != nil || x.taker.taken < x.batch {
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
