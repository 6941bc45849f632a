// Package spill bounds the memory of a run. Holders of memory that grows with the input draw it
// from a Budget; a Store takes to disk the bytes that do not fit.
//
// A Store holds sequences: numbered lists of chunks of bytes, appended at the end, read from the
// start any number of times, freed as a whole.
//
//	Append ──▶ buffer ──full──▶ tables ──▶ Scan, Consume
//	                            Free ──▶ file removed
//
// Tables are files in Pebble's format. A sequence with many bytes in the buffer gets its own table,
// the others share one. The store removes a table when everything in it has been freed.
//
// Contract: a draw that does not fit fails at once and takes nothing; the peak is exact. A Store
// returns the chunks that were appended or an error, never other bytes: tables have checksums, and
// a reader expects pieces by number. After any failure of its files every later call fails. Nothing
// hangs on a full disk.
//
// Limits: the budget alone does not bound the process. It does so only if every holder draws its
// memory, and the fixed overhead is added. A Store does not survive a crash: it syncs nothing, and
// the next Open or Sweep removes its folder.
package spill

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Store keeps chunks of bytes that do not fit in memory, in a private folder of one run. Its
// methods are safe for concurrent use, except Close.
type Store struct {
	budget *Budget
	share  int64
	folder *folder

	mu        sync.Mutex // guards the fields below, also while tables are written and removed
	sequences map[Sequence]*sequence
	last      Sequence
	buffer    []byte   // chunks that are in no table yet
	used      int      // bytes of the buffer in use, with the administration of its chunks
	buffered  []*block // blocks in the buffer
	live      int      // those of buffered that are not freed
	tables    int      // tables with a block that is not freed
	made      int      // number of tables made since Open
	stats     Stats
	failure   error
	closed    bool
}

// Open removes the folders that crashed runs have left below dir and makes a store in a new private
// folder there. It makes dir when dir does not exist. It returns an error that wraps ErrBudget when
// the budget refuses its share, and ErrDisk when dir cannot be written to.
func Open(dir string, o Options) (*Store, error) {
	if o.Budget == nil {
		o.Budget = NewBudget(math.MaxInt64)
	}
	s := &Store{budget: o.Budget, share: o.share(), sequences: map[Sequence]*sequence{}}
	if err := s.budget.Draw("the spill store's buffers", s.share); err != nil {
		return nil, err
	}
	if err := s.open(dir, o.FS); err != nil {
		return nil, errors.Join(err, s.release())
	}
	// the rest is for the page that is being written and for the administration of blocks
	s.buffer = make([]byte, 0, s.share/4*3)
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
	s.folder, err = openFolder(fsys, dir)
	return err
}

// release removes all files and returns the share to the budget.
func (s *Store) release() (err error) {
	if s.folder != nil {
		if err = s.folder.remove(); err != nil {
			err = explain("remove", s.folder.path, err)
		}
	}
	s.budget.Return(s.share)
	return err
}

// fail makes every later call return err, and returns err. Only the first failure counts: it causes
// the others.
func (s *Store) fail(err error) error {
	if s.failure == nil {
		s.failure = explain("use", s.folder.path, err)
	}
	return s.failure
}

// usable returns the error after which the store cannot be used, or nil.
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

// Append copies a chunk to the end of a sequence. It waits while the disk is slower than the
// callers. Calls for one sequence must not run at the same time, nor after the sequence was freed.
// Chunks of 10 KiB and more are most efficient.
func (s *Store) Append(seq Sequence, chunk []byte) error {
	if len(chunk) > math.MaxUint32 {
		return fmt.Errorf("append to a spilled sequence: %d bytes are more than a chunk may have",
			len(chunk))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	size := lengthBytes + len(chunk)
	large := size+chunkCost > cap(s.buffer)
	if s.used+size+chunkCost > cap(s.buffer) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	b := s.blockFor(seq, size)
	from := len(s.buffer)
	s.buffer = binary.LittleEndian.AppendUint32(s.buffer, uint32(len(chunk)))
	if !large {
		s.buffer = append(s.buffer, chunk...)
	}
	b.pieces = append(b.pieces, s.buffer[from:len(s.buffer):len(s.buffer)])
	b.size, s.used = b.size+size, s.used+size+chunkCost
	s.stats.Chunks++
	if large { // written from the caller's memory
		b.pieces = append(b.pieces, chunk)
		return s.flush()
	}
	return nil
}

// blockFor returns the block in the buffer that takes the next chunk of a sequence.
func (s *Store) blockFor(seq Sequence, size int) *block {
	q := s.sequences[seq]
	if q == nil {
		q = &sequence{number: seq}
		s.sequences[seq] = q
	}
	if n := len(q.blocks); n > 0 && q.blocks[n-1].table == nil &&
		q.blocks[n-1].size+size <= blockSize {
		return q.blocks[n-1]
	}
	b := &block{sequence: q}
	q.blocks, s.buffered, s.live = append(q.blocks, b), append(s.buffered, b), s.live+1
	return b
}

// Free drops sequences with all their chunks. Chunks that are still in the buffer are never
// written; a table is removed with the last block in it. A reader of a freed sequence gets an
// error.
func (s *Store) Free(seqs ...Sequence) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	for _, seq := range seqs {
		q := s.sequences[seq]
		if q == nil {
			continue
		}
		delete(s.sequences, seq)
		q.freed = true
		for _, b := range q.blocks {
			if err := s.drop(b); err != nil {
				return s.fail(err)
			}
		}
		q.blocks = nil
	}
	return nil
}

// drop removes a block.
func (s *Store) drop(b *block) error {
	if b.table == nil {
		if s.live--; s.live == 0 {
			s.empty()
		}
		return nil
	}
	if b.table.alive--; b.table.alive > 0 {
		return nil
	}
	s.tables--
	s.stats.DiskBytes -= b.table.size
	return s.folder.fs.Remove(b.table.path)
}

// dropBefore drops the blocks of a sequence that come before another block and are in tables.
func (s *Store) dropBefore(b *block) error {
	for q := b.sequence; q.blocks[0] != b && q.blocks[0].table != nil; q.blocks = q.blocks[1:] {
		if err := s.drop(q.blocks[0]); err != nil {
			return err
		}
	}
	return nil
}

// Stats are a store's numbers.
type Stats struct {
	BytesWritten  int64 // bytes written to tables
	BytesRead     int64 // bytes read from tables
	DiskBytes     int64 // bytes in the folder now
	PeakDiskBytes int64 // the largest value of DiskBytes
	Chunks        int64 // number of chunks appended
}

// Stats returns the present figures. They stay the same after Close.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Close ends the readers, which must be closed all the same. It removes the folder with its
// contents, and dir when Open made it and it is empty. It returns the failure of the store, if
// there was one. No other call may be running; a second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.release()
	return cmp.Or(s.failure, err)
}
