package domain

import "github.com/kcut/kcut/formats"

// Shortlist is the coder of a kept column that is left out when it has more than so many
// values: then it numbers no more of them.
type Shortlist struct {
	*Interner
	most int
}

// NewShortlist returns the coder of a column whose values an interner numbers.
func NewShortlist(in *Interner, most int) *Shortlist { return &Shortlist{in, most} }

// Exceeded reports whether the column has more values than that.
func (s *Shortlist) Exceeded() bool { return s.values.Len() > s.most }

// Encode numbers the values that are new, and appends the codes of all. Those behind the
// first too many are nulls.
func (s *Shortlist) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, data := s.values.Len(), len(s.values.Data)
	for i := from; i < values.Len(); i++ {
		code := uint32(nullCode)
		if !s.Exceeded() {
			var err error
			if code, err = s.code(values, i); err != nil {
				return nil, 0, err
			}
		}
		codes = append(codes, code)
	}
	if err := s.draw(before, data); err != nil {
		return nil, 0, err
	}
	return codes, s.Len(), nil
}
