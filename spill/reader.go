package spill

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Reader returns the chunks of a sequence in order. It belongs to one goroutine.
type Reader struct {
	store    *Store
	sequence *sequence
	end      uint64          // chunks to read
	parent   context.Context // the caller's
	context  context.Context // ends with the parent, the reader or the store
	cancel   context.CancelFunc
	ahead    chan *batch
	spare    chan *batch
	done     chan struct{}
	held     *batch // what the caller is reading
	failure  error  // why ahead was closed early; set before that
}

// batchesOfReader is how many batches a reader has: the caller's and the next.
const batchesOfReader = 2

// ReaderBytes is what a reader of chunks smaller than a batch holds.
const ReaderBytes = batchesOfReader * readBatch

// Read returns a reader of the chunks that a sequence has now, reading ahead. Other
// sequences may be appended to and freed meanwhile, this one not. The reader ends with ctx
// or the store at the latest; Close it to end it earlier. It holds two batches of 256 KiB
// or of one chunk, whichever is more: a caller with many readers draws them.
func (s *Store) Read(ctx context.Context, seq Sequence) (*Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &Reader{
		store: s, sequence: s.sequences[seq], parent: ctx,
		ahead: make(chan *batch), spare: make(chan *batch, batchesOfReader), done: make(chan struct{}),
	}
	if r.sequence != nil {
		r.end = r.sequence.next
	}
	for range batchesOfReader {
		r.spare <- &batch{}
	}
	r.context, r.cancel = context.WithCancel(ctx)
	stop := context.AfterFunc(s.context, r.cancel)
	s.group.Go(func() {
		defer stop()
		r.run()
	})
	return r, nil
}

// Next returns the next chunk, valid until the next call, or io.EOF after the last one.
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
	return nil
}

// run reads ahead until the end or a failure.
func (r *Reader) run() {
	defer close(r.done)
	defer close(r.ahead)
	for next := uint64(0); next < r.end && r.failure == nil; {
		select {
		case b := <-r.spare:
			b.reset()
			if r.failure = r.fill(b, next); r.failure == nil {
				next += uint64(len(b.ends))
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

// fill puts chunks from number next on into a batch, at least one.
func (r *Reader) fill(b *batch, next uint64) error {
	stored, err := r.store.buffered(r.sequence, next, r.end, b)
	if err != nil || len(b.ends) > 0 {
		return err
	}
	stored.first, stored.end = next, min(stored.end, r.end)
	return r.fillStored(b, stored)
}

// buffered adds the chunks from number next on that are in memory to a batch. When the
// first one is not, it returns the extent that it is stored in instead.
func (s *Store) buffered(q *sequence, next, end uint64, b *batch) (extent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return extent{}, err
	}
	if q.freed {
		return extent{}, errFreed
	}
	if next < q.stored {
		return q.extentOf(next), nil
	}
	for ; next < end && !b.full(); next++ {
		b.add(q.buffered(next))
	}
	return extent{}, nil
}

// fillStored adds an extent's first chunks.
func (r *Reader) fillStored(b *batch, e extent) error {
	it, err := r.store.db.NewIterWithContext(r.context, &pebble.IterOptions{
		LowerBound: appendKey(nil, e.home, r.sequence.number, e.first),
		UpperBound: appendKey(nil, e.home, r.sequence.number, e.end),
	})
	if err != nil {
		return r.broken(err)
	}
	err = r.fillFrom(it, b, e)
	if closed := it.Close(); err == nil && closed != nil {
		return r.broken(closed)
	}
	return err
}

func (r *Reader) fillFrom(it *pebble.Iterator, b *batch, e extent) error {
	key := make([]byte, 0, keySize)
	for found := it.First(); ; found = it.Next() {
		key = appendKey(key[:0], e.home, r.sequence.number, e.first)
		if !found || !bytes.Equal(it.Key(), key) {
			return r.broken(cmp.Or(it.Error(), errMissing))
		}
		chunk, err := it.ValueAndErr()
		if err != nil {
			return r.broken(err)
		}
		b.add(chunk)
		if e.first++; e.first == e.end || b.full() {
			return nil
		}
	}
}

// broken fails the store for an error in reading, unless the reading itself was ended.
func (r *Reader) broken(err error) error {
	if ended := r.context.Err(); ended != nil {
		return ended
	}
	if r.store.isFreed(r.sequence) {
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
