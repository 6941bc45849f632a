package partition

import "github.com/kcut/kcut/spill"

const (
	// segmentRecords is how many records a segment has, unless a bucket may have fewer.
	segmentRecords = 64
	// segmentExtra is the bytes that a bucket takes to know a segment.
	segmentExtra = 48
	// slabGrowth is the part of what is drawn already that a further slab takes, and maxSlab
	// the most bytes.
	slabGrowth = 4
	maxSlab    = 4 << 20
)

// slabs hands out memory for records in segments of one size, so that no list of them is
// copied when it grows, and none leaves garbage behind. They are cut from slabs, which are
// drawn from a budget until all segments are given up at once.
type slabs struct {
	budget  *spill.Budget
	segment int      // words
	most    int      // segments that are ever needed; 0: nobody knows
	slab    []uint64 // what is left of the last one
	free    [][]uint64
	drawn   int64
}

func segmentBytes(words int) int64 { return int64(words)*8 + segmentExtra }

// get returns an empty segment.
func (s *slabs) get() ([]uint64, error) {
	if n := len(s.free); n > 0 {
		segment := s.free[n-1]
		s.free = s.free[:n-1]
		return segment, nil
	}
	if len(s.slab) == 0 {
		if err := s.grow(); err != nil {
			return nil, err
		}
	}
	segment := s.slab[:0:s.segment]
	s.slab = s.slab[s.segment:]
	return segment, nil
}

// grow makes a slab, in need one of a single segment.
func (s *slabs) grow() error {
	bytes := segmentBytes(s.segment)
	n := max(1, min(s.drawn/slabGrowth, maxSlab)/bytes)
	if s.most > 0 {
		n = min(n, int64(s.most)-s.drawn/bytes)
	}
	err := s.budget.Draw("distinct tuples", n*bytes)
	if err != nil && n > 1 {
		n = 1
		err = s.budget.Draw("distinct tuples", bytes)
	}
	if err != nil {
		return err
	}
	s.slab = make([]uint64, int(n)*s.segment)
	s.drawn += n * bytes
	return nil
}

// put takes back segments that are to be handed out again.
func (s *slabs) put(segments [][]uint64) {
	for _, segment := range segments {
		s.free = append(s.free, segment[:0])
	}
}

// release returns what was drawn. Nobody uses a segment any more.
func (s *slabs) release() {
	s.budget.Return(s.drawn)
	s.slab, s.free, s.drawn = nil, nil, 0
}
