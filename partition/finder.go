package partition

// Finder finds tuples of codes in an index of their labels. It is safe for concurrent use.
type Finder struct {
	Columns []FinderColumn
	Index   *Index
}

// FinderColumn is a column of the index.
type FinderColumn struct {
	Column int      // of the codes
	Labels []uint32 // by code
	Field  Field    // of the labels in the keys of the index
}

// Find calls found with the tuples whose labels the index has, and with their numbers there.
// codes[c][i] is the code of tuple i in column c.
func (f *Finder) Find(n int, codes [][]uint32, found func(tuple, number int)) {
	const together = 1 << 9 // tuples whose keys are packed together
	var room [2 * together]uint64
	w := f.Index.words
	for lo := 0; lo < n; lo += together {
		hi := min(lo+together, n)
		keys := append(room[:0], make([]uint64, (hi-lo)*w)...)
		for _, c := range f.Columns {
			for i, code := range codes[c.Column][lo:hi] {
				keys[i*w+c.Field.Word] |= uint64(c.Labels[code]) << c.Field.Shift
			}
		}
		for i := range hi - lo {
			if number := f.Index.Find(keys[i*w:][:w]); number >= 0 {
				found(lo+i, number)
			}
		}
	}
}
