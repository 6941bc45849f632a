package spill

import (
	"cmp"
	"slices"
)

const (
	// ownTable is how much of a sequence must be in a run for a table of its own. It
	// doubles with every tablesStep tables that are alive: each is a file.
	ownTable   = 256 << 10
	tablesStep = 8 << 10
	// sharedTable is where a shared table ends, in units of what an own table needs: the
	// sequences in it wait for each other to be freed.
	sharedTable = 2
)

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
	groups, err := s.groupsOf(r)
	if err != nil {
		return err
	}
	tables := make([]*table, len(groups))
	for i, pieces := range groups {
		if tables[i], err = s.writeTable(pieces); err != nil {
			return err
		}
	}
	return remove(s.commit(groups, tables))
}

// groupsOf spreads the live pieces of a run, in the order of their sequences, over tables.
func (s *Store) groupsOf(r *run) (groups [][]*piece, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, s.failure
	}
	enough := ownTable << (s.tables / tablesStep)
	pieces := slices.DeleteFunc(slices.Clone(r.pieces), func(p *piece) bool { return p.sequence.freed })
	slices.SortFunc(pieces, func(a, b *piece) int { return cmp.Compare(a.sequence.number, b.sequence.number) })
	share, bytes := -1, 0 // the shared table that is being filled
	for _, p := range pieces {
		if p.bytes >= enough {
			groups = append(groups, []*piece{p})
			continue
		}
		if share < 0 || bytes >= enough*sharedTable {
			share, bytes = len(groups), 0
			groups = append(groups, nil)
		}
		groups[share], bytes = append(groups[share], p), bytes+p.bytes
	}
	return groups, nil
}

// commit notes where the pieces are now, and returns the tables that have only what has
// been freed meanwhile.
func (s *Store) commit(groups [][]*piece, tables []*table) (dead []*table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range tables {
		for _, p := range groups[i] {
			if !p.sequence.freed {
				p.sequence.store(p, t)
				t.alive++
			}
		}
		if t.alive == 0 {
			dead = append(dead, t)
		} else {
			s.tables++
		}
	}
	return dead
}

// remove removes tables.
func remove(tables []*table) (err error) {
	for _, t := range tables {
		err = cmp.Or(err, t.remove())
	}
	return err
}
