package tips

import (
	"errors"
	"iter"
	"math"
	"sync"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

const (
	// subpartitionRecords is how many records a subpartition is to have, on average.
	subpartitionRecords = 512
	// subpartitionBytes is what a subpartition takes, with what is known of it, and
	// shareOfSubpartitions the part of the share that subpartitions may take together.
	subpartitionBytes    = partition.ChunkListBytes + 256
	shareOfSubpartitions = 3
	// maxParts is how many parts a subpartition is divided into, unless one refinement makes more.
	maxParts = 4096
	// partRecords is how many records of a batch a part is to have, on average.
	partRecords = 128
	// batchesEach is how many batches a router divides, at least, so that those who are slowed
	// down divide fewer.
	batchesEach = 6
	// leastBatch are records that are worth a batch of their own.
	leastBatch = 1 << 12
)

// dividing divides subpartitions. Their records are read a batch at a time; a batch may have
// records of several subpartitions, and a subpartition records in several batches. Routers, each
// on a goroutine of its own, take the batches in turn. The order in which they are done is that of
// the records of a subpartition, and of nothing else.
type dividing struct {
	*TIPS
	splits  []*split
	records int
	known   int64 // bytes that will be known of what the splits make, at most
	batch   int   // records that make a batch

	access sync.Mutex // to the pool, and to what follows
	next   func() (struct{}, bool)
	taker  *router // reads the next batch
}

// splitRange is where records of a split are in a batch.
type splitRange struct {
	*split
	lo, hi int
}

// spreadsRoom returns how many bytes more may be known of subpartitions.
func (t *TIPS) spreadsRoom() int64 {
	if t.pool.Budget == nil {
		return math.MaxInt64
	}
	return t.pool.Share/shareOfSpreads - t.sums
}

// run divides the subpartitions. It draws what will be known of what it makes, at most; when there
// is not as much, what will turn out to be known has to fit.
func (x *dividing) run() {
	if len(x.splits) == 0 {
		return
	}
	x.plan()
	switch err := x.pool.Draw("what is learned of leaf partitions", x.known); {
	case err == nil:
		defer x.pool.Release(x.known)
	case !errors.Is(err, spill.ErrBudget):
		x.fail(err)
		return
	}
	threads := x.pool.parallel.Threads
	routers := make([]*router, min(threads, max(1, x.records/leastBatch)))
	for len(x.pool.routers) < len(routers) {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	copy(routers, x.pool.routers)
	x.batch = max(x.records/(batchesEach*threads), min(leastBatch, x.chunkRecords))
	x.batch = min(x.batch, x.pool.batchRecords(x.table.Layout))
	next, stop := iter.Pull(x.batches)
	x.next = next
	x.pool.parallel.Each(len(routers), x.records, func(_, i int) {
		r := routers[i]
		r.TIPS, r.table.Layout, r.sorted.Layout = x.TIPS, x.table.Layout, x.table.Layout
		for x.exchange(r) {
			r.err = r.divide()
		}
	})
	stop()
}

// exchange takes what a router has made of its last batch and gives it the next one, unless there is
// none.
func (x *dividing) exchange(r *router) (ok bool) {
	x.access.Lock()
	defer x.access.Unlock()
	x.collect(r)
	if x.err != nil {
		return false
	}
	x.taker = r
	_, ok = x.next()
	return ok
}

// batches reads the records of the subpartitions, and yields whenever the taker has a batch. After
// the last error no more batches are wanted.
func (x *dividing) batches(yield func(struct{}) bool) {
	lists := make([]*partition.ChunkList, len(x.splits))
	for i, w := range x.splits {
		lists[i] = &w.whole.ChunkList
	}
	err := x.pool.ConsumeAll(x.ctx, lists, func(i int, chunk []byte, isFrame bool) (records int, err error) {
		if records, err = x.taker.read(x.splits[i], chunk, isFrame); err != nil || x.taker.taken < x.batch {
			return records, err
		}
		if !yield(struct{}{}) {
			return 0, x.err
		}
		return records, x.ctx.Err()
	})
	if x.fail(err); err == nil && x.taker.taken > 0 {
		yield(struct{}{})
	}
}

// collect adds the blocks that a router has made of a batch to the chunk lists of their parts,
// unless it met an error, and empties the router.
func (x *dividing) collect(r *router) {
	x.fail(r.err)
	for _, g := range r.blocks {
		if x.err != nil {
			break
		}
		to := &g.split.subs[g.part]
		if *to == nil {
			*to = &subpartition{}
			(*to).Order = x.readOrder(g.split.of)
		}
		(*to).learn(g.spreads, g.counts)
		x.fail(x.pool.Add(&(*to).ChunkList, g.Block))
	}
	clear(r.blocks)
	clear(r.frames)
	clear(r.ranges)
	r.blocks, r.frames, r.ranges, r.taken = r.blocks[:0], r.frames[:0], r.ranges[:0], 0
	r.table.Truncate()
}
