package risk

import "slices"

// slot is a hash and its rows; none have 0 rows.
type slot struct {
	hash uint64
	rows uint64
}

// slots are a table of hashes by open addressing, in a slot by the bits from shift on.
type slots struct {
	of    []slot
	used  int
	shift uint8
}

// find returns the slot of a hash, or the free one that it would get.
func (s *slots) find(hash uint64) *slot {
	mask := uint64(len(s.of) - 1)
	for i := hash >> s.shift & mask; ; i = (i + 1) & mask {
		if at := &s.of[i]; at.rows == 0 || at.hash == hash {
			return at
		}
	}
}

// add counts rows of a hash, and reports whether it is a new one.
func (s *slots) add(hash, rows uint64) (added bool) {
	at := s.find(hash)
	if added = at.rows == 0; added {
		at.hash = hash
		s.used++
	}
	at.rows += rows
	return added
}

// widen moves the hashes to a table of so many slots, if they are more.
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

// leaveOut leaves out hashes that begin with fewer zero bits. The others find their places anew, one
// after the other from a free slot on, behind which none was looked for from before it.
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
