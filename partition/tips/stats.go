package tips

// stats are the sums of a partition by child of the value it has, by field; nil for a
// field without. They let the largest part of a partition be counted by subtraction.
type stats [][]uint64

// bytes returns the memory that the sums take.
func (s stats) bytes() (n int64) {
	for _, sums := range s {
		n += int64(cap(sums)) * 8
	}
	return n + int64(cap(s))*24
}

// of returns a field's sums, or nil.
func (s stats) of(field int) []uint64 {
	if s == nil {
		return nil
	}
	return s[field]
}

// drop removes a field's sums.
func (s stats) drop(field int) {
	if s != nil {
		s[field] = nil
	}
}

// statsPay reports whether counting that many records costs more than keeping sums.
func statsPay(records int, fields []active) bool {
	sums := 0
	for _, a := range fields {
		sums += a.children
	}
	return records >= 256 && records >= 4*sums
}
