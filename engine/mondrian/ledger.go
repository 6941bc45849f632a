package mondrian

// Bytes of what grows with the number of regions: of a content with its place in a map and
// its label, of a divided cell besides its codes.
const (
	contentBytes = 160
	dividedBytes = 240
)

// bytes returns the memory that the search has taken for its result so far.
func (s *search) bytes() int64 {
	t := s.tree
	bytes := int64(cap(t.nodes))*28 + int64(cap(t.links))*4 + int64(cap(t.steps))*8
	bytes += s.raw.bytes + int64(cap(s.raw.contents))*4
	if s.relaxed != nil {
		bytes += s.relaxed.sampled.Bytes() + int64(s.relaxed.divided.Len())*(dividedBytes+12*int64(len(s.fields)))
	}
	return bytes
}
