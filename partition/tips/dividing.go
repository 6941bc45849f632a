package tips

import (
	"github.com/kcut/kcut/partition"

	"errors"
	"iter"
	"math"
	"sync"

	"github.com/kcut/kcut/spill"
)

const (
	// pieceRecords is how many records a piece is to have, on average.
	pieceRecords = 512
	// pieceBytes is what a piece takes, with what is known of it, and shareOfPieces the part
	// of the share that pieces may take together.
	pieceBytes    = partition.ChunkListBytes + 256
	shareOfPieces = 3
	// maxParts is how many parts a piece is divided into, unless one refinement makes more.
	maxParts = 4096
	// partRecords is how many records of a block a part is to have, on average.
	partRecords = 128
)

// dividing divides pieces. Their records are read a block at a time;
// a block may have records of several pieces, and a piece records in several blocks. Routers,
// each on a goroutine of its own, take the blocks in turn. The order in which they are done is
// that of the records of a piece, and of nothing else.
type dividing struct {
	*TIPS
	works   []*work
	records int
	known   int64 // bytes that will be known of what the works make, at most

	access sync.Mutex // to the pool, and to what follows
	next   func() (struct{}, bool)
	taker  *router // reads the next block
	left   int     // records that no router has yet, and what stretches take
	block  int     // of these, that make a block
	failed error
}

// stretch is where records of a work are in a block.
type stretch struct {
	*work
	lo, hi int
}

// spreadsRoom returns how many bytes more may be known of pieces.
func (t *TIPS) spreadsRoom() int64 {
	if t.pool.Budget == nil {
		return math.MaxInt64
	}
	return t.pool.Share/shareOfSpreads - t.sums
}

// pieceRecords returns how many records a piece is to have, on average, so that what is known
// of all pieces takes a small part of the share.
func (t *TIPS) pieceRecords() int {
	if t.pool.Budget == nil {
		return t.pool.sizes.pieceRecords
	}
	return max(t.pool.sizes.pieceRecords, int(float64(t.records)*pieceBytes/(float64(t.pool.Share)/shareOfPieces)))
}

// run divides the pieces.
func (x *dividing) run() error {
	if len(x.works) == 0 {
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

// divide lets routers divide the blocks.
func (x *dividing) divide() error {
	x.left = x.records + stretchRecords*len(x.works)
	routers := x.routers(min(x.pool.sharing.Threads, max(1, x.left/leastBlock)))
	most := x.pool.blockRecords(x.table.Layout)
	x.block = min(max(x.left/(blocksEach*x.pool.sharing.Threads), x.leastBlock()), most)
	next, stop := iter.Pull(x.blocks)
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
	for len(x.pool.routers) < x.pool.sharing.Threads {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	for _, r := range x.pool.routers {
		r.prepare(x.TIPS)
	}
	return x.pool.routers[:n]
}

// route takes blocks and divides them until there are none.
func (x *dividing) route(r *router) {
	for x.take(r) {
		x.collect(r, r.divide())
	}
}

// fail remembers the first error, after which no more blocks are taken.
func (x *dividing) fail(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

// collect collects what a router has made of a block, and the error that it met.
func (x *dividing) collect(r *router, err error) {
	x.access.Lock()
	defer x.access.Unlock()
	x.fail(err)
	if x.failed == nil {
		x.fail(x.pile(r.fragments))
	}
	clear(r.fragments)
	r.fragments = r.fragments[:0]
}

// pile puts the fragments of a block on the piles of their parts.
func (x *dividing) pile(fragments []partFragment) error {
	for _, g := range fragments {
		to := &g.work.pieces[g.part]
		if *to == nil {
			*to = &piece{}
			(*to).Turn = x.turnOf(g.work.leaf)
		}
		(*to).learn(g.spreads, g.counts)
		if err := x.pool.Add(&(*to).ChunkList, g.Block); err != nil {
			return err
		}
	}
	return nil
}
