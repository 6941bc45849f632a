package spill

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
