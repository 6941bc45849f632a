package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/kcut/kcut/internal/workers"
)

// Sorter puts rows, which are bytes, in bytewise order.
//
//	RowRun of every worker ─full─▶ sorted run, in memory or in a store ─▶ Merge
//
// It draws at most its share of the budget; sorted runs that do not
// fit are in the store.
type Sorter struct {
	budget *Budget
	share  int64
	open   func() (*Store, error)
	runs   []*RowRun // by worker: being filled
	limit  int       // bytes of one

	mu     sync.Mutex
	drawn  int64
	sorted []*RowRun // in memory
	stored []Sequence
	store  *Store // nil: nothing is stored
	rows   int64
	size   int64 // bytes of the rows
}

// RowRun is rows in memory. It belongs to one worker.
type RowRun struct {
	Bytes []byte // rows, one after the other: the next one is appended here

	sorter *Sorter
	begin  int   // of the row that is being appended
	rows   int64 // equal ones too
	refs   []rowRef
}

// rowRef is where a row is, and the first bytes of it, which mostly decide.
type rowRef struct {
	prefix   uint64
	from, to uint32
	count    uint32 // of equal rows
}

const (
	rowRefBytes = 24
	// A run is so large at most that its rows are sorted in a last-level cache, by and large, and at
	// least that it is worth writing.
	mostRun  = 16 << 20
	leastRun = 64 << 10
	// runsInShare is how many full runs of every worker have room in a share, at least.
	runsInShare = 4
	// sortedChunk is the size of a chunk of sorted rows in the store.
	sortedChunk = 64 << 10
)

// NewSorter returns a sorter of rows that so many workers append. The store is opened when something
// does not fit. The sorter must be closed.
func NewSorter(budget *Budget, share int64, threads int, open func() (*Store, error)) (*Sorter, error) {
	s := &Sorter{budget: budget, share: share, open: open}
	s.limit = int(min(max(share/int64(runsInShare*threads), leastRun), mostRun))
	for range threads {
		s.runs = append(s.runs, &RowRun{sorter: s})
	}
	// As much again as a run may take is what it leaves behind while it grows.
	s.drawn = 2 * int64(s.limit*threads)
	if err := budget.Draw("rows to be sorted", s.drawn); err != nil {
		return nil, err
	}
	return s, nil
}

// Run returns where a worker appends its rows.
func (s *Sorter) Run(worker int) *RowRun { return s.runs[worker] }

// Len returns the number of rows, and Size the bytes of those that are different, at most. Both are complete once they
// are merged.
func (s *Sorter) Len() int64  { return s.rows }
func (s *Sorter) Size() int64 { return s.size }

// End ends the row that was appended to Bytes, and of which there are so many.
func (r *RowRun) End(n uint32) error {
	r.rows += int64(n)
	r.refs = append(r.refs, rowRef{prefix: prefixOf(r.Bytes[r.begin:]), from: uint32(r.begin), to: uint32(len(r.Bytes)), count: n})
	r.begin = len(r.Bytes)
	if len(r.Bytes)+rowRefBytes*len(r.refs) < r.sorter.limit {
		return nil
	}
	return r.sorter.seal(r)
}

// prefixOf returns the first eight bytes of a row, zeros where it is shorter.
func prefixOf(row []byte) (prefix uint64) {
	if len(row) >= 8 {
		return binary.BigEndian.Uint64(row)
	}
	for i, b := range row {
		prefix |= uint64(b) << (56 - 8*i)
	}
	return prefix
}

// row returns a row.
func (r *RowRun) row(i int) []byte { return r.Bytes[r.refs[i].from:r.refs[i].to] }

func (r *RowRun) sort() {
	slices.SortFunc(r.refs, func(a, b rowRef) int {
		switch {
		case a.prefix < b.prefix:
			return -1
		case a.prefix > b.prefix:
			return 1
		}
		return bytes.Compare(r.Bytes[a.from:a.to], r.Bytes[b.from:b.to])
	})
}

func (r *RowRun) held() int64 { return int64(len(r.Bytes)) + rowRefBytes*int64(len(r.refs)) }

func (r *RowRun) reset() {
	r.Bytes, r.refs, r.begin, r.rows = r.Bytes[:0], r.refs[:0], 0, 0
}

// different makes equal rows of a sorted run one, and returns the bytes that are left.
func (r *RowRun) different() (size int) {
	last := -1
	for _, ref := range r.refs {
		if last >= 0 {
			of := &r.refs[last]
			if of.prefix == ref.prefix && ref.count <= math.MaxUint32-of.count && bytes.Equal(r.Bytes[of.from:of.to], r.Bytes[ref.from:ref.to]) {
				of.count += ref.count
				continue
			}
		}
		last++
		r.refs[last] = ref
		size += int(ref.to - ref.from)
	}
	r.refs = r.refs[:last+1]
	return size
}

// copied returns the rows of a run in memory of so many bytes, one after the other.
func (r *RowRun) copied(size int) *RowRun {
	to := &RowRun{Bytes: make([]byte, 0, size), refs: slices.Clone(r.refs)}
	for i := range to.refs {
		ref := &to.refs[i]
		from := len(to.Bytes)
		to.Bytes = append(to.Bytes, r.Bytes[ref.from:ref.to]...)
		ref.from, ref.to = uint32(from), uint32(len(to.Bytes))
	}
	return to
}

// seal sorts a run and puts it with the others, or in the store. The worker's run is empty then.
func (s *Sorter) seal(r *RowRun) error {
	if len(r.refs) == 0 {
		return nil
	}
	r.sort()
	size := r.different()
	defer r.reset()
	if fits, err := s.take(r, size); err != nil || !fits {
		return err
	}
	of := r.copied(size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted = append(s.sorted, of)
	return nil
}

// take draws what a sorted run takes in so many bytes, or puts it in the store.
func (s *Sorter) take(r *RowRun, size int) (fits bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows += r.rows
	s.size += int64(size)
	held := int64(size) + rowRefBytes*int64(len(r.refs))
	if s.drawn+held > s.share || s.budget.Draw("sorted rows", held) != nil {
		return false, s.put(rowsOf(r))
	}
	s.drawn += held
	return true, nil
}

// put writes sorted rows to the store as one more run: the length of each and how many are equal, in 4 bytes each, and
// its bytes, in chunks of one size.
func (s *Sorter) put(rows *SortedRows) (err error) {
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
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for ; n > 0; n -= min(n, math.MaxUint32) {
			chunk = binary.LittleEndian.AppendUint32(chunk, uint32(len(row)))
			chunk = binary.LittleEndian.AppendUint32(chunk, uint32(min(n, math.MaxUint32)))
			chunk = append(chunk, row...)
		}
		from := 0
		for ; len(chunk)-from >= sortedChunk; from += sortedChunk {
			if err := s.store.Append(sequence, chunk[from:from+sortedChunk]); err != nil {
				return err
			}
		}
		chunk = append(chunk[:0], chunk[from:]...)
	}
	if len(chunk) == 0 {
		return nil
	}
	return s.store.Append(sequence, chunk)
}

// Merge returns all rows in order. No more are appended.
func (s *Sorter) Merge(ctx context.Context) (*SortedRows, error) {
	threads := len(s.runs)
	err := workers.Each(threads, threads, func(_ workers.Worker, i int) error { return s.seal(s.runs[i]) })
	if err != nil {
		return nil, err
	}
	s.runs = nil
	s.release(2 * int64(s.limit*threads))
	if len(s.stored) > 0 && s.fanIn(s.share-s.drawn) < len(s.stored) {
		if err := s.putAll(); err != nil {
			return nil, err
		}
	}
	for len(s.stored) > s.fanIn(s.share) {
		if err := s.join(ctx, s.stored[:s.fanIn(s.share)]); err != nil {
			return nil, err
		}
	}
	return s.merged(ctx, s.sorted, s.stored)
}

// fanIn returns how many runs of the store can be read at a time in so many bytes.
func (s *Sorter) fanIn(bytes int64) int { return int(max(2, bytes/ReaderBytes)) }

// putAll writes the runs in memory to the store.
func (s *Sorter) putAll() error {
	for _, r := range s.sorted {
		if err := s.put(rowsOf(r)); err != nil {
			return err
		}
		s.release(r.held())
	}
	s.sorted = nil
	return nil
}

// join makes one run of the first ones in the store.
func (s *Sorter) join(ctx context.Context, first []Sequence) error {
	first = slices.Clone(first)
	s.stored = s.stored[len(first):]
	rows, err := s.merged(ctx, nil, first)
	if err != nil {
		return err
	}
	err = s.put(rows)
	return errors.Join(err, rows.Close(), s.store.Free(first...))
}

func (s *Sorter) release(bytes int64) {
	s.budget.Return(bytes)
	s.drawn -= bytes
}

// Close returns what is drawn and frees what is stored. Its rows are not to be used any more.
func (s *Sorter) Close() error {
	s.release(s.drawn)
	s.runs, s.sorted = nil, nil
	if s.store == nil {
		return nil
	}
	stored := s.stored
	s.stored = nil
	return s.store.Free(stored...)
}
