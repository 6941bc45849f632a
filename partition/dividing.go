package partition

import (
	"errors"
	"math"

	"github.com/kcut/kcut/spill"
)

const (
	// pieceRecords is how many records a piece is to have, on average.
	pieceRecords = 512
	// pieceBytes is what a piece takes, with what is known of it, and shareOfPieces the part
	// of the share that pieces may take together.
	pieceBytes    = pileBytes + 256
	shareOfPieces = 3
	// maxParts is how many parts a piece is divided into, unless one refinement makes more.
	maxParts = 4096
	// partRecords is how many records of a block a part is to have, on average.
	partRecords = 128
	// blocksEach is how many blocks a router divides, at least: while the first is read and the
	// last divided others wait.
	blocksEach = 6
	// lastBlocks is how many blocks each of several routers would divide of what is left, at least:
	// the last ones are small, and all are done at about the same time.
	lastBlocks = 2
)

// dividing divides pieces. Their records are read a block at a time;
// a block may have records of several pieces, and a piece records in several blocks. Blocks
// go round a ring of routers, each on a goroutine of its own; what they make of a block is
// collected in the order of the blocks, so that the outcome does not depend on who is faster.
type dividing struct {
	*TIPS
	works     []*work
	records   int
	left      int       // of these, that routers do not have yet
	known     int64     // bytes that will be known of what the works make, at most
	block     int       // records that are read before they are divided
	stretches []stretch // of the block that is being read
	ring      []*router
	turn      int // the router whose block is next
}

// stretch is where records of a work are in a block.
type stretch struct {
	*work
	lo, hi int
}

// add notes that a piece of a partition is to be divided.
func (x *dividing) add(p int32, piece *piece) {
	x.works = append(x.works, &work{leaf: p, piece: piece})
}

// spreadsRoom returns how many bytes more may be known of pieces.
func (t *TIPS) spreadsRoom() int64 {
	if t.pool.budget == nil {
		return math.MaxInt64
	}
	return t.pool.share/shareOfSpreads - t.sums
}

// pieceRecords returns how many records a piece is to have, on average, so that what is known
// of all pieces takes a small part of the share.
func (t *TIPS) pieceRecords() int {
	if t.pool.budget == nil {
		return t.pool.pieceRecords
	}
	return max(t.pool.pieceRecords, int(float64(t.records)*pieceBytes/(float64(t.pool.share)/shareOfPieces)))
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
	x.start()
	err = x.read()
	err = errors.Join(err, x.stop(err == nil))
	x.pool.release(drawn)
	return err
}

// reserveKnown draws what will be known, at most. When there is not as much, what will turn
// out to be known has to fit.
func (x *dividing) reserveKnown() (drawn int64, err error) {
	err = x.pool.draw("what is learned of leaf partitions", x.known)
	if errors.Is(err, spill.ErrBudget) {
		return 0, nil
	}
	return x.known, err
}

// read sends the records of the pieces round.
func (x *dividing) read() error {
	x.table.truncate()
	if all := x.works[0].piece; all.table != nil {
		return x.readTable(all)
	}
	piles := make([]*pile, len(x.works))
	for i, w := range x.works {
		piles[i] = &w.piece.pile
	}
	err := x.pool.consume(x.ctx, piles, func(i int, chunk []byte) (records int, err error) {
		lo := x.table.Len()
		if err := x.codec.decode(chunk, x.table); err != nil {
			return 0, err
		}
		x.extend(x.works[i], lo)
		if records = x.table.Len() - lo; x.table.Len() >= x.block {
			err = x.hand()
		}
		return records, err
	})
	if err == nil && x.table.Len() > 0 {
		err = x.hand()
	}
	x.table.truncate()
	return err
}

// readTable sends the records of the only piece there is round, which are in a table.
func (x *dividing) readTable(of *piece) error {
	all := of.table
	x.undivided, of.table = nil, nil // it cannot be spilled meanwhile
	for lo, hi := 0, 0; lo < all.Len(); lo = hi {
		hi = min(lo+x.block, all.Len())
		part := all.share(leaf{lo: lo, hi: hi})
		x.table.Keys, x.table.Counts = append(x.table.Keys, part.Keys...), append(x.table.Counts, part.Counts...)
		x.extend(x.works[0], 0)
		if err := x.hand(); err != nil {
			return err
		}
	}
	x.pool.release(all.Bytes())
	return nil
}

// extend notes whose the records from lo on are.
func (x *dividing) extend(w *work, lo int) {
	if last := len(x.stretches) - 1; last >= 0 && x.stretches[last].work == w {
		x.stretches[last].hi = x.table.Len()
		return
	}
	x.stretches = append(x.stretches, stretch{w, lo, x.table.Len()})
}

// hand gives the block that was read to the router whose turn it is.
func (x *dividing) hand() error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	to := x.ring[x.turn]
	if err := x.collect(to); err != nil {
		return err
	}
	if x.left -= x.table.Len(); len(x.ring) > 1 {
		x.block = min(x.block, max(x.left/(lastBlocks*len(x.ring)), x.TIPS.block))
	}
	x.table.exchange(&to.table)
	x.stretches, to.stretches = to.stretches[:0], x.stretches
	to.give()
	x.turn = (x.turn + 1) % len(x.ring)
	return nil
}

// start makes the ring, of as many routers as there are threads.
func (x *dividing) start() {
	threads := x.pool.threads
	for len(x.pool.routers) < threads {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	x.block = min(max(x.records/(blocksEach*threads), x.TIPS.block), x.pool.blockRecords(x.table.Layout))
	x.ring, x.left = x.pool.routers[:threads], x.records
	for _, to := range x.ring {
		to.start(x.TIPS)
	}
}

// stop ends the routers, after the fragments of the last blocks were collected if wanted.
func (x *dividing) stop(collect bool) (err error) {
	for range x.ring {
		from := x.ring[x.turn]
		if collect && err == nil {
			err = x.collect(from)
		}
		from.stop()
		x.turn = (x.turn + 1) % len(x.ring)
	}
	return err
}

// collect waits for a router and puts the fragments of its block on the piles.
func (x *dividing) collect(from *router) error {
	from.wait()
	for _, g := range from.fragments {
		to := &g.work.pieces[g.part]
		if *to == nil {
			*to = &piece{}
			(*to).turn = x.turnOf(g.work.leaf)
		}
		(*to).learn(g.spreads, g.counts)
		if err := x.pool.add(&(*to).pile, g.fragment); err != nil {
			return err
		}
	}
	clear(from.fragments)
	from.fragments = from.fragments[:0]
	return nil
}
