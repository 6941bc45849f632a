package spilltest

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/kcut/kcut/spill"
)

// MemoryStore is a store in memory that can fail at one of its calls, and that spoils
// chunks once the next one is asked for.
type MemoryStore struct {
	mu        sync.Mutex
	Next      spill.Sequence // the last that was handed out
	Sequences map[spill.Sequence][][]byte
	Appended  int
	Calls     int
	FailAt    int // the call that fails; 0: none
}

// ErrInjected is what a call that was to fail returns.
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

// Read returns a reader of the chunks of sequences.
func (s *MemoryStore) Read(ctx context.Context, seqs ...spill.Sequence) (interface {
	Next() ([]byte, error)
	Close() error
}, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &memoryReader{s: s}
	for _, seq := range seqs {
		r.chunks = append(r.chunks, s.Sequences[seq]...)
	}
	return r, nil
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

type memoryReader struct {
	s      *MemoryStore
	chunks [][]byte
	last   []byte
}

// Next returns the next chunk and spoils the one before.
func (r *memoryReader) Next() ([]byte, error) {
	for i := range r.last {
		r.last[i] = 0xa5
	}
	if len(r.chunks) == 0 {
		return nil, io.EOF
	}
	if err := r.s.call(); err != nil {
		return nil, err
	}
	r.last, r.chunks = slices.Clone(r.chunks[0]), r.chunks[1:]
	return r.last, nil
}

// Close ends the reading.
func (r *memoryReader) Close() error { return r.s.call() }

// UntilNoFault runs work against stores that fail at their first call, the second one, and
// so on until no call is left that could fail. Every fault must be reported.
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
