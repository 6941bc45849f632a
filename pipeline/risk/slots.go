package risk

import "slices"

// slot is a hash and its number of rows. The number is 0 in free slots only.
type slot struct {
	hash uint64
	rows uint64
}

// slots are a hash table with open addressing. The bits of a hash from shift on choose its slot.
type slots struct {
	of    []slot
	used  int
	shift uint8
}

// find returns the slot of a hash, or the free slot that it would get.
func (s *slots) find(hash uint64) *slot {
	mask := uint64(len(s.of) - 1)
	for i := hash >> s.shift & mask; ; i = (i + 1) & mask {
		if at := &s.of[i]; at.rows == 0 || at.hash == hash {
			return at
		}
	}
}

// add counts rows of a hash, and reports whether the hash is new.
func (s *slots) add(hash, rows uint64) (added bool) {
	at := s.find(hash)
	if added = at.rows == 0; added {
		at.hash = hash
		s.used++
	}
	at.rows += rows
	return added
}

// widen moves the hashes to a table with the given number of slots, if that is larger.
func (s *slots) widen(size int) {
	was := s.of
	if size == len(was) {
		return
	}
	s.of, s.used = make([]slot, size), 0
	for _, slot := range was {
		if slot.rows > 0 {
			s.add(slot.hash, slot.rows)
		}
	}
}

// leaveOut leaves out hashes that begin with fewer zero bits. It enters the other hashes again, one
// after the other from a free slot on: no search for a hash behind this slot started in front of
// it.
func (s *slots) leaveOut(zeros uint) {
	mask := len(s.of) - 1
	free := slices.IndexFunc(s.of, func(at slot) bool { return at.rows == 0 })
	s.used = 0
	for i := range s.of {
		at := &s.of[(free+i)&mask]
		was := *at
		if *at = (slot{}); was.rows > 0 && was.hash>>(64-zeros) == 0 {
			s.add(was.hash, was.rows)
		}
	}
}
