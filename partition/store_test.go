package partition

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/kcut/kcut/spill"
)

// memoryStore is a store in memory that can fail at one of its calls, and that spoils
// chunks once the next one is asked for.
type memoryStore struct {
	mu        sync.Mutex
	next      spill.Sequence
	sequences map[spill.Sequence][][]byte
	appended  int
	calls     int
	failAt    int // the call that fails; 0: none
}

var errInjected = errors.New("injected")

func newMemoryStore() *memoryStore { return &memoryStore{sequences: map[spill.Sequence][][]byte{}} }

func (s *memoryStore) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.calls == s.failAt {
		return errInjected
	}
	return nil
}

func (s *memoryStore) NewSequence() spill.Sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return s.next
}

func (s *memoryStore) Append(seq spill.Sequence, chunk []byte) error {
	if err := s.call(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sequences[seq] = append(s.sequences[seq], slices.Clone(chunk))
	s.appended++
	return nil
}

func (s *memoryStore) Read(ctx context.Context, seqs ...spill.Sequence) (chunkReader, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &memoryReader{s: s}
	for _, seq := range seqs {
		r.chunks = append(r.chunks, s.sequences[seq]...)
	}
	return r, nil
}

func (s *memoryStore) Free(seqs ...spill.Sequence) error {
	if err := s.call(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range seqs {
		delete(s.sequences, seq)
	}
	return nil
}

type memoryReader struct {
	s      *memoryStore
	chunks [][]byte
	last   []byte
}

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

func (r *memoryReader) Close() error { return r.s.call() }

// untilNoFault runs work against stores that fail at their first call, the second one, and
// so on until no call is left that could fail. Every fault must be reported.
func untilNoFault(t *testing.T, work func(s *memoryStore) error) {
	t.Helper()
	for n := 1; ; n++ {
		s := newMemoryStore()
		s.failAt = n
		err := work(s)
		if s.calls < n {
			if err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			if n < 10 {
				t.Fatalf("only %d calls of the store", n-1)
			}
			return
		}
		if !errors.Is(err, errInjected) {
			t.Fatalf("call %d failed, got %v", n, err)
		}
		if n > 200 {
			n += n / 10
		}
	}
}
