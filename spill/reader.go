package spill

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Reader returns the chunks of sequences in order. It belongs to one goroutine.
type Reader struct {
	store   *Store
	sources []source        // what is left to read; the reading goroutine's
	parent  context.Context // the caller's
	context context.Context // ends with the parent, the reader or the store
	cancel  context.CancelFunc
	ahead   chan *batch
	spare   chan *batch
	done    chan struct{}
	held    *batch // what the caller is reading
	failure error  // why ahead was closed early; set before that
}

// source is the part of a sequence that is to be read.
type source struct {
	*sequence
	next, end uint64 // chunks
}

// batchesOfReader is how many batches a reader has: the caller's and the next.
const batchesOfReader = 2

// ReaderBytes is what a reader of chunks smaller than a batch holds.
const ReaderBytes = batchesOfReader * readBatch

// Read returns a reader of the chunks that sequences have now, one sequence after the
// other, reading ahead. Other sequences may be appended to and freed meanwhile, these not.
// Many small ones are read fastest at once and in the order of their first chunks. The
// reader ends with ctx or the store at the latest; Close it to end it earlier. It holds two
// batches of 256 KiB or of one chunk, whichever is more: a caller with many readers draws
// them.
func (s *Store) Read(ctx context.Context, seqs ...Sequence) (*Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &Reader{
		store: s, parent: ctx,
		ahead: make(chan *batch), spare: make(chan *batch, batchesOfReader), done: make(chan struct{}),
	}
	for _, seq := range seqs {
		if q := s.sequences[seq]; q != nil && q.next > 0 {
			r.sources = append(r.sources, source{sequence: q, end: q.next})
		}
	}
	for range batchesOfReader {
		r.spare <- s.newBatch()
	}
	r.context, r.cancel = context.WithCancel(ctx)
	stop := context.AfterFunc(s.context, r.cancel)
	s.group.Go(func() {
		defer stop()
		r.run()
	})
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
		if r.context.Err() != nil {
			return nil, r.ended()
		}
		if r.held != nil {
			if chunk, ok := r.held.take(); ok {
				return chunk, nil
			}
			r.spare <- r.held
			r.held = nil
		}
		if err := r.receive(); err != nil {
			return nil, err
		}
	}
}

// receive waits for the next batch.
func (r *Reader) receive() error {
	select {
	case b, more := <-r.ahead:
		if more {
			r.held = b
			return nil
		}
		if r.context.Err() == nil {
			return cmp.Or(r.failure, io.EOF)
		}
	case <-r.context.Done():
	}
	return r.ended()
}

// ended says why the reader's context has ended: the caller's context, the store's failure
// or end, or Close.
func (r *Reader) ended() error {
	if err := r.parent.Err(); err != nil {
		return fmt.Errorf("read a spilled sequence: %w", err)
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return cmp.Or(r.store.usable(), errReaderClosed)
}

// Close ends the reading ahead and waits for it. A second Close does nothing.
func (r *Reader) Close() error {
	r.cancel()
	<-r.done
	r.store.keepBatches(r)
	return nil
}

// run reads ahead until the end or a failure.
func (r *Reader) run() {
	defer close(r.done)
	defer close(r.ahead)
	for len(r.sources) > 0 && r.failure == nil {
		select {
		case b := <-r.spare:
			b.reset()
			if r.failure = r.fill(b); r.failure == nil {
				r.failure = r.send(b)
			}
		case <-r.context.Done():
			r.failure = r.context.Err()
		}
	}
}

func (r *Reader) send(b *batch) error {
	select {
	case r.ahead <- b:
		return nil
	case <-r.context.Done():
		return r.context.Err()
	}
}

// fill puts chunks into a batch, at least one, until it is full or all are read.
func (r *Reader) fill(b *batch) (err error) {
	var stored snapshot
	for len(r.sources) > 0 && !b.full() && err == nil {
		from := &r.sources[0]
		if err = r.fillFrom(from, b, &stored); err == nil && from.next == from.end {
			r.sources = r.sources[1:]
		}
	}
	if closed := stored.close(); err == nil && closed != nil {
		return r.broken(closed)
	}
	return err
}

// snapshot is the tables that were there after a number of commits, open for reading.
type snapshot struct {
	*pebble.Iterator
	commits uint64
}

// open opens the tables of now, unless it has those of so many commits.
func (t *snapshot) open(r *Reader, commits uint64) error {
	if t.Iterator != nil && t.commits >= commits {
		return nil
	}
	if err := t.close(); err != nil {
		return err
	}
	it, err := r.store.db.NewIterWithContext(r.context, &pebble.IterOptions{})
	if err != nil {
		return err
	}
	t.Iterator, t.commits = it, commits
	return nil
}

func (t *snapshot) close() (err error) {
	if t.Iterator != nil {
		err = t.Iterator.Close()
		t.Iterator = nil
	}
	return err
}

// fillFrom adds a source's next chunks that are together, in memory or in a table's keys.
func (r *Reader) fillFrom(from *source, b *batch, stored *snapshot) error {
	where, commits, err := r.store.buffered(from, b)
	if err != nil || where.end == 0 {
		return err
	}
	if err := stored.open(r, commits); err != nil {
		return r.broken(err)
	}
	return r.fillStored(from, b, stored.Iterator, where)
}

// buffered adds the chunks of a source that are in memory to a batch. When the next one is
// not, it returns the extent that it is stored in instead, and the commits until now.
func (s *Store) buffered(from *source, b *batch) (where extent, commits uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return extent{}, 0, err
	}
	if from.freed {
		return extent{}, 0, errFreed
	}
	if from.next < from.stored {
		return from.extentOf(from.next), s.commits, nil
	}
	for ; from.next < from.end && !b.full(); from.next++ {
		b.add(from.buffered(from.next))
	}
	return extent{}, 0, nil
}

// fillStored adds a source's chunks that are in an extent.
func (r *Reader) fillStored(from *source, b *batch, it *pebble.Iterator, e extent) error {
	end := min(e.end, from.end)
	first := appendKey(nil, e.home, from.number, from.next)
	it.SetBounds(first, appendKey(nil, e.home, from.number, end))
	key := make([]byte, 0, keySize)
	for found := it.First(); ; found = it.Next() {
		key = appendKey(key[:0], e.home, from.number, from.next)
		if !found || !bytes.Equal(it.Key(), key) {
			return r.broken(cmp.Or(it.Error(), errMissing))
		}
		chunk, err := it.ValueAndErr()
		if err != nil {
			return r.broken(err)
		}
		b.add(chunk)
		if from.next++; from.next == end || b.full() {
			return nil
		}
	}
}

// broken fails the store for an error in reading, unless the reading itself was ended.
func (r *Reader) broken(err error) error {
	if ended := r.context.Err(); ended != nil {
		return ended
	}
	if len(r.sources) > 0 && r.store.isFreed(r.sources[0].sequence) {
		return errFreed
	}
	r.store.fail(err)
	return r.store.failed()
}

func (s *Store) isFreed(q *sequence) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return q.freed
}
