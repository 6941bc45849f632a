package spill

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// Sorter puts rows, which are bytes, in bytewise order.
//
//	RowRun of every worker ─full─▶ run in memory, or in a store ─▶ Merge
//
// It draws at most its share of the budget; runs that do not fit are in the store. It must be closed.
type Sorter struct {
	budget *Budget
	share  int64
	open   func() (*Store, error)
	runs   []*RowRun // by worker: being filled
	limit  int       // bytes of one
	rows   atomic.Int64
	size   atomic.Int64 // bytes of the rows

	mu       sync.Mutex
	drawn    int64
	unsorted int64     // of what is drawn: for runs that are being filled
	sorted   []*RowRun // in memory
	stored   []Sequence
	store    *Store // nil: nothing is stored
}

const (
	// A run is so large at most that its rows are sorted in a last-level cache, by and large, and at
	// least that it is worth writing.
	mostRun  = 16 << 20
	leastRun = 64 << 10
	// runsInShare is how many full runs of every worker have room in a share, at least.
	runsInShare = 4
	// sortedChunk is about the size of a chunk of rows in the store.
	sortedChunk = 64 << 10
)

// errLargeRow is returned when a row is too large for the store, which happens only where rows do not fit the memory.
var errLargeRow = fault.Errorf(fault.Resources, "give more with --memory, so that rows are put in order in memory, drop the column that has values of megabytes, or release in order: input",
	"put rows in order on disk: one has more than %d bytes", MaxChunk)

// NewSorter returns a sorter of rows that as many workers append as there are threads. The store is opened when something
// does not fit.
func NewSorter(budget *Budget, share int64, threads int, open func() (*Store, error)) (*Sorter, error) {
	s := &Sorter{budget: budget, share: share, open: open, limit: int(SorterRun(share, threads))}
	for range threads {
		s.runs = append(s.runs, &RowRun{sorter: s})
	}
	// As much again as a run may take is what it leaves behind while it grows.
	unsorted := 2 * int64(s.limit*threads)
	if err := budget.Draw("rows to be sorted", unsorted); err != nil {
		return nil, err
	}
	s.unsorted, s.drawn = unsorted, unsorted
	return s, nil
}

// SorterRun returns how many bytes of a share one worker's run takes before it is in order.
func SorterRun(share int64, threads int) int64 {
	return min(max(share/int64(runsInShare*threads), leastRun), mostRun)
}

// EachCount returns the counts to write of n rows that are equal, one after the other: a count has 32 bits.
func EachCount(n int64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; n > 0; n -= math.MaxUint32 {
			if !yield(uint32(min(n, math.MaxUint32))) {
				return
			}
		}
	}
}

// Run returns where a worker appends its rows.
func (s *Sorter) Run(worker int) *RowRun { return s.runs[worker] }

// Len returns the number of rows, and Size the bytes of those that are different, at most. Both are complete once they
// are merged.
func (s *Sorter) Len() int64  { return s.rows.Load() }
func (s *Sorter) Size() int64 { return s.size.Load() }

// AddSorted adds different rows in order, encoded as by AppendRow. The bytes stay the caller's.
func (s *Sorter) AddSorted(encoded []byte) error {
	r := &RowRun{}
	if err := r.Decode(encoded); err != nil || r.Len() == 0 {
		return err
	}
	for i := range r.refs {
		s.rows.Add(int64(r.refs[i].count))
		r.size += int(r.refs[i].to - r.refs[i].from)
	}
	s.size.Add(int64(r.size))
	return s.add(r)
}

// seal sorts a run and puts it with the others. The worker's run is empty then.
func (s *Sorter) seal(r *RowRun) error {
	if len(r.refs) == 0 {
		return nil
	}
	r.sort()
	s.rows.Add(r.rows)
	s.size.Add(int64(r.size))
	err := s.add(r)
	r.Bytes, r.refs, r.begin, r.rows = r.Bytes[:0], r.refs[:0], 0, 0
	return err
}

// add adds a run's rows: a copy of it, or one in the store.
func (s *Sorter) add(r *RowRun) error {
	if fits, err := s.take(r); err != nil || !fits {
		return err
	}
	of := r.clone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted = append(s.sorted, of)
	return nil
}

// take draws what a copy takes, or puts the run in the store.
func (s *Sorter) take(r *RowRun) (fits bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes := r.held(); s.drawn+bytes <= s.share && s.budget.Draw("sorted rows", bytes) == nil {
		s.drawn += bytes
		return true, nil
	}
	return false, s.put(r)
}

func (s *Sorter) release(bytes int64) {
	s.budget.Return(bytes)
	s.drawn -= bytes
}

// put writes a run to the store.
func (s *Sorter) put(r *RowRun) error {
	rows := &SortedRows{heap: []*runSource{{run: r, end: r.Len()}}}
	if err := rows.begin(); err != nil {
		return err
	}
	return s.write(rows)
}

// write writes rows to the store as one more run.
func (s *Sorter) write(rows *SortedRows) (err error) {
	if s.store == nil {
		if s.store, err = s.open(); err != nil {
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
		chunk = AppendRow(chunk, row, n)
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

// Merge returns all rows in order. No more are appended.
func (s *Sorter) Merge(ctx context.Context) (*SortedRows, error) {
	runs := s.runs
	s.runs = nil
	err := workers.Each(len(runs), len(runs), func(_ workers.Worker, i int) error { return s.seal(runs[i]) })
	s.release(s.unsorted)
	s.unsorted = 0
	if err == nil {
		err = s.reduce(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.merge(ctx, s.sorted, s.stored)
}

// reduce makes the runs so few that all can be read at a time.
func (s *Sorter) reduce(ctx context.Context) error {
	if len(s.stored) > 0 && fanIn(s.share-s.drawn) < len(s.stored) {
		if err := s.storeAll(); err != nil {
			return err
		}
	}
	for most := fanIn(s.share); len(s.stored) > most; {
		first := slices.Clone(s.stored[:most])
		s.stored = s.stored[most:]
		rows, err := s.merge(ctx, nil, first)
		if err != nil {
			return err
		}
		if err := errors.Join(s.write(rows), rows.Close(), s.store.Free(first...)); err != nil {
			return err
		}
	}
	return nil
}

// fanIn returns how many runs of the store can be read at a time in so many bytes.
func fanIn(bytes int64) int { return int(max(2, bytes/ReaderBytes)) }

// storeAll writes the runs in memory to the store.
func (s *Sorter) storeAll() error {
	for i, r := range s.sorted {
		if err := s.put(r); err != nil {
			return err
		}
		s.release(r.held())
		s.sorted[i] = nil
	}
	s.sorted = nil
	return nil
}

// merge returns the rows of runs that are few enough.
func (s *Sorter) merge(ctx context.Context, inMemory []*RowRun, stored []Sequence) (*SortedRows, error) {
	drawn := ReaderBytes * int64(len(stored))
	if err := s.budget.Draw("reading sorted rows", drawn); err != nil {
		return nil, err
	}
	var sources []*runSource
	for _, r := range inMemory {
		sources = append(sources, &runSource{run: r, end: r.Len()})
	}
	var err error
	for _, sequence := range stored {
		var reader *Reader
		if reader, err = s.store.Read(ctx, sequence); err != nil {
			break
		}
		sources = append(sources, &runSource{run: &RowRun{}, reader: reader})
	}
	rows := &SortedRows{heap: sources, budget: s.budget, drawn: drawn}
	if err == nil {
		err = rows.begin()
	}
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return rows, nil
}

// Close returns what is drawn and frees what is stored. Its rows are not to be used any more.
func (s *Sorter) Close() error {
	s.release(s.drawn)
	stored := s.stored
	s.runs, s.sorted, s.stored = nil, nil, nil
	if s.store == nil {
		return nil
	}
	return s.store.Free(stored...)
}
