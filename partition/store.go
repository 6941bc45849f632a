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
}

// store returns the space's store, or nil.
func (s Space) store() store {
	if s.Store == nil {
		return nil
	}
	return disk{s.Store}
}

// store is what this package needs of a spill.Store.
type store interface {
	NewSequence() spill.Sequence
	Append(seq spill.Sequence, chunk []byte) error
	Read(ctx context.Context, seq spill.Sequence) (chunkReader, error)
	Free(seqs ...spill.Sequence) error
}

type chunkReader interface {
	Next() ([]byte, error)
	Close() error
}

// disk is a spill.Store as a store.
type disk struct{ *spill.Store }

func (d disk) Read(ctx context.Context, seq spill.Sequence) (chunkReader, error) {
	return d.Store.Read(ctx, seq)
}

// readChunks hands out the chunks of a sequence, each valid until visit returns.
func readChunks(ctx context.Context, s store, seq spill.Sequence, visit func(chunk []byte) error) (err error) {
	reader, err := s.Read(ctx, seq)
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
