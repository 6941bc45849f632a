package spill

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// ReaderBytes is the approximate number of bytes that a reader of sorted rows of usual size holds.
const ReaderBytes = 2 * blockSize

// reader returns the chunks of sequences in order. It belongs to one goroutine.
type reader struct {
	store    *Store
	ctx      context.Context
	consumes bool     // frees the sequences as it reads them
	of       source   // the sequence of the last chunks
	sources  []source // the sequences still to read
	rest     []byte   // chunks that were read and not yet returned
	block    []byte   // scratch: joins a block of several pieces
	table    *table   // the last table
	pieces   pieces   // its pieces; nil: it is closed
	closed   bool
}

// source is the unread blocks of one sequence, and the number of unread bytes in its last block.
type source struct {
	number int // the position among the reader's sequences
	seq    Sequence
	blocks []*block
	last   int
}

// read returns a reader of the chunks that the sequences have now, one sequence after the other.
// Other sequences may be appended to and freed meanwhile, but not these. The reader ends with ctx
// or the store at the latest, and must be closed. It holds one block, or one large chunk, and the
// last page and part of the index of a table.
func (s *Store) read(ctx context.Context, seqs ...Sequence) (*reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	r := &reader{store: s, ctx: ctx}
	for i, seq := range seqs {
		if q := s.sequences[seq]; q != nil {
			r.sources = append(r.sources, source{i, seq, q.blocks, q.blocks[len(q.blocks)-1].size})
		}
	}
	return r, nil
}

// Scan calls visit with the chunks that the sequences have now, one sequence after the other. A
// chunk is valid until visit returns.
func (s *Store) Scan(ctx context.Context, visit func(chunk []byte) error, seqs ...Sequence) error {
	return s.scan(ctx, false, func(_ int, chunk []byte) error { return visit(chunk) }, seqs)
}

// Consume is Scan, but frees the sequences as it reads them. Visit gets the position of the chunk's
// sequence.
func (s *Store) Consume(ctx context.Context, visit func(i int, chunk []byte) error,
	seqs ...Sequence) error {
	return s.scan(ctx, true, visit, seqs)
}

func (s *Store) scan(ctx context.Context, consumes bool, visit func(i int, chunk []byte) error,
	seqs []Sequence) error {
	r, err := s.read(ctx, seqs...)
	if err != nil {
		return err
	}
	r.consumes = consumes
	defer r.close()
	for {
		chunk, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(r.of.number, chunk)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next chunk, valid until the next call or close, or io.EOF after the last one.
func (r *reader) next() ([]byte, error) {
	for len(r.rest) == 0 {
		if r.closed {
			return nil, errReaderClosed
		}
		if err := r.ctx.Err(); err != nil {
			return nil, fmt.Errorf("read a spilled sequence: %w", err)
		}
		if r.consumes && len(r.of.blocks) == 0 {
			if err := r.store.Free(r.of.seq); err != nil {
				return nil, err
			}
		}
		if len(r.sources) == 0 {
			return nil, io.EOF
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	end := lengthBytes + int(binary.LittleEndian.Uint32(r.rest))
	chunk := r.rest[lengthBytes:end:end]
	r.rest = r.rest[end:]
	return chunk, nil
}

// close ends the reading and frees the reader's memory.
func (r *reader) close() {
	err := r.turnTo(nil)
	r.rest, r.block, r.closed = nil, nil, true
	if err != nil {
		r.store.mu.Lock()
		defer r.store.mu.Unlock()
		_ = r.store.fail(err) // every later call returns the error
	}
}

// fill reads the next block.
func (r *reader) fill() error {
	source := &r.sources[0]
	b := source.blocks[0]
	bytes, t, err := r.find(b)
	if err != nil {
		return err
	}
	if err = r.turnTo(t); err == nil && t != nil {
		bytes, err = r.load(b)
	}
	if err != nil {
		return r.broken(b, err)
	}
	size := b.size
	source.blocks = source.blocks[1:]
	if r.of = *source; len(source.blocks) == 0 {
		size, r.sources = source.last, r.sources[1:]
	}
	r.rest = bytes[:size]
	return nil
}

// find returns the table that holds a block, or the block's bytes while the buffer holds it.
func (r *reader) find(b *block) (bytes []byte, t *table, err error) {
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, nil, err
	}
	if b.freed {
		return nil, nil, errFreed
	}
	if r.consumes {
		if err := s.dropBefore(b); err != nil {
			return nil, nil, s.fail(err)
		}
	}
	if b.table != nil {
		s.stats.BytesRead += int64(b.size)
		return nil, b.table, nil
	}
	bytes = r.room(b.size)
	for _, piece := range b.pieces {
		bytes = append(bytes, piece...)
	}
	return bytes, nil, nil
}

// room returns a buffer for a block.
func (r *reader) room(size int) []byte {
	if size > cap(r.block) {
		r.block = make([]byte, 0, size)
	}
	return r.block
}

// turnTo opens a table, unless it is open, and closes the previous one.
func (r *reader) turnTo(t *table) (err error) {
	if r.pieces != nil && r.table != t {
		err = r.pieces.Close()
		r.pieces = nil
	}
	if r.table = t; err == nil && r.pieces == nil && t != nil {
		r.pieces, err = t.open(r.ctx, r.store.folder.fs)
	}
	return err
}

// load reads a block from the open table. It copies the block only if it has several pieces.
func (r *reader) load(b *block) ([]byte, error) {
	piece, err := r.pieces.piece(b.first)
	if err != nil || len(piece) == b.size {
		return piece, err
	}
	bytes := append(r.room(b.size), piece...)
	for n := b.first + 1; len(bytes) < b.size; n++ {
		if piece, err = r.pieces.piece(n); err != nil {
			return nil, err
		}
		bytes = append(bytes, piece...)
	}
	return bytes, nil
}

// broken makes the store fail because a block cannot be read, unless the block was freed meanwhile.
func (r *reader) broken(b *block, err error) error {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if b.freed {
		return errFreed
	}
	return r.store.fail(err)
}
