package formats

import "cmp"

// Singles converts batches whose rows have counts to batches whose rows are single records. Their
// columns are flat.
type Singles struct {
	Most int // largest number of rows in a batch; 0: 65,536

	of   *Batch
	row  int    // the first row with records left
	used uint64 // number of records of that row that were returned
	at   int64  // position of the next record in the split
	out  Batch
}

const singlesRows = 1 << 16

// Of starts with the records of a batch, which must not change until all are returned.
func (s *Singles) Of(b *Batch) {
	s.of, s.row, s.used, s.at = b, 0, 0, b.Row
	for len(s.out.Columns) < len(b.Columns) {
		s.out.Columns = append(s.out.Columns, &Column{})
	}
}

// Next returns the next records as a batch, valid until the next call, or nil when none are left.
func (s *Singles) Next() *Batch {
	if s.of == nil || s.row == s.of.Rows {
		return nil
	}
	if s.of.Counts == nil {
		s.row = s.of.Rows
		return s.of
	}
	for i, c := range s.out.Columns {
		c.Values, c.Codes = s.of.Columns[i].Values, c.Codes[:0]
	}
	s.out.Row, s.out.Rows = s.at, 0
	most := cmp.Or(s.Most, singlesRows)
	for s.row < s.of.Rows && s.out.Rows < most {
		n := int(min(s.of.Counts[s.row]-s.used, uint64(most-s.out.Rows)))
		for i, c := range s.out.Columns {
			code := s.of.Columns[i].Codes[s.row]
			for range n {
				c.Codes = append(c.Codes, code)
			}
		}
		s.out.Rows += n
		if s.used += uint64(n); s.used == s.of.Counts[s.row] {
			s.row, s.used = s.row+1, 0
		}
	}
	s.at += int64(s.out.Rows)
	return &s.out
}
