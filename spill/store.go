// Package spill bounds the memory of a run. Budget is what everything that grows with
// the input is drawn from; Store takes to disk what does not fit.
//
// A Store holds sequences: numbered lists of chunks of bytes, appended at the end, read
// from the start as often as needed, freed as a whole.
//
//	Append ──▶ run (memory) ──full──▶ background writer ──▶ tables ──▶ Read
//	                                                          Free ──▶ file removed
//
// A run is cut into tables, which are files in Pebble's format. A sequence with much in the run
// gets a table to itself, the others share one, and a table's file goes when all that is in it
// has been freed.
//
// Contract: a draw that does not fit fails at once and takes nothing; the peak is exact. A
// Store returns the chunks that were appended or an error, never other bytes: every block
// has a checksum and every chunk is expected by number. Any failure of its files, seen by
// a caller or in the background, fails every later call. Nothing hangs on a full disk.
//
// Not promised: that the process is smaller than the budget by itself. That is so only as
// far as every holder draws what it holds, and the fixed overhead comes on top. A Store
// survives no crash: it syncs nothing, and the next Open or Sweep removes what was left.
package spill

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/kcut/kcut/internal/fault"
)

// Store keeps chunks of bytes that do not fit memory, in a private folder of one run. Its
// methods are safe for concurrent use, Close apart.
type Store struct {
	budget  *Budget
	share   int64
	folder  *folder
	files   *scratchFS
	recent  recent
	written uint64 // tables ever written; the background writer's

	writer sync.WaitGroup // the one in the background
	ended  atomic.Bool    // as closed; for those that do not hold mu

	// mu guards what follows. Nobody who holds it waits for a file, because fail takes it, and
	// fail is called from inside that.
	mu        sync.Mutex
	changed   sync.Cond // current, queue, spare, failure or closed have changed
	sequences map[Sequence]*sequence
	last      Sequence
	tables    int    // with something alive
	current   *run   // being filled; nil while there is no spare one
	queue     []*run // to be written, in this order
	spare     []*run
	chunks    int64
	failure   error
	closed    bool
}

// Open makes a store in a new private folder below dir, which is made when it does not
// exist, and removes what crashed runs have left there. It returns an error wrapping
// ErrBudget when its share is not to be had and ErrDisk when dir cannot be written to.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{budget: o.Budget, share: o.share(), sequences: map[Sequence]*sequence{}}
	s.changed.L = &s.mu
	if s.budget != nil {
		if err := s.budget.Draw("the spill store's buffers", s.share); err != nil {
			return nil, err
		}
	}
	if err := s.open(dir, o.FS); err != nil {
		return nil, errors.Join(err, s.release())
	}
	for range runsOfStore {
		s.spare = append(s.spare, &run{arena: make([]byte, 0, runSize(s.share))})
	}
	s.writer.Go(s.writeBehind)
	return s, nil
}

// open makes the folder.
func (s *Store) open(dir string, fsys vfs.FS) (err error) {
	if fsys == nil {
		fsys = vfs.Default
		real, err := realPath(dir)
		if err != nil {
			return explain("open", dir, err)
		}
		dir = real
	}
	if s.folder, err = openFolder(fsys, dir); err != nil {
		return err
	}
	s.files = newScratchFS(fsys, s.fail)
	return nil
}

// release closes and removes everything and returns the share of the budget.
func (s *Store) release() error {
	err := s.recent.close()
	if s.folder != nil {
		if removed := s.folder.remove(); removed != nil {
			err = errors.Join(err, explain("remove", s.folder.path, removed))
		}
	}
	if s.budget != nil {
		s.budget.Return(s.share)
	}
	return err
}

// fail makes every later call return err. The first failure stays: the others follow from it.
func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = explain("use", s.folder.path, err)
	}
	s.changed.Broadcast()
}

// failed returns the failure that there has been.
func (s *Store) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// usable returns why the store cannot be used any more.
func (s *Store) usable() error {
	if s.failure == nil && s.closed {
		return errClosed
	}
	return s.failure
}

// NewSequence returns a sequence without chunks.
func (s *Store) NewSequence() Sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return s.last
}

// MaxChunk is the largest chunk, in bytes. A chunk is a block of a table, and when one is
// damaged Pebble looks for a flipped bit in a time that grows with the block: half a minute
// for a MiB.
const MaxChunk = 4 << 20

// Append adds a chunk at the end of a sequence; the bytes are copied. It waits while the
// disk is slower than the callers. Calls for one sequence must not run at the same time,
// nor after it was freed. A failure of the store, also one in the background, is returned
// from then on. Chunks of some 10 KiB and more are best: each is a key of its own.
func (s *Store) Append(seq Sequence, chunk []byte) error {
	if len(chunk) > MaxChunk {
		return fmt.Errorf("append to a spilled sequence: %d bytes are more than a chunk may have, %d", len(chunk), MaxChunk)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(chunk)+chunkCost > runSize(s.share) {
		return s.appendLarge(seq, chunk)
	}
	for s.usable() == nil && (s.current == nil || !s.current.fits(len(chunk))) {
		s.handOver()
		if s.current == nil {
			s.changed.Wait()
		}
	}
	if err := s.usable(); err != nil {
		return err
	}
	r := s.current
	from := len(r.arena)
	r.arena = append(r.arena, chunk...)
	r.hold(s.sequenceOf(seq), r.arena[from:len(r.arena):len(r.arena)])
	s.chunks++
	return nil
}

// appendLarge writes a chunk that fits no run from the caller's bytes, and waits for it.
func (s *Store) appendLarge(seq Sequence, chunk []byte) error {
	if err := s.usable(); err != nil {
		return err
	}
	s.handOver() // what came before must be written before
	large := &run{}
	large.hold(s.sequenceOf(seq), chunk)
	s.chunks++
	s.queue = append(s.queue, large)
	s.changed.Broadcast()
	for !large.done {
		s.changed.Wait()
	}
	return s.usable()
}

// handOver queues the current run, if there is anything in it, and takes a spare one, if
// there is one.
func (s *Store) handOver() {
	if s.current != nil && s.current.used > 0 {
		s.queue = append(s.queue, s.current)
		s.current = nil
		s.changed.Broadcast()
	}
	if n := len(s.spare); s.current == nil && n > 0 {
		s.current, s.spare = s.spare[n-1], s.spare[:n-1]
	}
}

func (s *Store) sequenceOf(seq Sequence) *sequence {
	q := s.sequences[seq]
	if q == nil {
		q = &sequence{number: seq}
		s.sequences[seq] = q
	}
	return q
}

// Free drops sequences with all their chunks. Chunks that were still in memory are never
// written; a table's file is removed with the last sequence in it, once no reader is in
// it. A reader of a freed sequence gets an error.
func (s *Store) Free(seqs ...Sequence) error {
	s.mu.Lock()
	dead := []*table(nil)
	for _, seq := range seqs {
		if q := s.sequences[seq]; q != nil {
			delete(s.sequences, seq)
			dead = append(dead, s.drop(q)...)
		}
	}
	err := s.usable()
	s.mu.Unlock()
	if err == nil {
		if err = remove(dead); err != nil {
			s.fail(err)
			err = s.failed()
		}
	}
	return err
}

// drop forgets a sequence and returns the tables in which nothing is left alive.
func (s *Store) drop(q *sequence) (dead []*table) {
	q.freed = true
	for _, p := range q.pieces {
		if p.run.live -= p.bytes; p.run.live == 0 && p.run == s.current {
			p.run.reset()
		}
	}
	for _, e := range q.extents {
		if e.table.alive--; e.table.alive == 0 {
			dead = append(dead, e.table)
		}
	}
	s.tables -= len(dead)
	q.pieces, q.extents = nil, nil
	return dead
}

// Stats are a store's numbers.
type Stats struct {
	BytesWritten  int64 // to files, everything included
	BytesRead     int64 // from files
	DiskBytes     int64 // in the folder now
	PeakDiskBytes int64 // the most that was in the folder at one time
	Chunks        int64 // appended
}

// Stats returns the numbers of now. After Close they stay as they were.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, peak := s.files.usage()
	return Stats{
		BytesWritten: s.files.written.Load(), BytesRead: s.files.read.Load(),
		DiskBytes: now, PeakDiskBytes: peak, Chunks: s.chunks,
	}
}

// Close ends the readers and the writer, and removes the folder with everything in it,
// and dir when Open made it and it is empty. It returns the failure of the store, if there
// was one. No other call may be running; a second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
	if again {
		return nil
	}
	s.ended.Store(true)
	s.writer.Wait()
	err := s.release()
	return cmp.Or(s.failed(), err)
}

var (
	// ErrDisk is returned when the spill folder cannot take what has to be written.
	ErrDisk = fault.New(fault.Resources, "", "the disk is full, or the folder is read-only or gone")
	// ErrFailed is returned when the system fails to read or write the spill folder for
	// another reason: the disk may be breaking.
	ErrFailed = fault.New(fault.Transient, "", "reading or writing failed")
	// ErrCorrupt is returned when bytes read back are not those that were written.
	ErrCorrupt = fault.New(fault.Transient, "", "the spilled data is damaged")

	errClosed       = errors.New("the spill store is closed")
	errFreed        = errors.New("the sequence was freed while it was read")
	errReaderClosed = errors.New("the reader of a spilled sequence is closed")
	errMissing      = errors.New("a chunk is missing")
	errDamaged      = errors.New("a table cannot be read")
)

// diskErrors are the causes of ErrDisk.
var diskErrors = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.ENOTDIR, fs.ErrNotExist, fs.ErrPermission,
}

// explain wraps a failure of the folder's files in the sentinel that it is a case of. The
// cause of damage is named, not wrapped: it may be io.EOF, which must not look like the
// end of a sequence.
func explain(verb, folder string, err error) error {
	for _, cause := range diskErrors {
		if errors.Is(err, cause) {
			return fmt.Errorf("%s spill folder %s: %w: %w", verb, folder, ErrDisk, err)
		}
	}
	if errors.Is(err, errDamaged) || errors.Is(err, errMissing) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s spill folder %s: %w: %s", verb, folder, ErrCorrupt, err.Error())
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return fmt.Errorf("%s spill folder %s: %w: %w", verb, folder, ErrFailed, err)
	}
	return fmt.Errorf("%s spill folder %s: %w", verb, folder, err)
}
