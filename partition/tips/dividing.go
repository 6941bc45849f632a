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
	// lastBatches is how many batches each of several routers would divide of what is left, at least:
	// the last ones are small, and all are done at about the same time.
	lastBatches = 2
	// leastBatch are records that are worth a batch of their own, and splitOverhead those that
	// would take the time that a splitRange takes besides its records.
	leastBatch    = 1 << 12
	splitOverhead = 16
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

	access sync.Mutex // to the pool, and to what follows
	next   func() (struct{}, bool)
	taker  *router // reads the next batch
	left   int     // records that no router has yet, and what their split takes besides
	batch  int     // of these, that make a batch
	least  int     // of these, that are worth one
	failed error
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
func (x *dividing) run() error {
	if len(x.splits) == 0 {
		return nil
	}
	x.plan()
	err := x.pool.Draw("what is learned of leaf partitions", x.known)
	if errors.Is(err, spill.ErrBudget) {
		return x.divide()
	}
	if err == nil {
		err = x.divide()
		x.pool.Release(x.known)
	}
	return err
}

// divide lets routers divide the batches.
func (x *dividing) divide() error {
	threads := x.pool.parallel.Threads
	x.left = x.records + splitOverhead*len(x.splits)
	for len(x.pool.routers) < threads {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	routers := x.pool.routers[:min(threads, max(1, x.left/leastBatch))]
	for _, r := range routers {
		r.TIPS, r.table.Layout, r.sorted.Layout = x.TIPS, x.table.Layout, x.table.Layout
	}
	x.least = min(leastBatch, x.chunkRecords)
	x.batch = min(max(x.left/(batchesEach*threads), x.least), x.pool.batchRecords(x.table.Layout))
	next, stop := iter.Pull(x.batches)
	x.next = next
	partition.Each(len(routers), len(routers), func(_, i int) {
		for r := routers[i]; x.nextBatch(r); {
			x.collect(r, r.divide())
		}
	})
	stop()
	for _, r := range routers {
		r.forget()
	}
	return x.failed
}

// nextBatch gives the router the next batch, unless there is none.
func (x *dividing) nextBatch(r *router) (ok bool) {
	x.access.Lock()
	defer x.access.Unlock()
	if x.failed != nil {
		return false
	}
	if x.pool.parallel.Threads > 1 {
		x.batch = min(x.batch, max(x.left/(lastBatches*x.pool.parallel.Threads), x.least))
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

// fail remembers the first error, after which no more batches are taken.
func (x *dividing) fail(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

// collect adds the blocks that a router has made of a batch to the chunk lists of their parts,
// unless it met an error.
func (x *dividing) collect(r *router, err error) {
	x.access.Lock()
	defer x.access.Unlock()
	x.fail(err)
	for _, g := range r.blocks {
		if x.failed != nil {
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
	r.blocks = r.blocks[:0]
}
