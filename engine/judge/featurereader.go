package judge

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/labels"
)

// featureReader finds the features of records. Random features are drawn record by record, by the
// record's number, so that they are the same every time.
type featureReader struct {
	features
	next    uint64     // number of the next record
	columns [][]uint32 // scratch
	drawn   *Block     // scratch: the classes and counts of records whose features are drawn
}

// mostDrawn is the largest number of draws for a tuple: if it has more records, they share the
// draws.
const mostDrawn = 64

// code writes the features of a block's records. Records that are not released have only missing
// values.
func (f features) code(to [][]uint32, b *Block) [][]uint32 {
	seen := b.seen()
	to = copied(to, seen[len(seen)-len(f):])
	for i := range f {
		for at, code := range to[i] {
			to[i][at] = f[i].Code(code)
		}
	}
	return to[:len(f)]
}

// block calls visit with the features of a block's records, and with a block of their classes and
// counts.
func (s *featureReader) block(b *Block, visit func(columns [][]uint32, b *Block) error) error {
	if !slices.ContainsFunc(s.features, func(f labels.Feature) bool { return f.IsDrawn() }) {
		s.columns = s.code(s.columns, b)
		return visit(s.columns[:len(s.features)], b)
	}
	if s.drawn == nil {
		s.drawn, s.columns = &Block{}, make([][]uint32, len(s.features))
	}
	seen := b.seen()
	seen = seen[len(seen)-len(s.features):]
	for i, records := range b.Counts {
		draws := min(records, mostDrawn)
		for draw := range draws {
			random := engine.Mix(s.next + draw)
			for f := range s.features {
				code := s.features[f].Draw(seen[f][i], engine.Mix(random+uint64(f)))
				s.columns[f] = append(s.columns[f], code)
			}
			share := records*(draw+1)/draws - records*draw/draws
			s.drawn.Classes = append(s.drawn.Classes, b.Classes[i])
			s.drawn.Counts = append(s.drawn.Counts, share)
		}
		s.next += records
		if len(s.drawn.Counts) >= blockRecords {
			if err := s.flush(visit); err != nil {
				return err
			}
		}
	}
	return s.flush(visit)
}

// flush calls visit with the drawn features, and removes them.
func (s *featureReader) flush(visit func(columns [][]uint32, b *Block) error) error {
	err := visit(s.columns, s.drawn)
	for f := range s.columns {
		s.columns[f] = s.columns[f][:0]
	}
	s.drawn.reset()
	return err
}
