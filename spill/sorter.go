package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"
)

// Sorter puts rows, which are bytes, in bytewise order.
//
//	RowRun of every worker ─full─▶ SortedRuns ─▶ Merge
//
// It draws at most its share of the budget.
type Sorter struct {
	sorted SortedRuns[byte, *RowRun]
	runs   []*RowRun // by worker: being filled
	limit  int       // bytes of one
	rows   atomic.Int64
	size   atomic.Int64 // bytes of the rows
}

// RowRun is rows in memory. It belongs to one worker.
type RowRun struct {
	Bytes []byte // rows, one after the other: the next one is appended here

	sorter *Sorter
	begin  int   // of the row that is being appended
	rows   int64 // equal ones too
	size   int   // bytes of different ones, once they are sorted
	refs   []rowRef
}

// rowRef is where a row is, and the first bytes of it, which mostly decide.
type rowRef struct {
	prefix   uint64
	from, to uint32
	count    uint32 // of equal rows
}

// RowRefBytes is what a row takes beside its bytes.
const RowRefBytes = 24

const (
	// A run is so large at most that its rows are sorted in a last-level cache, by and large, and at
	// least that it is worth writing.
	mostRun  = 16 << 20
	leastRun = 64 << 10
	// runsInShare is how many full runs of every worker have room in a share, at least.
	runsInShare = 4
)

// NewSorter returns a sorter of rows that so many workers append. The store is opened when something
// does not fit. The sorter must be closed.
func NewSorter(budget *Budget, share int64, threads int, open func() (*Store, error)) (*Sorter, error) {
	s := &Sorter{limit: int(SorterRun(share, threads))}
	s.sorted = SortedRuns[byte, *RowRun]{
		Budget: budget, Share: share, Open: open, Compare: bytes.Compare, Empty: func() *RowRun { return &RowRun{} },
	}
	for range threads {
		s.runs = append(s.runs, &RowRun{sorter: s})
	}
	// As much again as a run may take is what it leaves behind while it grows.
	if err := s.sorted.DrawUnsorted(2 * int64(s.limit*threads)); err != nil {
		return nil, err
	}
	return s, nil
}

// SorterRun returns how many bytes of a share one worker's run takes before it is in order.
func SorterRun(share int64, threads int) int64 {
	return min(max(share/int64(runsInShare*threads), leastRun), mostRun)
}

// Run returns where a worker appends its rows.
func (s *Sorter) Run(worker int) *RowRun { return s.runs[worker] }

// Len returns the number of rows, and Size the bytes of those that are different, at most. Both are complete once they
// are merged.
func (s *Sorter) Len() int64  { return s.rows.Load() }
func (s *Sorter) Size() int64 { return s.size.Load() }

// AddSorted adds different rows in order, encoded as by RowRun.Encoder. The bytes stay the caller's.
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
	return s.sorted.Add(r)
}

// Merge returns all rows in order. No more are appended.
func (s *Sorter) Merge(ctx context.Context) (*SortedRows[byte, *RowRun], error) {
	err := s.sorted.End(len(s.runs), func(worker int) error { return s.seal(s.runs[worker]) })
	if s.runs = nil; err != nil {
		return nil, err
	}
	if err := s.sorted.Reduce(ctx, 0); err != nil {
		return nil, err
	}
	return s.sorted.Merge(ctx)
}

// Close returns what is drawn and frees what is stored. Its rows are not to be used any more.
func (s *Sorter) Close() error {
	s.runs = nil
	return s.sorted.Close()
}

// seal sorts a run and puts it with the others. The worker's run is empty then.
func (s *Sorter) seal(r *RowRun) error {
	if len(r.refs) == 0 {
		return nil
	}
	r.sort()
	s.rows.Add(r.rows)
	s.size.Add(int64(r.size))
	err := s.sorted.Add(r)
	r.Bytes, r.refs, r.begin, r.rows = r.Bytes[:0], r.refs[:0], 0, 0
	return err
}

// End ends the row that was appended to Bytes, and of which there are so many.
func (r *RowRun) End(n uint32) error {
	r.rows += int64(n)
	r.refer(r.begin, len(r.Bytes), n)
	r.begin = len(r.Bytes)
	if len(r.Bytes)+RowRefBytes*len(r.refs) < r.sorter.limit {
		return nil
	}
	return r.sorter.seal(r)
}

// Append appends so many rows that are equal.
func (r *RowRun) Append(row []byte, n int64) error {
	for n := range EachCount(n) {
		r.Bytes = append(r.Bytes, row...)
		if err := r.End(n); err != nil {
			return err
		}
	}
	return nil
}

// refer refers to a row in Bytes.
func (r *RowRun) refer(from, to int, n uint32) {
	r.refs = append(r.refs, rowRef{prefix: prefixOf(r.Bytes[from:to]), from: uint32(from), to: uint32(to), count: n})
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

func (r *RowRun) row(ref *rowRef) []byte { return r.Bytes[ref.from:ref.to] }

// sort puts the rows in order and makes equal ones one.
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
	r.size = 0
	last := -1
	for _, ref := range r.refs {
		if last >= 0 {
			of := &r.refs[last]
			if of.prefix == ref.prefix && ref.count <= math.MaxUint32-of.count && bytes.Equal(r.row(of), r.row(&ref)) {
				of.count += ref.count
				continue
			}
		}
		last++
		r.refs[last] = ref
		r.size += int(ref.to - ref.from)
	}
	r.refs = r.refs[:last+1]
}

// Len returns the number of different rows.
func (r *RowRun) Len() int { return len(r.refs) }

// At returns a row, how many there are of it, and its first bytes as a number.
func (r *RowRun) At(i int) (key uint64, row []byte, n uint32) {
	ref := &r.refs[i]
	return ref.prefix, r.row(ref), ref.count
}

// Held returns how many bytes a copy takes.
func (r *RowRun) Held() int64 { return int64(r.size) + RowRefBytes*int64(len(r.refs)) }

// Clone returns a copy in memory of its own size, with its rows one after the other.
func (r *RowRun) Clone() *RowRun {
	to := &RowRun{Bytes: make([]byte, 0, r.size), size: r.size, refs: slices.Clone(r.refs)}
	for i := range to.refs {
		ref := &to.refs[i]
		from := len(to.Bytes)
		to.Bytes = append(to.Bytes, r.row(ref)...)
		ref.from, ref.to = uint32(from), uint32(len(to.Bytes))
	}
	return to
}

// Encoder returns a function that appends the length of a row and how many there are, in 4 bytes each, and its bytes.
func (r *RowRun) Encoder() func(chunk []byte, row []byte, n uint32) []byte {
	return func(chunk, row []byte, n uint32) []byte {
		chunk = binary.LittleEndian.AppendUint32(chunk, uint32(len(row)))
		chunk = binary.LittleEndian.AppendUint32(chunk, n)
		return append(chunk, row...)
	}
}

// Decode makes the run that of a chunk's rows.
func (r *RowRun) Decode(chunk []byte) error {
	r.Bytes, r.refs = chunk, r.refs[:0]
	for from := 0; from < len(chunk); {
		if from += 8; from > len(chunk) {
			return ErrCorrupt
		}
		to := from + int(binary.LittleEndian.Uint32(chunk[from-8:]))
		if to > len(chunk) {
			return ErrCorrupt
		}
		r.refer(from, to, binary.LittleEndian.Uint32(chunk[from-4:]))
		from = to
	}
	return nil
}
