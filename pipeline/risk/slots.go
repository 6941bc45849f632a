package risk

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

// move moves the hashes that begin with so many zero bits to a table of so many slots.
func (s *slots) move(size int, zeros uint) {
	was := s.of
	s.of, s.used = make([]slot, size), 0
	for _, slot := range was {
		if slot.rows > 0 && slot.hash>>(64-zeros) == 0 {
			s.add(slot.hash, slot.rows)
		}
	}
}
