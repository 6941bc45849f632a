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

// subpartitionRecords returns how many records a subpartition is to have, on average, so that what
// is known of all subpartitions takes a small part of the share.
func (t *TIPS) subpartitionRecords() int {
	if t.pool.Budget == nil {
		return t.pool.sizes.subpartitionRecords
	}
	return max(t.pool.sizes.subpartitionRecords, int(float64(t.records)*subpartitionBytes/(float64(t.pool.Share)/shareOfSubpartitions)))
}

// run divides the subpartitions.
func (x *dividing) run() error {
	if len(x.splits) == 0 {
		return nil
	}
	x.plan()
	drawn, err := x.reserveKnown()
	if err != nil {
		return err
	}
	err = x.divide()
	x.pool.Release(drawn)
	return err
}

// reserveKnown draws what will be known, at most. When there is not as much, what will turn
// out to be known has to fit.
func (x *dividing) reserveKnown() (drawn int64, err error) {
	err = x.pool.Draw("what is learned of leaf partitions", x.known)
	if errors.Is(err, spill.ErrBudget) {
		return 0, nil
	}
	return x.known, err
}

// divide lets routers divide the batches.
func (x *dividing) divide() error {
	x.left = x.records + splitOverhead*len(x.splits)
	routers := x.routers(min(x.pool.parallel.Threads, max(1, x.left/leastBatch)))
	most := x.pool.batchRecords(x.table.Layout)
	x.batch = min(max(x.left/(batchesEach*x.pool.parallel.Threads), x.leastBatch()), most)
	next, stop := iter.Pull(x.batches)
	x.next = next
	partition.Each(len(routers), len(routers), func(_, i int) { x.route(routers[i]) })
	stop()
	for _, r := range routers {
		r.forget()
	}
	return x.failed
}

// routers returns so many routers.
func (x *dividing) routers(n int) []*router {
	for len(x.pool.routers) < x.pool.parallel.Threads {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	for _, r := range x.pool.routers {
		r.prepare(x.TIPS)
	}
	return x.pool.routers[:n]
}

// route takes batches and divides them until there are none.
func (x *dividing) route(r *router) {
	for x.nextBatch(r) {
		x.collect(r, r.divide())
	}
}

// fail remembers the first error, after which no more batches are taken.
func (x *dividing) fail(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

// collect collects what a router has made of a batch, and the error that it met.
func (x *dividing) collect(r *router, err error) {
	x.access.Lock()
	defer x.access.Unlock()
	x.fail(err)
	if x.failed == nil {
		x.fail(x.addAll(r.blocks))
	}
	clear(r.blocks)
	r.blocks = r.blocks[:0]
}

// addAll adds the blocks of a batch to the chunk lists of their parts.
func (x *dividing) addAll(blocks []partBlock) error {
	for _, g := range blocks {
		to := &g.split.subs[g.part]
		if *to == nil {
			*to = &subpartition{}
			(*to).Order = x.readOrder(g.split.of)
		}
		(*to).learn(g.spreads, g.counts)
		if err := x.pool.Add(&(*to).ChunkList, g.Block); err != nil {
			return err
		}
	}
	return nil
}
