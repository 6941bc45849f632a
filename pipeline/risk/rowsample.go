package risk

// rowSample holds rows of a table by the hashes of their values: all of them while it has room, else
// those whose hash begins with enough zero bits. That hash is of the whole row, so that the rows stand
// for all, or of one column, so that all rows with the same value there are in, or none. Rows that are
// alike are held once. Which rows there are in the end depends on the table alone.
type rowSample struct {
	column int // whose hash chooses rows; −1: that of the whole row
	most   int // rows that differ
	zeros  uint
	index  []uint32 // by the low bits of a row's hash, open addressing: the row's number from 1 on
	hashes []uint64 // of the rows
	counts []uint64 // rows that are alike
	width  int      // columns
	values []uint32 // of every row the upper halves of its values' hashes
}

// rowBytes is what a row takes with its place in the index, but for 4 bytes for every column.
const rowBytes = 32

func newRowSample(column, most, width int) *rowSample {
	s := &rowSample{column: column, most: most, width: width, index: make([]uint32, 16)}
	if most == 0 {
		s.zeros = noneChosen // else rows came and went, in memory that nobody has drawn
	}
	return s
}

// noneChosen is more zero bits than any hash begins with.
const noneChosen = 33

// limit is above the upper halves of hashes that are chosen.
func (s *rowSample) limit() uint64 { return 1 << 32 >> s.zeros }

// row returns the values of a row.
func (s *rowSample) row(i int) []uint32 { return s.values[i*s.width:][:s.width] }

// chooses reports whether a row that is held is one of those that are chosen.
func (s *rowSample) chooses(i int) bool {
	upper := uint32(s.hashes[i] >> 32)
	if s.column >= 0 {
		upper = s.row(i)[s.column]
	}
	return uint64(upper) < s.limit()
}

// add counts rows with a hash. Values of one that was not there are to be set; then settle is called.
func (s *rowSample) add(hash, rows uint64) (unset []uint32) {
	mask := uint64(len(s.index) - 1)
	i := hash & mask
	for ; s.index[i] != 0; i = (i + 1) & mask {
		if at := s.index[i] - 1; s.hashes[at] == hash {
			s.counts[at] += rows
			return nil
		}
	}
	s.hashes, s.counts = append(s.hashes, hash), append(s.counts, rows)
	s.index[i] = uint32(len(s.hashes))
	if 2*len(s.hashes) > len(s.index) {
		s.rebuild(2 * len(s.index))
	}
	s.values = append(s.values, make([]uint32, s.width)...)
	return s.values[len(s.values)-s.width:]
}

// rebuild numbers the rows in an index of a size.
func (s *rowSample) rebuild(size int) {
	if clear(s.index); size > len(s.index) {
		s.index = make([]uint32, size)
	}
	mask := uint64(size - 1)
	for at, hash := range s.hashes {
		i := hash & mask
		for ; s.index[i] != 0; i = (i + 1) & mask {
		}
		s.index[i] = uint32(at + 1)
	}
}

// full reports whether there are more rows than there may be.
func (s *rowSample) full() bool { return len(s.hashes) > s.most }

// settle leaves out rows until there are as many as there may be.
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

// take adds a row of another sample, if it is chosen.
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

// merge adds what another sample of the same kind has.
func (s *rowSample) merge(o *rowSample) {
	if o.zeros > s.zeros {
		s.leaveOut(o.zeros)
	}
	for i := range o.hashes {
		s.take(o, i)
	}
}
