package spilltest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/kcut/kcut/spill"
)

// MemoryStore is a store in memory that can fail at one of its calls. It overwrites a chunk when
// the caller asks for the next one, so that a caller which keeps the chunk is caught.
type MemoryStore struct {
	mu        sync.Mutex
	Next      spill.Sequence // the last sequence that NewSequence returned
	Sequences map[spill.Sequence][][]byte
	Appended  int
	Calls     int
	FailAt    int // number of the call that fails; 0: none
}

// ErrInjected is the error of a call that fails on request.
var ErrInjected = errors.New("injected")

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{Sequences: map[spill.Sequence][][]byte{}} }

func (s *MemoryStore) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Calls++; s.Calls == s.FailAt {
		return ErrInjected
	}
	return nil
}

// NewSequence returns an empty sequence.
func (s *MemoryStore) NewSequence() spill.Sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Next++
	return s.Next
}

// Append appends a chunk to a sequence.
func (s *MemoryStore) Append(seq spill.Sequence, chunk []byte) error {
	if err := s.call(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Sequences[seq] = append(s.Sequences[seq], slices.Clone(chunk))
	s.Appended++
	return nil
}

// Scan calls visit with the chunks of sequences, and overwrites each after the visit.
func (s *MemoryStore) Scan(_ context.Context, visit func(chunk []byte) error,
	seqs ...spill.Sequence) error {
	if err := s.call(); err != nil {
		return err
	}
	s.mu.Lock()
	var chunks [][]byte
	for _, seq := range seqs {
		chunks = append(chunks, s.Sequences[seq]...)
	}
	s.mu.Unlock()
	for _, chunk := range chunks {
		if err := s.call(); err != nil {
			return err
		}
		handed := slices.Clone(chunk)
		if err := visit(handed); err != nil {
			return err
		}
		for i := range handed {
			handed[i] = 0xa5
		}
	}
	return nil
}

// Consume is Scan, and frees the sequences afterwards.
func (s *MemoryStore) Consume(ctx context.Context, visit func(i int, chunk []byte) error,
	seqs ...spill.Sequence) error {
	for i, seq := range seqs {
		if err := s.Scan(ctx, func(chunk []byte) error {
			return visit(i, chunk)
		}, seq); err != nil {
			return err
		}
		if err := s.Free(seq); err != nil {
			return err
		}
	}
	return nil
}

// Free drops sequences.
func (s *MemoryStore) Free(seqs ...spill.Sequence) error {
	if err := s.call(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range seqs {
		delete(s.Sequences, seq)
	}
	return nil
}

// UntilNoFault runs work with stores that fail at the first call, then at the second one, and so on
// until work makes fewer calls. The work must report every fault.
func UntilNoFault(t *testing.T, work func(s *MemoryStore) error) {
	t.Helper()
	for n := 1; ; n++ {
		s := NewMemoryStore()
		s.FailAt = n
		err := work(s)
		if s.Calls < n {
			if err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			if n < 10 {
				t.Fatalf("only %d calls of the store", n-1)
			}
			return
		}
		if !errors.Is(err, ErrInjected) {
			t.Fatalf("call %d failed, got %v", n, err)
		}
		if n > 200 {
			n += n / 10
		}
	}
}
