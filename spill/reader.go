package spill

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
)

// readBatch is how many bytes are read at once, unless one chunk has more. Between batches
// a reader holds nothing of Pebble's, and no table whose sequences are freed stays for it.
const readBatch = 256 << 10

// ReaderBytes is what a reader of chunks smaller than a batch holds.
const ReaderBytes = 2 * readBatch

// Reader returns the chunks of sequences in order. It belongs to one goroutine.
type Reader struct {
	store   *Store
	ctx     context.Context
	sources []source // what is left to read
	enough  int      // bytes that are read at once
	batch   *batch   // nil: closed
}

// source is the part of a sequence that is to be read.
type source struct {
	*sequence
	next, end uint64 // chunks
}

// batch is a row of chunks on their way from the store to a caller.
type batch struct {
	bytes []byte
	ends  []int // of the chunks, in bytes
	taken int   // chunks that the caller has had
}

// batches are those of closed readers. What held an unusual chunk is not kept.
var batches = sync.Pool{New: func() any { return &batch{} }}

func (b *batch) add(chunk []byte) {
	b.bytes = append(b.bytes, chunk...)
	b.ends = append(b.ends, len(b.bytes))
}

// take returns the next chunk, if there is one.
func (b *batch) take() (chunk []byte, ok bool) {
	if b.taken == len(b.ends) {
		return nil, false
	}
	from, end := 0, b.ends[b.taken]
	if b.taken > 0 {
		from = b.ends[b.taken-1]
	}
	b.taken++
	return b.bytes[from:end:end], true
}

func (b *batch) reset() { b.bytes, b.ends, b.taken = b.bytes[:0], b.ends[:0], 0 }

// Read returns a reader of the chunks that sequences have now, one sequence after the
// other. Other sequences may be appended to and freed meanwhile, these not. Many small ones
// are read fastest at once and in the order of their first chunks. The reader ends with ctx
// or the store at the latest. It holds a batch of 256 KiB or of one chunk, whichever is more,
// and what its growth leaves: a caller with many readers draws ReaderBytes for each.
func (s *Store) Read(ctx context.Context, seqs ...Sequence) (*Reader, error) {
	return s.read(ctx, readBatch, seqs...)
}

// read is Read in batches of at least enough bytes.
func (s *Store) read(ctx context.Context, enough int, seqs ...Sequence) (*Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &Reader{store: s, ctx: ctx, enough: enough, batch: batches.Get().(*batch)}
	if cap(r.batch.bytes) > 2*enough {
		r.batch = &batch{}
	}
	r.batch.reset()
	for _, seq := range seqs {
		if q := s.sequences[seq]; q != nil && q.next > 0 {
			r.sources = append(r.sources, source{sequence: q, end: q.next})
		}
	}
	return r, nil
}

// Scan hands out the chunks that sequences have now, one sequence after the other, each valid until
// visit returns.
func (s *Store) Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...Sequence) error {
	r, err := s.Read(ctx, seqs...)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		chunk, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(chunk); err != nil {
			return err
		}
	}
}

// Next returns the next chunk, valid until the next call or Close, or io.EOF after the last one.
func (r *Reader) Next() ([]byte, error) {
	for {
		if err := r.ended(); err != nil {
			return nil, err
		}
		if chunk, ok := r.batch.take(); ok {
			return chunk, nil
		}
		if len(r.sources) == 0 {
			return nil, io.EOF
		}
		r.batch.reset()
		if err := r.fill(r.batch); err != nil {
			return nil, err
		}
	}
}

// ended says why nothing can be read any more: Close, the caller's context, or the store's end.
func (r *Reader) ended() error {
	if r.batch == nil {
		return errReaderClosed
	}
	if err := r.ctx.Err(); err != nil {
		return fmt.Errorf("read a spilled sequence: %w", err)
	}
	if r.store.ended.Load() {
		return cmp.Or(r.store.failed(), errClosed)
	}
	return nil
}

// Close ends the reading. A second Close does nothing.
func (r *Reader) Close() error {
	if r.batch != nil && cap(r.batch.bytes) <= ReaderBytes {
		batches.Put(r.batch)
	}
	r.batch = nil
	return nil
}

// fill puts chunks into a batch, at least one, until it is full or all are read.
func (r *Reader) fill(b *batch) (err error) {
	var at cursor
	for len(r.sources) > 0 && len(b.bytes) < r.enough && err == nil {
		from := &r.sources[0]
		if err = r.fillFrom(from, b, &at); err == nil && from.next == from.end {
			r.sources = r.sources[1:]
		}
	}
	if closed := at.close(); err == nil && closed != nil {
		return r.broken(closed)
	}
	return err
}

// cursor is the table that chunks are read from.
type cursor struct {
	iterator
	table *table
}

// open goes to a table, unless it is there.
func (c *cursor) open(ctx context.Context, t *table) error {
	if c.table == t {
		return nil
	}
	if err := c.close(); err != nil {
		return err
	}
	reader, opened, err := t.use(ctx)
	if err != nil {
		return err
	}
	c.table = t
	if opened {
		err = t.store.recent.add(t)
	}
	if err == nil {
		c.iterator, err = reader.iterate(ctx)
	}
	return err
}

// close leaves the table.
func (c *cursor) close() (err error) {
	if c.iterator != nil {
		err = c.iterator.Close()
	}
	if c.table != nil {
		err = cmp.Or(err, c.table.leave())
	}
	*c = cursor{}
	return err
}

// fillFrom adds a source's next chunks that are together, in memory or in a table.
func (r *Reader) fillFrom(from *source, b *batch, at *cursor) error {
	where, err := r.store.buffered(from, b, r.enough)
	if err != nil || where.table == nil {
		return err
	}
	if err := at.open(r.ctx, where.table); err != nil {
		return r.broken(err)
	}
	key := make([]byte, 0, keySize)
	for end := min(where.end, from.end); from.next < end && len(b.bytes) < r.enough; from.next++ {
		chunk, err := at.chunk(appendKey(key[:0], from.number, from.next))
		if err != nil {
			return r.broken(err)
		}
		b.add(chunk)
	}
	return nil
}

// buffered adds the chunks of a source that are in memory to a batch, until that has enough bytes.
// When the next one is not, it returns the extent that it is stored in instead.
func (s *Store) buffered(from *source, b *batch, enough int) (where extent, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return extent{}, err
	}
	if from.freed {
		return extent{}, errFreed
	}
	if from.next < from.stored {
		return from.extentOf(from.next), nil
	}
	for ; from.next < from.end && len(b.bytes) < enough; from.next++ {
		b.add(from.buffered(from.next))
	}
	return extent{}, nil
}

// broken fails the store for an error in reading, unless the reading itself was ended.
func (r *Reader) broken(err error) error {
	if r.ctx.Err() != nil {
		return r.ended()
	}
	if len(r.sources) > 0 {
		r.store.mu.Lock()
		freed := r.sources[0].freed
		r.store.mu.Unlock()
		if freed {
			return errFreed
		}
	}
	r.store.fail(err)
	return r.store.failed()
}
