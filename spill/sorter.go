package spill

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// Sorting describes the rows to sort and the memory to sort them in.
type Sorting struct {
	Budget  *Budget
	What    string // the purpose of the memory
	Instead string // another remedy when the memory does not suffice
	Share   int64  // largest number of bytes to draw
	Run     int64  // bytes of rows that one worker sorts at a time
	// length of every row if all have one, at most MostShort; 0: rows differ in length or are
	// longer
	Short   int
	Readers int64                  // bytes for reading runs from the store
	Open    func() (*Store, error) // called when something does not fit; nil: sorting fails then
}

// Sorter sorts rows of bytes bytewise and counts equal ones.
//
//	RowRun of every worker ─full─▶ run in memory, or in a store ─▶ Merge
//
// It draws the memory that it holds, as it grows. It must be closed.
type Sorter struct {
	Sorting
	runs []*RowRun // runs that workers append to

	mu      sync.Mutex
	rows    int64
	size    int64     // bytes of the different rows, at most
	largest int64     // bytes of the largest row
	drawn   int64     // bytes drawn for sorted runs
	sorted  []*RowRun // sorted runs in memory
	stored  []Sequence
	store   *Store // nil: nothing is stored
}

const (
	// The upper limit of a run lets its rows be sorted in a usual last-level cache; the lower one
	// makes a run worth writing.
	mostRun  = 16 << 20
	leastRun = 64 << 10
	// runsInShare is the least number of full runs of every worker that fit in a share.
	runsInShare = 4
	// growth is the factor by which a run takes more memory while it doubles, with its old copy, or
	// while it is sorted, with a copy of its references.
	growth = 2
	// firstRoom is the number of bytes for the first rows of a run.
	firstRoom = 4 << 10
	// sortedChunk is the approximate size of a chunk of rows in the store, unless one row is
	// larger.
	sortedChunk = 64 << 10
	// largeRow is the smallest size of a row whose copies are drawn from the budget.
	largeRow = 256 << 10
	// rowCopies counts the copies of a row from the store, without that of its reader.
	rowCopies = 3
)

// NewSorter returns a sorter of rows.
func NewSorter(s Sorting) *Sorter {
	s.Run = min(s.Run, 1<<30) // places in it have 32 bits, however large its last row is
	return &Sorter{Sorting: s}
}

// UsualRun returns the number of bytes of rows that each of the workers sorts at a time within a
// share.
func UsualRun(share int64, threads int) int64 {
	return min(max(share/int64(runsInShare*max(1, threads)), leastRun), mostRun)
}

// LeastSorted returns the least memory that a number of workers need for rows that they sort: with
// less their runs are not handed to the store.
func LeastSorted(workers int) int64 { return 2 * growth * leastRun * int64(workers) }

// Foresee refuses rows of a number of bytes in all, with the size of the largest one, as sorting
// does where a budget has no room for that one: for its run, beside the memory of readers, and
// where rows go to the store, for writing it and for joining it with another one. Rows of usual
// size always have room.
func (s *Sorter) Foresee(all, largest int64) error {
	if largest <= largeRow {
		return nil
	}
	need := growth * largest
	if s.Open != nil && all+need > min(s.Share, s.Budget.Left()) {
		s.largest = largest
		store := s.toStore() - s.writeBytes()
		need += store + max(s.writeBytes(), s.missing(need+s.Budget.Reads()))
	}
	if err := s.Budget.Draw(s.What, need); err != nil {
		return s.Budget.Short(err, need, s.Instead)
	}
	s.Budget.Return(need)
	return nil
}

// NewRun returns a run for the rows of one more worker. It is not safe for concurrent use.
func (s *Sorter) NewRun() *RowRun {
	r := newRun(s, s.Short)
	s.runs = append(s.runs, r)
	return r
}

// Len returns the number of rows, Size an upper bound of the bytes of different rows, and Largest
// the bytes of the largest row. All are complete after Merge.
func (s *Sorter) Len() int64     { return s.rows }
func (s *Sorter) Size() int64    { return s.size }
func (s *Sorter) Largest() int64 { return s.largest }

// Join moves the rows of another sorter with the same store to s. Nobody else uses either sorter
// meanwhile.
func (s *Sorter) Join(other *Sorter) {
	for _, r := range other.runs {
		r.sorter = s
	}
	s.runs = append(s.runs, other.runs...)
	s.sorted = append(s.sorted, other.sorted...)
	s.stored = append(s.stored, other.stored...)
	s.rows, s.size, s.largest = s.rows+other.rows, s.size+other.size, max(s.largest, other.largest)
	s.drawn, s.Share, s.Readers = s.drawn+other.drawn, s.Share+other.Share, s.Readers+other.Readers
	s.store = cmp.Or(s.store, other.store)
	other.runs, other.sorted, other.stored, other.drawn = nil, nil, nil, 0
}

// makeRoom gives a run room for more rows, or sorts its rows where none of a length would fit.
func (s *Sorter) makeRoom(r *RowRun, length int64) error {
	used, full := r.used(), s.Run-s.Run/8 // a longer row may use the rest
	if used+length > full {
		return s.seal(r)
	}
	room := min(max(2*used, firstRoom), full)
	if s.Open == nil || used < min(leastRun, s.Run/2) {
		return s.grow(r, room, 0)
	}
	if err := s.grow(r, room, s.reserve(r)); !errors.Is(err, ErrBudget) {
		return err
	}
	return s.seal(r)
}

// grow draws the memory for a run that grows to room bytes, where a number of bytes are left to
// others. Where the budget is short, sorted runs go to the store.
func (s *Sorter) grow(r *RowRun, room, others int64) error {
	more := growth * (room - r.room)
	if more <= 0 {
		return nil
	}
	if s.Open != nil && s.Budget.Left()-more < s.reserve(r) {
		s.mu.Lock()
		err := s.storeAll()
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	if others > 0 && s.Budget.Left()-more < others {
		return ErrBudget
	}
	if err := s.Budget.Draw(s.What, more); err != nil {
		// this is one of many draws
		return s.short(err, r, max(more, s.Budget.root().limit))
	}
	r.room = room
	r.makeRoom()
	return nil
}

// reserve returns the memory that runs must leave for opening the store, and for writing them to
// it, while a run is filled.
func (s *Sorter) reserve(r *RowRun) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(r.refs) - 1; last >= 0 {
		s.largest = max(s.largest, int64(r.length(&r.refs[last])))
	}
	return s.toStore()
}

// toStore returns the memory for writing a run to the store, which may have to be opened first.
func (s *Sorter) toStore() int64 {
	if s.Open == nil || s.store != nil {
		return s.writeBytes()
	}
	return StoreShare(s.Budget.root().limit) + s.writeBytes()
}

// short gives the error of a run's draw a hint: a budget with room for the missing bytes and,
// later, for joining runs with rows as large as the run's last one.
func (s *Sorter) short(err error, r *RowRun, missing int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(r.refs) - 1; last >= 0 {
		s.largest = max(s.largest, int64(r.length(&r.refs[last])))
	}
	return s.Budget.Short(err, max(missing, s.missing(growth*r.room+s.Budget.Reads())), s.Instead)
}

// seal sorts a run and adds its rows to the sorted ones, unless so few of them differ that they can
// stay.
func (s *Sorter) seal(r *RowRun) error {
	if err := s.grow(r, r.used(), 0); err != nil { // its last row may be large
		return err
	}
	r.sort()
	if r.held() <= s.Run/2 {
		r.compact()
		return nil
	}
	err := s.add(r)
	r.empty()
	if r.room > s.Run { // its last row was large
		s.Budget.Return(growth * r.room)
		*r = *newRun(s, s.Short)
	}
	return err
}

// add adds the rows of a sorted run: as a copy in memory, or in the store.
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

// take draws the memory of a copy, or writes the run to the store. The share also has room for the
// runs that workers append to.
func (s *Sorter) take(r *RowRun) (fits bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(r)
	filled := growth * s.Run * int64(len(s.runs))
	bytes := r.held()
	if s.Open == nil || s.drawn+filled+bytes <= s.Share && bytes+s.toStore() <= s.Budget.Left() {
		if err = s.Budget.Draw(s.What, bytes); err == nil {
			s.drawn += bytes
			return true, nil
		}
	}
	if s.Open == nil {
		return false, err
	}
	return false, s.put(r)
}

// count adds the rows of a sorted run to the totals.
func (s *Sorter) count(r *RowRun) {
	s.rows += r.rows
	s.size += int64(r.size)
	for i := range r.refs {
		s.largest = max(s.largest, int64(r.length(&r.refs[i])))
	}
}

// put writes a run to the store.
func (s *Sorter) put(r *RowRun) error {
	rows := &SortedRows{short: r.short}
	rows.add(r, nil)
	if err := rows.begin(); err != nil {
		return err
	}
	return s.write(rows, growth*r.room+s.Budget.Reads())
}

// write writes rows to the store as one more run. When it joins runs, freed of the drawn bytes
// become free.
func (s *Sorter) write(rows *SortedRows, freed int64) (err error) {
	if s.store == nil {
		if s.store, err = s.Open(); err != nil {
			return fault.LacksMore(err, s.missing(freed))
		}
	}
	drawn := s.writeBytes()
	if err := s.Budget.Draw(s.What, drawn); err != nil {
		return s.Budget.Short(err, s.missing(freed), s.Instead)
	}
	defer s.Budget.Return(drawn)
	sequence := s.store.NewSequence()
	s.stored = append(s.stored, sequence)
	var chunk []byte
	err = rows.Each(func(row []byte, n int64) (err error) {
		if chunk = AppendRow(chunk, row, n); len(chunk) >= sortedChunk {
			err, chunk = s.store.Append(sequence, chunk), chunk[:0]
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.store.Append(sequence, chunk)
}

// Merge returns all rows in order. No rows may be appended after it.
func (s *Sorter) Merge(ctx context.Context) (*SortedRows, error) {
	err := workers.Each(len(s.runs), max(1, len(s.runs)), func(_ workers.Worker, i int) error {
		return s.end(s.runs[i])
	})
	if err == nil {
		err = s.reduce(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.merge(ctx, s.sorted, s.stored)
}

// end sorts the last rows of a worker. They stay in place while nothing is in the store.
func (s *Sorter) end(r *RowRun) error {
	r.sort()
	r.copied = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(r.refs) == 0:
	case len(s.stored) == 0:
		s.count(r)
		s.sorted = append(s.sorted, r)
		s.drawn += growth * r.room
		r.room = 0
	default:
		s.count(r)
		if err := s.put(r); err != nil {
			return err
		}
	}
	s.Budget.Return(growth * r.room)
	r.room = 0
	return nil
}

// reduce joins runs until all can be read at one time.
func (s *Sorter) reduce(ctx context.Context) error {
	if len(s.stored) > 0 && len(s.sorted) > 0 &&
		s.fanIn(min(s.Readers, s.Share-s.drawn)) < len(s.stored) {
		if err := s.storeAll(); err != nil {
			return err
		}
	}
	for most := s.fanIn(s.Readers); len(s.stored) > most; {
		first := slices.Clone(s.stored[:most])
		s.stored = s.stored[most:]
		rows, err := s.merge(ctx, nil, first)
		if err != nil {
			return err
		}
		err = s.write(rows, rows.drawn)
		rows.Close()
		// a failed store fails both in the same way
		if err := cmp.Or(err, s.store.Free(first...)); err != nil {
			return err
		}
	}
	return nil
}

// fanIn returns the number of runs of the store that can be read at one time with some bytes of
// memory. If rows are large, it also takes more of the budget, where that is left.
func (s *Sorter) fanIn(bytes int64) int {
	if s.largest > largeRow {
		bytes = max(bytes, s.Budget.Left()/4*3)
	}
	return int(max(2, (bytes-s.readBytes(0))/(s.readBytes(1)-s.readBytes(0))))
}

// readBytes returns the memory for reading some runs of the store at one time.
func (s *Sorter) readBytes(runs int) int64 {
	if s.largest <= largeRow {
		return (2*sortedChunk + s.largest) * int64(runs)
	}
	return (2*sortedChunk+mostPiece+s.largest)*int64(runs) + rowCopies*s.largest
}

// writeBytes returns the memory for writing a run to the store: a chunk, which grows with a large
// row.
func (s *Sorter) writeBytes() int64 {
	if s.largest <= largeRow {
		return 0
	}
	return 2 * s.largest
}

// missing returns the bytes that are missing to write a run and to join two, when freed of the
// drawn bytes become free.
func (s *Sorter) missing(freed int64) int64 {
	return max(s.writeBytes(), s.readBytes(2)+s.writeBytes()-freed)
}

// storeAll writes all runs in memory to the store.
func (s *Sorter) storeAll() error {
	for i, r := range s.sorted {
		if err := s.put(r); err != nil {
			return err
		}
		s.sorted[i] = nil
	}
	s.sorted = nil
	s.Budget.Return(s.drawn)
	s.drawn = 0
	return nil
}

// merge returns the rows of runs that can all be read at one time.
func (s *Sorter) merge(ctx context.Context, inMemory []*RowRun, stored []Sequence) (*SortedRows,
	error) {
	drawn := s.readBytes(len(stored))
	if err := s.Budget.Draw(s.What, drawn); err != nil {
		return nil, s.Budget.Short(err, drawn+s.writeBytes(), s.Instead)
	}
	rows := &SortedRows{short: s.Short, budget: s.Budget, drawn: drawn}
	for _, r := range inMemory {
		rows.add(r, nil)
	}
	for _, sequence := range stored {
		reader, err := s.store.read(ctx, sequence)
		if err != nil {
			rows.Close()
			return nil, err
		}
		rows.add(nil, reader)
	}
	if err := rows.begin(); err != nil {
		rows.Close()
		return nil, err
	}
	return rows, nil
}

// Close returns the drawn memory and frees the stored runs. The rows of the sorter must not be used
// after it.
func (s *Sorter) Close() error {
	for _, r := range s.runs {
		s.Budget.Return(growth * r.room)
	}
	s.Budget.Return(s.drawn)
	stored := s.stored
	s.runs, s.sorted, s.stored, s.drawn = nil, nil, nil, 0
	if s.store == nil {
		return nil
	}
	return s.store.Free(stored...)
}
