package spill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// errLargeRow is returned when a row is too large for the store, which happens only where rows do not fit the memory.
var errLargeRow = fault.Errorf(fault.Resources, "give more with --memory, so that rows are put in order in memory, drop the column that has values of megabytes, or release in order: input",
	"put rows in order on disk: one has more than %d bytes", MaxChunk)

// EachCount returns how many rows to write of n that are equal, time after time: as many as have 32 bits.
func EachCount(n int64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; n > 0; n -= math.MaxUint32 {
			if !yield(uint32(min(n, math.MaxUint32))) {
				return
			}
		}
	}
}

// Run is rows in memory, in order. Rows are bytes or words; R is the run itself.
type Run[E byte | uint64, R any] interface {
	Len() int
	// At returns a row, how many there are of it, and a key: rows whose keys differ are in the order of these.
	At(i int) (key uint64, row []E, n uint32)
	// Held returns how many bytes a copy takes.
	Held() int64
	// Clone returns a copy in memory of its own size.
	Clone() R
	// Encoder returns what appends rows such as its own to a chunk of the store.
	Encoder() func(chunk []byte, row []E, n uint32) []byte
	// Decode gives it the rows of such a chunk, which stays as it is as long as they are used.
	Decode(chunk []byte) error
}

// SortedRuns are runs that become one.
//
//	Add ─▶ run in memory, or in a store ─▶ Reduce ─▶ Merge
//
// They draw at most their share of the budget; runs that do not fit are in the store. They must be closed.
type SortedRuns[E byte | uint64, R Run[E, R]] struct {
	Budget  *Budget
	Share   int64
	Open    func() (*Store, error) // called when something does not fit
	Compare func(a, b []E) int     // rows of one key
	Empty   func() R               // returns a run that chunks are decoded into

	mu       sync.Mutex
	drawn    int64
	unsorted int64 // of what is drawn
	sorted   []R   // in memory
	stored   []Sequence
	store    *Store // nil: nothing is stored
}

// sortedChunk is about the size of a chunk of rows in the store.
const sortedChunk = 64 << 10

// DrawUnsorted draws what rows take before they are sorted, until End.
func (s *SortedRuns[E, R]) DrawUnsorted(bytes int64) error {
	err := s.Budget.Draw("rows to be sorted", bytes)
	if err == nil {
		s.unsorted, s.drawn = bytes, bytes
	}
	return err
}

// Left returns what is left of the share.
func (s *SortedRuns[E, R]) Left() int64 { return s.Share - s.drawn }

// InMemory returns the runs that are not in the store.
func (s *SortedRuns[E, R]) InMemory() []R { return s.sorted }

// Add adds a run's rows: a copy of it, or one in the store.
func (s *SortedRuns[E, R]) Add(r R) error {
	if fits, err := s.take(r); err != nil || !fits {
		return err
	}
	of := r.Clone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted = append(s.sorted, of)
	return nil
}

// take draws what a copy takes, or puts the run in the store.
func (s *SortedRuns[E, R]) take(r R) (fits bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draw(r.Held()) {
		return true, nil
	}
	return false, s.put(r)
}

// draw draws more of the share, if it has it.
func (s *SortedRuns[E, R]) draw(bytes int64) bool {
	if s.drawn+bytes > s.Share || s.Budget.Draw("sorted rows", bytes) != nil {
		return false
	}
	s.drawn += bytes
	return true
}

func (s *SortedRuns[E, R]) release(bytes int64) {
	s.Budget.Return(bytes)
	s.drawn -= bytes
}

// put writes a run to the store.
func (s *SortedRuns[E, R]) put(r R) error {
	rows := &SortedRows[E, R]{compare: s.Compare, heap: []*runSource[E, R]{{run: r, end: r.Len()}}}
	if err := rows.begin(); err != nil {
		return err
	}
	return s.write(rows, r.Encoder())
}

// write writes rows to the store as one more run.
func (s *SortedRuns[E, R]) write(rows *SortedRows[E, R], encode func(chunk []byte, row []E, n uint32) []byte) (err error) {
	if s.store == nil {
		if s.store, err = s.Open(); err != nil {
			return err
		}
	}
	sequence := s.store.NewSequence()
	s.stored = append(s.stored, sequence)
	var chunk []byte
	for {
		row, n, err := rows.Next()
		if err != nil && err != io.EOF {
			return err
		}
		for n := range EachCount(n) {
			chunk = encode(chunk, row, n)
		}
		if len(chunk) >= sortedChunk || err == io.EOF && len(chunk) > 0 {
			if len(chunk) > MaxChunk {
				return errLargeRow
			}
			if err := s.store.Append(sequence, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
		if err == io.EOF {
			return nil
		}
	}
}

// End adds what so many workers have not yet sorted.
func (s *SortedRuns[E, R]) End(threads int, add func(worker int) error) error {
	err := workers.Each(threads, threads, func(_ workers.Worker, i int) error { return add(i) })
	s.release(s.unsorted)
	s.unsorted = 0
	return err
}

// Reduce makes the runs so few that all can be read at a time, with so many bytes more for those in memory.
func (s *SortedRuns[E, R]) Reduce(ctx context.Context, more int64) error {
	if len(s.stored) > 0 && fanIn(s.Left()) < len(s.stored) || more > 0 && !s.draw(more) {
		if err := s.StoreAll(); err != nil {
			return err
		}
	}
	for most := fanIn(s.Share); len(s.stored) > most; {
		first := slices.Clone(s.stored[:most])
		s.stored = s.stored[most:]
		rows, err := s.merge(ctx, nil, first)
		if err != nil {
			return err
		}
		if err := errors.Join(s.write(rows, s.Empty().Encoder()), rows.Close(), s.store.Free(first...)); err != nil {
			return err
		}
	}
	return nil
}

// fanIn returns how many runs of the store can be read at a time in so many bytes.
func fanIn(bytes int64) int { return int(max(2, bytes/ReaderBytes)) }

// StoreAll writes the runs in memory to the store.
func (s *SortedRuns[E, R]) StoreAll() error {
	var none R
	for i, r := range s.sorted {
		if err := s.put(r); err != nil {
			return err
		}
		s.release(r.Held())
		s.sorted[i] = none
	}
	s.sorted = nil
	return nil
}

// Merge returns the rows of all runs, which are few enough.
func (s *SortedRuns[E, R]) Merge(ctx context.Context) (*SortedRows[E, R], error) {
	return s.merge(ctx, s.sorted, s.stored)
}

func (s *SortedRuns[E, R]) merge(ctx context.Context, inMemory []R, stored []Sequence) (*SortedRows[E, R], error) {
	rows := &SortedRows[E, R]{compare: s.Compare, budget: s.Budget, drawn: ReaderBytes * int64(len(stored))}
	if err := s.Budget.Draw("reading sorted rows", rows.drawn); err != nil {
		return nil, err
	}
	for _, r := range inMemory {
		rows.heap = append(rows.heap, &runSource[E, R]{run: r, end: r.Len()})
	}
	for _, sequence := range stored {
		reader, err := s.store.Read(ctx, sequence)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		rows.heap = append(rows.heap, &runSource[E, R]{run: s.Empty(), reader: reader})
	}
	if err := rows.begin(); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return rows, nil
}

// Close returns what is drawn and frees what is stored. The rows are not to be used any more.
func (s *SortedRuns[E, R]) Close() error {
	s.release(s.drawn)
	stored := s.stored
	s.sorted, s.stored = nil, nil
	if s.store == nil {
		return nil
	}
	return s.store.Free(stored...)
}

// SortedRows are different rows in order, read once. They belong to one goroutine at a time.
type SortedRows[E byte | uint64, R Run[E, R]] struct {
	compare func(a, b []E) int
	budget  *Budget // nil: nothing is drawn
	drawn   int64
	heap    []*runSource[E, R] // the first row of the first one is next
	row     []E
}

// runSource is what is left of a run.
type runSource[E byte | uint64, R Run[E, R]] struct {
	key    uint64
	row    []E // the first one
	n      uint32
	run    R
	next   int // row of the run
	end    int
	reader *Reader // of more chunks; nil: the run is in memory
}

// begin reads the first row of every run: none is empty.
func (r *SortedRows[E, R]) begin() error {
	for _, source := range r.heap {
		if err := source.advance(); err != nil {
			return fmt.Errorf("read sorted rows: %w", err)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
	return nil
}

// Next returns the next row, valid until the next call, and how many there are of it, or io.EOF.
func (r *SortedRows[E, R]) Next() (row []E, n int64, err error) {
	if len(r.heap) == 0 {
		return nil, 0, io.EOF
	}
	key := r.heap[0].key
	r.row = append(r.row[:0], r.heap[0].row...)
	for equal := true; equal; equal = len(r.heap) > 0 && r.heap[0].key == key && r.compare(r.heap[0].row, r.row) == 0 {
		first := r.heap[0]
		n += int64(first.n)
		switch err := first.advance(); {
		case err == io.EOF:
			if first.reader != nil {
				_ = first.reader.Close() // of which nothing is left
			}
			last := len(r.heap) - 1
			r.heap[0], r.heap = r.heap[last], r.heap[:last]
		case err != nil:
			return nil, 0, fmt.Errorf("read sorted rows: %w", err)
		}
		r.down(0)
	}
	return r.row, n, nil
}

// down puts a source that may be behind others in its place.
func (r *SortedRows[E, R]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.heap); child++ {
			if a, b := r.heap[child], r.heap[least]; a.key < b.key || a.key == b.key && r.compare(a.row, b.row) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}

// advance goes on to the next row, or returns io.EOF.
func (s *runSource[E, R]) advance() error {
	if s.next == s.end {
		if s.reader == nil {
			return io.EOF
		}
		chunk, err := s.reader.Next()
		if err != nil {
			return err
		}
		if err := s.run.Decode(chunk); err != nil {
			return err
		}
		s.next, s.end = 0, s.run.Len()
	}
	s.key, s.row, s.n = s.run.At(s.next)
	s.next++
	return nil
}

// Close ends the reading.
func (r *SortedRows[E, R]) Close() (err error) {
	for _, source := range r.heap {
		if source.reader != nil {
			err = errors.Join(err, source.reader.Close())
		}
	}
	r.heap = nil
	if r.budget != nil {
		r.budget.Return(r.drawn)
	}
	return err
}
