package count

import "github.com/kcut/kcut/formats"

// sampling takes some of the rows of an input.
type sampling struct {
	take   func(row uint64) bool // nil: all rows are taken
	start  uint64                // position in the input of the split's first row
	sample formats.Batch         // scratch
}

// BeginSplit notes where a split begins.
func (s *sampling) BeginSplit(split formats.Split) { s.start = uint64(split.Row) }

// taken returns a batch of the rows of a coded one that are taken, valid until the next call.
func (s *sampling) taken(b *formats.Batch) *formats.Batch {
	if s.take == nil {
		return b
	}
	if s.sample.Columns == nil {
		for range b.Columns {
			s.sample.Columns = append(s.sample.Columns, &formats.Column{})
		}
	}
	for i, c := range s.sample.Columns {
		c.Values, c.Codes = b.Columns[i].Values, c.Codes[:0]
	}
	s.sample.Rows = 0
	for row := range b.Rows {
		if !s.take(s.start + uint64(b.Row) + uint64(row)) {
			continue
		}
		for i, c := range s.sample.Columns {
			c.Codes = append(c.Codes, b.Columns[i].Codes[row])
		}
		s.sample.Rows++
	}
	return &s.sample
}
