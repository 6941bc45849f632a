package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// ownTable is how much of a sequence must be in a run for a table of its own. It
	// doubles with every tablesStep tables that are alive: Pebble holds about 1 KiB of
	// memory for each.
	ownTable   = 256 << 10
	tablesStep = 8 << 10
	// sharedTable is where a shared table ends, in units of what an own table needs: the
	// sequences in it wait for each other to be freed.
	sharedTable = 2
)

// table is what one file is to hold: pieces in the order of their sequences.
type table struct {
	home   uint64
	pieces []*piece
	bytes  int
}

// writeBehind writes the queued runs until the store is closed.
func (s *Store) writeBehind() {
	for r := s.nextRun(); r != nil; r = s.nextRun() {
		if err := s.writeRun(r); err != nil {
			s.fail(err)
		}
		s.recycle(r)
	}
}

// nextRun waits for a run to write. Nil is the end: what is queued then is dropped.
func (s *Store) nextRun() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed {
		s.changed.Wait()
	}
	if s.closed {
		for _, r := range s.queue {
			r.done = true
		}
		s.changed.Broadcast()
		return nil
	}
	r := s.queue[0]
	s.queue = s.queue[1:]
	return r
}

// recycle lets a run be filled again.
func (s *Store) recycle(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.done = true
	if cap(r.arena) > 0 {
		r.reset()
		s.spare = append(s.spare, r)
	}
	s.changed.Broadcast()
}

// writeRun writes what is alive in a run as tables and lets the readers find it there.
func (s *Store) writeRun(r *run) error {
	tables, err := s.tablesOf(r)
	if err != nil || len(tables) == 0 {
		return err
	}
	paths := make([]string, len(tables))
	for i := range tables {
		if paths[i], err = s.writeTable(&tables[i]); err != nil {
			return err
		}
	}
	if err := s.db.Ingest(context.Background(), paths); err != nil {
		return err
	}
	return s.excise(s.commit(tables))
}

// tablesOf spreads the live pieces of a run over tables.
func (s *Store) tablesOf(r *run) ([]table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, s.failure
	}
	enough := ownTable << ((s.ownTables + len(s.shared)) / tablesStep)
	pieces := slices.DeleteFunc(slices.Clone(r.pieces), func(p *piece) bool { return p.sequence.freed })
	slices.SortFunc(pieces, func(a, b *piece) int { return cmp.Compare(a.sequence.number, b.sequence.number) })
	var tables []table
	share := -1 // the shared table that is being filled
	for _, p := range pieces {
		if p.bytes >= enough {
			tables = append(tables, table{pieces: []*piece{p}})
			continue
		}
		if share < 0 || tables[share].bytes >= enough*sharedTable {
			share = len(tables)
			tables = append(tables, table{})
		}
		t := &tables[share]
		t.pieces, t.bytes = append(t.pieces, p), t.bytes+p.bytes
	}
	return tables, nil
}

// writeTable writes a table's file beside Pebble's and returns its path.
func (s *Store) writeTable(t *table) (path string, err error) {
	s.written++
	t.home = uint64(t.pieces[0].sequence.number)
	if len(t.pieces) > 1 {
		t.home = sharedHome | s.written
	}
	path = s.files.PathJoin(s.folder.path, fmt.Sprintf("table-%d", s.written))
	file, err := s.files.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return "", err
	}
	w := s.db.newTable(file)
	for _, p := range t.pieces {
		if err = writePiece(w, t.home, p); err != nil {
			break
		}
	}
	return path, errors.Join(err, w.Close())
}

func writePiece(w tableWriter, home uint64, p *piece) error {
	key := make([]byte, 0, keySize)
	for i, chunk := range p.chunks {
		key = appendKey(key[:0], home, p.sequence.number, p.first+uint64(i))
		if err := w.Set(key, chunk); err != nil {
			return err
		}
	}
	return nil
}

// commit notes where the pieces are now, and returns the homes that held only what has
// been freed meanwhile.
func (s *Store) commit(tables []table) (dead []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	for _, t := range tables {
		alive := 0
		for _, p := range t.pieces {
			if !p.sequence.freed {
				p.sequence.store(p, t.home)
				alive++
			}
		}
		switch {
		case alive == 0:
			dead = append(dead, t.home)
		case t.home&sharedHome == 0:
			t.pieces[0].sequence.tables++
			s.ownTables++
		default:
			s.shared[t.home] = alive
		}
	}
	return dead
}
