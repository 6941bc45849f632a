package spill

import "slices"

// Sequence names a list of chunks in a Store. Numbers are never reused.
type Sequence uint64

// sequence is where the chunks of a Sequence are: 0 to stored-1 in tables, the others, up
// to next-1, in the pieces of runs that are not yet written.
type sequence struct {
	number  Sequence
	next    uint64
	stored  uint64
	extents []extent // in the order of their chunks
	pieces  []*piece // in the order of their chunks
	freed   bool
}

// extent is a row of chunks, first to end-1, in one table.
type extent struct {
	table      *table
	first, end uint64
}

// piece is the part of a sequence that is in one run. It changes only while its run is
// the one being filled.
type piece struct {
	sequence *sequence
	run      *run
	first    uint64
	chunks   [][]byte
	bytes    int // what it takes of its run
}

func (p *piece) end() uint64 { return p.first + uint64(len(p.chunks)) }

// extentOf returns the extent that holds a stored chunk.
func (q *sequence) extentOf(chunk uint64) extent {
	i, _ := slices.BinarySearchFunc(q.extents, chunk, func(e extent, n uint64) int {
		if e.end <= n {
			return -1
		}
		return 1
	})
	return q.extents[i]
}

// buffered returns the bytes of a chunk that is not stored.
func (q *sequence) buffered(chunk uint64) []byte {
	for _, p := range q.pieces {
		if chunk < p.end() {
			return p.chunks[chunk-p.first]
		}
	}
	return nil
}

// store notes that the oldest piece has been written to a table.
func (q *sequence) store(p *piece, t *table) {
	q.pieces = q.pieces[1:]
	q.stored = p.end()
	q.extents = append(q.extents, extent{table: t, first: p.first, end: p.end()})
}

// chunkCost is what a chunk takes of a run beside its bytes: its slice header and its part
// of a piece. It bounds runs of empty chunks.
const chunkCost = 48

// run is a buffer of chunks on their way to disk.
type run struct {
	arena  []byte // its capacity is what the run may take in all
	used   int
	live   int // what of used has not been freed
	pieces []*piece
	done   bool // a run of one oversized chunk: its writing has ended
}

// fits reports whether a chunk of n bytes can be added.
func (r *run) fits(n int) bool { return r.used+n+chunkCost <= cap(r.arena) }

// hold makes bytes that stay as they are the next chunk of a sequence.
func (r *run) hold(q *sequence, chunk []byte) {
	var p *piece // the last one of the sequence, if there is any in the run
	if n := len(q.pieces); n > 0 && q.pieces[n-1].run == r {
		p = q.pieces[n-1]
	} else {
		p = &piece{sequence: q, run: r, first: q.next}
		q.pieces = append(q.pieces, p)
		r.pieces = append(r.pieces, p)
	}
	p.chunks = append(p.chunks, chunk)
	cost := len(chunk) + chunkCost
	p.bytes += cost
	r.used += cost
	r.live += cost
	q.next++
}

// reset makes room for new chunks.
func (r *run) reset() {
	clear(r.pieces)
	r.arena, r.used, r.live, r.pieces = r.arena[:0], 0, 0, r.pieces[:0]
}
