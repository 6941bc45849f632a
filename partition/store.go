package partition

import (
	"context"
	"errors"
	"io"

	"github.com/kcut/kcut/spill"
)

// Space is where records live: in memory drawn from Budget, at most Share bytes of it, and
// beyond that in Store. Without a budget memory has no limit; without a store what exceeds
// it is an error wrapping spill.ErrBudget.
type Space struct {
	Budget *spill.Budget
	Store  *spill.Store
	Share  int64
	// Threads is how many goroutines may divide a partition that is larger than its share; 0 is one.
	Threads int
}

// store returns the space's store, or nil.
func (s Space) store() Store {
	if s.Store == nil {
		return nil
	}
	return disk{s.Store}
}

// Pool returns a pool of the space's memory. It must be closed.
func (s Space) Pool() *Pool { return NewPool(s.Budget, s.store(), s.Share) }

// Store is what this package needs of a spill.Store.
type Store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Read(ctx context.Context, seqs ...spill.Sequence) (ChunkReader, error)
	Free(seqs ...spill.Sequence) error
}

// ChunkReader hands out chunks, each valid until the next call, and io.EOF after the last one.
type ChunkReader = interface {
	Next() ([]byte, error)
	Close() error
}

// disk is a spill.Store as a store.
type disk struct{ *spill.Store }

func (d disk) Read(ctx context.Context, seqs ...spill.Sequence) (ChunkReader, error) {
	return d.Store.Read(ctx, seqs...)
}

// readChunks hands out the chunks of sequences, each valid until visit returns.
func readChunks(ctx context.Context, s Store, visit func(chunk []byte) error, seqs ...spill.Sequence) (err error) {
	reader, err := s.Read(ctx, seqs...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		chunk, err := reader.Next()
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
