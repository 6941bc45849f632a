package partition

// Histogram counts the records of every (code, class) pair of one column. The entries of
// code v are Start[v] ≤ i < Start[v+1], by ascending class: Class[i] and Count[i] > 0.
// Without a class all records are of class 0 and Classes is 1.
type Histogram struct {
	Classes int
	Start   []int // length: domain + 1
	Class   []uint32
	Count   []uint64
}

// Len returns the size of the column's domain.
func (h *Histogram) Len() int { return len(h.Start) - 1 }

// Sizes returns the number of records of every code.
func (h *Histogram) Sizes() []uint64 {
	sizes := make([]uint64, h.Len())
	for code := range sizes {
		for _, n := range h.Count[h.Start[code]:h.Start[code+1]] {
			sizes[code] += n
		}
	}
	return sizes
}
