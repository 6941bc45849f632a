package domain

import "github.com/kcut/kcut/formats"

// Renumbered is the coder of values whose codes by another coder lead to new ones below a domain.
// A code that leads nowhere is one that no record has: it gets any new one.
type Renumbered struct {
	Coder
	Codes  []uint32 // by code of the other coder
	Domain int
}

// Null returns the null's new code.
func (r Renumbered) Null() uint32 { return r.renumber(r.Coder.Null()) }

// Encode appends the new codes of values.
func (r Renumbered) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	first := len(codes)
	codes, _, err := r.Coder.Encode(values, from, codes)
	if err != nil {
		return nil, 0, err
	}
	for i := first; i < len(codes); i++ {
		codes[i] = r.renumber(codes[i])
	}
	return codes, r.Domain, nil
}

func (r Renumbered) renumber(code uint32) uint32 {
	if int(code) < len(r.Codes) {
		return r.Codes[code]
	}
	return 0
}
