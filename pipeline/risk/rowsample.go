package risk

// rowSample holds distinct rows of a table by the hashes of their values: all of them while there
// is room, else the rows whose hash begins with enough zero bits. The hash is that of the whole
// row, so that the sample represents all rows, or that of one column, so that the sample has either
// all rows with a value there or none. The rows in the final sample depend on the table alone.
type rowSample struct {
	column int      // the column whose hash chooses rows; −1: the whole row
	most   int      // distinct rows
	zeros  uint     // leading zero bits of the hashes that choose rows
	index  []uint32 // open addressing by the low bits of a row's hash: 1 + the row's number
	hashes []uint64 // of the rows
	counts []uint64 // number of equal rows, by distinct row
	width  int      // columns
	values []uint32 // by row: the upper halves of its values' hashes
}

// rowBytes is the size of a row and its place in the index, without the 4 bytes of every column.
const rowBytes = 32

func newRowSample(column, most, width int) *rowSample {
	s := &rowSample{column: column, most: most, width: width, index: make([]uint32, 16)}
	if most == 0 {
		s.zeros = noneChosen // else rows would come and go in memory that is not drawn
	}
	return s
}

// noneChosen is more zero bits than any hash begins with.
const noneChosen = 33

// limit is the first upper half of a hash that does not choose a row.
func (s *rowSample) limit() uint64 { return 1 << 32 >> s.zeros }

// row returns the values of a row.
func (s *rowSample) row(i int) []uint32 { return s.values[i*s.width:][:s.width] }

// chooses reports whether the current number of zeros still chooses a row of the sample.
func (s *rowSample) chooses(i int) bool {
	upper := uint32(s.hashes[i] >> 32)
	if s.column >= 0 {
		upper = s.row(i)[s.column]
	}
	return uint64(upper) < s.limit()
}

// place returns the place of a row in the index by its hash: 0 if the row is new.
func (s *rowSample) place(hash uint64) *uint32 {
	mask := uint64(len(s.index) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := &s.index[i]; *at == 0 || s.hashes[*at-1] == hash {
			return at
		}
	}
}

// fits reports whether there is room for all rows of another sample.
func (s *rowSample) fits(o *rowSample) bool {
	rows := len(s.hashes)
	for _, hash := range o.hashes {
		if *s.place(hash) == 0 {
			rows++
		}
	}
	return rows <= s.most
}

// add counts rows with a hash. If the row is new, add returns its values for the caller to set;
// then the caller calls settle.
func (s *rowSample) add(hash, rows uint64) (unset []uint32) {
	at := s.place(hash)
	if *at > 0 {
		s.counts[*at-1] += rows
		return nil
	}
	s.hashes, s.counts = append(s.hashes, hash), append(s.counts, rows)
	*at = uint32(len(s.hashes))
	if 2*len(s.hashes) > len(s.index) {
		s.rebuild(2 * len(s.index))
	}
	s.values = append(s.values, make([]uint32, s.width)...)
	return s.values[len(s.values)-s.width:]
}

// rebuild enters the rows into an index of the given size.
func (s *rowSample) rebuild(size int) {
	if clear(s.index); size > len(s.index) {
		s.index = make([]uint32, size)
	}
	for at, hash := range s.hashes {
		*s.place(hash) = uint32(at + 1)
	}
}

// full reports whether there are more rows than allowed.
func (s *rowSample) full() bool { return len(s.hashes) > s.most }

// settle leaves out rows until their number is allowed.
func (s *rowSample) settle() {
	for s.full() {
		s.leaveOut(s.zeros + 1)
	}
}

// leaveOut leaves out the rows whose hash begins with fewer zero bits.
func (s *rowSample) leaveOut(zeros uint) {
	s.zeros = zeros
	left := 0
	for i, hash := range s.hashes {
		if !s.chooses(i) {
			continue
		}
		copy(s.row(left), s.row(i))
		s.hashes[left], s.counts[left] = hash, s.counts[i]
		left++
	}
	s.hashes, s.counts, s.values = s.hashes[:left], s.counts[:left], s.values[:left*s.width]
	s.rebuild(len(s.index))
}

// take adds a row of another sample if the hash chooses it.
func (s *rowSample) take(o *rowSample, i int) {
	upper := uint32(o.hashes[i] >> 32)
	if s.column >= 0 {
		upper = o.row(i)[s.column]
	}
	if uint64(upper) >= s.limit() {
		return
	}
	if unset := s.add(o.hashes[i], o.counts[i]); unset != nil {
		copy(unset, o.row(i))
		s.settle()
	}
}

// merge adds the rows of another sample of the same kind.
func (s *rowSample) merge(o *rowSample) {
	if o.zeros > s.zeros {
		s.leaveOut(o.zeros)
	}
	for i := range o.hashes {
		s.take(o, i)
	}
}
