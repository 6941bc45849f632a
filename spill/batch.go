package spill

// readBatch is how many bytes are read at once, unless one chunk has more. A batch is read
// with an iterator of its own: while one is open, no table that was there when it was
// opened can be deleted, whosoever it is.
const readBatch = 256 << 10

// spareBatches is how many batches of closed readers are kept for new ones, and
// largestSpare their size at most: what is larger held an unusual chunk.
const (
	spareBatches = 2 * batchesOfReader
	largestSpare = 2 * readBatch
)

// batch is a row of chunks on their way from the store to a caller.
type batch struct {
	bytes []byte
	ends  []int // of the chunks, in bytes
	taken int   // chunks that the caller has had
}

func (b *batch) full() bool { return len(b.bytes) >= readBatch }

func (b *batch) add(chunk []byte) {
	b.bytes = append(b.bytes, chunk...)
	b.ends = append(b.ends, len(b.bytes))
}

// take returns the next chunk, if there is one.
func (b *batch) take() (chunk []byte, ok bool) {
	if b.taken == len(b.ends) {
		return nil, false
	}
	from := 0
	if b.taken > 0 {
		from = b.ends[b.taken-1]
	}
	end := b.ends[b.taken]
	b.taken++
	return b.bytes[from:end:end], true
}

func (b *batch) reset() { b.bytes, b.ends, b.taken = b.bytes[:0], b.ends[:0], 0 }

// newBatch returns an empty batch. The caller holds mu.
func (s *Store) newBatch() *batch {
	n := len(s.batches)
	if n == 0 {
		return &batch{}
	}
	b := s.batches[n-1]
	s.batches = s.batches[:n-1]
	return b
}

// keepBatches takes the batches of a reader that has ended, but what its caller may still look
// at until it was closed.
func (s *Store) keepBatches(r *Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.held != nil {
		r.spare <- r.held
		r.held = nil
	}
	for len(r.spare) > 0 {
		b := <-r.spare
		if len(s.batches) < spareBatches && cap(b.bytes) <= largestSpare {
			b.reset()
			s.batches = append(s.batches, b)
		}
	}
}
